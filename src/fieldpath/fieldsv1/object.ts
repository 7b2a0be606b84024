// Reads and writes field sets as FieldsV1 in a parsed object.
import { ParseError } from "../../errors.js"
import { formatGoJson, isV7, type ParityOptions } from "../../json/json.js"
import { keepLayout } from "../../value/layout.js"
import { isEmptyMap } from "../../value/object.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import type { PathElement } from "../element.js"
import { Entry, FieldSet, leafEntry } from "../set.js"
import { setOfLevel } from "./careful-reader.js"
import { knownKey } from "./key.js"
import { parseFieldsV1 } from "./text.js"

/** The result of decoding a fieldsV1. */
export interface DecodedFields {
  /** The fields that it describes. */
  readonly set: FieldSet
  /** Whether `encodeFields` would return the same keys for the set, in the same order. */
  readonly canonical: boolean
  /** The same for `encodeFields` with the parity `v7`. */
  readonly canonicalV7: boolean
}

/**
 * Returns the set that a fieldsV1 describes, as upstream reads it from an unstructured object: if two keys spell one element, their order
 * as bytes decides which one counts, not their order in the object. Throws a ParseError if it is malformed or absent, in upstream's words: those of v6 of
 * the Go module, or with the parity `v7` those of v7.
 */
export function decodeFields(fieldsV1: Value | undefined, options?: ParityOptions): DecodedFields {
  isV7(options) // checks the options
  const decoded = isMap(fieldsV1) ? new Reader().read(fieldsV1) : undefined
  if (decoded !== undefined) return decoded
  // Go: the keys of an unstructured object have no order. Go writes its fields as text, with sorted keys, and reads that.
  const text = fieldsV1 === undefined ? "" : formatGoJson(fieldsV1)
  return { set: parseFieldsV1(text, options), canonical: false, canonicalV7: false }
}

/**
 * Returns the set as a fieldsV1, with keys in upstream's order, in the bytes of v6 of the Go module or with the parity `v7` those of v7. A
 * new map each time.
 */
export function encodeFields(set: FieldSet, options?: ParityOptions): MapValue {
  return encodeLevel(set, false, isV7(options))
}

function encodeLevel(set: FieldSet, self: boolean, v7: boolean): MapValue {
  const out: Record<string, Value> = {}
  if (self) out["."] = {}
  for (const { element, member, children } of set.entries) {
    out[v7 ? element.textV7 : element.text] = children === null ? {} : encodeLevel(children, member, v7)
  }
  return out
}

/** The reader of text, which needs no stack, reads fields that nest deeper. */
const scanDepth = 200

// Reads fields in their usual form, which all writers use. At anything unusual it gives up, and the fields are read as text.
class Reader {
  static {
    keepLayout(new Reader())
  }

  /** Whether the keys are in the order and at the levels where `encodeFields` puts them. */
  private inPlace = true
  /** Whether all keys are spelled as v6 spells them. */
  private inV6 = true
  private inV7 = true
  private gaveUp = false
  /** Whether the level that was read last has the key ".". */
  private self = false

  /** Returns the set that these fields describe; undefined if it gave up. */
  read(fields: MapValue): DecodedFields | undefined {
    let set: FieldSet | null
    try {
      set = this.level(fields, 0)
    } catch (error) {
      if (error instanceof ParseError) return undefined // a malformed key: the reader of text reports its position
      throw error
    }
    if (this.gaveUp) return undefined
    // The root can't be a member.
    const inPlace = this.inPlace && !this.self
    return { set: set ?? FieldSet.empty, canonical: inPlace && this.inV6, canonicalV7: inPlace && this.inV7 }
  }

  private level(fields: MapValue, depth: number): FieldSet | null {
    const entries: Entry[] = []
    let self = false
    if (depth === scanDepth) this.gaveUp = true
    for (const key in fields) {
      if (this.gaveUp) return null
      const below = fields[key] as Value
      if (key === ".") {
        if (entries.length > 0 || !isMap(below) || !isEmptyMap(below)) this.inPlace = false
        self = true
        continue
      }
      const known = knownKey(key)
      if (known === undefined || !isMap(below)) this.gaveUp = true
      else {
        if (!known.canonical) this.inV6 = false
        if (!known.canonicalV7) this.inV7 = false
        entries.push(this.entry(known.element, below, depth))
      }
    }
    this.self = self
    const set = setOfLevel(entries)
    if (set !== null && set.entries !== entries) {
      this.inPlace = false
      // Two keys spell one element: the reader of text decides which counts.
      if (set.entries.length !== entries.length) this.gaveUp = true
    }
    return set
  }

  private entry(element: PathElement, below: MapValue, depth: number): Entry {
    this.self = false
    const set = isEmptyMap(below) ? null : this.level(below, depth + 1)
    if (set === null && this.self) this.inPlace = false // {".":{}} means the same as {}
    return set === null ? leafEntry(element) : new Entry(element, this.self, set)
  }
}
