// Lists of words in sentences.

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
