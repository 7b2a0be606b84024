// Path elements: one step from a value to something inside it.
//
// A struct field or map key is found by name, an item of an associative list by its key fields or (in a set) by its value, and an item of
// any other list by index. Elements are immutable, and create-element.ts creates them. This file has their kinds, their order and their text.
import { ParseError } from "../errors.js"
import { formatJson, formatJsonV7, isV7, type ParityOptions } from "../json/json.js"
import { quoteMinimalJson, quotePlainJson } from "../json/quote.js"
import { compareStrings, compareValues } from "../value/compare.js"
import { equalValues } from "../value/equal.js"
import { formatDistinct, formatFloats, formatValue } from "../value/format.js"
import { quoteGo } from "../value/quote.js"
import type { Value } from "../value/value.js"

/**
 * One step of a path: a field, or an item of a list. Immutable. Only `fieldElement`, `keyElement`, `valueElement` and `indexElement`
 * create elements, and equal ones are mostly the same object. `kind` tells the kinds apart.
 */
export type PathElement = FieldElement | KeyElement | ValueElement | IndexElement

/** One key of an item of an associative list. */
export interface KeyField {
  /** The name of the key field. */
  readonly name: string
  /** The value that the item has in that field. */
  readonly value: Value
}

/**
 * The members that elements of every kind have. Only the functions of the package create elements. `JSON.stringify` writes an element as
 * its key in FieldsV1, which `parseFieldsV1Key` reads: `"f:replicas"`.
 */
export abstract class ElementBase {
  /**
   * A small integer that orders elements coarsely: if the integers of two elements differ, the elements compare the same way. Nearly all
   * comparisons need nothing else.
   * @internal
   */
  readonly order: number
  // These three are computed on first use. They are private, since deep equality such as that of `assert.deepEqual` would otherwise depend
  // on the earlier use of the elements.
  #text: string | undefined = undefined
  #json: string | undefined = undefined
  #leaf: object | undefined = undefined
  /** @internal */
  constructor(order: number) {
    this.order = order
  }

  /**
   * The element as a key of FieldsV1, `f:name`.
   * @internal
   */
  get text(): string {
    return (this.#text ??= formatFieldsV1Key(this as unknown as PathElement))
  }

  /**
   * The key of FieldsV1 in JSON, up to the brace that opens its value.
   * @internal
   */
  get json(): string {
    return (this.#json ??= `${quotePlainJson(this.text)}:{`)
  }

  /**
   * Like `text`, in the bytes of v7 of the reference. Nearly always the same text.
   * @internal
   */
  get textV7(): string {
    const { text } = this
    return mayDifferInV7.test(text) ? formatFieldsV1Key(this as unknown as PathElement, { parity: "v7" }) : text
  }

  /**
   * Like `json`, in the bytes of v7 of the reference.
   * @internal
   */
  get jsonV7(): string {
    const { json } = this
    return mayDifferInV7.test(json) ? `${quoteMinimalJson(this.textV7)}:{` : json
  }

  /**
   * The set entry that holds this element as a member with nothing below it.
   * @internal
   */
  get leaf(): object | undefined {
    return this.#leaf
  }

  /** @internal */
  set leaf(entry: object) {
    this.#leaf = entry
  }

  /**
   * Drops everything that was computed on first use. Benchmarks turn old elements into new ones in this way.
   * @internal
   */
  forget(): void {
    this.#text = undefined
    this.#json = undefined
    this.#leaf = undefined
  }

  /** Returns the element as a key of FieldsV1, which `JSON.stringify` writes for it. */
  toJSON(): string {
    const element: ElementBase = invalidElement
    return this === element ? formatElement(invalidElement) : this.text
  }
}

/** Finds the escapes and exponents that v7 of the reference writes differently: v6 escapes more characters, and writes `1e-07` for `1e-7`. */
const mayDifferInV7 = /\\u|e-0/

/** A field of a struct, or a key of a map. */
export class FieldElement extends ElementBase {
  /** Tells the kinds of elements apart. */
  readonly kind = "field"
  /** The name of the field. */
  readonly name: string
  /** @internal */
  constructor(name: string) {
    super(orderOfText(name, 4))
    this.name = name
  }
}

/** An item of an associative list, found by its key fields. */
export class KeyElement extends ElementBase {
  /** Tells the kinds of elements apart. */
  readonly kind = "key"
  /** The name of the first key. Kept outside of a list, since most elements have only one key. */
  readonly name: string
  /** The value of the first key; undefined for an element without keys. */
  readonly value: Value | undefined
  /** All keys, if there are several; else null. */
  private readonly list: readonly KeyField[] | null
  #fields: readonly KeyField[] | null
  readonly #floats: boolean
  /** @internal */
  constructor(name: string, value: Value | undefined, list: readonly KeyField[] | null, floats: boolean) {
    super(kindOrder.key + orderOfText(name, 4))
    this.name = name
    this.value = value
    this.list = list === null || list.length === 1 ? null : list
    this.#fields = list
    this.#floats = floats
  }

  /** All key fields, sorted by name. */
  get fields(): readonly KeyField[] {
    return (this.#fields ??= [{ name: this.name, value: this.value as Value }])
  }

  /** The number of key fields. */
  get count(): number {
    return this.list === null ? 1 : this.list.length
  }

  /**
   * Whether the numbers were read from FieldsV1, in which all numbers are floats. Paths print such numbers differently, but the flag does not
   * matter for equality.
   */
  get floats(): boolean {
    return this.#floats
  }
}

/** An item of a set, found by its value. */
export class ValueElement extends ElementBase {
  /** Tells the kinds of elements apart. */
  readonly kind = "value"
  /** The item itself. */
  readonly value: Value
  readonly #floats: boolean
  /** @internal */
  constructor(value: Value, floats = false) {
    super(kindOrder.value + orderOfValue(value))
    this.value = value
    this.#floats = floats
  }

  /** Whether the value was read from FieldsV1, like `floats` of a key element. */
  get floats(): boolean {
    return this.#floats
  }
}

/** An item of a list that is neither associative nor a set, found by its position. */
export class IndexElement extends ElementBase {
  /** Tells the kinds of elements apart. */
  readonly kind = "index"
  /** The 0-based position. A bigint if FieldsV1 had an index outside of the safe range of numbers. */
  readonly index: number | bigint
  /** @internal */
  constructor(index: number | bigint) {
    super(kindOrder.index + (index > 0 ? Math.min(Number(index), contentOrders - 1) : 0))
    this.index = index
  }
}

/** The orders of a kind's elements lie between the number of that kind and the next one. All fit into the small integers of engines. */
const contentOrders = 1 << 28
const kindOrder = { key: contentOrders, value: 2 * contentOrders, index: 3 * contentOrders }

/** Packs the first characters, seven bits each. All characters that need more bits get the same, highest order. */
function orderOfText(text: string, characters: number): number {
  let order = 0
  for (let i = 0; i < characters; i++) {
    const unit = i < text.length ? text.charCodeAt(i) : 0
    if (unit >= 0x7f) return ((order << 7) | 0x7f) << (7 * (characters - 1 - i))
    order = (order << 7) | unit
  }
  return order
}

function orderOfValue(value: Value): number {
  if (typeof value === "number" || typeof value === "bigint") {
    const whole = Math.floor(Number(value))
    return whole < -0x800000 ? 0 : whole > 0x7fffff ? 0xffffff : whole + 0x800000
  }
  return typeof value === "string" ? (1 << 24) + orderOfText(value, 3) : 2 << 24
}

/**
 * Stands for list items that can't have an element, such as a null among items with keys. Equals only itself, comes after all others, and
 * can't be written as text. Go: the zero PathElement, which may be in the sets that pruning compares.
 */
export const invalidElement: PathElement = new IndexElement(Number.POSITIVE_INFINITY)

export function isPathElement(value: unknown): value is PathElement {
  return value instanceof ElementBase
}

/** Compares two elements and returns -1, 0 or 1: fields before keys before values before indexes, then by content. */
export function compareElements(a: PathElement, b: PathElement): number {
  if (a === b) return 0
  if (a.order !== b.order) return a.order < b.order ? -1 : 1
  if (a.kind === "field") return b.kind === "field" ? compareStrings(a.name, b.name) : -1
  if (a.kind === "key") return b.kind === "key" ? compareKeys(a, b) : -1
  if (a.kind === "value") return b.kind === "value" ? compareValues(a.value, b.value) : -1
  return b.kind !== "index" ? 1 : a.index < b.index ? -1 : a.index > b.index ? 1 : 0
}

function compareKeys(a: KeyElement, b: KeyElement): number {
  if (a.value !== undefined && b.value !== undefined) {
    const order = compareStrings(a.name, b.name) || compareValues(a.value, b.value)
    if (order !== 0) return order
  }
  for (let i = 1; i < a.count && i < b.count; i++) {
    const x = a.fields[i] as KeyField
    const y = b.fields[i] as KeyField
    const order = compareStrings(x.name, y.name) || compareValues(x.value, y.value)
    if (order !== 0) return order
  }
  return Math.sign(a.count - b.count)
}

/** Whether both elements are the same step. Numbers are equal by value: 1, 1.0 and 1n. */
export function equalElements(a: PathElement, b: PathElement): boolean {
  if (a === b) return true
  if (a.order !== b.order) return false
  if (a.kind === "field") return b.kind === "field" && a.name === b.name
  if (a.kind === "key") return b.kind === "key" && equalKeys(a, b)
  if (a.kind === "value") return b.kind === "value" && equalValues(a.value, b.value)
  return b.kind === "index" && a.index === b.index
}

function equalKeys(a: KeyElement, b: KeyElement): boolean {
  if (a.count !== b.count || a.name !== b.name) return false
  if (a.value !== b.value && !equalValues(a.value as Value, b.value as Value)) return false // undefined in both or neither
  for (let i = 1; i < a.count; i++) {
    const x = a.fields[i] as KeyField
    const y = b.fields[i] as KeyField
    if (x.name !== y.name || !equalValues(x.value, y.value)) return false
  }
  return true
}

/** Returns the element as upstream prints it: `.name`, `[name="http",port=80]`, `[="value"]`, `[0]`. */
export function formatElement(element: PathElement): string {
  return formatWith(element, (value, floats) => (floats ? formatFloats : formatValue)(value))
}

/** Like `formatElement`, but different list and map values have different texts, which `parsePath` tells apart. */
export function formatDistinctElement(element: PathElement): string {
  return formatWith(element, formatDistinct)
}

/** Like `formatDistinctElement`, but with quotes around names that `parsePath` could not read otherwise. */
export function formatQuotedElement(element: PathElement): string {
  if (element.kind === "field" && !plainName.test(element.name)) return `[${quoteGo(element.name)}]`
  return formatWith(element, formatDistinct, name => (plainKeyName.test(name) ? name : quoteGo(name)))
}
const plainName = /^[^.[]+$/
const plainKeyName = /^[^\]["=,][^\]=]*$/

function formatWith(
  element: PathElement,
  format: (value: Value, floats: boolean) => string,
  keyName = (name: string) => name,
): string {
  switch (element.kind) {
    case "field":
      return `.${element.name}`
    case "key": {
      const { fields, floats } = element
      return `[${fields.map(({ name, value }) => `${keyName(name)}=${format(value, floats)}`).join(",")}]`
    }
    case "value":
      return `[=${format(element.value, element.floats)}]`
    case "index":
      return element === invalidElement ? "{{invalid path element}}" : `[${element.index}]`
  }
}

/** Returns the element as a key of FieldsV1: `f:replicas`. The parity chooses between the bytes of v6 and v7 of the Go module. */
export function formatFieldsV1Key(element: PathElement, options?: ParityOptions): string {
  const v7 = isV7(options)
  const quote = v7 ? quoteMinimalJson : quotePlainJson
  const format = v7 ? formatJsonV7 : formatJson
  switch (element.kind) {
    case "field":
      return `f:${element.name}`
    case "key":
      return `k:{${element.fields.map(({ name, value }) => `${quote(name)}:${format(value)}`).join(",")}}`
    case "value":
      return `v:${format(element.value)}`
    case "index":
      if (element === invalidElement) throw new ParseError("invalid PathElement")
      return `i:${element.index}`
  }
}
