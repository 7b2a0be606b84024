// Reads and writes FieldsV1, the JSON form of field sets that Kubernetes keeps in metadata.managedFields.
//
//   {"f:spec":{"f:ports":{"k:{\"port\":80}":{".":{},"f:port":{}}}}}      .spec.ports[port=80] and .spec.ports[port=80].port
//
// A key is the text of a path element. The key "." or an empty object means that the element above is itself a member. A fast scanner reads
// text in the usual form, and a careful reader (careful-reader.ts) reads the rest and reports errors. Both look up keys that were read
// before (key.ts), so that reading a set again gives the same elements.

import { ParseError } from "../../errors.js"
import { isV7, type ParityOptions } from "../../json/json.js"
import { aString, requireArgument } from "../../value/argument.js"
import { maxDepth } from "../../value/depth.js"
import { keepLayout } from "../../value/layout.js"
import { isSameLevel } from "../builder.js"
import { Entry, FieldSet, leafEntry } from "../set.js"
import { readFieldSetCarefully, setOfLevel } from "./careful-reader.js"
import { elementOfBytes, parseFieldsV1Key } from "./key.js"
import { setProblem } from "./problems-v7.js"

/**
 * Returns the set that a FieldsV1 text describes. Elements of unknown kinds are dropped, and keys may come in any order and more than once.
 * Throws a ParseError for anything that is not FieldsV1, in the words of v6 of the Go module, or with the parity `v7` in those of v7.
 *
 * @example
 * ```ts
 * import { parseFieldsV1 } from "structured-merge-diff"
 *
 * console.log(parseFieldsV1('{"f:spec":{"f:replicas":{}}}').toString())
 * // .spec.replicas
 * ```
 */
export function parseFieldsV1(text: string, options?: ParityOptions): FieldSet {
  requireArgument("text", text, aString)
  const v7 = isV7(options)
  const room = 3 * text.length + 1
  const bytes = room <= scratch.length ? scratch : new Uint8Array(room)
  const length = encoder.encodeInto(text, bytes).written
  bytes[length] = 0
  return (
    new Scanner(bytes, length === text.length ? text : null).scan(length) ??
    (v7 ? readInV7 : readFieldSetCarefully)(text)
  )
}

function readInV7(text: string): FieldSet {
  try {
    return readFieldSetCarefully(text)
  } catch (error) {
    const problem =
      error instanceof ParseError ? setProblem(text, key => parseFieldsV1Key(key, { parity: "v7" })) : undefined
    throw problem === undefined ? error : new ParseError(problem)
  }
}
const encoder = new TextEncoder()
const scratch = new Uint8Array(1 << 18)

/** Returns the set as FieldsV1 text, with the same bytes as upstream: those of v6 of the Go module, or with the parity `v7` those of v7. */
export function formatFieldsV1(set: FieldSet, options?: ParityOptions): string {
  return isV7(options) ? `{${formatEntriesV7(set, false)}}` : `{${formatEntries(set, false)}}`
}

// `self` means that the element above is a member too.
function formatEntries(set: FieldSet, self: boolean): string {
  const { entries } = set
  let out = self ? '".":{}' : ""
  for (let i = 0; i < entries.length; i++) {
    const { element, member, children } = entries[i] as Entry
    if (out !== "") out += ","
    out += element.json
    out += children === null ? "}" : `${formatEntries(children, member)}}`
  }
  return out
}

// Apart from `formatEntries`, which every write of an object calls.
function formatEntriesV7(set: FieldSet, self: boolean): string {
  const keys = set.entries.map(
    ({ element, member, children }) =>
      `${element.jsonV7}${children === null ? "" : formatEntriesV7(children, member)}}`,
  )
  return (self ? ['".":{}', ...keys] : keys).join(",")
}

// The bytes with a meaning in FieldsV1.
const quote = 0x22
const comma = 0x2c
const dot = 0x2e
const colon = 0x3a
const backslash = 0x5c
const openBrace = 0x7b
const closeBrace = 0x7d

// Reads FieldsV1 in its usual form, which all writers use. At anything unusual (an unknown kind of element, null, an error) it stops, and
// the careful reader starts over. It works on bytes, since reading them one by one is several times faster than reading the characters of a
// string.
class Scanner {
  static {
    keepLayout(new Scanner(scratch, null))
  }

  private readonly bytes: Uint8Array
  private readonly ascii: string | null
  private at = 0
  /** Whether the level that was read last has the key ".". */
  private self = false
  private gaveUp = false
  /** The entries of all unfinished levels, one level after the other. A list for each level would grow by doubling. */
  private readonly open: Entry[] = []
  private openCount = 0

  /** Reads these bytes, which end with a zero. If they are ASCII, `ascii` is their text. */
  constructor(bytes: Uint8Array, ascii: string | null) {
    this.bytes = bytes
    this.ascii = ascii
  }

  /** Returns the set of the text, which has `length` bytes; undefined if it gave up. */
  scan(length: number): FieldSet | undefined {
    if (this.skipSpace() !== openBrace) return undefined
    this.at++
    const set = this.level(0, null)
    return this.gaveUp || this.skipSpace() !== 0 || this.at !== length ? undefined : (set ?? FieldSet.empty)
  }

  // Reads the level after an opening brace; null if it has no entries. Returns `like`, the level of the item before, if it is equal, since
  // most items of a list have the same fields.
  private level(depth: number, like: FieldSet | null): FieldSet | null {
    const { bytes } = this
    let byte = this.skipSpace()
    if (byte === closeBrace) {
      this.at++
      this.self = false
      return null
    }
    if (depth === maxDepth) return this.giveUp() // the careful reader, which needs no stack, reports the error
    const start = this.openCount
    let self = false
    let before: FieldSet | null = null
    for (;;) {
      if (byte !== quote) return this.giveUp()
      const from = this.at + 1
      let to = from
      let hash = 0
      while ((byte = bytes[to] as number) !== quote) {
        if (byte < 0x20) return this.giveUp()
        if (byte === backslash) to++
        hash = (Math.imul(hash, 31) + byte) | 0
        to++
      }
      this.at = to + 1
      if (this.skipSpace() !== colon) return this.giveUp()
      this.at++
      if (this.skipSpace() !== openBrace) return this.giveUp()
      this.at++
      if (to === from + 1 && bytes[from] === dot) {
        if (this.skipSpace() !== closeBrace) return this.giveUp()
        this.at++
        self = true
      } else {
        const element = elementOfBytes(bytes, from, to, hash, this.ascii)
        if (element === undefined) return this.giveUp()
        if (bytes[this.at] === closeBrace) {
          this.at++
          this.open[this.openCount++] = leafEntry(element)
        } else {
          const below = this.level(depth + 1, before)
          if (this.gaveUp) return null
          this.open[this.openCount++] = below === null ? leafEntry(element) : new Entry(element, this.self, below)
          before = below
        }
      }
      byte = this.skipSpace()
      this.at++
      if (byte === closeBrace) break
      if (byte !== comma) return this.giveUp()
      byte = this.skipSpace()
    }
    this.self = self
    if (like !== null && isSameLevel(this.open, start, this.openCount, like.entries)) {
      this.openCount = start
      return like
    }
    const entries = this.open.slice(start, this.openCount)
    this.openCount = start
    return setOfLevel(entries)
  }

  // Returns the next byte that is not white space; 0 at the end.
  private skipSpace(): number {
    let byte = this.bytes[this.at] as number
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) byte = this.bytes[++this.at] as number
    return byte
  }

  private giveUp(): null {
    this.gaveUp = true
    return null
  }
}
