// Generators of values, sets, schemas, and values of a schema. All generated values are frozen.
import fc, { type Arbitrary } from "fast-check"
import { fieldElement, indexElement, keyElement, valueElement } from "../../src/fieldpath/create-element.js"
import type { PathElement } from "../../src/fieldpath/element.js"
import type { Path } from "../../src/fieldpath/path.js"
import { FieldSet } from "../../src/fieldpath/set.js"
import { writeJson } from "../../src/json/json.js"
import type { StructField, TypeRef } from "../../src/schema/schema.js"
import { compileSchema, type Type } from "../../src/typed/type.js"
import { put } from "../../src/value/object.js"
import { integer, type MapValue, type Value } from "../../src/value/value.js"
import { deepFreeze } from "../support/deep-freeze.js"

/** Few names, so that they meet often: plain ones, inherited ones, and ones whose order differs between UTF-8 and UTF-16. */
const keys = ["a", "b", "c", "", "x.y/z", "__proto__", "constructor", "toString", "valueOf", "\uffff", "\u{1f600}"]
export const arbitraryKey: Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("a", "b", "c") },
  { weight: 2, arbitrary: fc.constantFrom(...keys) },
)

const text: Arbitrary<string> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom("", "a", "b", "1", "true", "\u{1f600}", "\uffff") },
  fc.string({ unit: "binary", maxLength: 3 }),
)
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(integer)
const float = fc.double({ noNaN: true, noDefaultInfinity: true })
const arbitraryNumber: Arbitrary<number | bigint> = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -2, max: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom(2n ** 53n, 2n ** 53n + 1n, 2 ** 53, 1e21, 1e-7, -0) },
  int64,
  float,
)
export const arbitraryScalar: Arbitrary<Value> = fc.oneof(arbitraryNumber, text, fc.boolean())

function mapOf<T extends Value>(key: Arbitrary<string>, value: Arbitrary<T>, maxLength: number): Arbitrary<MapValue> {
  return fc.uniqueArray(fc.tuple(key, value), { maxLength, selector: ([name]) => name }).map(fromEntries)
}

function fromEntries(entries: readonly (readonly [string, Value])[]): MapValue {
  const map: Record<string, Value> = {}
  for (const [key, value] of entries) put(map, key, value)
  return map
}

const value = fc.letrec<{ value: Value }>(tie => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    { weight: 3, arbitrary: arbitraryScalar },
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 2, arbitrary: fc.array(tie("value"), { maxLength: 4 }) },
    { weight: 3, arbitrary: mapOf(arbitraryKey, tie("value"), 4) },
  ),
})).value

/** Any JSON value. */
export const arbitraryValue: Arbitrary<Value> = value.map(deepFreeze)

/** JSON values without numbers that equal several others: a float beyond the safe range equals all integers that round to it. */
const elementScalar = arbitraryScalar.filter(value => {
  return (
    typeof value !== "number" || (!Object.is(value, -0) && (Number.isSafeInteger(value) || !Number.isInteger(value)))
  )
})

export const arbitraryElement: Arbitrary<PathElement> = fc.oneof(
  { weight: 4, arbitrary: arbitraryKey.map(fieldElement) },
  {
    weight: 2,
    arbitrary: mapOf(fc.constantFrom("k", "l", "__proto__"), elementScalar, 2)
      .filter(isNotEmpty)
      .map(keyElement),
  },
  { weight: 1, arbitrary: elementScalar.map(valueElement) },
  { weight: 1, arbitrary: fc.integer({ min: -1, max: 3 }).map(indexElement) },
)

function isNotEmpty(map: MapValue): boolean {
  return Object.keys(map).length > 0
}

export const arbitraryPath: Arbitrary<Path> = fc
  .array(arbitraryElement, { minLength: 1, maxLength: 4 })
  .map(path => Object.freeze(path))

export const arbitrarySet: Arbitrary<FieldSet> = fc
  .array(arbitraryPath, { maxLength: 12 })
  .map(paths => deepFreeze(FieldSet.of(paths)))

/** A type reference, and a generator of its valid values. */
interface Typed {
  readonly ref: TypeRef
  readonly values: Arbitrary<Value>
}

function nullable(values: Arbitrary<Value>): Arbitrary<Value> {
  return fc.oneof({ weight: 9, arbitrary: values }, { weight: 1, arbitrary: fc.constant(null) })
}

const scalars: readonly Typed[] = [
  { ref: { scalar: "string" }, values: nullable(text) },
  { ref: { scalar: "numeric" }, values: nullable(arbitraryNumber) },
  { ref: { scalar: "boolean" }, values: nullable(fc.boolean()) },
  { ref: { scalar: "untyped" }, values: nullable(arbitraryScalar) },
]
const arbitraryScalarType: Arbitrary<Typed> = fc.constantFrom(...scalars)

/** Values of 1 and 1n, or of a float and an integer near it, are the same item. */
function asItem(item: Value): Value {
  return typeof item === "bigint" ? Number(item) : item === 0 ? 0 : item
}

function setType(): Arbitrary<Typed> {
  return arbitraryScalarType.map(({ ref, values }) => ({
    ref: { list: { elementType: ref, elementRelationship: "associative" as const } },
    values: nullable(
      fc.uniqueArray(
        values.filter(item => item !== null),
        { maxLength: 12, selector: asItem },
      ),
    ),
  }))
}

function structType(field: Arbitrary<Typed>): Arbitrary<Typed> {
  const fields = fc.uniqueArray(fc.tuple(arbitraryKey, field), { maxLength: 4, selector: ([name]) => name })
  return fc
    .tuple(fields, fc.option(field, { nil: undefined, freq: 4 }), fc.boolean())
    .map(([declared, rest, atomic]) => ({
      ref: {
        map: {
          fields: declared.map(([name, { ref }]): StructField => ({ name, type: ref })),
          ...(rest !== undefined && { elementType: rest.ref }),
          ...(atomic && { elementRelationship: "atomic" as const }),
        },
      },
      values: nullable(structValues(declared, rest)),
    }))
}

function structValues(declared: readonly (readonly [string, Typed])[], rest: Typed | undefined): Arbitrary<MapValue> {
  const optional = declared.map(([name, { values }]) =>
    fc.option(
      values.map(value => [name, value] as const),
      { nil: null, freq: 3 },
    ),
  )
  const names = new Set(declared.map(([name]) => name))
  const others =
    rest === undefined
      ? fc.constant<MapValue>({})
      : mapOf(
          arbitraryKey.filter(name => !names.has(name)),
          rest.values,
          3,
        )
  return fc
    .tuple(fc.tuple(...optional), others)
    .map(([entries, more]) => fromEntries([...entries.filter(entry => entry !== null), ...Object.entries(more)]))
}

function mapType(item: Arbitrary<Typed>): Arbitrary<Typed> {
  return fc.tuple(item, fc.boolean()).map(([{ ref, values }, atomic]) => ({
    ref: { map: { elementType: ref, ...(atomic && { elementRelationship: "atomic" as const }) } },
    values: nullable(mapOf(arbitraryKey, values, 4)),
  }))
}

function atomicListType(item: Arbitrary<Typed>): Arbitrary<Typed> {
  return item.map(({ ref, values }) => ({
    ref: { list: { elementType: ref, elementRelationship: "atomic" as const } },
    values: nullable(fc.array(values, { maxLength: 4 })),
  }))
}

/** Items with the key `k`, and with the key `d`, which has a default. */
function keyedListType(field: Arbitrary<Typed>): Arbitrary<Typed> {
  const key = arbitraryScalarType.map(({ ref, values }) => ({ ref, values: values.filter(value => value !== null) }))
  return fc.tuple(key, field, fc.boolean()).map(([key, { ref, values }, withDefault]) => {
    const fields: StructField[] = [
      { name: "k", type: key.ref },
      { name: "v", type: ref },
    ]
    if (withDefault) fields.push({ name: "d", type: { scalar: "string" }, default: "a" })
    const optional = { v: values, ...(withDefault && { d: fc.constantFrom("a", "b") }) }
    const items = fc.record(
      { k: key.values, ...optional },
      { requiredKeys: ["k"], noNullPrototype: true },
    ) as Arbitrary<MapValue>
    return {
      ref: {
        list: {
          elementType: { map: { fields } },
          elementRelationship: "associative" as const,
          keys: withDefault ? ["k", "d"] : ["k"],
        },
      },
      values: nullable(
        fc.uniqueArray(items, {
          maxLength: 12,
          selector: ({ k, d }) => `${typeof asItem(k as Value)} ${String(asItem(k as Value))} ${String(d ?? "a")}`,
        }),
      ),
    }
  })
}

const typed = fc.letrec<{ type: Typed; container: Typed }>(tie => ({
  type: fc.oneof(
    { maxDepth: 4 },
    { weight: 2, arbitrary: arbitraryScalarType },
    { weight: 4, arbitrary: tie("container") },
  ),
  container: fc.oneof(
    { weight: 3, arbitrary: structType(tie("type")) },
    { weight: 2, arbitrary: mapType(tie("type")) },
    { weight: 2, arbitrary: setType() },
    { weight: 3, arbitrary: keyedListType(tie("type")) },
    { weight: 1, arbitrary: atomicListType(tie("type")) },
  ),
}))

/** A type with some valid values of it. */
export interface TypedValues {
  readonly type: Type
  readonly values: readonly Value[]
}

/** A random schema's type, and `count` values of it. */
export function arbitraryTypedValues(count: number): Arbitrary<TypedValues> {
  return structType(typed.type).chain(({ ref, values }) => {
    const granular = { ...ref.map, elementRelationship: "separable" as const }
    const types = [{ name: "root", map: granular }]
    const type = compileSchema(deepFreeze({ types })).type("root")
    return fc.array(values.map(deepFreeze), { minLength: count, maxLength: count }).map(values => ({
      type,
      values,
      toString: () => [...values, types as unknown as Value].map(each => writeJson(each)).join("\n"),
    }))
  })
}
