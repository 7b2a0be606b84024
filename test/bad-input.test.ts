// Gives malformed input to the package. It must throw an error of its own that says where and why, and never crash, overflow the stack,
// change the input, or return half a result. typed/validate.test.ts has the values that do not fit their types.

import { runInNewContext } from "node:vm"
import { describe, expect, it } from "vitest"
import {
  compileSchema,
  deducedType,
  equalSchemas,
  equalValues,
  FieldSet,
  fieldElement,
  fieldSetFromValue,
  formatFieldsV1,
  formatFieldsV1Key,
  formatValue,
  indexElement,
  keyElement,
  noManagers,
  ParseError,
  type PathElement,
  type PathPart,
  parseFieldsV1,
  parseFieldsV1Key,
  parseSchema,
  pathOf,
  type Schema,
  SchemaError,
  StructuredMergeError,
  TypedValue,
  type TypeRef,
  Updater,
  ValidationError,
  type Value,
  valueAt,
  valueElement,
} from "../src/index.js"
import { parseYaml, parseYamlDocuments, writeJson } from "../src/io/index.js"
import { formatJson, parseJson } from "../src/json/json.js"
import { equalTypeRefs } from "../src/schema/equal.js"
import { withNamedFields } from "../src/typed/named-fields.js"
import { reconcileFieldSetWithSchema } from "../src/typed/typed-value.js"
import { compareValues } from "../src/value/compare.js"
import { maxDepth } from "../src/value/depth.js"
import { runSourceAlone } from "./support/alone.js"
import { deepFreeze } from "./support/deep-freeze.js"
import { named, schemaOf, struct, text, thing, things, typeOf } from "./typed/notation.js"
import { cyclicList, cyclicMap, nestedList, nestedMap } from "./value/samples.js"

const far = 100_000

/** Returns the error of the package that `run` throws. */
function errorOf(run: () => unknown): StructuredMergeError {
  try {
    run()
  } catch (error) {
    expect(error).toBeInstanceOf(StructuredMergeError)
    return error as StructuredMergeError
  }
  throw new Error("did not throw")
}

describe("malformed YAML", () => {
  const bomb = [
    "a: &a [x,x,x,x,x,x,x,x,x]",
    ...[..."bcdefghijkl"].map((name, i) => `${name}: &${name} [${`*${"abcdefghijkl"[i]},`.repeat(9)}]`),
  ]
  const rows: [title: string, text: string, message: RegExp][] = [
    ["a list that is not closed", "a: [1", /line 1/],
    ["a string that is not closed", 'a: "x', /line 1/],
    ["a tab for indentation", "a:\n\tb: 1", /line 2.*[Tt]ab/],
    ["wrong indentation", "a: 1\n  b: 2", /line \d/],
    ["a key twice", "a: 1\na: 2", /line 2.*"a" already set/],
    ["a nested key twice", "a:\n  b: 1\n  b: 2", /line 3.*"b" already set/],
    ["an alias without an anchor", "a: *gone", /line 1.*unknown anchor/],
    ["an alias within its own anchor", "a: &a [*a]", /contains itself/],
    ["a merge of itself", "a: &a\n  <<: *a", /contains itself/],
    ["aliases that explode", bomb.join("\n"), /excessive aliasing/],
    ["a list as a key", "[1, 2]: x", /keys of a map/],
    ["NaN", "a: .nan", /not finite/],
    ["Infinity", "a: [-.inf]", /not finite/],
    ["two documents", "a: 1\n---\nb: 2", /document/],
    ["a control character", "a: \0", /control character/],
  ]
  it.each(rows)("is refused: %s", (_, text, message) => {
    const error = errorOf(() => parseYaml(text))
    expect(error).toBeInstanceOf(ParseError)
    expect(error.message).toMatch(message)
    expect(error.message).toMatch(/line \d+, column \d+/)
  })

  // Runs in a process of its own: if the stack overflows, V8 may give up on a regular expression and end the process.
  it("is refused where it nests far too deep, also after other texts", async () => {
    const { status, output, errors } = await runSourceAlone(`
      import { parseYaml } from "../src/io/index.js"
      const deep = ["[".repeat(${far}), "{a: ".repeat(${far}), "- ".repeat(${far}) + 1,
        Array.from({ length: 3_000 }, (_, i) => " ".repeat(i) + "a:").join("\\n")]
      const messages = []
      for (const text of [...${JSON.stringify(rows.map(([, text]) => text))}, ...deep]) {
        try {
          parseYaml(text)
        } catch (error) {
          messages.push(error.message)
        }
      }
      console.log(JSON.stringify(messages.slice(-deep.length)))
    `)
    expect({ status, errors: errors.slice(0, 300) }).toEqual({ status: 0, errors: "" })
    const messages: string[] = JSON.parse(output)
    expect(messages).toHaveLength(4)
    for (const message of messages) expect(message).toMatch(/^line \d+, column \d+: nests (too deep|deeper than)/)
  })

  it("is refused in any document of several", () => {
    expect(errorOf(() => parseYamlDocuments("a: 1\n---\nb: [")).message).toMatch(/line [23]/)
  })
})

describe("malformed JSON", () => {
  const rows: [title: string, text: string][] = [
    ["nothing", ""],
    ["a list that is not closed", "[1"],
    ["a map that is not closed", '{"a":1'],
    ["a string that is not closed", '"a'],
    ["more than one value", "1 2"],
    ["a comma at the end", "[1,]"],
    ["a key without quotes", "{a:1}"],
    ["single quotes", "{'a':1}"],
    ["a key without a value", '{"a"}'],
    ["a control character in a string", '"\u0001"'],
    ["an escape that does not exist", '"\\x"'],
    ["NaN", "[NaN]"],
    ["Infinity", "-Infinity"],
    ["undefined", "undefined"],
    ["a number too large for a float", "1e999"],
    ["a number with a leading zero", "01"],
    ["a number without digits", "-"],
    ["lists nested far too deep", "[".repeat(far) + "]".repeat(far)],
    ["maps nested far too deep", `${'{"a":'.repeat(far)}1${"}".repeat(far)}`],
    ["nesting that is not closed", "[".repeat(far)],
  ]
  it.each(rows)("is refused: %s", (_, text) => {
    expect(errorOf(() => parseJson(text))).toBeInstanceOf(ParseError)
  })
})

describe("malformed FieldsV1", () => {
  const rows: [title: string, text: string, message: RegExp][] = [
    ["nothing", "", /expect \{/],
    ["a list", "[]", /expect \{/],
    ["a number", "1", /expect \{/],
    ["an element that leads to a number", '{"f:a":1}', /expect \{/],
    ["an element without a kind", '{"a":{}}', /2 characters/],
    ["an element without a colon", '{"fa":{}}', /missing colon: fa/],
    ["an index that is a word", '{"i:x":{}}', /parsing "x": invalid syntax/],
    ["an index that is too large", '{"i:99999999999999999999":{}}', /value out of range/],
    ["a key that is no map", '{"k:[]":{}}', /expect \{/],
    ["a key that is not closed", '{"k:{":{}}', /expect "/],
    ["a value that is no JSON", '{"v:x":{}}', /unexpected value type/],
    ["no value", '{"v:":{}}', /unexpected value type/],
    ["what is not closed", '{"f:a":{}', /not ended with }/],
    ["more than one set", "{} {}", /trailing data/],
    [
      "a set that nests too deep",
      `${'{"f:a":'.repeat(maxDepth + 1)}{}${"}".repeat(maxDepth + 1)}`,
      /nests deeper than/,
    ],
    ["a set that nests far too deep", `${'{"f:a":'.repeat(far)}{}${"}".repeat(far)}`, /max depth/],
    [
      "a key that nests far too deep",
      JSON.stringify({ [`k:${'{"a":'.repeat(far)}1${"}".repeat(far)}`]: {} }),
      /max depth/,
    ],
    [
      "a value that nests far too deep",
      JSON.stringify({ [`v:${"[".repeat(far)}${"]".repeat(far)}`]: {} }),
      /max depth/,
    ],
  ]
  it.each(rows)("is refused: %s", (_, text, message) => {
    const error = errorOf(() => parseFieldsV1(text))
    expect(error).toBeInstanceOf(ParseError)
    expect(error.message).toMatch(message)
  })

  it.each(["", "f", "fa", "é", "日:a", "i:", "i:1.5", "i:0x1", "v:", "v:{", "k:", "k:1", "k:{]"])(
    "is refused: the element %j",
    text => {
      expect(errorOf(() => parseFieldsV1Key(text))).toBeInstanceOf(ParseError)
    },
  )

  it("is refused: an element that nests far too deep", () => {
    expect(errorOf(() => parseFieldsV1Key(`v:${"[".repeat(far)}`))).toBeInstanceOf(ParseError)
  })
})

describe("a malformed schema", () => {
  const field = (type: Value): Value => ({ types: [{ name: "a", map: { fields: [{ name: "f", type }] } }] })
  const rows: [title: string, document: Value, message: RegExp][] = [
    ["a list", [], /expected map/],
    ["a key that is not known", { type: [] }, /\.type: field not declared in schema/],
    ["types that are no list", { types: { a: {} } }, /\.types: expected list/],
    ["a type without a name", { types: [{}] }, /\.types: element 0: .*omits all key fields \["name"\]/],
    ["a type that is null", { types: [null] }, /\.types: element 0: .*null element/],
    [
      "two types of one name",
      { types: [{ name: "a" }, { name: "a" }] },
      /\.types: duplicate entries for key \[name="a"\]/,
    ],
    [
      "a field whose type is a name",
      field("string"),
      /\.types\[name="a"\]\.map\.fields\[name="f"\]\.type: expected map, got/,
    ],
    ["a scalar that is a list", field({ scalar: ["string"] }), /\.type\.scalar: expected string/],
    ["what nests far too deep", field(nestedMap(far)), /field not declared|nests deeper/],
    ["what contains itself", field({ map: { elementType: cyclicMap() } }), /field not declared/],
  ]
  it.each(rows)("is refused: %s", (_, document, message) => {
    const error = errorOf(() => parseSchema(deepFreeze(document)))
    expect(error.message).toMatch(message)
    expect(error).toBeInstanceOf(SchemaError)
  })

  /** Returns a reference inside this many maps. */
  function deepRef(depth: number): TypeRef {
    let ref: TypeRef = text
    for (let i = 0; i < depth; i++) ref = Object.freeze({ map: Object.freeze({ elementType: ref }) })
    return ref
  }

  it("is refused: types written in place far too deep", () => {
    expect(
      errorOf(() => parseSchema({ types: [{ name: "a", map: { elementType: deepRef(far) as unknown as Value } }] }))
        .message,
    ).toMatch(/nests deeper/)
  })

  it("is refused where it was not parsed: types written in place far too deep", () => {
    const [one, other] = [deepRef(far), deepRef(far)]
    const types = compileSchema({ types: [] })
    expect(types.typeOf(one).problem).toBeNull()
    expect(errorOf(() => types.typeOf(other)).message).toMatch(/nests deeper/)
    expect(errorOf(() => equalTypeRefs(one, other)).message).toMatch(/nests deeper/)
    const schemas = [one, other].map((ref): Schema => ({ types: [{ name: "a", map: { elementType: ref } }] }))
    expect(errorOf(() => equalSchemas(schemas[0] as Schema, schemas[1] as Schema)).message).toMatch(/nests deeper/)
    expect(TypedValue.of({ x: { y: {} } }, types.typeOf(one)).toFieldSet().size).toBe(2)
  })

  it("is a recursive type where a type written in place contains itself", () => {
    const atom = { map: { elementType: {} as TypeRef } }
    atom.map.elementType = atom
    const type = compileSchema({ types: [{ name: "a", ...atom }] }).type("a")
    expect(TypedValue.of({ x: { y: { z: {} } } }, type).toFieldSet().size).toBe(3)
  })

  it("is told by every use of a type that is missing", () => {
    const type = typeOf(struct({ a: named("missing") }))
    const value = deepFreeze({ a: 1 })
    const loose = TypedValue.unvalidated(value, type)
    for (const run of [
      () => TypedValue.of(value, type),
      () => loose.merge(loose),
      () => loose.compare(TypedValue.unvalidated({ a: 2 }, type)),
      () => loose.toFieldSet(),
      () => reconcileFieldSetWithSchema(FieldSet.of([pathOf("a")]), type),
    ]) {
      expect(errorOf(run).message).toContain("schema error: no type found matching: missing")
    }
  })
})

describe("values that are not JSON", () => {
  class Point {
    readonly x = 1
  }
  const rows: [title: string, value: unknown, reason: RegExp][] = [
    ["undefined", undefined, /undefined/],
    ["a function", () => 1, /function|undefined/],
    ["a symbol", Symbol("x"), /symbol/],
    ["NaN", Number.NaN, /NaN/],
    ["Infinity", Number.POSITIVE_INFINITY, /Inf/],
    ["minus Infinity", Number.NEGATIVE_INFINITY, /-Inf/],
    ["a Date", new Date(0), /Date/],
    ["a Map", new Map([["a", 1]]), /Map/],
    ["a Set", new Set([1]), /Set/],
    ["an instance of a class", new Point(), /Point/],
    ["bytes", new Uint8Array(1), /Uint8Array/],
    ["an object made from another", Object.create({ a: 1 }), /plain object/],
    ["an object made from a map", Object.create(Object.assign(Object.create(null), { a: 1 })), /plain object/],
    [
      "an object made from one with a hidden key",
      Object.create(Object.create(null, { a: { value: 1 } })),
      /plain object/,
    ],
    ["a promise", Promise.resolve(1), /Promise/],
  ]
  const places: [place: string, wrap: (value: unknown) => unknown][] = [
    ["a map", value => ({ x: { y: value } })],
    ["a list", value => ({ x: [1, value] })],
  ]
  const all = rows.flatMap(([title, value, reason]) =>
    places.map(([place, wrap]) => [title, place, wrap(value) as Value, reason] as const),
  )

  it.each(all)("%s in %s can't be a typed value", (_, __, value, reason) => {
    const error = errorOf(() => TypedValue.of(value, deducedType()))
    expect(error).toBeInstanceOf(ValidationError)
    expect(error.message).toMatch(reason)
    expect((error as ValidationError).issues[0]?.path).toMatch(/^\.x/)
  })

  it.each(all)("%s in %s has no field set", (_, __, value, reason) => {
    const error = errorOf(() => fieldSetFromValue(value))
    expect(error.message).toMatch(reason)
    expect((error as ValidationError).issues[0]?.path).toMatch(/^\.x(\.y|\[1\])$/)
  })

  it.each(all)("%s in %s can't be written", (_, __, value, reason) => {
    expect(errorOf(() => formatJson(value)).message).toMatch(reason)
    expect(errorOf(() => writeJson(value)).message).toMatch(reason)
  })

  it.each(rows)("%s can't be in a path", (_, value, reason) => {
    expect(() => valueElement(value as Value)).toThrow(TypeError)
    expect(() => valueElement(value as Value)).toThrow(reason)
    expect(() => keyElement({ k: value as Value })).toThrow(TypeError)
    expect(() => pathOf("a", { k: value as Value })).toThrow(reason)
  })

  it.each(all)("%s in %s can't be written as part of a path", (_, __, value) => {
    errorOf(() => formatFieldsV1Key(valueElement(value)))
    errorOf(() => formatFieldsV1(FieldSet.of([[keyElement({ k: value })]])))
  })

  it("an object of another realm is one like any other", () => {
    const value: Value = runInNewContext('({ a: { b: [{ c: 1 }] }, constructor: 1, ["__proto__"]: { x: 1 } })')
    expect(TypedValue.of(value, deducedType()).toFieldSet().toString()).toBe(
      TypedValue.of(parseJson('{"a":{"b":[]},"constructor":1,"__proto__":{"x":1}}'), deducedType())
        .toFieldSet()
        .toString(),
    )
    expect(valueAt(runInNewContext("({})"), pathOf("__proto__"))).toBeUndefined()
    expect(formatJson(value)).toBe('{"__proto__":{"x":1},"a":{"b":[{"c":1}]},"constructor":1}')
  })

  it("a list with holes is refused", () => {
    const sparse = new Array<Value>(3)
    sparse[1] = 1
    expect(errorOf(() => TypedValue.of(sparse, things.type("__untyped_atomic_"))).message).toMatch(
      /^errors:\n {2}\[0\]: .*undefined\n {2}\[2\]: .*undefined$/,
    )
    expect(errorOf(() => fieldSetFromValue(sparse)).message).toMatch(/^\[0\]: .*undefined/)
    errorOf(() => formatJson(sparse))
  })
})

describe("values without an end", () => {
  const rows: [title: string, make: () => Value][] = [
    ["lists nested far too deep", () => nestedList(far)],
    ["maps nested far too deep", () => nestedMap(far)],
    ["a list that contains itself", cyclicList],
    ["a map that contains itself", cyclicMap],
    [
      "a list in a map in a list …",
      () => Array.from({ length: far }).reduce<Value>((value, _, i) => (i % 2 === 0 ? [value] : { a: value }), 1),
    ],
    ["lists nested just too deep", () => nestedList(maxDepth + 2)],
    ["maps nested just too deep", () => nestedMap(maxDepth + 2)],
  ]
  const free = deducedType()
  const nest = typeOf(named("nest"), {
    nest: {
      scalar: "untyped",
      list: { elementType: named("nest"), elementRelationship: "atomic" },
      map: { elementType: named("nest") },
    },
  })
  const request = { manager: "a", apiVersion: "v1", managers: noManagers }
  const uses: [title: string, use: (value: Value, again: Value) => unknown][] = [
    ["checked", value => TypedValue.of(value, free)],
    ["checked against a type as deep", value => TypedValue.of(value, nest)],
    ["compared as values", (value, again) => compareValues(value, again)],
    ["compared for equality", (value, again) => equalValues(value, again)],
    ["printed", value => formatValue(value)],
    ["turned into a set", value => fieldSetFromValue(value)],
    [
      "merged",
      (value, again) =>
        TypedValue.unvalidated({ x: value }, free).merge(TypedValue.unvalidated({ x: again }, free), {
          keepEqual: true,
        }),
    ],
    [
      "compared as typed values",
      (value, again) => TypedValue.unvalidated({ x: value }, free).compare(TypedValue.unvalidated({ x: again }, free)),
    ],
    [
      "applied",
      (value, again) =>
        new Updater().apply(
          TypedValue.unvalidated({ x: value }, free),
          TypedValue.unvalidated({ x: again }, free),
          request,
        ),
    ],
    [
      "updated",
      (value, again) =>
        new Updater().update(
          TypedValue.unvalidated({ x: value }, free),
          TypedValue.unvalidated({ x: again }, free),
          request,
        ),
    ],
    ["told apart as items", (value, again) => FieldSet.of([[valueElement(value)], [valueElement(again)]])],
  ]
  it.each(rows.flatMap(([title, make]) => uses.map(([used, use]) => [title, used, make, use] as const)))(
    "are refused: %s, %s",
    (_, __, make, use) => {
      expect(errorOf(() => use(make(), make())).message).toMatch(/nests deeper than|max depth/)
    },
  )

  it.each(rows.slice(0, 5))("can't be written: %s", (_, make) => {
    expect(errorOf(() => formatJson(make())).message).toMatch(/max depth/)
    expect(errorOf(() => formatFieldsV1Key(valueElement(make()))).message).toMatch(/max depth/)
  })

  it("are refused as defaults, in messages, and as paths", () => {
    const path = new Array<PathElement>(far).fill(fieldElement("a"))
    expect(errorOf(() => FieldSet.of([path])).message).toMatch(/nests deeper/)
    expect(errorOf(() => FieldSet.empty.insert(path)).message).toMatch(/nests deeper/)
    expect(FieldSet.of([path.slice(0, 3)]).has(path)).toBe(false)
    expect(errorOf(() => TypedValue.of({ s: nestedMap(far) }, thing)).message).toMatch(/nests deeper/)
  })
})

describe("nesting down to the limit", () => {
  it("is handled by every operation", () => {
    const free = deducedType()
    const one = TypedValue.of(nestedMap(maxDepth - 1, "x"), free)
    const two = TypedValue.of(nestedMap(maxDepth - 1, "y"), free)
    const set = one.toFieldSet()
    expect(set.size).toBe(maxDepth - 1)
    expect(one.merge(two).compare(two).isSame()).toBe(true)
    expect(one.compare(two).modified.size).toBe(1)
    expect(one.removeItems(set.leaves()).compare(one).isSame()).toBe(false)
    expect(one.extractItems(set.leaves())).toBe(one)
    expect(parseFieldsV1(formatFieldsV1(set)).equals(set)).toBe(true)
    expect(set.union(two.toFieldSet()).difference(set.leaves()).intersection(set).size).toBe(maxDepth - 2)
    expect(withNamedFields(free, set)).toBe(set)
    expect(reconcileFieldSetWithSchema(set, free)).toBeNull()
    expect(equalValues(parseJson(formatJson(one.value)), one.value)).toBe(true)
    const applied = new Updater().apply(one, two, { manager: "a", apiVersion: "v1", managers: noManagers })
    expect(applied.managers.get("a")?.set.equals(set)).toBe(true)
  })
})

describe("a set of a million paths", () => {
  it("is built, searched and taken apart", () => {
    const size = 1_000_000
    const groups = Array.from({ length: 1000 }, (_, i) => fieldElement(`g${String(i).padStart(3, "0")}`))
    const paths = function* () {
      for (let i = 0; i < size; i++) yield [groups[Math.floor(i / 1000)] as PathElement, indexElement(i)]
    }
    const set = FieldSet.of(paths())
    expect(set.size).toBe(size)
    expect(set.has(pathOf("g007", 7007))).toBe(true)
    const part = set.withPrefix(fieldElement("g007"))
    expect(part.size).toBe(1000)
    const without = set.difference(FieldSet.of([pathOf("g007", 7007)]))
    expect(without.size).toBe(size - 1)
    expect(set.union(without)).toBe(set)
    expect(set.intersection(without).equals(without)).toBe(true)
    expect(set.recursiveDifference(FieldSet.of(groups.map(group => [group]))).isEmpty()).toBe(true)
  })
})

describe("wrong use by the calling code", () => {
  const rows: [title: string, run: () => unknown, error: new () => Error, message: string][] = [
    ["a step of a path that is a boolean", () => pathOf(true as unknown as PathPart), TypeError, "got true"],
    ["a step of a path that is null", () => pathOf("a", null as unknown as PathPart), TypeError, "got null"],
    [
      "a step of a path that is a Date",
      () => pathOf(new Date(0) as unknown as PathPart),
      RangeError,
      "must not be empty",
    ],
    ["keys that are empty", () => pathOf({}), RangeError, "must not be empty"],
    ["an index that is a fraction", () => indexElement(0.5), RangeError, "got 0.5"],
    [
      "both kinds of filters",
      () => new Updater({ ignoredFields: new Map(), ignoreFilters: new Map() }),
      TypeError,
      "may not both be set",
    ],
    ["a union policy that does not exist", () => new Updater({ unions: "v9" as "v4" }), RangeError, '"v9"'],
  ]
  it.each(rows)("is told: %s", (_, run, error, message) => {
    expect(run).toThrow(error)
    expect(run).toThrow(message)
  })
})

describe("an operation that fails", () => {
  const live = deepFreeze({ s: "x", list: [{ k: "a", v: 1 }] })
  const bad = deepFreeze({ s: "y", list: [{ k: "b" }, { v: 1 }] })

  it("gives nothing, and changes nothing it was given", () => {
    const before = [structuredClone(live), structuredClone(bad)]
    const one = TypedValue.of(live, thing)
    const other = TypedValue.unvalidated(bad, thing)
    const problem = ".list: element 1: associative list with keys has an element that omits all key fields"
    const managers = new Map([["b", { set: one.toFieldSet(), apiVersion: "v1", applied: true }]])
    const request = { manager: "a", apiVersion: "v1", managers, force: true }
    for (const run of [
      () => TypedValue.of(bad, thing),
      () => one.merge(other),
      () => one.compare(other),
      () => new Updater().apply(one, other, request),
      () => new Updater().update(one, other, request),
    ]) {
      expect(errorOf(run).message).toContain(problem)
    }
    expect([live, bad]).toEqual(before)
    expect([...managers.keys()]).toEqual(["b"])
    expect(managers.get("b")?.set.equals(one.toFieldSet())).toBe(true)
  })

  it("names every problem, each with its place", () => {
    const type = compileSchema(schemaOf({ t: struct({ a: text, b: struct({ c: text }) }) })).type("t")
    const error = errorOf(() => TypedValue.of({ a: 1, b: { c: 2, d: 3 }, e: 4 }, type)) as ValidationError
    expect(error.issues.map(({ path }) => path)).toEqual([".a", ".b.c", ".b.d", ".e"])
    expect(error.code).toBe("invalid-value")
  })
})
