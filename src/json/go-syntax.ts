// The messages of Go's encoding/json about texts that are not JSON.
import { quoteRune } from "../value/quote.js"

/** Returns Go's message about the first syntax error of a text; undefined if the text is JSON. */
export function goSyntaxProblem(text: string): string | undefined {
  // Go reads a space after the end.
  const ended = `${text} `
  const fault = faultOf(ended)
  if (fault === undefined) return undefined
  const [character] = ended.slice(fault.at, fault.at + 2)
  return character === undefined
    ? "unexpected end of JSON input"
    : `invalid character ${quoteByte(character)} ${fault.context}`
}

/** A character that the syntax does not allow; at the end of the text, the text is incomplete. */
interface Fault {
  readonly at: number
  readonly context: string
}

/** The next part that a text may have. A new list or map may also end there. */
type Expected = "value" | "first item" | "key" | "first key" | "colon" | "more"

const beginningOfValue = "looking for beginning of value"
const beginningOfKey = "looking for beginning of object key string"
const space = /[ \t\r\n]*/y

function faultOf(text: string): Fault | undefined {
  const open: string[] = []
  let expected: Expected = "value"
  for (let at = skip(space, text, 0); ; at = skip(space, text, at)) {
    const next = text[at]
    const isMap = open.at(-1) === "{"
    if (expected === "more" && open.length === 0)
      return next === undefined ? undefined : { at, context: "after top-level value" }
    const mayEnd: boolean = expected === "more" || expected === (isMap ? "first key" : "first item")
    if (mayEnd && open.length > 0 && next === (isMap ? "}" : "]")) {
      open.pop()
      expected = "more"
      at++
    } else if (expected === "more") {
      if (next !== ",") return { at, context: isMap ? "after object key:value pair" : "after array element" }
      expected = isMap ? "key" : "value"
      at++
    } else if (expected === "colon") {
      if (next !== ":") return { at, context: "after object key" }
      expected = "value"
      at++
    } else if (expected === "key" || expected === "first key") {
      const end = next === '"' ? stringEnd(text, at) : { at, context: beginningOfKey }
      if (typeof end !== "number") return end
      expected = "colon"
      at = end
    } else if (next === "{" || next === "[") {
      open.push(next)
      expected = next === "{" ? "first key" : "first item"
      at++
    } else {
      const end = scalarEnd(text, at)
      if (typeof end !== "number") return end
      expected = "more"
      at = end
    }
  }
}

/** Returns the index after the string, number or word, or its fault. */
function scalarEnd(text: string, at: number): number | Fault {
  const first = text.charAt(at)
  if (first === '"') return stringEnd(text, at)
  if (/[-\d]/.test(first)) return numberEnd(text, at)
  const word = ["true", "false", "null"].find(each => each[0] === first)
  if (word === undefined) return { at, context: beginningOfValue }
  const wrong = Array.from(word).findIndex((letter, index) => text[at + index] !== letter)
  return wrong < 0
    ? at + word.length
    : { at: at + wrong, context: `in literal ${word} (expecting ${quoteByte(word.charAt(wrong))})` }
}

function stringEnd(text: string, start: number): number | Fault {
  const at = skip(/"(?:[ !#-[\]-\uffff]+|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*/y, text, start)
  if (text[at] === '"') return at + 1
  if (text[at] !== "\\") return { at, context: "in string literal" }
  if (text[at + 1] !== "u") return { at: at + 1, context: "in string escape code" }
  return { at: skip(/\\u[\da-fA-F]*/y, text, at), context: "in \\u hexadecimal character escape" }
}

function numberEnd(text: string, start: number): number | Fault {
  const whole = skip(/-?(?:0|[1-9]\d*)?/y, text, start)
  if (!/\d/.test(text.charAt(whole - 1))) return { at: whole, context: "in numeric literal" }
  const point = skip(/\.\d*/y, text, whole)
  if (text[point - 1] === ".") return { at: point, context: "after decimal point in numeric literal" }
  const exponent = skip(/[eE][-+]?\d*/y, text, point)
  const isCut = exponent > point && !/\d/.test(text.charAt(exponent - 1))
  return isCut ? { at: exponent, context: "in exponent of numeric literal" } : exponent
}

/** Returns the index after the match of a sticky pattern, or `at` if the pattern does not match there. */
function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return at + (pattern.exec(text)?.[0].length ?? 0)
}

/** Quotes the first byte of a character as Go does, which takes each byte for a character. */
function quoteByte(character: string): string {
  const [byte = 0] = new TextEncoder().encode(character)
  return quoteRune(String.fromCharCode(byte))
}
