// Paths of files that an object names.
import type { Field } from "./field.js"

/** Checks a path that must stay below a folder. */
export function checkLocalPath(path: Field): void {
  if (path.text.startsWith("/")) path.invalid("must be a relative path")
  checkNoBacksteps(path)
}

/** Checks that a path does not lead upwards. */
export function checkNoBacksteps(path: Field): void {
  if (path.text.split("/").includes("..")) path.invalid("must not contain '..'")
}
