/** Unions whose members are items of an associative list. */
import { describe, expect, it } from "vitest"
import { SchemaError } from "../../src/errors.js"
import { formatPath } from "../../src/fieldpath/path.js"
import { ConflictError } from "../../src/merge/conflict.js"
import type { Schema } from "../../src/schema/schema.js"
import { parseSchema } from "../../src/typed/parser.js"
import { compileSchema, type Type } from "../../src/typed/type.js"
import { TypedValue } from "../../src/typed/typed-value.js"
import { normalizeUnions, normalizeUnionsApply } from "../../src/union/normalize.js"
import { applyUnionOverlay, parseUnionOverlay } from "../../src/union/overlay.js"
import { type UnionPolicyName, unionPolicies } from "../../src/union/policy.js"
import { unionFieldPath } from "../../src/union/report.js"
import { validateUnions } from "../../src/union/validate.js"
import type { Value } from "../../src/value/value.js"
import { Story, typed, yaml } from "./story.js"

const schema = parseSchema(
  yaml(`
types:
- name: root
  map:
    fields:
    - {name: conditions, type: {list: {elementType: {namedType: condition}, elementRelationship: associative, keys: [type]}}}
    - {name: ports, type: {list: {elementType: {namedType: port}, elementRelationship: associative, keys: [port, protocol]}}}
    - {name: names, type: {list: {elementType: {scalar: string}, elementRelationship: associative}}}
    - {name: loose, type: {list: {elementType: {namedType: condition}, elementRelationship: atomic}}}
    - {name: jobs, type: {list: {elementType: {namedType: job}, elementRelationship: associative, keys: [name]}}}
- name: job
  map:
    fields:
    - {name: name, type: {scalar: string}}
    - {name: conditions, type: {namedType: conditions}}
- name: conditions
  list: {elementType: {namedType: condition}, elementRelationship: associative, keys: [type]}
- name: condition
  map:
    fields:
    - {name: type, type: {scalar: string}}
    - {name: why, type: {scalar: string}}
    - {name: kind, type: {scalar: string}}
    - {name: a, type: {scalar: string}}
    - {name: b, type: {scalar: string}}
- name: port
  map:
    fields:
    - {name: port, type: {scalar: numeric}}
    - {name: protocol, type: {scalar: string}, default: TCP}
    - {name: open, type: {scalar: boolean}}
`),
)

const verdicts = "{fieldName: conditions, item: {type: Approved}}, {fieldName: conditions, item: {type: Denied}}"

/** A union inside an item. */
const inside =
  "{discriminator: kind, deduceInvalidDiscriminator: true, fields: [{fieldName: a, discriminatorValue: A}, {fieldName: b, discriminatorValue: B}]}"

function overlaid(...types: string[]): Schema {
  return applyUnionOverlay(schema, yaml(`types: [${types.join(", ")}]`))
}

function typeWith(unions: string, name = "root"): Type {
  return compileSchema(overlaid(`{name: ${name}, unions: [${unions}]}`)).type("root")
}

const atMostOne = typeWith(`{fields: [${verdicts}]}`)
const exactlyOne = typeWith(`{cardinality: exactlyOne, fields: [${verdicts}]}`)

const names = Object.keys(unionPolicies) as UnionPolicyName[]

/** Returns the types of the list's conditions after the request, or the reason why the request failed. */
function outcome({ live, error, last }: Story): string {
  if (error instanceof ConflictError) return error.conflicts.map(({ path }) => `conflict: ${formatPath(path)}`).join()
  if (error !== undefined) return last.join().replace(/: .*/, "")
  const { conditions = [] } = live.value as { conditions?: { type: string }[] }
  return conditions.map(({ type }) => type).join(" ")
}

describe("an item of a list as a member", () => {
  const approved = "{conditions: [{type: Approved, why: good}, {type: Failed}]}"
  const denied = "{conditions: [{type: Denied, why: bad}]}"
  const both = "{conditions: [{type: Approved, why: good}, {type: Denied, why: bad}]}"
  const answers: Readonly<Record<UnionPolicyName, readonly string[]>> = {
    off: ["Approved Failed Denied", "Approved Failed Denied", "Approved Denied", "Approved Denied Failed"],
    v4: [
      "Failed Denied",
      "Failed Denied",
      "multiple fields set without discriminator change",
      "Approved Denied Failed",
    ],
    "kep-2019": ["Failed Denied", "Failed Denied", "Denied", "Approved Denied Failed"],
    "kep-2022-draft": ["Failed Denied", "Failed Denied", "Denied", "Approved Denied Failed"],
    "kep-2022": ["conditions", "conditions", "conditions", "conditions"],
    extended: ['conflict: .conditions[type="Approved"]', "Failed Denied", "Denied", "Approved Denied Failed"],
  }

  it.each(names)("is settled by %s as a field is: applied, forced, in an update, and when both were there", unions => {
    const tell = (...steps: string[]) => outcome(new Story(atMostOne, { unions }).tell(...steps))
    expect([
      tell(`A < ${approved}`, `D < ${denied}`),
      tell(`A < ${approved}`, `D ! ${denied}`),
      tell(`A = ${approved}`, `D = ${both}`),
      tell(`off: A = ${both}`, "B < {conditions: [{type: Failed}]}"),
    ]).toEqual(answers[unions])
  })

  it("removes its owners when it is cleared, and reports them", () => {
    const story = new Story(atMostOne).tell(`A < ${approved}`, `D ! ${denied}`)
    expect(story.last).toEqual(['.: removed conditions[type="Approved"] (owned by "A")'])
    expect(story.owners).toEqual([
      'A: .conditions[type="Failed"] .conditions[type="Failed"].type',
      'D: .conditions[type="Denied"] .conditions[type="Denied"].type .conditions[type="Denied"].why',
    ])
  })

  it("is named by its path in a conflict", () => {
    const { conflict } = new Story(atMostOne, { unions: "extended" }).tell(`A < ${approved}`, `D < ${denied}`)
    expect(conflict.explain()).toBe(
      'conflict with "A": .conditions[type="Approved"]\n' +
        '.conditions[type="Approved"] goes: cleared by .conditions[type="Denied"] (union policy extended)',
    )
    const [found] = conflict.conflicts
    expect(found).toMatchObject({ live: { type: "Approved", why: "good" }, configured: undefined })
    expect(found?.union).toMatchObject({ effect: "cleared", member: 'conditions[type="Approved"]' })
  })

  it("is replaced by its own manager without a word", () => {
    const story = new Story(atMostOne, { unions: "extended" }).tell(`A < ${approved}`, `A < ${denied}`)
    expect(outcome(story)).toBe("Denied")
    expect(story.last).toEqual(['.: removed conditions[type="Approved"] (owned by "A")'])
  })

  it.each(["v4", "extended"] as const)("is refused by %s beside another in one configuration", unions => {
    expect(new Story(atMostOne, { unions }).tell(`A < ${both}`).last).toEqual([
      'more than one field of union applied: conditions[type="Approved"], conditions[type="Denied"]',
    ])
  })

  it("may stay along with another old member if the policy ratchets", () => {
    const more = both.replace("[", "[{type: Failed}, ")
    const tell = (unions: UnionPolicyName) =>
      outcome(new Story(atMostOne, { unions }).tell(`off: A = ${both}`, `B = ${more}`))
    expect([tell("extended"), tell("v4")]).toEqual([
      "Failed Approved Denied",
      "multiple fields set without discriminator change",
    ])
  })

  it("goes with all its duplicates", () => {
    const twice = yaml("{conditions: [{type: Approved}, {type: Approved, why: again}, {type: Failed}, {type: Denied}]}")
    const target = TypedValue.of(twice, atMostOne, { allowDuplicates: true })
    const { object } = normalizeUnionsApply(typed(atMostOne, denied), target)
    expect(object.value).toEqual({ conditions: [{ type: "Failed" }, { type: "Denied" }] })
  })

  it.each(["[{type: X, a: a, kind: B}, {type: X, a: a, kind: B}]", "[&x {type: X, a: a, kind: B}, *x]"])(
    "is settled in the first of several equal items, whether they are one object or not: %s",
    list => {
      const type = compileSchema(overlaid(`{name: condition, unions: [${inside}]}`)).type("root")
      const old = typed(type, "{conditions: [{type: X, b: b, kind: B}]}")
      const next = TypedValue.of(yaml(`{conditions: ${list}}`), type, { allowDuplicates: true })
      expect(normalizeUnions(old, next).object.value).toEqual({
        conditions: [
          { type: "X", a: "a", kind: "A" },
          { type: "X", a: "a", kind: "B" },
        ],
      })
    },
  )

  it("compares with the first of several equal items, whether the objects share items or not", () => {
    const type = compileSchema(overlaid(`{name: condition, unions: [${inside}]}`)).type("root")
    const of = (items: readonly Value[]) => TypedValue.of({ conditions: items }, type, { allowDuplicates: true })
    const [first, second, other] = yaml(
      "[{type: X, b: b, kind: B}, {type: X, a: a, b: b, kind: A}, {type: Z}]",
    ) as Value[]
    const settled = [second, structuredClone(second)].map(item => {
      const next = of([other as Value, item as Value])
      return normalizeUnions(of([first as Value, second as Value]), next).object.value
    })
    expect(settled[0]).toEqual(settled[1])
    expect(settled[0]).toEqual({ conditions: [{ type: "Z" }, { type: "X", a: "a", kind: "A" }] })
  })

  it("is found in lists within items of lists", () => {
    const type = typeWith(`{fields: [${verdicts}]}`, "job")
    const story = new Story(type, { unions: "extended" }).tell(
      `A < {jobs: [{name: x, conditions: [{type: Approved}]}, {name: z, conditions: [{type: Approved}]}]}`,
      `B < {jobs: [{name: x, conditions: [{type: Denied}]}]}`,
    )
    expect(story.last).toEqual(['conflict with "A": .jobs[name="x"].conditions[type="Approved"]'])
    story.tell(`B ! {jobs: [{name: x, conditions: [{type: Denied}]}]}`)
    expect(story.last).toEqual(['.jobs[name="x"]: removed conditions[type="Approved"] (owned by "A")'])
    expect(story.live.value).toMatchObject({ jobs: [{ conditions: [{ type: "Denied" }] }, { name: "z" }] })
  })

  it("is found by all its keys, and by those that have defaults", () => {
    const ports =
      "{fieldName: ports, item: {protocol: TCP, port: 80}}, {fieldName: ports, item: {port: 443, protocol: TCP}}"
    const type = typeWith(`{name: web, fields: [${ports}]}`)
    const story = new Story(type).tell(
      "A < {ports: [{port: 80}, {port: 80, protocol: UDP}, {port: 8080}]}",
      "B ! {ports: [{port: 443, protocol: TCP}]}",
    )
    expect(story.last).toEqual(['.: removed ports[port=80,protocol="TCP"] (owned by "A")'])
    expect(story.live.value).toEqual({
      ports: [{ port: 80, protocol: "UDP" }, { port: 8080 }, { port: 443, protocol: "TCP" }],
    })
  })

  it("may be in one of two unions of a list", () => {
    const others = "{fieldName: conditions, item: {type: X}}, {fieldName: conditions, item: {type: Z}}"
    const story = new Story(typeWith(`{name: one, fields: [${verdicts}]}, {name: two, fields: [${others}]}`)).tell(
      "A < {conditions: [{type: Approved}, {type: X}]}",
      "B ! {conditions: [{type: Denied}, {type: Z}]}",
    )
    expect(outcome(story)).toBe("Denied Z")
    expect(story.last).toEqual([
      '.: removed conditions[type="Approved"] (owned by "A")',
      '.: removed conditions[type="X"] (owned by "A")',
    ])
  })

  it("drops the decisions inside it when it is cleared", () => {
    const found = overlaid(`{name: root, unions: [{fields: [${verdicts}]}]}`, `{name: condition, unions: [${inside}]}`)
    const type = compileSchema(found).type("root")
    const story = new Story(type, { unions: "kep-2019" }).tell(
      "off: A = {conditions: [{type: Approved, a: x}, {type: Failed, a: x}]}",
      "B < {conditions: [{type: Denied, b: x}]}",
    )
    expect(story.last).toEqual([
      '.conditions[type="Failed"]: kind none -> "A" (implied by a)',
      '.conditions[type="Denied"]: kind none -> "B" (implied by b)',
      '.: removed conditions[type="Approved"] (owned by "A")',
    ])
  })

  it("counts as added without a live object, unless it is applied", () => {
    const applied = typed(atMostOne, denied)
    const merged = typed(atMostOne, approved).merge(applied)
    const { object, unions } = normalizeUnionsApply(applied, merged, { policy: "kep-2019" })
    expect(object.value).toEqual(yaml("{conditions: [{type: Failed}, {type: Denied, why: bad}]}"))
    expect(unions.map(change => formatPath(unionFieldPath(change, 'conditions[type="Approved"]')))).toEqual([
      '.conditions[type="Approved"]',
    ])
  })

  it("returns objects with at most one member unchanged", () => {
    const next = typed(atMostOne, approved)
    expect(normalizeUnions(typed(atMostOne, denied), next, { policy: "extended" }).object).toBe(next)
    const none = typed(atMostOne, "{conditions: null, names: [x]}")
    expect(normalizeUnions(next, none, { policy: "extended" }).object).toBe(none)
  })
})

describe("validation of items", () => {
  const text = (type: Type, value: string, old?: string) =>
    validateUnions(old === undefined ? undefined : typed(type, old), typed(type, value)).map(({ message }) => message)
  const names = '`conditions[{"type": "Approved"}]`, `conditions[{"type": "Denied"}]`'
  const both = "{conditions: [{type: Denied}, {type: Failed}, {type: Approved}]}"
  const given = String.raw`"{conditions[{\"type\": \"Approved\"}], conditions[{\"type\": \"Denied\"}]}"`

  it("finds too many, at the list, in the words of Kubernetes", () => {
    expect(text(atMostOne, both)).toEqual([
      `conditions: Invalid value: ${given}: must specify at most one of: ${names}`,
    ])
    expect(text(exactlyOne, both)).toEqual([
      `conditions: Invalid value: ${given}: must specify exactly one of: ${names}`,
    ])
    expect(validateUnions(undefined, typed(atMostOne, both))).toMatchObject([
      { rule: "at-most-one", origin: "zeroOrOneOf", path: [{ name: "conditions" }], field: "conditions" },
    ])
  })

  it("reports no member if one is required, even without a list", () => {
    const missing = `conditions: Invalid value: "": must specify one of: ${names}`
    for (const none of ["{}", "{conditions: null}", "{conditions: []}", "{conditions: [{type: Failed}]}"]) {
      expect([none, text(exactlyOne, none), text(atMostOne, none)]).toEqual([none, [missing], []])
    }
  })

  it("accepts members that were set before", () => {
    expect(text(atMostOne, both.replace("Failed", "Other"), both)).toEqual([])
    expect(text(atMostOne, both, "{conditions: [{type: Denied}]}")).toHaveLength(1)
  })

  it("names all keys of an item as they are written", () => {
    const ports =
      "{fieldName: ports, item: {protocol: TCP, port: 80}}, {fieldName: ports, item: {port: 443, protocol: TCP}}"
    const [message] = text(typeWith(`{fields: [${ports}]}`), "{ports: [{port: 80}, {port: 443}]}")
    expect(message).toMatch(
      /one of: `ports\[{"protocol": "TCP", "port": 80}\]`, `ports\[{"port": 443, "protocol": "TCP"}\]`$/,
    )
  })
})

describe("an overlay with items is refused", () => {
  const item = (keys: string, list = "conditions") => `{fieldName: ${list}, item: ${keys}}`

  it.each([
    ["of a field the type lacks", item("{type: A}", "nope"), "the type has no field nope"],
    [
      "of an atomic list",
      item("{type: A}", "loose"),
      "loose is not an associative list with keys, so its items can't be members",
    ],
    [
      "of a set",
      item("{name: A}", "names"),
      "names is not an associative list with keys, so its items can't be members",
    ],
    [
      "with a key the list does not have",
      item("{type: A, why: x}"),
      'conditions[type="A",why="x"]: why is not a key of the list (type)',
    ],
    ["without one of its keys", item("{port: 1}", "ports"), "ports[port=1]: key protocol of the list is missing"],
    ["without any key", item("{}"), "conditions[]: key type of the list is missing"],
    [
      "with a value of another kind",
      item("{port: '1', protocol: TCP}", "ports"),
      'ports[port="1",protocol="TCP"]: port is numeric, so "1" does not fit',
    ],
    [
      "with a number that is not whole",
      item("{port: 1.5, protocol: TCP}", "ports"),
      'ports[port=1.5,protocol="TCP"]: port is numeric, so 1.5 does not fit',
    ],
    [
      "that is there twice",
      `${item("{port: 1, protocol: T}", "ports")}, ${item("{protocol: T, port: 1}", "ports")}`,
      'field ports[port=1,protocol="T"] is already in it',
    ],
    [
      "beside a field",
      `${item("{type: A}")}, {fieldName: names}`,
      'members are fields or items, not both: conditions[type="A"] is an item, names a field',
    ],
    [
      "beside one of another list",
      `${item("{type: A}")}, ${item("{port: 1, protocol: T}", "ports")}`,
      'all items must be in one list: conditions[type="A"], ports[port=1,protocol="T"]',
    ],
    [
      "that may be empty",
      "{fieldName: conditions, item: {type: A}, emptyIsSet: true}",
      'member conditions[type="A"]: emptyIsSet has no effect on an item',
    ],
    [
      "that has a zero value",
      "{fieldName: conditions, item: {type: A}, zeroIsUnset: true}",
      'member conditions[type="A"]: zeroIsUnset has no effect on an item',
    ],
  ])("%s", (_, fields, message) => {
    expect(() => overlaid(`{name: root, unions: [{fields: [${fields}]}]}`)).toThrow(
      new SchemaError(`union overlay does not fit the schema: root: union #1: ${message}`),
    )
  })

  it("that a discriminator is to select", () => {
    const union = `{discriminator: type, fields: [{fieldName: conditions, item: {type: A}, discriminatorValue: A}]}`
    expect(() => overlaid(`{name: condition, unions: [${union}]}`)).toThrow(
      "a discriminator can't select items of a list",
    )
  })

  it("whose keys are null", () => {
    const overlay = yaml("types: [{name: root, unions: [{fields: [{fieldName: conditions, item: {type: null}}]}]}]")
    expect(() => parseUnionOverlay(overlay)).toThrow("types[0].unions[0].fields[0].item.type: must not be null")
  })

  it("a schema with such a union is refused when it is used", () => {
    const unions = [{ fields: [{ fieldName: "loose", item: { type: "A" } }] }]
    const types = schema.types.map(type => (type.name === "root" ? { ...type, map: { ...type.map, unions } } : type))
    expect(() => typed(compileSchema({ types }).type("root"), "{}")).toThrow(
      "loose is not an associative list with keys",
    )
  })
})
