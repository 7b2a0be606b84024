/** docs/unions.md: its table of policies is what the engine does. */
import { describe, expect, it } from "vitest"
import { formatPath } from "../../src/fieldpath/path.js"
import { parseYaml } from "../../src/io/index.js"
import { ConflictError } from "../../src/merge/conflict.js"
import type { UnionDef } from "../../src/schema/union.js"
import { parseUnionOverlay } from "../../src/union/overlay.js"
import { type UnionPolicy, type UnionPolicyName, unionPolicies } from "../../src/union/policy.js"
import { UnionValidationError, validateUnions } from "../../src/union/validate.js"
import type { Value } from "../../src/value/value.js"
import { codeBlocks, read } from "../support/documents.js"
import { unionType } from "./matrix.js"
import { Story } from "./story.js"

const text = read("docs/unions.md")

const fields = ["a", "b"].map(fieldName => ({ fieldName, discriminatorValue: fieldName.toUpperCase() }))
const unions = {
  deduced: { discriminator: "type", deduceInvalidDiscriminator: true, fields, noneValue: "" },
  bare: { fields: fields.map(({ fieldName }) => ({ fieldName })) },
} satisfies Record<string, UnionDef>

interface Situation {
  readonly what: string
  readonly union?: keyof typeof unions
  /** By default P has applied `A a`. */
  readonly live?: string
  readonly step: string
}

const situations: readonly Situation[] = [
  { what: "Q applies `b`", step: "Q < {b: 1}" },
  { what: "Q applies `B b`", step: "Q < {type: B, b: 1}" },
  { what: "Q applies `B`", step: "Q < {type: B}" },
  { what: 'Q applies `""`', step: "Q < {type: ''}" },
  { what: "Q applies `b`, there is no discriminator", union: "bare", live: "off: P < {a: 1}", step: "Q < {b: 1}" },
  { what: "Q updates to `B a b`", step: "Q = {type: B, a: 1, b: 1}" },
  { what: "Q updates to `A a b`", step: "Q = {type: A, a: 1, b: 1}" },
  { what: "Q updates to `A b`", step: "Q = {type: A, b: 1}" },
  { what: "Q updates to `A`, not knowing `a`", step: "Q = {type: A}" },
  {
    what: "Q changes `c` of an old `A a b`",
    live: "off: P < {type: A, a: 1, b: 1}",
    step: "Q = {type: A, a: 1, b: 1, c: 1}",
  },
]

/** The values that are there: `B b`. */
function show(value: Value): string {
  const entries = Object.entries(value as Record<string, Value>)
  return `\`${entries
    .map(([key, part]) => (key === "type" ? part || '""' : key))
    .sort()
    .join(" ")}\``
}

function cell(
  { union = "deduced", live = "off: P < {type: A, a: 1}", step }: Situation,
  policy: UnionPolicyName,
): string {
  const type = unionType(unions[union])
  const story = new Story(type, { unions: policy, validateUnions: false }).tell(live)
  const before = story.live
  const validated = new Story(type, { unions: policy }).tell(live, step.replace("<", "!"))
  story.tell(step)
  let conflict = ""
  if (story.error instanceof ConflictError) {
    const paths = story.conflict.conflicts.map(({ path }) => `\`${formatPath(path).slice(1)}\``)
    conflict = `conflict on ${paths.sort().join(", ")}; `
    story.tell(step.replace("<", "!"))
  }
  if (story.error !== undefined) return "error"
  const invalid = validateUnions(before, story.live, { style: "kep-2022", ratchet: false }).length > 0
  const refused = validated.error instanceof UnionValidationError
  return `${conflict}${show(story.live.value)}${refused ? ", refused" : invalid ? ", invalid" : ""}`
}

const policies = Object.keys(unionPolicies) as UnionPolicyName[]

/** A table with a column for each of these policies. */
function table(columns: readonly UnionPolicyName[], rows: readonly (readonly string[])[]): string {
  const all = [["", ...columns.map(policy => `\`${policy}\``)], ["---", ...columns.map(() => "---")], ...rows]
  return all.map(cells => `| ${cells.join(" | ")} |\n`).join("")
}

/** The first table after a heading. */
function tableUnder(heading: string): string {
  const [, section = ""] = text.split(`\n### ${heading}\n`)
  return /(^\|.*\n)+/m.exec(section)?.[0] ?? ""
}

describe("docs/unions.md", () => {
  it("shows the results of the policies side by side", () => {
    const rows = situations.map(situation => [situation.what, ...policies.map(policy => cell(situation, policy))])
    expect(rows.length).toBe(10)
    expect(tableUnder("What they do")).toBe(table(policies, rows))
  })

  it("shows the answers of the policies", () => {
    const columns = policies.filter(policy => policy !== "off")
    const knobs = (Object.keys(unionPolicies.v4) as (keyof UnionPolicy)[]).filter(
      knob => knob !== "name" && knob !== "enabled",
    )
    const answer = (knob: keyof UnionPolicy) => (policy: UnionPolicyName) => {
      const value = unionPolicies[policy][knob]
      return typeof value === "boolean" ? (value ? "yes" : "no") : value
    }
    const rows = knobs.map(knob => [`\`${knob}\``, ...columns.map(answer(knob))])
    expect(tableUnder("Their settings")).toBe(table(columns, rows))
  })

  it("has an overlay that can be read", () => {
    const [document = ""] = codeBlocks(text, "yaml")
    expect(parseUnionOverlay(parseYaml(document)).types.map(type => type.unions.length)).toEqual([1, 1])
  })
})
