/** The default policy by example: every request names no policy. */
import { describe, expect, it } from "vitest"
import { formatPath } from "../../src/fieldpath/path.js"
import { ConflictError, reasonOf } from "../../src/merge/conflict.js"
import type { UnionDef } from "../../src/schema/union.js"
import { compileSchema, type Type } from "../../src/typed/type.js"
import { validateUnions } from "../../src/union/validate.js"
import { Story } from "./story.js"

const fields = [
  { fieldName: "a", discriminatorValue: "A" },
  { fieldName: "b", discriminatorValue: "B" },
]
const unions = {
  required: { discriminator: "type", fields, cardinality: "exactlyOne" },
  optional: { discriminator: "type", fields },
  emptyB: { discriminator: "type", fields: fields.slice(0, 1), emptyValues: ["B"] },
  undiscriminated: { fields: fields.map(({ fieldName }) => ({ fieldName })) },
} satisfies Record<string, UnionDef>

function typeWith(union: UnionDef): Type {
  const scalar = (name: string) => ({ name, type: { scalar: "untyped" as const } })
  const member = (name: string) => ({ name, type: { map: { fields: ["x", "v", "z"].map(scalar) } } })
  const root = [scalar("type"), member("a"), member("b"), scalar("c")]
  return compileSchema({ types: [{ name: "root", map: { fields: root, unions: [union] } }] }).type("root")
}

const applied = "P < {type: A, a: {x: 1}}"
const untouched = ["{type:A,a:{x:1}}", "P: .type .a.x"]
const taken = ["{type:B,b:{v:1}}", "Q: .type .b.v"]

interface Row {
  readonly what: string
  readonly union?: keyof typeof unions
  readonly setup: readonly string[]
  readonly step: string
  /** Each conflict with its cause, or the message of an error; empty for a request that is accepted. */
  readonly refusal: readonly string[]
  /** The stored object, then the owners and their fields. */
  readonly stored: readonly string[]
  /** The report of a request that is accepted. */
  readonly report?: readonly string[]
}

const switched = 'type "A" -> "B" (implied by b); removed a (owned by "P")'

const rows: readonly Row[] = [
  {
    what: "Q applies another member",
    setup: [applied],
    step: "Q < {b: {v: 1}}",
    refusal: ["P .type: implied by .b (union policy extended)"],
    stored: untouched,
  },
  {
    what: "Q applies another member by force",
    setup: [applied],
    step: "Q ! {b: {v: 1}}",
    refusal: [],
    stored: taken,
    report: [`.: ${switched}`],
  },
  {
    what: "Q applies another member with its discriminator",
    setup: [applied],
    step: "Q < {type: B, b: {v: 1}}",
    refusal: ["P .type"],
    stored: untouched,
  },
  {
    what: "Q applies another member with its discriminator by force",
    setup: [applied],
    step: "Q ! {type: B, b: {v: 1}}",
    refusal: [],
    stored: taken,
  },
  {
    what: "Q applies the discriminator alone",
    setup: [applied],
    step: "Q < {type: B}",
    refusal: ["P .type"],
    stored: untouched,
  },
  {
    what: "Q applies the discriminator alone by force",
    setup: [applied],
    step: "Q ! {type: B}",
    refusal: ['b: Invalid value: "": must be specified when `type` is "B"'],
    stored: untouched,
  },
  {
    what: "Q applies a value without a member by force",
    union: "emptyB",
    setup: [applied],
    step: "Q ! {type: B}",
    refusal: [],
    stored: ["{type:B}", "Q: .type"],
  },
  {
    what: "Q applies more of the same member",
    setup: [applied],
    step: "Q < {a: {z: 2}}",
    refusal: [],
    stored: ["{type:A,a:{x:1,z:2}}", "P: .type .a.x", "Q: .type .a.z"],
  },
  {
    what: "Q contradicts itself",
    setup: [applied],
    step: "Q < {type: A, b: {v: 1}}",
    refusal: ["applied discriminator (A) doesn't match applied field (b)"],
    stored: untouched,
  },
  {
    what: "P gives up the union, one member is required",
    setup: [applied],
    step: "P < {}",
    refusal: ["type: Required value"],
    stored: untouched,
  },
  {
    what: "P gives up the union",
    union: "optional",
    setup: [applied],
    step: "P < {c: 1}",
    refusal: [],
    stored: ["{c:1}", "P: .c"],
  },
  {
    what: "P gives up a union that Q takes part in",
    setup: [applied, "Q < {a: {z: 2}}"],
    step: "P < {}",
    refusal: [],
    stored: ["{type:A,a:{z:2}}", "Q: .type .a.z"],
  },
  {
    what: "U adds a member",
    setup: [applied],
    step: "U = {type: A, a: {x: 1}, b: {v: 1}}",
    refusal: [],
    stored: ["{type:B,b:{v:1}}", "U: .b .type .b.v"],
    report: [`.: ${switched}`],
  },
  {
    what: "U, which does not know b, changes the member",
    setup: [applied],
    step: "U = {type: A, a: {x: 2}}",
    refusal: [],
    stored: ["{type:A,a:{x:2}}", "P: .type", "U: .a.x"],
  },
  {
    what: "U puts both members into an object that has none",
    setup: ["P < {c: 1}"],
    union: "optional",
    step: "U = {c: 1, a: {x: 1}, b: {v: 1}}",
    refusal: ["multiple new fields added: a, b"],
    stored: ["{c:1}", "P: .c"],
  },
  {
    what: "Q applies another member of a union without discriminator",
    union: "undiscriminated",
    setup: ["P < {a: {x: 1}}"],
    step: "Q < {b: {v: 1}}",
    refusal: ["P .a.x: cleared by .b (union policy extended)"],
    stored: ["{a:{x:1}}", "P: .a.x"],
  },
  {
    what: "Q applies another member of a union without discriminator by force",
    union: "undiscriminated",
    setup: ["P < {a: {x: 1}}"],
    step: "Q ! {b: {v: 1}}",
    refusal: [],
    stored: ["{b:{v:1}}", "Q: .b.v"],
  },
  {
    what: "nobody owns the union",
    setup: [applied, "nobody"],
    step: "Q < {b: {v: 1}}",
    refusal: [],
    stored: taken,
  },
  {
    what: "Q applies another member, and the owner of the member does not own the discriminator",
    setup: ["off: R < {type: A}", "off: P < {a: {x: 1}}"],
    step: "Q < {b: {v: 1}}",
    refusal: ["P .a.x: cleared by .b (union policy extended)", "R .type: implied by .b (union policy extended)"],
    stored: ["{type:A,a:{x:1}}", "P: .a.x", "R: .type"],
  },
  {
    what: "Q applies a null for the member of P",
    union: "undiscriminated",
    setup: ["P < {a: {x: 1}}"],
    step: "Q < {a: null}",
    refusal: [],
    stored: ["{a:{x:1}}", "P: .a.x", "Q: .a"],
  },
]

function show(story: Story): string[] {
  return [JSON.stringify(story.live.value).replaceAll('"', ""), ...story.owners]
}

function refusalOf(story: Story): string[] {
  if (!(story.error instanceof ConflictError)) return story.error === undefined ? [] : lines(story.last[0] ?? "")
  return story.conflict.conflicts.map(({ manager, path, union }) => {
    return `${manager} ${formatPath(path)}${union === undefined ? "" : `: ${reasonOf(union)}`}`
  })
}

function lines(message: string): string[] {
  return message
    .split("\n")
    .filter(line => line !== "errors:")
    .map(line => line.trim())
}

describe("under the default policy", () => {
  it.each(rows.map(row => [row.what, row] as const))("%s", (_, row) => {
    const story = new Story(typeWith(unions[row.union ?? "required"])).tell(
      ...row.setup.filter(step => step !== "nobody"),
    )
    expect(story.error).toBe(undefined)
    if (row.setup.includes("nobody")) story.managers = new Map()
    const before = story.live
    story.tell(row.step)
    expect(refusalOf(story)).toEqual(row.refusal)
    expect(show(story)).toEqual(row.stored)
    if (row.report !== undefined) expect(story.last).toEqual(row.report)
    expect(validateUnions(before, story.live)).toEqual([])
  })
})
