// The words of Go's encoding/json/v2 about characters and places.
import { quoteGo, quoteRune, unprintableIn } from "../../value/quote.js"
import { bytesOf, decodeText, lacksEnd } from "../reader.js"

export const unexpectedEnd = "unexpected EOF"
export const atStart = "at start of value"

/** Returns the problem of the character at this position. */
export function invalidCharacter(bytes: string, at: number, where: string): string {
  const [char = ""] = decodeText(bytes.slice(at, at + 4))
  return `invalid character ${quoteRune(char)} ${where}`
}

/** Returns the problem of an escape in a string. Its last character may be cut. */
export function invalidEscape(bytes: string): string {
  const cut = lacksEnd.exec(bytes)?.[0] ?? ""
  const text = decodeText(bytes.slice(0, bytes.length - cut.length))
  const isPlain = cut === "" && !/[`\s\ufffd]/.test(text) && unprintableIn(text) === null
  const hex = Array.from(cut, byte => `\\x${byte.charCodeAt(0).toString(16)}`).join("")
  return `invalid escape sequence ${isPlain ? `\`${text}\`` : `${quoteGo(text).slice(0, -1)}${hex}"`} in string`
}

/** Returns the bytes of the text that a JSON string stands for. */
export function unquote(string: string): string {
  return bytesOf(JSON.parse(decodeText(string)) as string)
}

/** Returns the name as a JSON pointer spells it. */
export function escapePointer(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1")
}

export function after(offset: number): string {
  return offset > 0 ? ` after offset ${offset}` : ""
}

export function within(pointer: string): string {
  return pointer === "" ? "" : ` within ${quoteGo(decodeText(shortPointer(pointer)))}`
}

// Leaves out the middle of a long pointer, up to whole names if there are any.
function shortPointer(pointer: string): string {
  if (pointer.length <= 100) return pointer
  const slash = pointer.lastIndexOf("/", 49)
  const head = pointer.slice(0, slash > 0 ? slash : 50).replace(lacksEnd, "")
  const rest = pointer.slice(-50)
  const tail = rest.slice(rest.indexOf("/") + 1).replace(/^[\x80-\xbf]+/, "")
  const left = pointer.slice(head.length, pointer.length - tail.length)
  const slashes = left.split("/").length - 1
  const marks = ["…", "…/…"][slashes] ?? "…/…/…"
  const first = slashes > 0 && left.startsWith("/") ? 1 : 0
  return head + marks.slice(first, slashes > 0 && left.endsWith("/") ? -1 : undefined) + tail
}
