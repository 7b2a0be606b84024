/** The rows of the matrix that server-side apply adds, by their names in discussions of unions. */
import { describe, expect, it } from "vitest"
import { ConflictError } from "../../src/merge/conflict.js"
import type { UnionPolicyName } from "../../src/union/policy.js"
import { validateUnions } from "../../src/union/validate.js"
import { unionType } from "./matrix.js"
import { nested } from "./schemas.js"
import { Story, yaml } from "./story.js"

const fields = [
  { fieldName: "a", discriminatorValue: "A" },
  { fieldName: "b", discriminatorValue: "B" },
]
const strict = { values: ["A", "B"], cardinality: "exactlyOne" } as const
const types = {
  given: unionType({ ...strict, discriminator: "type", fields }),
  deduced: unionType({ ...strict, discriminator: "type", deduceInvalidDiscriminator: true, fields }),
  bare: unionType({ cardinality: "exactlyOne", fields }),
}

/** Returns the outcome of a story's last step, in the words of the matrix. */
function outcome(story: Story, before: Story["live"]): string {
  if (story.error !== undefined) return story.last[0]?.replaceAll("\n", " ") ?? ""
  const problems = validateUnions(before, story.live, { style: "kep-2022", ratchet: false })
  const rules = problems.map(({ rule, field }) => `!${rule}${field === "" ? "" : `(${field})`}`)
  const report = story.last.map(line => `[${line}]`)
  return [JSON.stringify(story.live.value).replaceAll('"', ""), ...story.owners, ...report, ...rules].join(" | ")
}

/** An apply, and after a conflict the apply with force. It is settled without validation, to show what validation would refuse. */
function tryApply(
  kind: keyof typeof types,
  policy: UnionPolicyName,
  setup: readonly string[],
  config: string,
): string[] {
  const attempt = (verb: string) => {
    const story = new Story(types[kind], { unions: policy, validateUnions: false }).tell(...setup)
    const { live } = story
    return { story: story.tell(config.replace(" < ", verb)), live }
  }
  const { story, live } = attempt(" < ")
  if (!(story.error instanceof ConflictError)) return [outcome(story, live)]
  const forced = attempt(" ! ")
  return [outcome(story, live), outcome(forced.story, forced.live)]
}

interface ApplyCase {
  readonly id: string
  readonly what: string
  readonly setup: readonly string[]
  readonly step: string
  /** The outcome of the step; for a conflict, also the outcome with force. */
  readonly expect: Readonly<Record<string, readonly string[]>>
}

const typeConflict = 'conflict with "P": .type'
const impliedB = '[.: type "A" -> "B" (implied by b); removed a (owned by "P")]'
const givenB = '[.: type "A" -> "B"; removed a (owned by "P")]'

const applyCases: readonly ApplyCase[] = [
  {
    id: "AP1",
    what: "another member is applied",
    setup: ["P < {type: A, a: 1}"],
    step: "Q < {b: 1}",
    expect: {
      "deduced v4": [typeConflict, `{type:B,b:1} | Q: .b .type | ${impliedB}`],
      "given v4": [
        '{type:A,b:1} | P: .type | Q: .b | [.: removed a (owned by "P")] | !selected-absent(a) | !discriminator-mismatch(b)',
      ],
      "given kep-2022": ["{type:A,a:1,b:1} | P: .a .type | Q: .b | !discriminator-mismatch(b)"],
      "deduced extended": [typeConflict, `{type:B,b:1} | Q: .b .type | ${impliedB}`],
    },
  },
  {
    id: "AP2",
    what: "another member is applied with its discriminator",
    setup: ["P < {type: A, a: 1}"],
    step: "Q < {type: B, b: 1}",
    expect: {
      "deduced v4": [typeConflict, `{type:B,b:1} | Q: .b .type | ${givenB}`],
      "given v4": [typeConflict, `{type:B,b:1} | Q: .b .type | ${givenB}`],
      "given kep-2022": [typeConflict, `{type:B,b:1} | Q: .b .type | ${givenB}`],
      "deduced extended": [typeConflict, `{type:B,b:1} | Q: .b .type | ${givenB}`],
    },
  },
  {
    id: "AP3",
    what: "only the discriminator is applied",
    setup: ["P < {type: A, a: 1}"],
    step: "Q < {type: B}",
    expect: {
      "deduced v4": [
        typeConflict,
        "{type:B,a:1} | P: .a | Q: .type | !discriminator-mismatch(a) | !selected-absent(b)",
      ],
      "given v4": [typeConflict, "{type:B,a:1} | P: .a | Q: .type | !discriminator-mismatch(a) | !selected-absent(b)"],
      "given kep-2022": [typeConflict, `{type:B} | Q: .type | ${givenB} | !selected-absent(b)`],
      "deduced extended": [typeConflict, `{type:B} | Q: .type | ${givenB} | !selected-absent(b)`],
    },
  },
  {
    id: "AP4",
    what: "another member of a union without discriminator is applied",
    setup: ["P < {a: 1}"],
    step: "Q < {b: 1}",
    expect: {
      "bare v4": ['{b:1} | Q: .b | [.: removed a (owned by "P")]'],
      "bare kep-2022": ["{a:1,b:1} | P: .a | Q: .b | !exactly-one"],
      "bare extended": ['conflict with "P": .a', '{b:1} | Q: .b | [.: removed a (owned by "P")]'],
    },
  },
  {
    id: "AP5",
    what: "another member is applied where none had a discriminator: nobody owned it",
    setup: ["off: P < {a: 1}"],
    step: "Q < {b: 1}",
    expect: {
      "deduced v4": ['{b:1,type:B} | Q: .b .type | [.: type none -> "B" (implied by b); removed a (owned by "P")]'],
      "given v4": [
        '{b:1} | Q: .b | [.: removed a (owned by "P")] | !discriminator-required(type) | !discriminator-mismatch(b)',
      ],
      "given kep-2022": [
        "{a:1,b:1} | P: .a | Q: .b | !discriminator-required(type) | !discriminator-mismatch(a) | !discriminator-mismatch(b)",
      ],
      "deduced extended": [
        'conflict with "P": .a',
        '{b:1,type:B} | Q: .b .type | [.: type none -> "B" (implied by b); removed a (owned by "P")]',
      ],
    },
  },
  {
    id: "AP6",
    what: "an empty discriminator is applied over that of two managers",
    setup: ["P < {type: A, a: 1}", "Q < {type: A, a: 1}"],
    step: "Q < {type: ''}",
    expect: {
      "deduced v4": [typeConflict, "{type:,a:1} | P: .a | Q: .type | !not-in-enum(type) | !discriminator-mismatch(a)"],
      "given v4": [typeConflict, "{type:,a:1} | P: .a | Q: .type | !not-in-enum(type) | !discriminator-mismatch(a)"],
      "given kep-2022": [
        typeConflict,
        '{type:} | Q: .type | [.: type "A" -> ""; removed a (owned by "P", "Q")] | !not-in-enum(type)',
      ],
      "deduced extended": [
        typeConflict,
        '{type:} | Q: .type | [.: type "A" -> ""; removed a (owned by "P", "Q")] | !not-in-enum(type)',
      ],
    },
  },
  {
    id: "AP7",
    what: "the union is left out by the manager that applied it: pruned",
    setup: ["Q < {type: A, a: 1}"],
    step: "Q < {c: 1}",
    expect: {
      "deduced v4": ["{c:1} | Q: .c | !discriminator-required(type)"],
      "given v4": ["{c:1} | Q: .c | !discriminator-required(type)"],
      "given kep-2022": ["{c:1} | Q: .c | !discriminator-required(type)"],
      "deduced extended": ["{c:1} | Q: .c | !discriminator-required(type)"],
    },
  },
  {
    id: "AP7",
    what: "an implied discriminator is pruned with its member",
    setup: ["Q < {a: 1}"],
    step: "Q < {c: 1}",
    expect: {
      "deduced v4": ["{c:1} | Q: .c | !discriminator-required(type)"],
      "deduced kep-2019": ["{c:1} | Q: .c | !discriminator-required(type)"],
      "deduced extended": ["{c:1} | Q: .c | !discriminator-required(type)"],
    },
  },
  {
    id: "AP8",
    what: "an unknown discriminator is applied in place of the union: the member is pruned, if it is not cleared",
    setup: ["Q < {type: A, a: 1}"],
    step: "Q < {type: X}",
    expect: {
      "deduced v4": ["{type:X} | Q: .type | !not-in-enum(type)"],
      "given v4": ["{type:X} | Q: .type | !not-in-enum(type)"],
      "given kep-2022": ["{type:X} | Q: .type | !not-in-enum(type)"],
      "deduced extended": ['{type:X} | Q: .type | [.: type "A" -> "X"; removed a (owned by "Q")] | !not-in-enum(type)'],
    },
  },
  {
    id: "SW",
    what: "an update replaces the member and leaves the discriminator",
    setup: ["P < {type: A, a: 1}"],
    step: "Q = {type: A, b: 1}",
    expect: {
      "deduced v4": ['{type:B,b:1} | Q: .b .type | [.: type "A" -> "B" (implied by b)]'],
      "given v4": ["{type:A,b:1} | P: .type | Q: .b | !selected-absent(a) | !discriminator-mismatch(b)"],
      "given kep-2022": ["{type:A,b:1} | P: .type | Q: .b | !selected-absent(a) | !discriminator-mismatch(b)"],
      "deduced extended": ['{type:B,b:1} | Q: .b .type | [.: type "A" -> "B" (implied by b)]'],
    },
  },
  {
    id: "EX",
    what: "an extracted configuration is applied with another member, and the discriminator of before",
    setup: ["P < {type: A, a: 1}"],
    step: "P < {type: A, b: 1}",
    expect: {
      "deduced v4": ["applied discriminator (A) doesn't match applied field (b)"],
      "given v4": ["applied discriminator (A) doesn't match applied field (b)"],
      "given kep-2022": ["{type:A,b:1} | P: .b .type | !selected-absent(a) | !discriminator-mismatch(b)"],
      "deduced extended": ["applied discriminator (A) doesn't match applied field (b)"],
    },
  },
]

describe("row of server-side apply", () => {
  const rows = applyCases.flatMap(({ expect, ...rest }) =>
    Object.entries(expect).map(([column, wanted]) => ({ ...rest, column, wanted })),
  )
  it.each(rows)("$id, $column: $what", ({ column, setup, step, wanted }) => {
    const [kind, policy] = column.split(" ") as [keyof typeof types, UnionPolicyName]
    expect(tryApply(kind, policy, setup, step)).toEqual(wanted)
  })

  // The same as AP1, further down.
  it.each([
    ["an item", "items: [{name: nn, a: 1}]", "items: [{name: nn, b: 1}]", '.items[name="nn"].d'],
    ["a map's value", "values: {k: {a: 1}}", "values: {k: {b: 1}}", ".values.k.d"],
    ["an atomic list, which is one leaf", "list: [{a: 1}]", "list: [{b: 1}]", ".list"],
  ])("AP9, deduced v4: another member is applied in %s", (_where, live, config, path) => {
    const story = new Story(nested, { unions: "v4" }).tell(`P < {${live}}`, `Q < {${config}}`)
    expect(story.last).toEqual([`conflict with "P": ${path}`])
    story.tell(`Q ! {${config}}`)
    expect(story.owners.filter(line => line.startsWith("P") && /\.[abd]\b/.test(line))).toEqual([])
    const deduced = path === ".list" ? config : config.replace("b: 1", "b: 1, d: B")
    expect(story.live.value).toEqual(yaml(`{${deduced}}`))
  })
})
