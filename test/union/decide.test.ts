/** The rule on one map, policy by policy: the same situations, side by side. */
import { describe, expect, it } from "vitest"
import { CompiledUnion } from "../../src/schema/compiled-union.js"
import type { UnionDef } from "../../src/schema/union.js"
import { type UnionPolicyName, unionPolicies } from "../../src/union/policy.js"
import { type Decision, decideApply, decideUpdate } from "../../src/union/union.js"
import type { MapValue } from "../../src/value/value.js"
import { yaml } from "./story.js"

/** A decision as text: `-b` clears, `=B` writes, `+a` carries over, `!…` is a problem, `` is nothing. */
function show(decision: Decision | null): string {
  if (decision === null) return ""
  if (decision.problem !== undefined) return `!${decision.problem}`
  const parts = decision.clear.map(member => `-${member}`)
  if (decision.write !== undefined) parts.push(`=${decision.write}`)
  if (decision.carry !== undefined) parts.push(`+${decision.carry}`)
  return parts.join(" ")
}

function map(text: string): MapValue {
  return yaml(text) as MapValue
}

const fields = [
  { fieldName: "a", discriminatorValue: "A" },
  { fieldName: "b", discriminatorValue: "B" },
  { fieldName: "c", discriminatorValue: "C" },
]
const given: UnionDef = { discriminator: "t", fields }
const unions: Readonly<Record<string, UnionDef>> = {
  given,
  deduced: { ...given, deduceInvalidDiscriminator: true },
  required: { ...given, cardinality: "exactlyOne" },
  bare: { fields },
}

type Expected = Readonly<Record<"v4" | "kep-2019" | "kep-2022-draft" | "kep-2022" | "extended", string>>
interface Situation {
  readonly it: string
  readonly union: keyof typeof unions & string
  readonly old: string
  readonly next: string
  readonly expect: Expected
}

/** The same in all policies but those named. */
function all(text: string, others: Partial<Expected> = {}): Expected {
  return { v4: text, "kep-2019": text, "kep-2022-draft": text, "kep-2022": text, extended: text, ...others }
}

const e1 = "!discriminator (B) and field changed (c) don't match"
const e3 = "!multiple fields set without discriminator change: a, b"

const several = "!multiple new fields added: a, b"

const updates: readonly Situation[] = [
  {
    it: "the discriminator changed, the old member is still there",
    union: "given",
    old: "{t: A, a: 1}",
    next: "{t: B, a: 1, b: 1}",
    expect: all("-a"),
  },
  {
    it: "the discriminator changed to a value that no member has",
    union: "given",
    old: "{t: A, a: 1}",
    next: "{t: X, a: 1}",
    expect: all("-a"),
  },
  {
    it: "the discriminator changed to a field's name",
    union: "given",
    old: "{t: A, a: 1}",
    next: "{t: b, a: 1, b: 1}",
    expect: all("-a -b", {
      v4: "!discriminator (b) and field changed (b) don't match",
      extended: "!discriminator (b) and field changed (b) don't match",
    }),
  },
  {
    it: "the discriminator changed to a field's name, both members being old",
    union: "given",
    old: "{t: A, a: 1, b: 1}",
    next: "{t: b, a: 1, b: 1}",
    expect: all("-a -b", { v4: "-a" }),
  },
  {
    it: "the discriminator was emptied",
    union: "given",
    old: "{t: A, a: 1}",
    next: "{t: '', a: 1}",
    expect: all("-a", { v4: "" }),
  },
  {
    it: "a deduced discriminator was emptied",
    union: "deduced",
    old: "{t: A, a: 1}",
    next: "{t: '', a: 1}",
    expect: all("-a", { v4: "=A" }),
  },
  {
    it: "the discriminator of a union that needs a member was emptied",
    union: "required",
    old: "{t: A, a: 1}",
    next: "{t: '', a: 1}",
    expect: all("-a", { v4: "", "kep-2022-draft": "!discriminator (t) must select one of: a, b, c" }),
  },
  {
    it: "the discriminator was removed",
    union: "given",
    old: "{t: A, a: 1}",
    next: "{a: 1}",
    expect: all("-a", { v4: "", "kep-2019": "=A", extended: "=A" }),
  },
  {
    it: "a deduced discriminator was removed",
    union: "deduced",
    old: "{t: A, a: 1}",
    next: "{t: null, a: 1}",
    expect: all("-a", { v4: "=A", "kep-2019": "=A", extended: "=A" }),
  },
  {
    it: "a member was added, the discriminator did not change",
    union: "given",
    old: "{t: A, a: 1}",
    next: "{t: A, a: 1, b: 1}",
    expect: all("", { v4: e3, "kep-2019": "-a =B", "kep-2022-draft": "-b", extended: "-a =B" }),
  },
  {
    it: "two members were there before",
    union: "given",
    old: "{t: A, a: 1, b: 1}",
    next: "{t: A, a: 2, b: 1}",
    expect: all("", { v4: e3, "kep-2022-draft": "-b" }),
  },
  {
    it: "the member was switched, the discriminator did not change",
    union: "given",
    old: "{t: A, a: 1}",
    next: "{t: A, b: 1}",
    expect: all("", { "kep-2019": "=B", "kep-2022-draft": "-b +a", extended: "=B" }),
  },
  {
    it: "the member was switched, and the discriminator is deduced",
    union: "deduced",
    old: "{t: A, a: 1}",
    next: "{t: A, b: 1}",
    expect: all("=B", { "kep-2022-draft": "-b +a", "kep-2022": "" }),
  },
  {
    it: "discriminator and member changed and contradict each other",
    union: "given",
    old: "{t: A, a: 1}",
    next: "{t: B, c: 1}",
    expect: all("-c", { v4: e1, extended: e1 }),
  },
  {
    it: "the discriminator changed, and several members were added",
    union: "given",
    old: "{t: A, a: 1}",
    next: "{t: B, b: 1, c: 1}",
    expect: all("-c", { v4: "!multiple new fields added: b, c", extended: "!multiple new fields added: b, c" }),
  },
  {
    it: "the selected member is gone, the discriminator did not change",
    union: "given",
    old: "{t: A, a: 1}",
    next: "{t: A}",
    expect: all("", { "kep-2022-draft": "+a" }),
  },
  {
    it: "there is no discriminator, and a member was added",
    union: "bare",
    old: "{a: 1}",
    next: "{a: 1, b: 1}",
    expect: all("-a", { v4: e3, "kep-2022": "" }),
  },
  {
    it: "there is no discriminator, and two members were added",
    union: "bare",
    old: "{}",
    next: "{a: 1, b: 1}",
    expect: all("", { v4: e3, "kep-2022-draft": several, extended: several }),
  },
  {
    it: "there is no discriminator, and both members are old",
    union: "bare",
    old: "{a: 1, b: 1}",
    next: "{a: 1, b: 2}",
    expect: all("", { v4: e3 }),
  },
  {
    it: "a member is new, and there never was a discriminator",
    union: "given",
    old: "{}",
    next: "{a: 1}",
    expect: all("", { "kep-2019": "=A", "kep-2022-draft": "-a", extended: "=A" }),
  },
  {
    it: "null is no member, but goes with the others",
    union: "given",
    old: "{t: A, a: 1}",
    next: "{t: B, a: null, b: 0}",
    expect: all("-a"),
  },
  {
    it: "nothing is set",
    union: "deduced",
    old: "{t: A, a: 1}",
    next: "{t: A, a: null}",
    expect: all("", { "kep-2022-draft": "+a" }),
  },
]

describe("an update where", () => {
  const rows = updates.flatMap(({ it, union, old, next, expect }) =>
    Object.entries(expect).map(([policy, wanted]) => ({ name: `${it}: ${policy}`, policy, union, old, next, wanted })),
  )
  it.each(rows)("$name", ({ policy, union, old, next, wanted }) => {
    const compiled = new CompiledUnion(unions[union] as UnionDef)
    const state = { old: map(old), next: map(next), applied: null }
    expect(show(decideUpdate(unionPolicies[policy as UnionPolicyName], compiled, state))).toBe(wanted)
  })
})

interface ApplySituation {
  readonly it: string
  readonly union: keyof typeof unions & string
  readonly live: string
  readonly applied: string
  /** The merge of both. */
  readonly merged: string
  readonly expect: Expected
}

const applies: readonly ApplySituation[] = [
  {
    it: "another member is applied",
    union: "given",
    live: "{t: A, a: 1}",
    applied: "{b: 1}",
    merged: "{t: A, a: 1, b: 1}",
    expect: all("-a", { "kep-2019": "-a =B", "kep-2022-draft": "-b", "kep-2022": "", extended: "-a =B" }),
  },
  {
    it: "another member is applied, and the discriminator is deduced",
    union: "deduced",
    live: "{t: A, a: 1}",
    applied: "{b: 1}",
    merged: "{t: A, a: 1, b: 1}",
    expect: all("-a =B", { "kep-2022-draft": "-b", "kep-2022": "" }),
  },
  {
    it: "another member is applied with its discriminator",
    union: "given",
    live: "{t: A, a: 1}",
    applied: "{t: B, b: 1}",
    merged: "{t: B, a: 1, b: 1}",
    expect: all("-a", { extended: "-a =B" }),
  },
  {
    it: "only the discriminator is applied",
    union: "given",
    live: "{t: A, a: 1}",
    applied: "{t: B}",
    merged: "{t: B, a: 1}",
    expect: all("-a", { v4: "" }),
  },
  {
    it: "an empty discriminator is applied",
    union: "given",
    live: "{t: A, a: 1}",
    applied: "{t: ''}",
    merged: "{t: '', a: 1}",
    expect: all("-a", { v4: "" }),
  },
  {
    it: "a value that no member has is applied",
    union: "given",
    live: "{t: A, a: 1}",
    applied: "{t: X}",
    merged: "{t: X, a: 1}",
    expect: all("-a", { v4: "" }),
  },
  {
    it: "a member and another's discriminator are applied",
    union: "given",
    live: "{}",
    applied: "{t: B, a: 1}",
    merged: "{t: B, a: 1}",
    expect: all("-a", {
      "kep-2022": "",
      v4: "!applied discriminator (B) doesn't match applied field (a)",
      extended: "!applied discriminator (B) doesn't match applied field (a)",
    }),
  },
  {
    it: "two members are applied",
    union: "bare",
    live: "{}",
    applied: "{a: 1, b: 1}",
    merged: "{a: 1, b: 1}",
    expect: {
      v4: "!more than one field of union applied: a, b",
      extended: "!more than one field of union applied: a, b",
      "kep-2019": "",
      "kep-2022": "",
      "kep-2022-draft": "!multiple new fields added: a, b",
    },
  },
  {
    it: "another member of a union without discriminator is applied",
    union: "bare",
    live: "{a: 1}",
    applied: "{b: 1}",
    merged: "{a: 1, b: 1}",
    expect: all("-a", { "kep-2022": "" }),
  },
  {
    it: "nothing of the union is applied",
    union: "given",
    live: "{t: A, a: 1, b: 1}",
    applied: "{}",
    merged: "{t: A, a: 1, b: 1}",
    expect: all("", { "kep-2022-draft": "-b" }),
  },
]

describe("an apply where", () => {
  const rows = applies.flatMap(({ it, union, live, applied, merged, expect }) =>
    Object.entries(expect).map(([policy, wanted]) => ({
      name: `${it}: ${policy}`,
      policy,
      union,
      live,
      applied,
      merged,
      wanted,
    })),
  )
  it.each(rows)("$name", ({ policy, union, live, applied, merged, wanted }) => {
    const compiled = new CompiledUnion(unions[union] as UnionDef)
    const state = { old: map(live), next: map(merged), applied: map(applied) }
    expect(show(decideApply(unionPolicies[policy as UnionPolicyName], compiled, state))).toBe(wanted)
  })

  it("without a live object, fields that are not applied existed before", () => {
    const compiled = new CompiledUnion(given)
    const decide = (policy: UnionPolicyName, applied: string, merged: string) =>
      show(decideApply(unionPolicies[policy], compiled, { old: null, next: map(merged), applied: map(applied) }))
    expect(decide("kep-2019", "{b: 1}", "{t: A, a: 1, b: 1}")).toBe("-a =B")
    expect(decide("kep-2022", "{t: B}", "{t: B, a: 1}")).toBe("-a")
    expect(decide("kep-2022", "{b: 1}", "{t: A, a: 1, b: 1}")).toBe("")
  })
})

describe("knobs that no policy has by default", () => {
  const decide = (policy: object, union: UnionDef, old: string, next: string) =>
    show(
      decideUpdate({ ...unionPolicies.v4, ...policy }, new CompiledUnion(union), {
        old: map(old),
        next: map(next),
        applied: null,
      }),
    )

  it("ignore a discriminator that changed", () => {
    const policy = { onDiscriminatorChange: "ignore", strictChange: false }
    expect(decide(policy, unions.deduced as UnionDef, "{t: A, a: 1}", "{t: B, a: 1}")).toBe("=A")
  })

  it("leave several members to validation", () => {
    expect(decide({ unchangedMultiple: "leave-for-validation" }, unions.bare as UnionDef, "{}", "{a: 1, b: 1}")).toBe(
      "",
    )
  })

  it("treat an empty discriminator in a configuration as the policy says", () => {
    const decideEmpty = (emptyDiscriminator: "not-a-change" | "clear-all" | "clear-all-or-fail") => {
      const policy = { ...unionPolicies.extended, emptyDiscriminator }
      const state = { old: map("{t: A, a: 1}"), next: map("{t: '', a: 1}"), applied: map("{t: ''}") }
      return show(decideApply(policy, new CompiledUnion(unions.required as UnionDef), state))
    }
    expect(decideEmpty("not-a-change")).toBe("")
    expect(decideEmpty("clear-all")).toBe("-a")
    expect(decideEmpty("clear-all-or-fail")).toBe("!discriminator (t) must select one of: a, b, c")
  })

  it("keep members that a bare discriminator does not select, although the merged object decides", () => {
    const policy = { ...unionPolicies["kep-2022"], discriminatorOnlyApply: "keep" } as const
    const state = { old: map("{t: A, a: 1}"), next: map("{t: B, a: 1}"), applied: map("{t: B}") }
    expect(show(decideApply(policy, new CompiledUnion(given), state))).toBe("")
  })
})

describe("a union", () => {
  it("counts zeros as absent if the member says so", () => {
    const union = new CompiledUnion({ fields: [{ fieldName: "value", zeroIsUnset: true }, { fieldName: "valueFrom" }] })
    const set = (text: string) => union.setIn(map(text))
    expect(set("{value: '', valueFrom: {}}")).toEqual(["valueFrom"])
    expect(set("{value: 0}")).toEqual([])
    expect(set("{value: false}")).toEqual([])
    expect(set("{value: x, valueFrom: ''}")).toEqual(["value", "valueFrom"])
    expect(union.setIn({ value: 0n, valueFrom: 0n })).toEqual(["valueFrom"])
  })

  it("uses the first of two members with the same value", () => {
    const union = new CompiledUnion({
      discriminator: "t",
      fields: [
        { fieldName: "a", discriminatorValue: "V" },
        { fieldName: "b", discriminatorValue: "V" },
      ],
    })
    expect(union.memberOf("V")).toBe("a")
  })

  it.each([
    ["{}", true],
    ["{t: other}", true],
    ["{t: A, a: 1}", true],
    ["{t: B, a: 1}", false],
    ["{a: 1}", false],
    ["{t: '', a: 1}", false],
    ["{t: 1, a: 1}", false],
    ["{t: A, a: null}", false],
    ["{t: A, a: 0}", true],
    ["{t: A, a: 1, b: 1}", false],
    ["{t: A, a: 1, b: null}", false],
    ["{t: A, a: {}}", true],
  ])("knows whether %s is settled", (text, wanted) => {
    expect(new CompiledUnion(given).isSettled(map(text) ?? {})).toBe(wanted)
  })

  it("treats a value of several members as unsettled", () => {
    const fields = ["a", "b"].map(fieldName => ({ fieldName, discriminatorValue: "V" }))
    expect(new CompiledUnion({ discriminator: "t", fields }).isSettled({ t: "V", b: 1 })).toBe(false)
    expect(new CompiledUnion({ fields }).isSettled({ b: 1 })).toBe(true)
    expect(new CompiledUnion({ fields }).isSettled({ a: 1, b: 1 })).toBe(false)
  })

  it("treats a member that may count as absent as settled only if nothing depends on it", () => {
    const fields = [{ fieldName: "a", discriminatorValue: "A", zeroIsUnset: true }, { fieldName: "b" }]
    expect(new CompiledUnion({ fields }).isSettled({ a: "" })).toBe(true)
    expect(new CompiledUnion({ fields }).isSettled({ a: null })).toBe(true)
    expect(new CompiledUnion({ discriminator: "t", fields }).isSettled({ t: "A", a: "" })).toBe(false)
  })

  it("has names like those of an object's own functions", () => {
    const names = ["constructor", "__proto__", "toString"]
    const union = new CompiledUnion({ fields: names.map(fieldName => ({ fieldName })) })
    expect(union.setIn({})).toEqual([])
    expect(union.setIn(JSON.parse('{"__proto__": 1, "toString": 2}'))).toEqual(["__proto__", "toString"])
  })
})

describe("the policies", () => {
  it("are frozen, and have the names of their keys", () => {
    for (const [name, policy] of Object.entries(unionPolicies)) {
      expect(policy.name).toBe(name)
      expect(Object.isFrozen(policy)).toBe(true)
    }
    expect(Object.isFrozen(unionPolicies)).toBe(true)
  })
})
