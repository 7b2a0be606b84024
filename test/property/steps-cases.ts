// Inputs that invite quadratic work: long lists in reverse, lists with nothing in common, duplicates, wide maps and sets, many
// managers, patterns and types. Each case prepares its input, and returns the operation whose steps are counted.

import { formatIssues } from "../../src/cli/input/problems.js"
import { noSecrets } from "../../src/cli/secrets/secrets.js"
import { fieldElement, indexElement, keyElement, valueElement } from "../../src/fieldpath/create-element.js"
import type { PathElement } from "../../src/fieldpath/element.js"
import { formatFieldsV1, parseFieldsV1 } from "../../src/fieldpath/fieldsv1/text.js"
import { fieldSetFromValue } from "../../src/fieldpath/from-value.js"
import type { Managers } from "../../src/fieldpath/managers.js"
import { excludeFilter } from "../../src/fieldpath/matcher.js"
import { FieldSet } from "../../src/fieldpath/set.js"
import { parseYaml, parseYamlWithPositions, type YamlDocument } from "../../src/io/yaml.js"
import { formatYaml } from "../../src/io/yaml-format.js"
import { formatJson, parseJson } from "../../src/json/json.js"
import { ConflictError } from "../../src/merge/conflict.js"
import { Updater } from "../../src/merge/updater.js"
import { deducedType } from "../../src/typed/deduced.js"
import { withNamedFields } from "../../src/typed/named-fields.js"
import { parseTypes } from "../../src/typed/parser.js"
import type { Type } from "../../src/typed/type.js"
import { reconcileFieldSetWithSchema, TypedValue } from "../../src/typed/typed-value.js"
import { validate } from "../../src/typed/validate.js"
import type { UnionPolicyName } from "../../src/union/policy.js"
import type { Steps } from "../../src/value/change.js"
import { equalValues } from "../../src/value/equal.js"
import type { Value } from "../../src/value/value.js"
import { deepFreeze } from "../support/deep-freeze.js"
import { listBy, mapOf, number, scalar, setOf, struct, text, typeOf } from "../typed/notation.js"

type Case = (size: number) => () => unknown

/** Returns the numbers from 0 to `size` - 1, in an order that is neither ascending nor descending. */
function shuffled(size: number): number[] {
  const step = 7919 // a prime that divides none of the sizes
  return Array.from({ length: size }, (_, i) => (i * step) % size)
}

const nowhere = { file: "", position: undefined }

function range(size: number, from = 0): number[] {
  return Array.from({ length: size }, (_, i) => from + i)
}

/** Kinds of list items: a function that makes the item with a number, and the type of such lists. */
interface ListKind {
  readonly type: Type
  item(i: number): Value
}

const kinds: Record<string, ListKind> = {
  "items with a name": {
    type: typeOf(listBy(["k"], struct({ k: text, v: number }))),
    item: i => ({ k: `n${i}`, v: i }),
  },
  "items with two keys": {
    type: typeOf(listBy(["p", "q"], struct({ p: number, q: text, v: number }))),
    item: i => ({ p: i, q: "TCP", v: i }),
  },
  "items with maps for keys": {
    type: typeOf(listBy(["k"], struct({ k: mapOf(number), v: number }))),
    item: i => ({ k: { n: i }, v: i }),
  },
  "a set of strings": { type: typeOf(setOf(text)), item: i => `n${i}` },
  "a set of numbers": { type: typeOf(setOf(scalar)), item: i => i + 0.5 },
  "a set of large integers": { type: typeOf(setOf(scalar)), item: i => 2n ** 53n + BigInt(i) },
}

type Pair = (size: number) => [number[], number[]]

/** Pairs of lists that differ in their order. Only some kinds of items go through all of them. */
const pairs: Record<string, Pair> = {
  "the same": size => [range(size), range(size)],
  reversed: size => [range(size), range(size).reverse()],
  shuffled: size => [range(size), shuffled(size)],
  "all new": size => [range(size), range(size, size)],
  "all new before the old": size => [range(size), [...range(size, size), ...range(size)]],
  "every other": size => [range(size), range(size).filter(i => i % 2 === 0)],
  "rotated by one": size => [range(size), [...range(size - 1, 1), 0]],
  interleaved: size => [range(size).map(i => 2 * i), range(size).map(i => 2 * i + 1)],
  "from nothing": size => [[], range(size)],
  "to nothing": size => [range(size), []],
}

const somePairs = Object.fromEntries(["reversed", "shuffled", "all new"].map(name => [name, pairs[name] as Pair]))

function typedList({ type, item }: ListKind, numbers: readonly number[]): TypedValue {
  return TypedValue.of(deepFreeze(numbers.map(item)), type)
}

const request = { manager: "a", apiVersion: "v1", managers: new Map() as Managers }

function listCases(): Record<string, Case> {
  const out: Record<string, Case> = {}
  for (const [kind, list] of Object.entries(kinds)) {
    const all = kind === "items with a name"
    for (const [pair, numbers] of Object.entries(all ? pairs : somePairs)) {
      const prepared = (size: number): [TypedValue, TypedValue] => {
        const [left, right] = numbers(size)
        return [typedList(list, left), typedList(list, right)]
      }
      const add = (name: string, run: (left: TypedValue, right: TypedValue) => unknown): void => {
        out[`${name} of ${kind}, ${pair}`] = size => {
          const [left, right] = prepared(size)
          return () => run(left, right)
        }
      }
      add("merge", (left, right) => left.merge(right))
      add("compare", (left, right) => left.compare(right))
      if (all) {
        add("merge without trust", (left, right) => loose(left).merge(loose(right)))
        add("removeItems", (left, right) => left.removeItems(right.toFieldSet()))
        add("extractItems", (left, right) => left.extractItems(right.toFieldSet(), { appendKeyFields: true }))
        add("validate", (_, right) => right.validate())
        add("toFieldSet", (_, right) => right.toFieldSet())
        add("apply", (left, right) => new Updater().apply(left, right, request))
        add("update", (left, right) => new Updater().update(left, right, request))
        add("apply after apply", (left, right) => {
          const first = new Updater().apply(left, right, request)
          return new Updater().apply(first.object, left, { ...request, managers: first.managers })
        })
      }
    }
  }
  return out
}

function loose({ value, type }: TypedValue): TypedValue {
  return TypedValue.unvalidated(value, type)
}

/** Functions that make the element with a number, for each kind of element. */
const elements: Record<string, (i: number) => PathElement> = {
  fields: i => fieldElement(`n${i}`),
  keys: i => keyElement({ k: `n${i}`, p: i }),
  "keys that are maps": i => keyElement({ k: { n: i } }),
  values: i => valueElement(i),
  indexes: i => indexElement(i),
}

function setCases(): Record<string, Case> {
  const out: Record<string, Case> = {}
  const wide = (element: (i: number) => PathElement, numbers: readonly number[]): FieldSet => {
    return FieldSet.of(numbers.flatMap(i => [[element(i)], [element(i), fieldElement("x")]]))
  }
  for (const [kind, element] of Object.entries(elements)) {
    out[`a set from paths in reverse: ${kind}`] = size => () => wide(element, range(size).reverse())
    out[`a set from paths in any order: ${kind}`] = size => () => wide(element, shuffled(size))
    for (const [pair, numbers] of Object.entries(kind === "keys" ? pairs : somePairs)) {
      out[`the algebra of sets of ${kind}, ${pair}`] = size => {
        const [left, right] = numbers(size).map(each => wide(element, each)) as [FieldSet, FieldSet]
        return () => {
          left.union(right).equals(right)
          left.intersection(right).leaves()
          left.difference(right).union(left.recursiveDifference(right))
          excludeFilter(right).filter(left)
        }
      }
    }
    out[`finding every path: ${kind}`] = size => {
      const set = wide(element, range(size))
      const paths = shuffled(size).map(i => [element(i), fieldElement("x")])
      return () => paths.every(path => set.has(path))
    }
    out[`a set to text and back: ${kind}`] = size => {
      const set = wide(element, range(size))
      return () => parseFieldsV1(formatFieldsV1(set)).equals(set)
    }
  }
  out["a set from text in reverse"] = size => {
    const entries = range(size).map(i => `"k:{\\"name\\":\\"n${i}\\"}":{}`)
    return () => parseFieldsV1(`{${entries.reverse().join()}}`)
  }
  out["a set from text with every key twice"] = size => {
    const entries = [...range(size), ...range(size)].map(i => `"f:n${i}":{"f:x${i}":{}}`)
    return () => parseFieldsV1(`{${entries.join()}}`)
  }
  return out
}

/** Returns a map of this many keys, in no order. */
function wideMap(numbers: readonly number[], value: (i: number) => Value = i => i): Value {
  return deepFreeze(Object.fromEntries(numbers.map(i => [`n${i}`, value(i)])))
}

const others: Record<string, Case> = {
  "maps in other orders, merged, compared and applied": size => {
    const one = TypedValue.of(wideMap(range(size)), deducedType())
    const two = TypedValue.of(
      wideMap(shuffled(size), i => ({ x: i })),
      deducedType(),
    )
    return () => {
      one.merge(two)
      one.compare(two)
      return new Updater().apply(one, two, request)
    }
  },
  "values in other orders, compared": size => {
    const one = wideMap(range(size))
    const two = wideMap(range(size).reverse())
    return () => equalValues(one, two)
  },
  "atomic lists, merged and compared": size => {
    const one = TypedValue.of({ a: deepFreeze(range(size)) }, deducedType())
    const two = TypedValue.of({ a: deepFreeze(range(size).reverse()) }, deducedType())
    return () => [one.merge(two), one.compare(two)]
  },
  "the set of an untyped list with one name for all": size => {
    const list = deepFreeze(range(size).map(i => ({ name: "same", [`n${i}`]: 1 })))
    return () => fieldSetFromValue(list)
  },
  "the set of an untyped list in reverse": size => {
    const list = deepFreeze(range(size).map(i => ({ name: `n${size - i}` })))
    return () => fieldSetFromValue(list)
  },
  "items that share their keys, compared": size => {
    const list = kinds["items with a name"] as ListKind
    const twice = (numbers: readonly number[]) => deepFreeze(numbers.map(i => list.item(i % 10)))
    const one = TypedValue.of(twice(range(size)), list.type, { allowDuplicates: true })
    const two = TypedValue.of(twice(range(size, 5)), list.type, { allowDuplicates: true })
    return () => [one.compare(two), one.toFieldSet(), one.removeItems(two.toFieldSet())]
  },
  "managers who own all, or a part of their own": size => {
    const type = deducedType()
    const owner = (numbers: readonly number[]) => ({
      set: FieldSet.of(numbers.map(n => [fieldElement(`n${n}`)])),
      apiVersion: "v1",
      applied: true,
    })
    const parts = range(10).map(i => [`part${i}`, owner(range(size).filter(n => n % 10 === i))] as const)
    const wholes = range(3).map(i => [`whole${i}`, owner(range(size))] as const)
    const managers = new Map([...parts, ...wholes])
    const live = TypedValue.of(wideMap(range(size)), type)
    const next = TypedValue.of(
      wideMap(range(size), i => -i),
      type,
    )
    return () => new Updater().apply(live, next, { ...request, managers, force: true })
  },
  "a schema of many types, and a value of each": size => {
    const names = range(size)
    const types = names.map(i => ({
      name: `t${i}`,
      map: { fields: [{ name: "next", type: { namedType: `t${(i + 1) % size}` } }] },
    }))
    const document = deepFreeze({ types })
    return () => {
      const compiled = parseTypes(document)
      return names.every(i => compiled.has(`t${i}`) && compiled.type(`t${i}`).map !== null)
    }
  },
  "a struct of many fields": size => {
    const type = typeOf(struct(Object.fromEntries(range(size).map(i => [`n${i}`, struct({ x: number })]))))
    const value = TypedValue.of(
      wideMap(shuffled(size), i => ({ x: i })),
      type,
    )
    return () => {
      const set = value.toFieldSet()
      return reconcileFieldSetWithSchema(withNamedFields(type, set), type)
    }
  },
  "JSON of a wide map and a long list": size => {
    const text = formatJson([wideMap(shuffled(size)), range(size).map(i => `${i} ${"x".repeat(50)}`)])
    return () => formatJson(parseJson(text))
  },
  "YAML of a wide map, a long list and long texts": size => {
    const texts = [
      `a${"\n".repeat(size)}b`,
      "a\n".repeat(size),
      "a b\n".repeat(size),
      "'".repeat(size),
      "\t".repeat(size),
    ]
    const value = deepFreeze([wideMap(shuffled(size)), range(size).map(i => `${i} ${"x".repeat(50)}`), ...texts])
    return () => formatYaml(parseYaml(formatYaml(value)))
  },
  "the places of unknown fields": size => {
    const type = typeOf(struct({ a: number, b: listBy(["k"], struct({ k: text, v: number })) }))
    const items = range(size).map(i => `- k: n${i}\n  x: 1\n  "b.${i}": 2\n`)
    const source = `a: 1\nb:\n${items.join("")}${range(size)
      .map(i => `n${i}: 1\n"[x${i}].": 2\n`)
      .join("")}`
    const [{ value, positionOf }] = parseYamlWithPositions(source) as [YamlDocument]
    const placeOf = (steps: Steps) => ({ file: "", position: positionOf(steps) })
    const at = (steps: Steps) => `${placeOf(steps).position?.line}`
    const document = {
      file: "",
      source: { file: "", text: source },
      value: value ?? null,
      secrets: noSecrets,
      placeOf,
      at,
    }
    const found = [...validate(type, value ?? null, false).issues.toArray()]
    return () => formatIssues(document, found, type)
  },
  "the places of items in sets, and with two keys": size => {
    const value = { s: range(size).map(i => `n${i}`), l: range(size).map(i => ({ p: i % 2, q: `n${i}` })) }
    const issues = range(size).flatMap(i =>
      [`.s[="n${i}"]`, `.l[p=${i % 2},q="n${i}"].q`].map(path => ({ path, message: "" })),
    )
    const document = {
      file: "",
      source: { file: "", text: "" },
      value: deepFreeze(value),
      secrets: noSecrets,
      placeOf: () => nowhere,
      at: String,
    }
    return () => formatIssues(document, issues)
  },
  "YAML in brackets, folded and in quotes": size => {
    const lines = range(size).map(i => `  line ${i}\n`)
    const folded = ["a: >-", "b: plain", "c: 'quoted", 'd: "quoted'].map(start => `${start}\n${lines.join("\n")}`)
    const [text = "", plain, single, double] = folded
    const flow = `{${range(size).map(i => `n${i}: [${i}, "x"]`)}}`
    return () => parseYaml(`${text}${plain}${single}  '\n${double}  "\ne: ${flow}\nf:\n${"\n".repeat(size)}g:\n- h`)
  },
}

/** A list whose items have a union of a text and a list of named items, with or without a discriminator. */
const choices = typeOf(
  listBy(["k"], {
    map: {
      fields: [
        { name: "k", type: text },
        { name: "type", type: text },
        { name: "one", type: text },
        { name: "many", type: listBy(["k"], struct({ k: text, v: number })) },
      ],
      unions: [
        {
          discriminator: "type",
          deduceInvalidDiscriminator: true,
          fields: [
            { fieldName: "one", discriminatorValue: "One" },
            { fieldName: "many", discriminatorValue: "Many" },
          ],
        },
      ],
    },
  }),
)

/** An apply of `config` after another manager has written the object. */
function applyOver(written: Value, config: Value, unions: UnionPolicyName, type = choices): () => unknown {
  const updater = new Updater({ unions })
  const nothing = TypedValue.of(null, type)
  const first = updater.apply(nothing, TypedValue.of(deepFreeze(written), type), request)
  const next = TypedValue.of(deepFreeze(config), type)
  return () => {
    try {
      return updater.apply(first.object, next, { ...request, manager: "b", managers: first.managers })
    } catch (error) {
      if (error instanceof ConflictError) return error.explain()
      throw error
    }
  }
}

/** A list of named items. The items named `a` and `b` exclude each other. */
const exclusive = typeOf({
  map: {
    fields: [{ name: "list", type: listBy(["k"], struct({ k: text, v: number })) }],
    unions: [{ fields: ["a", "b"].map(k => ({ fieldName: "list", item: { k } })) }],
  },
})

const ofUnions: Record<string, Case> = {
  "conflicts that unions cause in every item": size => {
    const many = [{ k: "a", v: 1 }]
    const written = range(size).map(i => ({ k: `n${i}`, type: "Many", many }))
    return applyOver(
      written,
      range(size).map(i => ({ k: `n${i}`, one: "x" })),
      "extended",
    )
  },
  "a cleared member with many items": size => {
    const many = range(size).map(i => ({ k: `n${i}`, v: i }))
    return applyOver([{ k: "a", type: "Many", many }], [{ k: "a", one: "x" }], "v4")
  },
  "an item that takes the place of another, among many": size => {
    const others = (from: number) => range(size).map(i => ({ k: `n${from + i}`, v: i }))
    return applyOver(
      { list: [...others(0), { k: "a", v: 1 }] },
      { list: [...others(size), { k: "b", v: 1 }] },
      "v4",
      exclusive,
    )
  },
  "an item in conflict with another, among many": size => {
    const others = range(size).map(i => ({ k: `n${i}`, v: i }))
    return applyOver({ list: [...others, { k: "a", v: 1 }] }, { list: [{ k: "b", v: 1 }] }, "extended", exclusive)
  },
  "nulls beside the member in every item": size => {
    const written = range(size).map(i => ({ k: `n${i}`, type: "One", one: "y" }))
    return applyOver(
      written,
      range(size).map(i => ({ k: `n${i}`, one: "y", many: null })),
      "v4",
    )
  },
}

/** Comes first, while the scanner's table has room for all texts. */
const ofTables: Record<string, Case> = {
  "a set from text whose keys the scanner can't tell apart by their hashes": size => {
    // "Aa" and "BB" have the same hash, and so have all texts that consist of them. The prefixes keep the sizes apart.
    const name = (i: number): string => i.toString(2).padStart(12, "0").replaceAll("0", "Aa").replaceAll("1", "BB")
    const text = `{${range(size)
      .map(i => `"f:${size}/${name(i)}":{}`)
      .join()}}`
    parseFieldsV1(text)
    return () => parseFieldsV1(text)
  },
}

export const cases: Readonly<Record<string, Case>> = {
  ...ofTables,
  ...listCases(),
  ...setCases(),
  ...ofUnions,
  ...others,
}
