// The inputs of growing size, and the operations on each.
import {
  compileSchema,
  FieldSet,
  fieldElement,
  formatFieldsV1,
  keyElement,
  type Managers,
  type Path,
  parseFieldsV1,
  type Schema,
  TypedValue,
  type TypeRef,
  Updater,
  type Value,
  type VersionedSet,
} from "../src/index.js"
import { Random } from "./fixtures/random.js"

export interface Scale {
  readonly name: string
  readonly title: string
  /** The unit of the sizes. */
  readonly item: string
  readonly sizes: readonly number[]
  prepare(size: number): { readonly [operation: string]: () => unknown }
}

const string: TypeRef = { scalar: "string" }
const number: TypeRef = { scalar: "numeric" }

const schema: Schema = {
  types: [
    {
      name: "object",
      map: {
        fields: [
          {
            name: "items",
            type: { list: { elementType: { namedType: "item" }, elementRelationship: "associative", keys: ["name"] } },
          },
          { name: "labels", type: { map: { elementType: string } } },
          { name: "tree", type: { namedType: "tree" } },
        ],
      },
    },
    {
      name: "item",
      map: {
        fields: [
          { name: "name", type: string },
          { name: "port", type: number },
          { name: "note", type: string },
        ],
      },
    },
    {
      name: "tree",
      map: {
        fields: [
          { name: "below", type: { namedType: "tree" } },
          { name: "note", type: string },
        ],
      },
    },
  ],
}
const types = compileSchema(schema)
const objectType = types.type("object")
const updater = new Updater()

export const scales: readonly Scale[] = [
  {
    name: "lists",
    title: "Associative lists keyed by a string",
    item: "item",
    sizes: [1000, 10_000, 100_000],
    prepare(size) {
      const list = keyedList(size)
      const object = typed({ items: list })
      const same = typed({ items: keyedList(size) })
      const reversed = typed({ items: keyedList(size).reverse() })
      const other = typed({ items: keyedList(size, "other") })
      const empty = typed({})
      const set = object.toFieldSet()
      const request = { manager: "second", apiVersion: "v1", managers: owners([["first", set]]) }
      return {
        validate: () => TypedValue.of(object.value, objectType),
        toFieldSet: () => object.toFieldSet(),
        "merge with the same": () => object.merge(same),
        "merge with the reverse": () => object.merge(reversed),
        "merge with other items": () => object.merge(other),
        "compare with the reverse": () => object.compare(reversed),
        "compare with nothing": () => object.compare(empty),
        "remove all items": () => object.removeItems(set),
        "apply the same": () => updater.apply(object, same, request),
        "apply other items": () => updater.apply(object, other, request),
      }
    },
  },
  {
    name: "sets",
    title: "Field sets",
    item: "path",
    sizes: [1000, 10_000, 100_000, 1_000_000],
    prepare(size) {
      const paths = keyedPaths(size, 0)
      const shuffled = shuffle(paths)
      const a = FieldSet.of(paths)
      const b = FieldSet.of(keyedPaths(size, size >> 1))
      const json = formatFieldsV1(a)
      return {
        "make from sorted paths": () => FieldSet.of(paths),
        "make from shuffled paths": () => FieldSet.of(shuffled),
        union: () => a.union(b),
        intersection: () => a.intersection(b),
        difference: () => a.difference(b),
        leaves: () => a.leaves(),
        serialize: () => formatFieldsV1(a),
        deserialize: () => parseFieldsV1(json),
      }
    },
  },
  {
    name: "managers",
    title: "Managers, each the owner of 20 labels",
    item: "manager",
    sizes: [1, 2, 5, 10, 20, 50, 100, 200],
    prepare(size) {
      const labelsOf = (i: number, value: string) =>
        Object.fromEntries(Array.from({ length: 20 }, (_, j) => [`label-${i}-${j}`, value]))
      const all: Record<string, Value> = {}
      for (let i = 0; i < size; i++) Object.assign(all, labelsOf(i, "a"))
      const live = typed({ labels: all })
      const managers = owners(
        Array.from({ length: size }, (_, i) => [`manager-${i}`, typed({ labels: labelsOf(i, "a") }).toFieldSet()]),
      )
      const request = { manager: "manager-0", apiVersion: "v1", managers }
      const config = typed({ labels: labelsOf(0, "b") })
      const next = typed({ labels: { ...all, ...labelsOf(0, "b") } })
      return {
        "apply own labels": () => updater.apply(live, config, request),
        "update own labels": () => updater.update(live, next, request),
      }
    },
  },
  {
    name: "depth",
    title: "Objects nested deeply",
    item: "level",
    sizes: [10, 30, 100, 300, 990],
    prepare(size) {
      const object = typed({ tree: nested(size) })
      const same = typed({ tree: nested(size) })
      const empty = typed({})
      const set = object.toFieldSet()
      const json = formatFieldsV1(set)
      return {
        validate: () => TypedValue.of(object.value, objectType),
        toFieldSet: () => object.toFieldSet(),
        "merge with the same": () => object.merge(same),
        "compare with nothing": () => empty.compare(object),
        "remove all": () => object.removeItems(set),
        serialize: () => formatFieldsV1(set),
        deserialize: () => parseFieldsV1(json),
      }
    },
  },
]

function typed(value: Value): TypedValue {
  return TypedValue.of(value, objectType)
}

function owners(sets: readonly (readonly [string, FieldSet])[]): Managers {
  return new Map(
    sets.map(([manager, set]): [string, VersionedSet] => [manager, { set, apiVersion: "v1", applied: true }]),
  )
}

function keyedList(size: number, prefix = "item"): Value[] {
  return Array.from({ length: size }, (_, i) => ({ name: `${prefix}-${i}`, port: i, note: "some text" }))
}

/** Returns sorted paths: two below each list item, and so half as many items as paths. */
function keyedPaths(size: number, start: number): Path[] {
  const items = fieldElement("items")
  const fields = [fieldElement("note"), fieldElement("port")] as const
  const names = Array.from({ length: size >> 1 }, (_, i) => `item-${String(start + i).padStart(8, "0")}`)
  return names.flatMap(name => {
    const key = keyElement({ name })
    return fields.map(field => [items, key, field])
  })
}

function shuffle(paths: readonly Path[]): Path[] {
  const random = new Random(5)
  const out = paths.slice()
  for (let i = out.length - 1; i > 0; i--) {
    const j = random.below(i + 1)
    const swapped = out[i] as Path
    out[i] = out[j] as Path
    out[j] = swapped
  }
  return out
}

function nested(depth: number): Value {
  let value: Value = { note: "the end" }
  for (let level = 1; level < depth; level++) value = { note: "a level", below: value }
  return value
}
