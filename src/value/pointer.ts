// JSON pointers (RFC 6901): `/spec/containers/0/image`. `~` and `/` in a key are written as `~0` and `~1`.

/** Returns the steps as a JSON pointer: "" for none. */
export function formatPointer(steps: readonly (string | number)[]): string {
  let text = ""
  for (const step of steps) text += `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`
  return text
}

/**
 * Returns the steps of a JSON pointer. All are strings: only the value that the pointer refers to tells an index from a key. Ignores any
 * text in front of the first slash.
 */
export function parsePointer(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map(step => step.replaceAll("~1", "/").replaceAll("~0", "~"))
}
