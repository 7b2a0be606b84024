// Words in sentences and names: lists, counts, and patterns for names.

/** Returns `a`, `a and b`, or `a, b and c`. */
export function listAnd(words: readonly string[]): string {
  return listWords(words, "and")
}

/** Returns `a`, `a or b`, or `a, b or c`. */
export function listOr(words: readonly string[]): string {
  return listWords(words, "or")
}

function listWords(words: readonly string[], conjunction: string): string {
  const last = words.at(-1) ?? ""
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} ${conjunction} ${last}`
}

/** Returns the count with its noun: `1 field`, `2 fields`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`
}

/** Returns the text as a part of a regular expression that matches exactly this text. */
export function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")
}

/** Returns the regular expression for a name in which `*` stands for any characters. */
export function wildcardPattern(name: string): RegExp {
  return new RegExp(`^${name.split("*").map(escapePattern).join(".*")}$`, "s")
}
