/** The eight numbered cases of KEP-1027: one side sets or clears a member that the other side does not know. */
import { describe, expect, it } from "vitest"
import { normalizeUnions } from "../../src/union/normalize.js"
import type { UnionPolicyName } from "../../src/union/policy.js"
import { validateUnions } from "../../src/union/validate.js"
import type { Value } from "../../src/value/value.js"
import { nameOf, type Situation, unionType } from "./matrix.js"
import { answer, type Run, runs, sceneOf, showAnswer, showThing } from "./matrix-run.js"
import { typed } from "./story.js"

const all = runs()

function runOf(situation: Situation): Run {
  const name = nameOf(situation)
  const run = all.find(({ situations }) => situations.some(other => nameOf(other) === name))
  if (run === undefined) throw new RangeError(`no such situation: ${name}`)
  return run
}

const echoOfOldClient = {
  client: "structured",
  clientKnows: "ab",
  serverKnows: "abc",
  live: "c",
  action: "echo",
} as const
const rawOldClient = { client: "raw", clientKnows: "ab", serverKnows: "abc", live: "c" } as const
const oldServer = { client: "structured", clientKnows: "abc", serverKnows: "ab", live: "a", action: "new" } as const

/** Results that are settled although validation would refuse them. */
const settlingAlone = { validateUnions: false }

interface KepCase {
  readonly number: number
  readonly what: string
  readonly kinds: readonly Situation["kind"][]
  readonly cardinality: Situation["cardinality"]
  readonly where: Omit<Situation, "kind" | "cardinality" | "verb">
  readonly body: string
  readonly expect: Readonly<Record<Exclude<UnionPolicyName, "off" | "extended">, string>>
}

function same(text: string, others: Partial<KepCase["expect"]> = {}): KepCase["expect"] {
  return { v4: text, "kep-2019": text, "kep-2022-draft": text, "kep-2022": text, ...others }
}

// In each pair of numbers, the first case has no discriminator, and the second has one.
const kepCases: readonly KepCase[] = [
  {
    number: 12,
    what: "an old client that drops the new member sends the object back: lost, loudly only where a member is required",
    kinds: ["bare"],
    cardinality: "exactlyOne",
    where: echoOfOldClient,
    body: "{}",
    expect: same("{} !exactly-one"),
  },
  {
    number: 12,
    what: "the same, where no member is required",
    kinds: ["bare"],
    cardinality: "atMostOne",
    where: echoOfOldClient,
    body: "{}",
    expect: same("{}"),
  },
  {
    number: 16,
    what: "the same with a discriminator: the draft takes the member over, validation sees that it is missing",
    kinds: ["given", "deduced"],
    cardinality: "atMostOne",
    where: echoOfOldClient,
    body: "{type:C}",
    expect: same("{type:C} p:.type !selected-absent(c)", { "kep-2022-draft": "{type:C c:1} p:.type.c.x [.: kept c]" }),
  },
  {
    number: 22,
    what: "an old raw client clears the members it knows: the new one stays",
    kinds: ["bare"],
    cardinality: "exactlyOne",
    where: { ...rawOldClient, action: "clear" },
    body: "{c:1}",
    expect: same("{c:1} p:.c.x"),
  },
  {
    number: 27,
    what: "the same by an empty discriminator",
    kinds: ["given"],
    cardinality: "atMostOne",
    where: { ...rawOldClient, action: "clear" },
    body: '{type:"" c:1}',
    expect: same('{type:""} u:.type [.: type "C" -> ""; removed c (owned by "p")]', {
      v4: '{type:"" c:1} p:.c.x u:.type !discriminator-mismatch(c)',
    }),
  },
  {
    number: 27,
    what: "v4 reverts it where it deduces",
    kinds: ["deduced"],
    cardinality: "atMostOne",
    where: { ...rawOldClient, action: "clear" },
    body: '{type:"" c:1}',
    expect: same('{type:""} u:.type [.: type "C" -> ""; removed c (owned by "p")]', {
      v4: '{type:C c:1} p:.type.c.x [.: type is "C" (implied by c)]',
    }),
  },
  {
    number: 27,
    what: "it is an error where a member is required",
    kinds: ["given"],
    cardinality: "exactlyOne",
    where: { ...rawOldClient, action: "clear" },
    body: '{type:"" c:1}',
    expect: same('{type:""} u:.type [.: type "C" -> ""; removed c (owned by "p")] !not-in-enum(type)', {
      v4: '{type:"" c:1} p:.c.x u:.type !not-in-enum(type) !discriminator-mismatch(c)',
      "kep-2022-draft": "error: discriminator (type) must select one of: a, b, c",
    }),
  },
  {
    number: 23,
    what: "an old raw client sets a member beside the new one",
    kinds: ["bare"],
    cardinality: "exactlyOne",
    where: { ...rawOldClient, action: "switch" },
    body: "{c:1 a:3}",
    expect: same('{a:3} u:.a.a.x [.: removed c (owned by "p")]', {
      v4: "error: multiple fields set without discriminator change: a, c",
      "kep-2022": "{c:1 a:3} p:.c.x u:.a.a.x !exactly-one",
    }),
  },
  {
    number: 28,
    what: "with a discriminator, all policies understand",
    kinds: ["given", "deduced"],
    cardinality: "exactlyOne",
    where: { ...rawOldClient, action: "switch" },
    body: "{type:A c:1 a:3}",
    expect: same('{type:A a:3} u:.a.type.a.x [.: type "C" -> "A"; removed c (owned by "p")]'),
  },
  {
    number: 34,
    what: "an old server drops the new member: lost, loudly only where a member is required",
    kinds: ["bare"],
    cardinality: "exactlyOne",
    where: oldServer,
    body: "{}",
    expect: same("{} !exactly-one"),
  },
  {
    number: 34,
    what: "the same, where no member is required",
    kinds: ["bare"],
    cardinality: "atMostOne",
    where: oldServer,
    body: "{}",
    expect: same("{}"),
  },
  {
    number: 39,
    what: "with a discriminator, its value is one the old server does not know",
    kinds: ["given", "deduced"],
    cardinality: "exactlyOne",
    where: oldServer,
    body: "{type:C}",
    expect: same("{type:C} u:.type !not-in-enum(type)"),
  },
]

describe("case of the KEP", () => {
  const rows = kepCases.flatMap(({ kinds, expect, ...rest }) =>
    kinds.flatMap(kind => Object.entries(expect).map(([policy, wanted]) => ({ ...rest, kind, policy, wanted }))),
  )
  it.each(rows)("$number, $kind, $policy: $what", ({ kind, cardinality, where, policy, body, wanted }) => {
    const run = runOf({ ...where, kind, cardinality, verb: "put" })
    expect(showThing(run.body as Value)).toBe(body)
    expect(showAnswer(answer(run, sceneOf(run), policy as UnionPolicyName, settlingAlone))).toBe(wanted)
  })

  it("16 with an optional member is lost silently in kep-2022", () => {
    const type = unionType({
      discriminator: "type",
      fields: [{ fieldName: "c", discriminatorValue: "C", optional: true }],
    })
    const live = typed(type, "{type: C, c: 1}")
    const { object } = normalizeUnions(live, typed(type, "{type: C}"), { policy: "kep-2022" })
    expect(object.value).toEqual({ type: "C" })
    expect(validateUnions(live, object, { style: "kep-2022", ratchet: false })).toEqual([])
  })

  it("23 and 28 are trivial for structured clients: they drop what they don't know", () => {
    for (const [kind, body] of [
      ["bare", "{a:3}"],
      ["given", "{type:A a:3}"],
    ] as const) {
      const run = runOf({
        ...rawOldClient,
        client: "structured",
        action: "switch",
        kind,
        cardinality: "exactlyOne",
        verb: "put",
      })
      expect(showThing(run.body as Value)).toBe(body)
      for (const policy of ["v4", "kep-2019", "kep-2022-draft", "kep-2022", "extended"] as const) {
        expect(showAnswer(answer(run, sceneOf(run), policy))).toMatch(
          kind === "bare" ? /^\{a:3\} u:\.a\.a\.x$/ : /^\{type:A a:3\} u:\.a\.type\.a\.x$/,
        )
      }
    }
  })
})
