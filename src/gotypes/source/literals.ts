// Decodes string literals and struct tags in Go source.
import { goUnescapes } from "../../value/quote.js"

/** Returns the value of a Go string literal in double quotes or backticks. */
export function unquote(literal: string): string {
  const inner = literal.slice(1, -1)
  if (literal.startsWith("`")) return inner.replaceAll("\r", "")
  return inner.replace(
    /((?:\\x[\da-fA-F]{2}|\\[0-3][0-7]{2})+)|\\(?:u([\da-fA-F]{4})|U([\da-fA-F]{8})|(.))/g,
    (_, bytes?: string, short?: string, long?: string, letter = "") => {
      if (bytes !== undefined) return utf8(bytes)
      const hex = short ?? long
      return hex === undefined ? (goUnescapes.get(letter) ?? letter) : character(Number.parseInt(hex, 16))
    },
  )
}

/** Decodes escaped bytes as UTF-8: `\xc3\xa9` is é. */
function utf8(escaped: string): string {
  const bytes = escaped.split("\\").slice(1)
  return new TextDecoder().decode(
    Uint8Array.from(bytes, byte =>
      byte.startsWith("x") ? Number.parseInt(byte.slice(1), 16) : Number.parseInt(byte, 8),
    ),
  )
}

function character(code: number): string {
  return code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? "\ufffd" : String.fromCodePoint(code)
}

/** Returns the values of a struct tag (`json:"name,omitempty" protobuf:"..."`) by key; undefined if it is malformed. */
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
