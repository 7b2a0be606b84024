/** Random schemas with unions, objects of them, and steps of stories about them. */
import fc from "fast-check"
import type { Schema } from "../../src/schema/schema.js"
import type { UnionDef } from "../../src/schema/union.js"
import { compileSchema, type Type } from "../../src/typed/type.js"
import type { Value } from "../../src/value/value.js"
import { deepFreeze } from "../support/deep-freeze.js"

export const members = ["a", "b", "constructor"] as const

/** Members of every kind: one of numbers, one of structs with the same unions, one with a name to stumble over. */
const unionDef: fc.Arbitrary<UnionDef> = fc.record(
  {
    discriminator: fc.constant("t"),
    deduceInvalidDiscriminator: fc.boolean(),
    cardinality: fc.constantFrom("exactlyOne" as const, "atMostOne" as const),
    emptyValues: fc.constant(["None"]),
    fields: fc.tuple(fc.constantFrom("A", "a"), fc.boolean(), fc.boolean()).map(([value, optional, zeroIsUnset]) => [
      { fieldName: "a", discriminatorValue: value, zeroIsUnset },
      { fieldName: "b", discriminatorValue: "B", optional },
      { fieldName: "constructor", discriminatorValue: "C" },
    ]),
  },
  { requiredKeys: ["fields"] },
)

/** The items that exclude each other, if any do. */
export const exclusive = ["i", "j", "0", "1"] as const

/** Items of a list whose items have unions themselves. `k` is not a member. */
const itemUnion: fc.Arbitrary<UnionDef> = fc
  .constantFrom("exactlyOne" as const, "atMostOne" as const)
  .map(cardinality => ({
    name: "items",
    cardinality,
    fields: exclusive.map(name => ({ fieldName: "items", item: { name } })),
  }))

export const schema: fc.Arbitrary<Schema> = fc
  .tuple(unionDef, unionDef, fc.option(itemUnion))
  .map(([first, second, items]) =>
    deepFreeze({
      types: [
        {
          name: "root",
          map: { fields: [...fieldsOf("part"), ...rootFields], unions: items === null ? [first] : [first, items] },
        },
        { name: "part", map: { fields: fieldsOf("leaf"), unions: [second] } },
        { name: "leaf", map: { fields: [{ name: "x", type: { scalar: "numeric" } }] } },
      ],
    } satisfies Schema),
  )

function fieldsOf(below: string) {
  return [
    { name: "t", type: { scalar: "string" as const } },
    { name: "a", type: { scalar: "numeric" as const } },
    { name: "b", type: { namedType: below } },
    { name: "constructor", type: { scalar: "string" as const } },
    { name: "name", type: { scalar: "string" as const } },
  ]
}

const rootFields = [
  {
    name: "items",
    type: {
      list: { elementType: { namedType: "part" }, elementRelationship: "associative" as const, keys: ["name"] },
    },
  },
  { name: "values", type: { map: { elementType: { namedType: "part" } } } },
]

function struct(below: fc.Arbitrary<Value>): fc.Arbitrary<Record<string, Value>> {
  return fc.record(
    {
      t: fc.constantFrom("A", "B", "C", "a", "None", "other", "", null),
      a: fc.constantFrom(0, 1, null),
      b: fc.oneof({ weight: 4, arbitrary: below }, fc.constant(null)),
      constructor: fc.constantFrom("", "x"),
    },
    { requiredKeys: [] },
  )
}

const leaf = fc.record({ x: fc.nat(2) }, { requiredKeys: [] }) as fc.Arbitrary<Value>
const part = struct(leaf)
export const object: fc.Arbitrary<Value> = fc
  .tuple(
    struct(part),
    fc.uniqueArray(fc.constantFrom("i", "j", "k"), { maxLength: 3 }),
    fc.array(part, { minLength: 3, maxLength: 3 }),
    fc.dictionary(fc.constantFrom("u", "v", "__proto__"), part, { maxKeys: 2 }),
    fc.boolean(),
  )
  .map(([own, keys, items, values, more]) =>
    deepFreeze(more ? { ...own, items: keys.map((name, i) => ({ ...items[i], name })), values } : own),
  )

export function typeOf(from: Schema): Type {
  return compileSchema(from).type("root")
}

/** Structs that have one member, or none, and say so; now and then one that has not, or does not. */
const agreed: fc.Arbitrary<Value> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ t: "B", b: {} }) },
  { weight: 3, arbitrary: fc.constant({ t: "A", a: 1 }) },
  { weight: 2, arbitrary: fc.constant({ t: "C", constructor: "x" }) },
  { weight: 2, arbitrary: fc.constantFrom({}, { t: "None" }, { b: {} }) },
  { weight: 1, arbitrary: struct(fc.constant({})) },
)
export const nearlySettled: fc.Arbitrary<Value> = fc
  .tuple(agreed, fc.array(agreed, { maxLength: 2 }), fc.dictionary(fc.constantFrom("u", "v"), agreed, { maxKeys: 2 }))
  .map(([own, items, values]) => {
    const named = items.map((item, i) => ({ ...(item as Record<string, Value>), name: `${i}` }))
    return deepFreeze({ ...(own as Record<string, Value>), items: named, values })
  })
export const step = fc.record({
  verb: fc.constantFrom("apply" as const, "update" as const),
  manager: fc.constantFrom("ctl", "me"),
  force: fc.boolean(),
  value: nearlySettled,
})
