// Paths from the text that formatPath prints: `.spec.containers[name="web"].image`.
import { ParseError } from "../errors.js"
import { parseInteger } from "../json/number.js"
import { aString, requireArgument } from "../value/argument.js"
import { compareStrings } from "../value/compare.js"
import { maxDepth } from "../value/depth.js"
import { own, put } from "../value/object.js"
import { goUnescapes, quoteGo } from "../value/quote.js"
import type { MapValue, Value } from "../value/value.js"
import { fieldElement, indexElementOf, keyElementOf, valueElementOf } from "./create-element.js"
import type { KeyField, PathElement } from "./element.js"
import type { Path } from "./path.js"

/**
 * Returns the path that `formatPath` prints as `text`; "" is the path of the root.
 *
 *     .spec.replicas                               fields
 *     .spec.ports[port=80,protocol="TCP"].name     an item of an associative list, by its keys in any order
 *     .metadata.finalizers[="a"]                   an item of a set
 *     .spec.args[0]                                an item of any other list
 *     .metadata.labels["app.kubernetes.io/name"]   a field with any name; `formatPath` never prints this form
 *
 *     .spec.rules[={"host":"a","port":80}]         an item of a set that is a map
 *
 * Values of keys and sets are strings in double quotes with Go's escapes, numbers, true, false, null, lists (`[1,"a"]`) and maps
 * (`{"a":1}`). A map may also be written without braces, as `formatPath` prints most of them: `a=1b="x"`.
 *
 * `formatPath` prints names as they are, so `.a.b` may stand for two fields or for one whose name has a dot. Here, the name of a field ends
 * before the next `.` or `[`, the name of a key ends before the next `=`, and neither is empty. Other names of fields and keys need quotes.
 *
 * Throws a ParseError with the position, counted in UTF-16 units from 0, and the text that was expected there.
 *
 * @example
 * ```ts
 * import { parsePath, valueAt } from "structured-merge-diff"
 *
 * const pod = { spec: { containers: [{ name: "web", image: "nginx" }] } }
 * console.log(valueAt(pod, parsePath('.spec.containers[name="web"].image')))
 * // nginx
 * ```
 */
export function parsePath(text: string): Path {
  requireArgument("text", text, aString)
  const reader = new PathReader(text)
  const path: PathElement[] = []
  while (!reader.atEnd()) path.push(reader.element())
  return path
}

const nameOfField = /[^.[]+/y
const nameOfKey = /[^\]["=,][^=]*(?==)/y
const integer = /-?\d+(?=\])/y
const number = /-?\d+(\.\d+)?([eE][-+]?\d+)?(?=[\],}])/y
const word = /(true|false|null)(?=[\],}])/y
/** The name of an entry in a map without braces. A name such as `e5` would look like the exponent of a number before it. */
const plainKey = /(?![eE]\d)[A-Za-z_]\w*(?==)/y
/** Numbers and words in a map without braces, in which the name of the next entry may follow without a separator. */
const plainNumber = /-?\d+(\.\d+)?([eE][-+]?\d+)?(?=[\],}]|(?![eE]\d)[A-Za-z_]\w*=)/y
const plainWord = /(true|false|null)(?=[\],}]|(?![eE]\d)[A-Za-z_]\w*=)/y
const string = /"(?:[^"\\]|\\.)*"/suy

class PathReader {
  private readonly text: string
  private at = 0

  constructor(text: string) {
    this.text = text
  }

  atEnd(): boolean {
    return this.at === this.text.length
  }

  element(): PathElement {
    if (this.take("."))
      return fieldElement(this.match(nameOfField) ?? this.fail('the name of a field (an empty one is [""])'))
    if (!this.take("[")) this.fail('"." or "["')
    const element = this.insideBrackets()
    if (!this.take("]")) this.fail(element.kind === "key" ? '"," or "]"' : '"]"')
    return element
  }

  private insideBrackets(): PathElement {
    if (this.text[this.at] === '"') {
      const start = this.at
      const name = this.string()
      if (this.text[this.at] !== "=") return fieldElement(name)
      this.at = start
      return keyElementOf(this.keys())
    }
    if (this.take("=")) return valueElementOf(this.value(0))
    const start = this.at
    const index = this.match(integer)
    if (index === undefined) return keyElementOf(this.keys())
    const position = BigInt(index)
    if (BigInt.asIntN(64, position) !== position) this.fail("an index of no more than 64 bits", start)
    return indexElementOf(parseInteger(index))
  }

  /** Reads the keys, and returns them sorted by name. Refuses a name that occurs twice. */
  private keys(): KeyField[] {
    const keys: KeyField[] = []
    do {
      const start = this.at
      const expected = keys.length === 0 ? 'an index, a key and "=", "=", or a name in quotes' : 'a key and "="'
      const name = this.nameOfKey() ?? this.fail(expected)
      if (keys.some(key => key.name === name)) this.fail(`a key other than ${quoteGo(name)}`, start)
      this.skip("=")
      keys.push({ name, value: this.value(0) })
    } while (this.take(","))
    return keys.sort((a, b) => compareStrings(a.name, b.name))
  }

  private nameOfKey(): string | undefined {
    return this.text[this.at] === '"' ? this.string() : this.match(nameOfKey)
  }

  private value(depth: number): Value {
    const name = this.match(plainKey)
    return name === undefined ? this.item(depth, number, word) : this.plainMap(name, depth)
  }

  /** A value that is not a map without braces. */
  private item(depth: number, numbers: RegExp, words: RegExp): Value {
    if (this.text[this.at] === '"') return this.string()
    if (this.take("[")) return this.list(depth)
    if (this.take("{")) return this.map(depth)
    const digits = this.match(numbers)
    if (digits !== undefined) return /^-?\d+$/.test(digits) && digits !== "-0" ? parseInteger(digits) : Number(digits)
    const found = this.match(words)
    if (found === undefined) this.fail("a string in quotes, a number, true, false or null")
    return found === "null" ? null : found === "true"
  }

  private list(depth: number): Value {
    this.refuseDeep(depth)
    const items: Value[] = []
    if (this.take("]")) return items
    do items.push(this.value(depth + 1))
    while (this.take(","))
    this.skip("]")
    return items
  }

  private map(depth: number): Value {
    this.refuseDeep(depth)
    const out: Record<string, Value> = {}
    if (this.take("}")) return out
    do {
      const start = this.at
      const name = this.text[start] === '"' ? this.string() : this.fail("a key in quotes")
      this.refuseRepeated(out, name, start)
      this.skip(":")
      put(out, name, this.value(depth + 1))
    } while (this.take(","))
    this.skip("}")
    return out
  }

  private plainMap(first: string, depth: number): Value {
    this.refuseDeep(depth)
    const out: Record<string, Value> = {}
    for (let name: string | undefined = first; name !== undefined; name = this.match(plainKey)) {
      this.refuseRepeated(out, name, this.at - name.length)
      this.skip("=")
      put(out, name, this.item(depth + 1, plainNumber, plainWord))
    }
    return out
  }

  private refuseDeep(depth: number): void {
    if (depth >= maxDepth) this.fail(`a value that nests no more than ${maxDepth} levels`)
  }

  private refuseRepeated(map: MapValue, name: string, start: number): void {
    if (own(map, name) !== undefined) this.fail(`a key other than ${quoteGo(name)}`, start)
  }

  private skip(char: string): void {
    if (!this.take(char)) this.fail(quoteGo(char))
  }

  private string(): string {
    const start = this.at
    const quoted = this.match(string) ?? this.fail("a closing quote", this.text.length)
    return quoted.slice(1, -1).replace(goEscape, (all, code: string, offset: number) => {
      const short = goUnescapes.get(code)
      if (short !== undefined) return short
      const point = code.length > 1 ? Number.parseInt(code.slice(1), 16) : Number.NaN
      // Go also has escapes for the single bytes of a character; these are refused.
      if (!(point <= (code[0] === "x" ? 0x7f : 0x10ffff)))
        this.fail(`an escape of Go instead of ${all}`, start + 1 + offset)
      return String.fromCodePoint(point)
    })
  }

  private take(char: string): boolean {
    if (this.text[this.at] !== char) return false
    this.at++
    return true
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0]
    if (found !== undefined) this.at += found.length
    return found
  }

  private fail(expected: string, at: number = this.at): never {
    const found = at < this.text.length ? quoteGo(String.fromCodePoint(this.text.codePointAt(at) as number)) : "the end"
    throw new ParseError(`path ${quoteGo(this.text)}: expected ${expected} at position ${at}, found ${found}`)
  }
}

const goEscape = /\\(x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|.)/gsu
