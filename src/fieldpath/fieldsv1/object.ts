// FieldsV1 as it stands in a parsed object, to field sets and back.

import { formatGoJson } from "../../json/go-json.js"
import { keepLayout } from "../../value/layout.js"
import { isEmptyMap } from "../../value/object.js"
import { Table } from "../../value/table.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import type { PathElement } from "../element.js"
import { Entry, FieldSet, leafEntry } from "../set.js"
import { setOfLevel } from "./careful-reader.js"
import { elementOfText } from "./key.js"
import { formatFieldsV1Key, parseFieldsV1 } from "./text.js"

/** What a fieldsV1 describes. */
export interface DecodedFields {
  /** The fields in it. */
  readonly set: FieldSet
  /** `encodeFields` of the set would give the same keys in the same order. */
  readonly canonical: boolean
}

/** The set that a fieldsV1 describes. Throws a ParseError in upstream's words where it is none, or absent. */
export function decodeFields(fieldsV1: Value | undefined): DecodedFields {
  const reader = new Reader()
  const set = isMap(fieldsV1) ? reader.level(fieldsV1, 0) : null
  if (isMap(fieldsV1) && !reader.gaveUp) {
    return { set: set ?? FieldSet.empty, canonical: reader.canonical && !reader.self } // the root is no member
  }
  return {
    set: parseFieldsV1(fieldsV1 === undefined ? "" : formatGoJson(fieldsV1, { sorted: false })),
    canonical: false,
  }
}

/** The set as a fieldsV1, keys in the order upstream writes them. */
export function encodeFields(set: FieldSet): MapValue {
  return encodeLevel(set, false)
}

function encodeLevel(set: FieldSet, self: boolean): MapValue {
  const out: Record<string, Value> = {}
  if (self) out["."] = {}
  for (const { element, member, children } of set.entries) {
    out[textOf(element)] = children === null ? {} : encodeLevel(children, member)
  }
  return out
}

/** Deeper fields are left to the reader of texts, which needs no stack. */
const scanDepth = 200

// Reads fields in the form every writer gives them. At anything unusual it gives up, and the fields are read as text.
class Reader {
  static {
    keepLayout(new Reader())
  }

  canonical = true
  gaveUp = false
  /** Whether the level read last had a "." key. */
  self = false

  level(fields: MapValue, depth: number): FieldSet | null {
    const entries: Entry[] = []
    let self = false
    if (depth === scanDepth) this.gaveUp = true
    for (const key in fields) {
      if (this.gaveUp) return null
      const below = fields[key] as Value
      if (key === ".") {
        if (entries.length > 0 || !isMap(below) || !isEmptyMap(below)) this.canonical = false
        self = true
        continue
      }
      const known = knownKey(key)
      if (known === undefined || !isMap(below)) this.gaveUp = true
      else {
        if (!known.canonical) this.canonical = false
        entries.push(this.entry(known.element, below, depth))
      }
    }
    this.self = self
    const set = setOfLevel(entries)
    if (set !== null && set.entries !== entries) {
      this.canonical = false
      // Of two spellings of one key the last counts, in the order of the text.
      if (set.entries.length !== entries.length) this.gaveUp = true
    }
    return set
  }

  private entry(element: PathElement, below: MapValue, depth: number): Entry {
    this.self = false
    const set = isEmptyMap(below) ? null : this.level(below, depth + 1)
    if (set === null && this.self) this.canonical = false // {".":{}} says no more than {}
    return set === null ? leafEntry(element) : new Entry(element, this.self, set)
  }
}

/** A key of FieldsV1 that has been read before. */
interface KnownKey {
  readonly element: PathElement
  /** The element is written with the same text. */
  readonly canonical: boolean
}

const keys = new Table<string, KnownKey>()
const texts = new WeakMap<PathElement, string>()

/** Beyond 2^53 the set may hold an equal number that is written with other digits. */
const hasLongNumber = /\d{16}/

/** The element of a key; undefined where it is of an unknown kind or faulty. */
function knownKey(key: string): KnownKey | undefined {
  const found = keys.get(key)
  if (found !== undefined) return found
  const element = elementOrNone(key)
  if (element === undefined) return undefined
  const known = { element, canonical: !hasLongNumber.test(key) && formatFieldsV1Key(element) === key }
  if (known.canonical) texts.set(element, key)
  return keys.add(key, known)
}

function elementOrNone(key: string): PathElement | undefined {
  try {
    return elementOfText(key)
  } catch {
    return undefined
  }
}

function textOf(element: PathElement): string {
  let text = texts.get(element)
  if (text === undefined) {
    text = formatFieldsV1Key(element)
    texts.set(element, text)
  }
  return text
}
