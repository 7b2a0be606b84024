/** Tests unions in applies and updates: results, owners, conflicts, reports. */
import { describe, expect, it } from "vitest"
import { fieldElement } from "../../src/fieldpath/create-element.js"
import { formatPath, pathOf } from "../../src/fieldpath/path.js"
import { FieldSet } from "../../src/fieldpath/set.js"
import { kubernetesSchemaWithUnions } from "../../src/kubernetes/types.js"
import type { Converter } from "../../src/merge/versions.js"
import type { UnionDef } from "../../src/schema/union.js"
import { parseTypes } from "../../src/typed/parser.js"
import { compileSchema } from "../../src/typed/type.js"
import { TypedValue } from "../../src/typed/typed-value.js"
import { unionPolicies } from "../../src/union/policy.js"
import { isMap, type Value } from "../../src/value/value.js"
import { nested, small } from "./schemas.js"
import { Story, typed, typeOf, yaml } from "./story.js"

interface Trace {
  readonly it: string
  readonly steps: readonly string[]
  readonly live: string
  readonly owners: readonly string[]
  readonly says?: readonly string[]
}

const v4 = { unions: "v4" } as const

const traces: readonly Trace[] = [
  {
    it: "writes a deduced discriminator, which the applier then owns",
    steps: ["A < {numeric: 1}"],
    live: "{numeric: 1, type: Numeric}",
    owners: ["A: .numeric .type"],
    says: ['.: type none -> "Numeric" (implied by numeric)'],
  },
  {
    it: "reports members that it removed from the configuration",
    steps: ["A < {fieldA: a, fieldB: null}"],
    live: "{fieldA: a}",
    owners: ["A: .fieldA"],
    says: [".: removed fieldB"],
  },
  {
    it: "conflicts on the implied discriminator alone",
    steps: ["ctl = {string: s}", "A < {numeric: 1}"],
    live: "{string: s, type: String}",
    owners: ["ctl: .string .type"],
    says: ['conflict with "ctl": .type'],
  },
  {
    it: "takes the whole union by force",
    steps: ["ctl = {string: s}", "A ! {numeric: 1}"],
    live: "{numeric: 1, type: Numeric}",
    owners: ["A: .numeric .type"],
    says: ['.: type "String" -> "Numeric" (implied by numeric); removed string (owned by "ctl")'],
  },
  {
    it: "clears without a conflict if the discriminator is not deduced, and reports the owner",
    steps: ["ctl = {kind: PX, px: 1}", "A < {py: 1}"],
    live: "{kind: PX, py: 1}",
    owners: ["A: .py", "ctl: .kind"],
    says: ['.: removed px (owned by "ctl")'],
  },
  {
    it: "conflicts on a discriminator that is given",
    steps: ["ctl = {kind: PX, px: 1}", "A < {kind: PY, py: 1}"],
    live: "{kind: PX, px: 1}",
    owners: ["ctl: .kind .px"],
    says: ['conflict with "ctl": .kind'],
  },
  {
    it: "takes a union whose discriminator is given by force",
    steps: ["ctl = {kind: PX, px: 1}", "A ! {kind: PY, py: 1}"],
    live: "{kind: PY, py: 1}",
    owners: ["A: .kind .py"],
    says: ['.: kind "PX" -> "PY"; removed px (owned by "ctl")'],
  },
  {
    it: "clears nothing when only the discriminator is applied",
    steps: ["ctl = {kind: PX, px: 1}", "A ! {kind: PY}"],
    live: "{kind: PY, px: 1}",
    owners: ["A: .kind", "ctl: .px"],
    says: [],
  },
  {
    it: "clears without a conflict in a union without a discriminator",
    steps: ["ctl = {fieldA: a}", "A < {fieldB: b}"],
    live: "{fieldB: b}",
    owners: ["A: .fieldB"],
    says: ['.: removed fieldA (owned by "ctl")'],
  },
  {
    it: "refuses an update that adds a second member",
    steps: ["ctl = {fieldA: a}", "B = {fieldA: a, fieldB: b}"],
    live: "{fieldA: a}",
    owners: ["ctl: .fieldA"],
    says: ["multiple fields set without discriminator change: fieldA, fieldB"],
  },
  {
    it: "refuses to update an object that was stored with two members",
    steps: ["off: ctl = {fieldA: a, fieldB: b}", "ctl = {fieldA: a, fieldB: b, other: 1}"],
    live: "{fieldA: a, fieldB: b}",
    owners: ["ctl: .fieldA .fieldB"],
    says: ["multiple fields set without discriminator change: fieldA, fieldB"],
  },
  {
    it: "applies something else to an object that was stored with two members",
    steps: ["off: ctl = {fieldA: a, fieldB: b}", "A < {other: 1}"],
    live: "{fieldA: a, fieldB: b, other: 1}",
    owners: ["A: .other", "ctl: .fieldA .fieldB"],
  },
  {
    it: "restores a discriminator that an update removed",
    steps: ["ctl = {numeric: 1}", "ctl = {numeric: 1, type: null}"],
    live: "{numeric: 1, type: Numeric}",
    owners: ["ctl: .numeric .type"],
    says: ['.: type is "Numeric" (implied by numeric)'],
  },
  {
    it: "treats an applied null as a member that is not set",
    steps: ["ctl = {numeric: 1}", "A ! {numeric: null}"],
    live: "{numeric: null, type: Numeric}",
    owners: ["A: .numeric", "ctl: .type"],
  },
  {
    it: "drops the nulls beside an applied member",
    steps: ["ctl = {string: s}", "A ! {string: null, numeric: 1}"],
    live: "{numeric: 1, type: Numeric}",
    owners: ["A: .numeric .type"],
  },
  {
    it: "lets its own member be switched without a conflict",
    steps: ["A < {numeric: 1}", "A < {string: s}"],
    live: "{string: s, type: String}",
    owners: ["A: .string .type"],
    says: ['.: type "Numeric" -> "String" (implied by string); removed numeric (owned by "A")'],
  },
  {
    it: "conflicts for whoever shared the union and switches it",
    steps: ["A < {numeric: 1}", "B < {numeric: 1}", "B < {string: s}"],
    live: "{numeric: 1, type: Numeric}",
    owners: ["A: .numeric .type", "B: .numeric .type"],
    says: ['conflict with "A": .type'],
  },
  {
    it: "prunes the member and the discriminator it implied",
    steps: ["A < {numeric: 1, other: 2}", "A < {other: 2}"],
    live: "{other: 2}",
    owners: ["A: .other"],
  },
  {
    it: "prunes a discriminator that was applied in words, though nulls beside the member are dropped",
    steps: ["A < {kind: PX, px: 1}", "A < {px: 1, py: null}"],
    live: "{px: 1}",
    owners: ["A: .px"],
    says: [".: removed py"],
  },
  {
    it: "reports dropped nulls along with changes to other unions",
    steps: ["ctl = {string: s}", "A ! {numeric: 1, fieldA: a, fieldB: null}"],
    live: "{numeric: 1, type: Numeric, fieldA: a}",
    owners: ["A: .fieldA .numeric .type"],
    says: [".: removed fieldB", '.: type "String" -> "Numeric" (implied by numeric); removed string (owned by "ctl")'],
  },
  {
    it: "reports dropped nulls next to a member that clears no other",
    steps: ["A < {numeric: 1, string: null}"],
    live: "{numeric: 1, type: Numeric}",
    owners: ["A: .numeric .type"],
    says: [".: removed string", '.: type none -> "Numeric" (implied by numeric)'],
  },
  {
    it: "keeps a discriminator that somebody else applied too",
    steps: ["A < {numeric: 1, other: 2}", "B < {type: Numeric}", "A < {other: 2}"],
    live: "{other: 2, type: Numeric}",
    owners: ["A: .other", "B: .type"],
  },
  {
    it: "has ordinary conflicts on a member's value",
    steps: ["A < {numeric: 1}", "B < {numeric: 2}"],
    live: "{numeric: 1, type: Numeric}",
    owners: ["A: .numeric .type"],
    says: ['conflict with "A": .numeric'],
  },
  {
    it: "refuses a new discriminator that the new member contradicts",
    steps: ["A = {type: String, numeric: 1}"],
    live: "null",
    owners: [],
    says: ["discriminator (String) and field changed (numeric) don't match"],
  },
  {
    it: "refuses a new discriminator with two new members",
    steps: ["A = {type: String, numeric: 1, string: s}"],
    live: "null",
    owners: [],
    says: ["multiple new fields added: numeric, string"],
  },
  {
    it: "refuses an applied discriminator that the applied member contradicts",
    steps: ["A < {type: String, numeric: 1}"],
    live: "null",
    owners: [],
    says: ["applied discriminator (String) doesn't match applied field (numeric)"],
  },
  {
    it: "counts zeros as members",
    steps: ["A < {numeric: 0, string: ''}"],
    live: "null",
    owners: [],
    says: ["more than one field of union applied: numeric, string"],
  },
  {
    it: "clears the member a changed discriminator does not select, though the selected one is absent",
    steps: ["ctl = {kind: PX, px: 1}", "B = {kind: PY, px: 1}"],
    live: "{kind: PY}",
    owners: ["B: .kind"],
    says: ['.: kind "PX" -> "PY"; removed px (owned by "ctl")'],
  },
  {
    it: "gives the discriminator to an update that switches members",
    steps: ["A < {numeric: 1}", "B = {type: Numeric, string: s}"],
    live: "{string: s, type: String}",
    owners: ["B: .string .type"],
    says: ['.: type "Numeric" -> "String" (implied by string)'],
  },
  {
    it: "refuses an extracted configuration with another member",
    steps: ["A < {numeric: 1}", "A < {type: Numeric, string: s}"],
    live: "{numeric: 1, type: Numeric}",
    owners: ["A: .numeric .type"],
    says: ["applied discriminator (Numeric) doesn't match applied field (string)"],
  },
]

describe("v4", () => {
  it.each(traces)("$it", ({ steps, live, owners, says }) => {
    const story = new Story(small, v4).tell(...steps)
    expect(story.live.value).toEqual(yaml(live))
    expect(story.owners).toEqual(owners)
    if (says !== undefined) expect(story.last).toEqual(says)
  })

  it("reports all problems at once, in the order of the schema", () => {
    const story = new Story(small, v4).tell("A < {numeric: 1, string: s, fieldA: a, fieldB: b}")
    expect(story.last).toEqual(["more than one field of union applied: numeric, string"])
    const both = new Story(nested, v4).tell(
      "A = {one: {a: 1, b: 2}, items: [{name: x, a: 1, b: 2}], values: {v: {a: 1, b: 2}}}",
    )
    expect(both.error).toMatchObject({
      code: "union",
      message: ["errors:", ...Array(3).fill("  multiple fields set without discriminator change: a, b")].join("\n"),
      issues: ['.items[name="x"]', ".values.v", ".one"].map(path => ({
        path,
        message: "multiple fields set without discriminator change: a, b",
      })),
    })
  })

  it("has the path of list items and map values in conflicts and reports", () => {
    const story = new Story(nested, v4).tell("ctl = {items: [{name: nn, a: 1}], values: {k: {a: 1}}}")
    story.tell("A < {items: [{name: nn, b: 1}], values: {k: {b: 1}}}")
    expect(story.last).toEqual(['conflicts with "ctl":\n- .items[name="nn"].d\n- .values.k.d'])
    story.tell("A ! {items: [{name: nn, b: 1}], values: {k: {b: 1}}}")
    expect(story.last).toEqual([
      '.items[name="nn"]: d "A" -> "B" (implied by b); removed a (owned by "ctl")',
      '.values.k: d "A" -> "B" (implied by b); removed a (owned by "ctl")',
    ])
  })

  it("reports cleared members even if nobody owned them and no owner changes", () => {
    const story = new Story(small, v4).tell("A < {numeric: 1}")
    const { owners } = story
    story.live = typed(small, "{numeric: 1, type: Numeric, string: s}")
    story.tell("A < {numeric: 1}")
    expect(story.live.value).toEqual({ numeric: 1, type: "Numeric" })
    expect(story.owners).toEqual(owners)
    expect(story.last).toEqual([".: removed string"])
  })

  it("sees atomic lists and maps as wholes", () => {
    const story = new Story(nested, v4).tell("ctl = {list: [{a: 1, b: 2}], whole: {a: 1, b: 2}}")
    expect(story.live.value).toEqual(yaml("{list: [{a: 1, b: 2}], whole: {a: 1, b: 2}}"))
    expect(story.last).toEqual([])
  })
})

describe("conflicts", () => {
  it("say which member implied the discriminator, and by which policy", () => {
    const { conflict } = new Story(small, v4).tell("ctl = {string: s}", "A < {numeric: 1}")
    expect(conflict.conflicts).toMatchObject([
      { manager: "ctl", union: { effect: "implied", member: "numeric", policy: "v4" } },
    ])
    expect(conflict.conflicts[0]?.union?.change).toEqual({
      path: [],
      policy: "v4",
      discriminator: { field: "type", from: "String", to: "Numeric", implied: true, because: "numeric" },
      cleared: [{ field: "string", owners: ["ctl"] }],
      member: { field: "numeric" },
    })
    expect(conflict.message).toBe('conflict with "ctl": .type')
    expect(conflict.explain()).toBe(
      'conflict with "ctl": .type\n.type becomes "Numeric": implied by .numeric (union policy v4)',
    )
  })

  it("have no union cause if the configuration itself has the discriminator", () => {
    const { conflict } = new Story(small, v4).tell("ctl = {string: s}", "A < {type: Numeric, numeric: 1}")
    const said = conflict.conflicts.map(({ manager, path, union }) => [manager, formatPath(path), union])
    expect(said).toEqual([["ctl", ".type", undefined]])
    expect(conflict.explain()).toBe(conflict.message)
  })

  it("include fields of a cleared member that others own, unless they own the discriminator", () => {
    const story = new Story(nested).tell(
      "off: boss < {strategy: {type: RollingUpdate}}",
      "off: ctl < {strategy: {rollingUpdate: {maxSurge: 1}}}",
      "A < {strategy: {type: Recreate}}",
    )
    expect(story.conflict.explain()).toBe(
      [
        'conflicts with "boss":',
        "- .strategy.type",
        'conflicts with "ctl":',
        "- .strategy.rollingUpdate.maxSurge",
        ".strategy.rollingUpdate.maxSurge goes: cleared by .strategy.type (union policy extended)",
      ].join("\n"),
    )
    expect(JSON.parse(JSON.stringify(story.conflict.conflicts[1]))).toMatchObject({
      manager: "ctl",
      path: ["f:strategy", "f:rollingUpdate", "f:maxSurge"],
      union: { effect: "cleared", change: { path: ["f:strategy"] } },
    })
    expect(story.conflict.conflicts[1]?.union).toEqual({
      effect: "cleared",
      member: "rollingUpdate",
      policy: "extended",
      change: {
        path: [fieldElement("strategy")],
        policy: "extended",
        discriminator: { field: "type", from: "RollingUpdate", to: "Recreate", implied: false },
        cleared: [{ field: "rollingUpdate", owners: ["ctl"] }],
      },
    })
    story.tell("A ! {strategy: {type: Recreate}}")
    expect(story.live.value).toEqual(yaml("{strategy: {type: Recreate}}"))
    expect(story.last).toEqual([
      '.strategy: type "RollingUpdate" -> "Recreate"; removed rollingUpdate (owned by "ctl")',
    ])
    expect(story.owners).toEqual(["A: .strategy.type"])
  })

  it("name all owners of a cleared member, sorted", () => {
    const story = new Story(small, { unions: "extended" }).tell("C = {fieldA: a}", "B < {fieldA: a}", "A ! {fieldB: b}")
    expect(story.last).toEqual(['.: removed fieldA (owned by "B", "C")'])
  })

  it("name the fields below a cleared member that are owned, however deep", () => {
    const deep = typeOf(`
types:
- name: root
  map:
    fields: [{name: a, type: {namedType: outer}}, {name: b, type: {scalar: string}}]
    unions: [{fields: [{fieldName: a}, {fieldName: b}]}]
- name: outer
  map: {fields: [{name: in, type: {namedType: inner}}]}
- name: inner
  map: {fields: [{name: v, type: {scalar: numeric}}, {name: w, type: {scalar: numeric}}]}
`)
    const story = new Story(deep, { unions: "extended" }).tell("C < {a: {in: {v: 1}}}", "A < {b: x}")
    expect(story.last).toEqual(['conflict with "C": .a.in.v'])
  })

  it("leave out cleared members that only the applier owns", () => {
    const story = new Story(small, { unions: "extended" }).tell("A < {fieldA: a}", "A < {fieldB: b}")
    expect(story.live.value).toEqual({ fieldB: "b" })
    const shared = new Story(small, { unions: "extended" }).tell(
      "A < {fieldA: a}",
      "B < {fieldA: a}",
      "A < {fieldB: b}",
    )
    expect(shared.last).toEqual(['conflict with "B": .fieldA'])
    expect(shared.conflict.explain()).toContain("cleared by .fieldB")
  })
})

describe("a discriminator that the engine writes", () => {
  it("belongs to the applier if the policy compares the merged object", () => {
    const story = new Story(small, { unions: "kep-2019" }).tell("A < {px: 1}")
    expect(story.owners).toEqual(["A: .kind .px"])
    expect(story.last).toEqual(['.: kind none -> "PX" (implied by px)'])
    expect(story.tell("A < {px: 1}").owners).toEqual(["A: .kind .px"])
    story.tell("B < {py: 1}")
    expect(story.last).toEqual(['conflict with "A": .kind'])
    expect(story.conflict.conflicts).toMatchObject([{ union: { effect: "implied", member: "py", policy: "kep-2019" } }])
    expect(story.tell("A < {other: 1}").live.value).toEqual({ other: 1 })
  })

  it("is written again by each apply of its member, even if an absent discriminator clears members", () => {
    const unions = { ...unionPolicies["kep-2019"], name: "mine", removedDiscriminator: "clear-all" } as const
    const story = new Story(small, { unions }).tell("A < {px: 1}", "A < {px: 1}")
    expect([story.live.value, story.owners, story.last]).toEqual([{ px: 1, kind: "PX" }, ["A: .kind .px"], []])
  })

  it("is not written if the policy leaves several members, so nobody gets the discriminator", () => {
    const story = new Story(small, { unions: "kep-2019" }).tell("off: ctl = {kind: PX, px: 1, py: 2}")
    story.tell("A < {px: 1}", "A < {px: 1}")
    expect(story.live.value).toEqual({ kind: "PX", px: 1, py: 2 })
    expect(story.owners).toEqual(["A: .px", "ctl: .kind .px .py"])
  })

  it("stays with whoever applied the discriminator in words", () => {
    const story = new Story(small, { unions: "kep-2019" }).tell("A < {px: 1}", "B < {other: 1}", "C < {px: 1}")
    expect(story.owners).toEqual(["A: .kind .px", "B: .other", "C: .kind .px"])
  })

  it("belongs to whoever owns its member, if that is somebody else, and stays so", () => {
    const story = new Story(small, { unions: "kep-2019" }).tell("off: ctl = {px: 1}", "A < {other: 1}")
    expect(story.live.value).toEqual({ px: 1, other: 1, kind: "PX" })
    expect(story.owners).toEqual(["A: .other", "ctl: .kind .px"])
    const again = story.tell("A < {other: 1}")
    expect(again.live.value).toEqual({ px: 1, other: 1, kind: "PX" })
    expect(again.owners).toEqual(["A: .other", "ctl: .kind .px"])
  })

  it("is not owned if it existed without an owner and did not change", () => {
    const story = new Story(small, { unions: "kep-2019" }).tell("off: ctl = {px: 1}")
    story.live = typed(small, "{kind: PX, px: 1}")
    expect(story.tell("A < {other: 1}").owners).toEqual(["A: .other", "ctl: .px"])
  })

  it("is not owned if it is ignored", () => {
    const ignoredFields = new Map([["v1", FieldSet.of([pathOf("type")])]])
    const story = new Story(small, { ...v4, ignoredFields }).tell("ctl = {string: s}", "A < {numeric: 1}")
    expect(story.live.value).toEqual({ numeric: 1, type: "Numeric" })
    expect(story.owners).toEqual(["A: .numeric"])
  })
})

describe("the other policies in an apply", () => {
  const rolling = "ctl = {strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 1}}}"

  it.each(["kep-2019", "kep-2022-draft", "kep-2022", "extended"] as const)(
    "%s clears the members that an applied discriminator does not select",
    unions => {
      const story = new Story(nested, { unions }).tell(rolling, "A ! {strategy: {type: Recreate}}")
      expect(story.live.value).toEqual({ strategy: { type: "Recreate" } })
    },
  )

  it.each(["off", "v4"] as const)("%s does not", unions => {
    const story = new Story(nested, { unions }).tell(rolling, "A ! {strategy: {type: Recreate}}")
    expect(story.live.value).toEqual({ strategy: { type: "Recreate", rollingUpdate: { maxSurge: 1 } } })
  })

  it("kep-2022 leaves contradictions to validation, and ignores unions without a discriminator", () => {
    const story = new Story(small, { unions: "kep-2022", validateUnions: false }).tell(
      "P < {kind: PX, px: 1, fieldA: a}",
      "Q < {py: 1, fieldB: b}",
    )
    expect(story.live.value).toEqual({ kind: "PX", px: 1, py: 1, fieldA: "a", fieldB: "b" })
  })

  it("kep-2022-draft enforces the discriminator, so a member that it does not select is cleared", () => {
    const story = new Story(small, { unions: "kep-2022-draft" }).tell("P < {kind: PX, px: 1}", "Q < {py: 1, other: 1}")
    expect(story.live.value).toEqual({ kind: "PX", px: 1, other: 1 })
    expect(story.owners).toEqual(["P: .kind .px", "Q: .other"])
    expect(story.last).toEqual([".: removed py"])
  })

  it("extended clears all members for an empty discriminator, and lets old contradictions be", () => {
    const story = new Story(small, { unions: "extended" }).tell("P < {kind: PX, px: 1}", "P < {kind: ''}")
    expect(story.live.value).toEqual({ kind: "" })
    const legacy = new Story(small, { unions: "extended" })
    legacy.tell("off: ctl = {fieldA: a, fieldB: b}", "ctl = {fieldA: a, fieldB: b, other: 1}")
    expect(legacy.live.value).toEqual({ fieldA: "a", fieldB: "b", other: 1 })
  })
})

/** A member whose parts can have different owners. */
const shared = (cardinality: "atMostOne" | "exactlyOne", deduceInvalidDiscriminator: boolean) => {
  const part = (names: readonly string[]) => names.map(name => ({ name, type: { scalar: "numeric" as const } }))
  const member = (name: string) => ({ name, type: { namedType: "part" } })
  const item = [
    { name: "name", type: { scalar: "string" as const } },
    { name: "type", type: { scalar: "string" as const } },
  ]
  const values = { a: "A", b: "B", c: "C" }
  const union: UnionDef = {
    discriminator: "type",
    deduceInvalidDiscriminator,
    cardinality,
    fields: Object.entries(values).map(([fieldName, discriminatorValue]) => ({ fieldName, discriminatorValue })),
  }
  const list = { elementType: { namedType: "u" }, elementRelationship: "associative" as const, keys: ["name"] }
  const u = { fields: [...item, ...Object.keys(values).map(member)], unions: [union] }
  return compileSchema({
    types: [
      {
        name: "root",
        map: {
          fields: [
            { name: "u", type: { namedType: "u" } },
            { name: "list", type: { list } },
          ],
        },
      },
      { name: "u", map: u },
      { name: "part", map: { fields: part(["v", "w"]) } },
    ],
  }).type("root")
}

describe("pruning of a union", () => {
  const both = "Q = {u: {type: A, a: {v: 1, w: 2}}}"

  it.each([
    ["extended", "given", "{type: A, a: {v: 1}}"],
    ["extended", "implied", "{a: {v: 1}}"],
    ["kep-2019", "given", "{type: A, a: {v: 1}}"],
    ["kep-2019", "implied", "{a: {v: 1}}"],
  ] as const)("in %s, a discriminator that was %s stays with those who own its member", (unions, _how, config) => {
    const story = new Story(shared("atMostOne", true), { unions }).tell(`P < {u: ${config}}`, both, "P < {}")
    expect(story.live.value).toEqual({ u: { type: "A", a: { w: 2 } } })
    expect([story.owners, story.last]).toEqual([["Q: .u.type .u.a.w"], []])
  })

  it("extended keeps it without deduced discriminators, and in items; v4 drops it", () => {
    const steps = [
      "P < {list: [{name: x, type: A, a: {v: 1}}]}",
      "Q < {list: [{name: x, a: {w: 2}}]}",
      "P < {}",
    ] as const
    const story = new Story(shared("atMostOne", false), { unions: "extended" }).tell(...steps)
    expect(story.live.value).toEqual({ list: [{ name: "x", type: "A", a: { w: 2 } }] })
    expect(story.owners).toEqual(['Q: .list[name="x"] .list[name="x"].name .list[name="x"].type .list[name="x"].a.w'])
    expect(story.tell("Q < {}").live.value).toBe(null)
    const upstream = new Story(shared("atMostOne", false), v4).tell(...steps)
    expect(upstream.live.value).toEqual({ list: [{ name: "x", a: { w: 2 } }] })
  })

  it("in extended, a discriminator follows the member that is left of two that were stored", () => {
    const story = new Story(shared("atMostOne", true), { unions: "extended" })
    story.tell("off: P < {u: {type: A, a: {v: 1}}}", "off: Q < {u: {b: {v: 1}}}", "P < {}")
    expect(story.live.value).toEqual({ u: { type: "B", b: { v: 1 } } })
    expect(story.owners).toEqual(["Q: .u.type .u.b.v"])
    expect(story.last).toEqual(['.u: type "A" -> "B" (implied by b)'])
  })

  it.each(["kep-2022-draft", "kep-2022"] as const)("in %s, its members go with the discriminator", unions => {
    const story = new Story(shared("atMostOne", true), { unions }).tell("P < {u: {type: A, a: {v: 1}}}", both, "P < {}")
    expect(story.live.value).toEqual({ u: {} })
    expect(story.owners).toEqual([])
    expect(story.last).toEqual(['.u: type "A" -> none; removed a (owned by "P", "Q")'])
  })

  it("kep-2022-draft refuses that if a member is required", () => {
    const story = new Story(shared("exactlyOne", true), { unions: "kep-2022-draft" })
    story.tell("P < {u: {type: A, a: {v: 1}}}", "P < {u: {b: {v: 1}}}")
    expect(story.last).toEqual(["discriminator (type) must select one of: a, b, c"])
    expect(story.live.value).toEqual({ u: { type: "A", a: { v: 1 } } })
  })

  it("keeps the strategy of a Deployment whole", () => {
    const type = compileSchema(kubernetesSchemaWithUnions()).type("io.k8s.api.apps.v1.Deployment")
    const strategy = (text: string) => `{spec: {strategy: ${text}}}`
    const story = new Story(type, { unions: "extended" }).tell(
      `P < ${strategy("{type: RollingUpdate, rollingUpdate: {maxSurge: 1}}")}`,
      `hpa < ${strategy("{rollingUpdate: {maxUnavailable: 2}}")}`,
      `edit = ${strategy("{type: RollingUpdate, rollingUpdate: {maxSurge: 1, maxUnavailable: 3}}")}`,
      "P < {}",
    )
    expect(story.live.value).toEqual(yaml(strategy("{type: RollingUpdate, rollingUpdate: {maxUnavailable: 3}}")))
    const owners = ["edit: .spec.strategy.rollingUpdate.maxUnavailable", "hpa: .spec.strategy.type"]
    expect(story.owners).toEqual(owners)
  })
})

describe("null for a member, applied", () => {
  it("stays in kep-2019 when another member is applied", () => {
    const story = new Story(shared("atMostOne", true), { unions: "kep-2019" })
    story.tell("ctl = {u: {type: A, a: {v: 1}}}", "P ! {u: {b: {v: 1}, a: null}}")
    expect(story.live.value).toEqual({ u: { type: "B", a: null, b: { v: 1 } } })
    story.tell("P < {u: {b: {v: 1}, a: null}}")
    expect([story.live.value, story.last]).toEqual([{ u: { type: "B", a: null, b: { v: 1 } } }, []])
  })

  it("does not clear the selected member in kep-2022-draft", () => {
    const story = new Story(small, { unions: "kep-2022-draft" }).tell(
      "P < {kind: PX, px: 1}",
      "P < {kind: PX, px: null, other: 2}",
    )
    expect([story.live.value, story.last]).toEqual([{ kind: "PX", px: 1, other: 2 }, [".: kept px"]])
  })
})

describe("a configuration that contradicts itself", () => {
  const twice = (unions: "kep-2019" | "kep-2022-draft" | "kep-2022", config: string) => {
    const story = new Story(shared("atMostOne", true), { unions, validateUnions: false })
    story.tell("ctl = {u: {type: B, b: {v: 1}}}", `P ! {u: ${config}}`)
    const once = [story.live.value, story.owners]
    const said = story.last
    story.tell(`P < {u: ${config}}`)
    expect([story.live.value, story.owners, story.last]).toEqual([...once, []])
    return { value: story.live.value, owners: story.owners, said }
  }

  it.each(["kep-2019", "kep-2022-draft"] as const)(
    "loses members in %s that its discriminator does not select",
    unions => {
      expect(twice(unions, "{type: A, c: {v: 1}}")).toEqual({
        value: { u: { type: "A" } },
        owners: ["P: .u.type", "ctl: .u"],
        said: ['.u: type "B" -> "A"; removed b (owned by "ctl"); removed c'],
      })
    },
  )

  it("is left to validation in kep-2022", () => {
    const { value, owners } = twice("kep-2022", "{type: A, c: {v: 1}}")
    expect(value).toEqual({ u: { type: "A", c: { v: 1 } } })
    expect(owners).toEqual(["P: .u.type .u.c.v", "ctl: .u"])
  })

  it("keeps several members in kep-2019, whichever were there", () => {
    expect(twice("kep-2019", "{b: {w: 1}, c: {v: 1}}").value).toEqual({
      u: { type: "B", b: { v: 1, w: 1 }, c: { v: 1 } },
    })
  })

  it("does not own fields that kep-2022-draft takes from it, and gets one report", () => {
    const story = new Story(shared("atMostOne", true), { unions: "kep-2022-draft" })
    story.tell("P < {u: {type: A, a: {v: 1}}}", "Q < {u: {c: {v: 1}}}")
    expect(story.last).toEqual([".u: removed c"])
    expect(story.owners).toEqual(["P: .u.type .u.a.v", "Q: .u"])
    expect(story.tell("Q < {u: {c: {v: 1}}}").last).toEqual([])
    expect(story.tell("P ! {u: {type: C, c: {v: 2}}}").error).toBeUndefined()
  })
})

describe("switching", () => {
  it("is off and on again over objects stored in between", () => {
    const story = new Story(small, v4).tell("P < {numeric: 1}", "off: Q < {string: s}")
    expect(story.live.value).toEqual({ numeric: 1, type: "Numeric", string: "s" })
    story.tell("R < {other: 1}")
    expect(story.error).toBeUndefined()
    story.tell("R = {numeric: 1, type: Numeric, string: s, other: 2}")
    expect(story.last).toEqual(["multiple fields set without discriminator change: numeric, string"])
    story.tell("P < {numeric: 1}")
    expect(story.live.value).toEqual({ numeric: 1, type: "Numeric", other: 1 })
    expect(story.last).toEqual(['.: removed string (owned by "Q")'])
  })

  it("accepts a policy of one's own", () => {
    const unions = { ...unionPolicies.v4, name: "mine", clearedOwnedByOthers: "conflict" } as const
    const story = new Story(small, { unions }).tell("ctl = {fieldA: a}", "A < {fieldB: b}")
    expect(story.conflict.conflicts).toMatchObject([{ union: { effect: "cleared", member: "fieldA", policy: "mine" } }])
  })

  it("knows no other names", () => {
    expect(() => new Story(small, { unions: "v5" as "v4" })).toThrow(
      new RangeError(
        'unknown union policy "v5", expected one of off, v4, kep-2019, kep-2022-draft, kep-2022, extended',
      ),
    )
  })

  it("has the results of the engine without unions if off", () => {
    const steps = [
      "A < {numeric: 1}",
      "B = {numeric: 1, string: s, kind: PX, py: 2}",
      "A < {string: t}",
      "A ! {string: t}",
    ]
    const off = new Story(small, { unions: "off" })
    const without = new Story(
      parseTypes({
        types: small.schema.schema.types.map(({ name, map }) => ({ name, map: { fields: map?.fields ?? [] } })),
      } as unknown as Value).type("root"),
    )
    for (const step of steps) {
      off.tell(step)
      without.tell(step)
      expect([off.live.value, off.owners, off.last]).toEqual([without.live.value, without.owners, without.last])
    }
  })
})

describe("owners at other versions", () => {
  const types = parseTypes(
    yaml(`
types:
- name: v1
  map:
    fields: [{name: a, type: {scalar: string}}, {name: b, type: {scalar: string}}]
    unions: [{fields: [{fieldName: a}, {fieldName: b}]}]
- name: v2
  map:
    fields: [{name: alpha, type: {scalar: string}}, {name: beta, type: {scalar: string}}]
    unions: [{fields: [{fieldName: alpha}, {fieldName: beta}]}]
`),
  )
  const names: Record<string, Record<string, string>> = { v1: { alpha: "a", beta: "b" }, v2: { a: "alpha", b: "beta" } }
  const converter: Converter = {
    convert(object, apiVersion) {
      if (object.type.name === apiVersion) return object
      const { value } = object
      const rename = names[apiVersion] ?? {}
      const entries = isMap(value) ? Object.entries(value).map(([key, item]) => [rename[key] ?? key, item]) : []
      return TypedValue.of(isMap(value) ? Object.fromEntries(entries) : value, types.type(apiVersion))
    },
  }

  it("get the discriminator of their member by its own name", () => {
    const kinds = parseTypes(
      yaml(`
types:
- name: v1
  map: &v1
    fields: [{name: a, type: {namedType: part}}, {name: b, type: {namedType: part}}, {name: kind, type: {scalar: string}}]
    unions: [{discriminator: kind, fields: [{fieldName: a, discriminatorValue: A}, {fieldName: b, discriminatorValue: B}]}]
- name: v2
  map:
    fields: [{name: alpha, type: {namedType: part}}, {name: b, type: {namedType: part}}, {name: sort, type: {scalar: string}}]
- name: part
  map: {fields: [{name: v, type: {scalar: numeric}}, {name: w, type: {scalar: numeric}}]}
`),
    )
    const renames: Record<string, Record<string, string>> = {
      v1: { alpha: "a", sort: "kind" },
      v2: { a: "alpha", kind: "sort" },
    }
    const renaming: Converter = {
      convert({ value, type }, apiVersion) {
        const rename = (type.name === apiVersion ? {} : renames[apiVersion]) ?? {}
        const entries = isMap(value) ? Object.entries(value).map(([key, item]) => [rename[key] ?? key, item]) : []
        return TypedValue.of(isMap(value) ? Object.fromEntries(entries) : value, kinds.type(apiVersion))
      },
    }
    const v1 = new Story(kinds.type("v1"), { converter: renaming, unions: "extended" }, "v1").tell(
      "P < {kind: A, a: {v: 1}}",
    )
    const v2 = new Story(kinds.type("v2"), { converter: renaming }, "v2")
    v2.live = renaming.convert(v1.live, "v2") as TypedValue
    v2.managers = v1.managers
    v2.tell("Q < {alpha: {w: 2}}")
    v1.live = renaming.convert(v2.live, "v1") as TypedValue
    v1.managers = v2.managers
    v1.tell("P < {}")
    expect(v1.live.value).toEqual({ kind: "A", a: { w: 2 } })
    expect(v1.owners).toEqual(["Q: .sort .alpha.w"])
  })

  it("are reported with all fields that they own if versions share the object", () => {
    const converter: Converter = { convert: object => object }
    const story = new Story(shared("atMostOne", true), { converter, unions: "extended" }).tell("A < {u: {a: {v: 1}}}")
    const set = FieldSet.of([pathOf("u", "a", "w")])
    story.managers = new Map([...story.managers, ["ctl", { set, apiVersion: "v2", applied: false }]])
    story.tell("A ! {u: {b: {v: 1}}}")
    expect(story.last).toEqual(['.u: type "A" -> "B" (implied by b); removed a (owned by "A", "ctl")'])
  })

  it("are not reported if their version can't exist without the member", () => {
    const converter: Converter = {
      convert(object, apiVersion) {
        if (apiVersion === "v1") return object
        return isMap(object.value) && "fieldA" in object.value ? TypedValue.of(object.value, small) : undefined
      },
    }
    const story = new Story(small, { converter }).tell("A < {other: 1}")
    story.live = typed(small, "{other: 1, fieldA: a}")
    const set = FieldSet.of([pathOf("fieldA")])
    story.managers = new Map([...story.managers, ["ctl", { set, apiVersion: "v2", applied: false }]])
    story.tell("A < {other: 1, fieldB: b}")
    expect([story.live.value, story.last]).toEqual([{ other: 1, fieldB: "b" }, [".: removed fieldA"]])
    expect(story.owners).toEqual(["A: .fieldB .other"])
  })

  it("are found by their own fields", () => {
    const old = new Story(types.type("v1"), { converter }, "v1").tell("ctl = {a: x}")
    const story = new Story(types.type("v2"), { converter, unions: "extended" }, "v2")
    story.live = converter.convert(old.live, "v2") as TypedValue
    story.managers = old.managers
    story.tell("A < {beta: z}")
    expect(story.last).toEqual(['conflict with "ctl": .a'])
    story.tell("A ! {beta: z}")
    expect(story.last).toEqual(['.: removed alpha (owned by "ctl")'])
    expect(story.owners).toEqual(["A: .beta"])
  })

  it("have discriminators by names of their own, whose conflicts are explained", () => {
    const versions = parseTypes(
      yaml(`
types:
- name: v1
  map: {fields: [{name: kind, type: {scalar: string}}, {name: a, type: {scalar: string}}, {name: b, type: {scalar: string}}]}
- name: v2
  map:
    fields: [{name: type, type: {scalar: string}}, {name: a, type: {scalar: string}}, {name: b, type: {scalar: string}}]
    unions:
    - discriminator: type
      deduceInvalidDiscriminator: true
      fields: [{fieldName: a, discriminatorValue: A}, {fieldName: b, discriminatorValue: B}]
`),
    )
    const renaming: Converter = {
      convert(object, apiVersion) {
        if (object.type.name === apiVersion) return object
        const [from, to] = apiVersion === "v1" ? ["type", "kind"] : ["kind", "type"]
        const { [from as string]: selected, ...rest } = (object.value ?? {}) as Record<string, Value>
        const value = selected === undefined ? rest : { ...rest, [to as string]: selected }
        return TypedValue.of(value, versions.type(apiVersion))
      },
    }
    const old = new Story(versions.type("v1"), { converter: renaming }, "v1").tell("ctl = {kind: A, a: x}")
    const story = new Story(versions.type("v2"), { converter: renaming }, "v2")
    story.live = renaming.convert(old.live, "v2") as TypedValue
    story.managers = old.managers
    story.tell("A < {b: z}")
    expect(story.conflict.explain()).toBe(
      'conflict with "ctl": .kind\n.kind becomes "B": implied by .b (union policy extended)',
    )
  })
})
