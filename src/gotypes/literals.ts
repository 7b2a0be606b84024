// Texts in Go source: string literals and struct tags.

const escapes: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
}

/** What a Go string literal says, in double quotes or in backticks. */
export function unquote(literal: string): string {
  const inner = literal.slice(1, -1)
  if (literal.startsWith("`")) return inner
  return inner.replace(
    /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{3})|(.))/g,
    (...found: string[]) => {
      const [, byte, short, long, octal, letter = ""] = found
      const hex = byte ?? short ?? long
      if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16))
      if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8))
      return escapes[letter] ?? letter
    },
  )
}

/** The values of a struct tag (`json:"name,omitempty" protobuf:"..."`) by their keys; undefined if it is malformed. */
export function structTags(tag: string): ReadonlyMap<string, string> | undefined {
  const tags = new Map<string, string>()
  let rest = tag.trim()
  while (rest !== "") {
    const found = /^([^\s":]+):("(?:[^"\\]|\\.)*")\s*/.exec(rest)
    if (found === null) return undefined
    const [whole, key = "", value = ""] = found
    if (!tags.has(key)) tags.set(key, unquote(value))
    rest = rest.slice(whole.length)
  }
  return tags
}
