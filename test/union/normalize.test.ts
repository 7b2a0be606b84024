/** Normalizes typed values: the walk, its errors, and the parts that results share with inputs. */
import { describe, expect, it } from "vitest"
import { UnionError } from "../../src/errors.js"
import { deducedType } from "../../src/typed/deduced.js"
import { compileSchema, type Type } from "../../src/typed/type.js"
import { TypedValue } from "../../src/typed/typed-value.js"
import { type NormalizedUnions, normalizeUnions, normalizeUnionsApply } from "../../src/union/normalize.js"
import { applyUnionOverlay } from "../../src/union/overlay.js"
import { formatUnionChange } from "../../src/union/report.js"
import type { MapValue, Value } from "../../src/value/value.js"
import { nested, small } from "./schemas.js"
import { type PolicyChoice, Story, typed, typeOf, yaml } from "./story.js"

function update(type: Type, old: string, next: string, policy: PolicyChoice = "v4"): NormalizedUnions {
  return normalizeUnions(typed(type, old), typed(type, next), { policy })
}

function apply(type: Type, applied: string, target: string, policy: PolicyChoice = "v4"): NormalizedUnions {
  return normalizeUnionsApply(typed(type, applied), typed(type, target), { policy })
}

function problems(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    if (error instanceof UnionError) return error.issues.map(({ path, message }) => `${path}: ${message}`)
    throw error
  }
  return "none"
}

describe("the walk", () => {
  it.each([
    ["a struct", "{one: {a: 1}}", "{one: {a: 1, d: A}}"],
    [
      "items, by their keys",
      "{items: [{name: x, a: 1}, {name: w, b: 2}]}",
      "{items: [{name: x, a: 1, d: A}, {name: w, b: 2, d: B}]}",
    ],
    ["a struct in an item", "{items: [{name: x, inner: {b: 1}}]}", "{items: [{name: x, inner: {b: 1, d: B}}]}"],
    ["map values", "{values: {k: {a: 1}, __proto__: {b: 1}}}", "{values: {k: {a: 1, d: A}, __proto__: {b: 1, d: B}}}"],
  ])("reaches %s", (_, next, wanted) => {
    expect(JSON.stringify(update(nested, "{}", next).object.value)).toBe(JSON.stringify(yaml(wanted)))
    expect(JSON.stringify(apply(nested, next, next).object.value)).toBe(JSON.stringify(yaml(wanted)))
  })

  it.each([
    ["atomic lists", "{list: [{a: 1, b: 1}]}"],
    ["atomic maps", "{whole: {a: 1, b: 1}}"],
    ["null", "{one: null, items: null, values: {k: null}}"],
    ["what is empty", "{one: {}, items: [], values: {}}"],
  ])("does not enter %s", (_, next) => {
    const target = typed(nested, next)
    expect(normalizeUnions(typed(nested, "{}"), target)).toEqual({ object: target, unions: [] })
    expect(normalizeUnionsApply(target, target).object).toBe(target)
  })

  it("treats a struct that became null as removed", () => {
    const target = typed(nested, "{one: null}")
    expect(normalizeUnions(typed(nested, "{one: {a: 1, d: A}}"), target).object).toBe(target)
  })

  it("pairs items by key, wherever they are", () => {
    const old = "{items: [{name: x, d: A, a: 1}, {name: w, d: B, b: 1}]}"
    const next = "{items: [{name: w, d: A, b: 1, a: 1}, {name: x, d: A, a: 1}]}"
    expect(update(nested, old, next).object.value).toEqual(
      yaml("{items: [{name: w, d: A, a: 1}, {name: x, d: A, a: 1}]}"),
    )
  })

  it("looks at the first of several items with one key, and pairs it with the first old one", () => {
    const next = TypedValue.of(yaml("{items: [{name: x, a: 1}, {name: x, b: 1}]}"), nested, { allowDuplicates: true })
    const { object } = normalizeUnions(next, next)
    expect(object.value).toEqual(yaml("{items: [{name: x, a: 1, d: A}, {name: x, b: 1}]}"))
  })

  it("looks only at the applied fields", () => {
    const target = "{one: {a: 1, b: 1}, values: {k: {a: 1, b: 1}}}"
    expect(apply(nested, "{one: {b: 2}}", target).object.value).toEqual(
      yaml("{one: {b: 1, d: B}, values: {k: {a: 1, b: 1}}}"),
    )
  })

  it("shares unedited parts, and returns the object itself if there is nothing to do", () => {
    const next = typed(nested, "{one: {a: 1}, values: {k: {a: 1, d: A}, l: {}}, items: [{name: x, d: A, a: 1}]}")
    const settled = normalizeUnions(next, next).object
    const [before, after] = [next.value, settled.value] as Record<string, unknown>[]
    expect(after?.values).toBe(before?.values)
    expect(after?.items).toBe(before?.items)
    expect(normalizeUnions(settled, settled).object).toBe(settled)
  })

  it("costs nothing for types without unions", () => {
    const plain = typeOf("types: [{name: root, map: {fields: [{name: a, type: {scalar: string}}]}}]")
    const next = typed(plain, "{a: x}")
    expect(normalizeUnions(typed(plain, "{}"), next)).toEqual({ object: next, unions: [] })
    const untyped = TypedValue.of({ a: 1 }, deducedType())
    expect(normalizeUnionsApply(untyped, untyped).object).toBe(untyped)
  })

  it("follows types that contain themselves", () => {
    const tree = typeOf(`
types:
- name: root
  map:
    fields:
    - {name: left, type: {namedType: root}}
    - {name: right, type: {namedType: root}}
    - {name: leaf, type: {scalar: numeric}}
    - {name: kind, type: {scalar: string}}
    unions:
    - discriminator: kind
      deduceInvalidDiscriminator: true
      fields: [{fieldName: left, discriminatorValue: L}, {fieldName: right, discriminatorValue: R}, {fieldName: leaf, discriminatorValue: Leaf}]
`)
    expect(update(tree, "{}", "{left: {right: {leaf: 1}}}").object.value).toEqual(
      yaml("{left: {right: {leaf: 1, kind: Leaf}, kind: R}, kind: L}"),
    )
  })

  it("refuses values that nest too deep, in maps and in lists", () => {
    const deep = typeOf(`
types:
- name: root
  map:
    fields:
    - {name: k, type: {scalar: string}}
    - {name: l, type: {scalar: string}}
    - {name: in, type: {namedType: root}}
    - {name: items, type: {list: {elementType: {namedType: root}, elementRelationship: associative, keys: [k]}}}
    unions: [{fields: [{fieldName: k}, {fieldName: l}]}]
`)
    const nest = (wrap: (value: Value) => Value): TypedValue => {
      let value: Value = { k: "x" }
      for (let i = 0; i < 1_001; i++) value = wrap(value)
      return TypedValue.unvalidated({ ...(value as MapValue), k: "x", l: "x" }, deep) // not settled, which is seen at once
    }
    for (const wrap of [(value: Value) => ({ in: value }), (value: Value) => ({ k: "x", items: [value] })]) {
      const next = nest(wrap)
      expect(() => normalizeUnions(next, next)).toThrow("1000 levels")
    }
  })

  it("ignores problems inside a member that is cleared", () => {
    const inner = typeOf(`
types:
- name: root
  map:
    fields: [{name: d, type: {scalar: string}}, {name: a, type: {namedType: part}}, {name: b, type: {scalar: string}}]
    unions: [{discriminator: d, fields: [{fieldName: a, discriminatorValue: A}, {fieldName: b, discriminatorValue: B}]}]
- name: part
  map:
    fields: [{name: x, type: {scalar: string}}, {name: z, type: {scalar: string}}]
    unions: [{fields: [{fieldName: x}, {fieldName: z}]}]
`)
    const applied = (config: string) =>
      normalizeUnionsApply(typed(inner, config), typed(inner, config), {
        policy: "kep-2022-draft",
        live: typed(inner, "{}"),
      })
    expect(problems(() => applied("{d: A, a: {x: '1', z: '2'}}"))).toEqual([".a: multiple new fields added: x, z"])
    expect(applied("{d: B, a: {x: '1', z: '2'}, b: '1'}").object.value).toEqual({ d: "B", b: "1" })
    // v4 does not, because it looks at members first.
    expect(problems(() => update(inner, "{d: A, a: {x: '1'}}", "{d: B, a: {x: '1', z: '2'}, b: '1'}"))).toEqual([
      ".a: multiple fields set without discriminator change: x, z",
    ])
  })

  it("leaves a new object to validation under kep-2022, and settles a new struct of another one", () => {
    const outer = typeOf(`
types:
- name: root
  map:
    fields: [{name: note, type: {scalar: string}}, {name: u, type: {namedType: union}}]
- name: union
  map:
    fields: [{name: d, type: {scalar: string}}, {name: a, type: {scalar: string}}, {name: b, type: {scalar: string}}]
    unions: [{discriminator: d, fields: [{fieldName: a, discriminatorValue: A}, {fieldName: b, discriminatorValue: B}]}]
`)
    const both = typed(outer, "{u: {d: B, a: x, b: z}}")
    const settled = (old: string) => normalizeUnions(typed(outer, old), both, { policy: "kep-2022" }).object
    expect([settled("{}"), settled("null")]).toEqual([both, both])
    expect(settled("{note: old}").value).toEqual(yaml("{u: {d: B, b: z}}"))
  })

  it("looks into that alternative of a type which a value has", () => {
    const either = typeOf(`
types:
- name: root
  list: {elementType: {namedType: item}, elementRelationship: associative, keys: [k]}
  map: {elementType: {scalar: string}}
- name: item
  map:
    fields: [{name: k, type: {scalar: string}}, {name: d, type: {scalar: string}}, {name: a, type: {scalar: string}}]
    unions: [{discriminator: d, deduceInvalidDiscriminator: true, fields: [{fieldName: a, discriminatorValue: A}]}]
`)
    const map = typed(either, "{a: x}")
    expect(normalizeUnions(typed(either, "{}"), map, { policy: "kep-2022-draft" }).object).toBe(map)
    expect(update(either, "[]", "[{k: i, a: x}]").object.value).toEqual([{ k: "i", a: "x", d: "A" }])
  })

  it("settles several unions of a struct one after the other, up to the first problem", () => {
    expect(update(small, "{}", "{numeric: 1, fieldA: a, kind: PX, px: 1}").object.value).toEqual(
      yaml("{numeric: 1, fieldA: a, kind: PX, px: 1, type: Numeric}"),
    )
    expect(problems(() => update(small, "{}", "{fieldA: a, fieldB: b, px: 1, py: 1}"))).toEqual([
      ": multiple fields set without discriminator change: fieldA, fieldB",
    ])
  })
})

describe("errors", () => {
  it("have the path of each problem, while the message is upstream's", () => {
    const run = () => update(nested, "{}", "{items: [{name: x, a: 1, b: 1}], one: {d: A, b: 1}}")
    expect(problems(run)).toEqual([
      '.items[name="x"]: multiple fields set without discriminator change: a, b',
      ".one: discriminator (A) and field changed (b) don't match",
    ])
    expect(run).toThrow(
      "errors:\n  multiple fields set without discriminator change: a, b\n  discriminator (A) and field changed (b) don't match",
    )
  })

  it("name the member, in the order of the schema, whatever the order of the object", () => {
    expect(() => apply(small, "{string: s, numeric: 1}", "{}")).toThrow(
      "more than one field of union applied: numeric, string",
    )
  })

  it("keep percent signs", () => {
    expect(() => apply(small, "{type: '%d%s', numeric: 1}", "{}")).toThrow(
      "applied discriminator (%d%s) doesn't match applied field (numeric)",
    )
  })

  it("refuse values of different types", () => {
    expect(() => normalizeUnions(typed(small, "{}"), typed(nested, "{}"))).toThrow(
      "expected objects with types from the same schema",
    )
    const other = nested.schema.type("union")
    expect(() => normalizeUnionsApply(typed(nested, "{}"), typed(other, "{}"))).toThrow(
      "expected objects of the same type, but got root and union",
    )
    expect(() => normalizeUnionsApply(typed(nested, "{}"), typed(nested, "{}"), { live: typed(other, "{}") })).toThrow(
      "expected objects of the same type, but got root and union",
    )
  })
})

describe("the report", () => {
  it("reports written discriminators, their old values, and cleared members", () => {
    const { unions } = update(nested, "{one: {d: A, a: 1}}", "{one: {d: B, a: 1, b: 1}, values: {k: {b: 1}}}")
    expect(unions.map(formatUnionChange)).toEqual(
      ['.values.k: d none -> "B" (implied by b)', '.one: d "A" -> "B"; removed a'].toSorted().reverse(),
    )
    expect(unions.map(({ policy, discriminator }) => [policy, discriminator?.implied])).toContainEqual(["v4", true])
  })

  it("has the name of a union that has one", () => {
    const type = typeOf(`
types:
- name: root
  map: {fields: [{name: a, type: {scalar: string}}, {name: b, type: {scalar: string}}]}
`)
    const unions = [{ name: "ab", fields: [{ fieldName: "a" }, { fieldName: "b" }] }]
    const overlaid = applyUnionOverlay(type.schema.schema, { types: [{ name: "root", unions }] })
    const report = update(compileSchema(overlaid).type("root"), "{a: x}", "{a: x, b: x}", "kep-2019").unions
    expect(report).toEqual([
      { path: [], name: "ab", policy: "kep-2019", cleared: [{ field: "a", owners: [] }], member: { field: "b" } },
    ])
  })

  it("reports carried-over members", () => {
    const { object, unions } = update(small, "{kind: PX, px: 1}", "{kind: PX, py: 1}", "kep-2022-draft")
    expect(object.value).toEqual(yaml("{kind: PX, px: 1}"))
    expect(unions.map(formatUnionChange)).toEqual([".: removed py; kept px"])
  })

  it("is the same for an apply, from the live object if it is known", () => {
    const applied = typed(small, "{numeric: 1}")
    const target = typed(small, "{numeric: 1, string: s, type: String}")
    const live = typed(small, "{string: s, type: String}")
    for (const options of [{}, { live }]) {
      const { object, unions } = normalizeUnionsApply(applied, target, options)
      expect(object.value).toEqual(yaml("{numeric: 1, type: Numeric}"))
      expect(unions.map(formatUnionChange)).toEqual([
        '.: type "String" -> "Numeric" (implied by numeric); removed string',
      ])
    }
  })

  it("is empty if the policy is off", () => {
    const next = typed(small, "{numeric: 1, string: s}")
    expect(normalizeUnions(next, next, { policy: "off" })).toEqual({ object: next, unions: [] })
    expect(normalizeUnionsApply(next, next, { policy: "off" })).toEqual({ object: next, unions: [] })
  })
})

describe("edits that break a value", () => {
  it("are found later: a discriminator that is a number", () => {
    const type = typeOf(`
types:
- name: root
  map:
    fields: [{name: d, type: {scalar: numeric}}, {name: a, type: {scalar: string}}]
    unions: [{discriminator: d, deduceInvalidDiscriminator: true, fields: [{fieldName: a, discriminatorValue: A}]}]
`)
    const { object } = update(type, "{}", "{a: x}")
    expect(object.value).toEqual({ a: "x", d: "A" })
    expect(() => object.merge(object)).toThrow("expected numeric")
  })

  const keyedBy = (key: string) =>
    typeOf(`
types:
- name: root
  map: {fields: [{name: items, type: {list: {elementType: {namedType: item}, elementRelationship: associative, keys: [${key}]}}}]}
- name: item
  map:
    fields: [{name: a, type: {scalar: string}}, {name: b, type: {scalar: string}}, {name: d, type: {scalar: string}}]
    unions:
    - discriminator: d
      deduceInvalidDiscriminator: true
      fields: [{fieldName: a, discriminatorValue: A}, {fieldName: b, discriminatorValue: B}]
`)

  it("are refused: an item that would lose its key", () => {
    expect(problems(() => update(keyedBy("a"), "{items: [{a: x, d: A}]}", "{items: [{a: x, d: B}]}"))).toEqual([
      '.items[a="x"]: settling the union would change a, which is a key of the list',
    ])
  })

  it.each(["v4", "extended", "kep-2019"] as const)("are refused: an item that would get another key, by %s", policy => {
    const refused = '.items[d="A"]: settling the union would change d, which is a key of the list'
    const type = keyedBy("d")
    expect(problems(() => update(type, "{items: [{d: A, a: x}]}", "{items: [{d: A, b: x}]}", policy))).toEqual([
      refused,
    ])
    expect(update(type, "{items: [{d: A, a: x}]}", "{items: [{d: A, a: z}, {d: B, b: x}]}", policy).unions).toEqual([])
    const story = new Story(type, { unions: policy }).tell(
      "off: P < {items: [{d: A, b: x}]}",
      "Q = {items: [{d: A, b: z}]}",
    )
    expect(story.last).toEqual(["settling the union would change d, which is a key of the list"])
  })
})
