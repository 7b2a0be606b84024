// Cases for the three texts of KEP-1027 about unions, which nobody has implemented: one side sets or clears a member that the other
// side does not know. The answers follow from the texts, as docs/unions.md reads them. The numbers are those of the proposal.
import type { RecordedCase } from "./recorded.js"

/** The texts, and the versions by which cases name them. */
const texts = { "kep-2019": "2019", "kep-2022-draft": "2022-draft", "kep-2022": "2022" } as const
type Text = keyof typeof texts

interface Situation {
  readonly number: number
  readonly what: string
  readonly isDiscriminated: boolean
  readonly live: object
  readonly body: object
  /** The result by all texts, or by each. Validation, which refuses some of them, is a later step. */
  readonly result: object | { readonly [text in Text]: object }
}

const situations: readonly Situation[] = [
  {
    number: 12,
    what: "an old client drops the new member",
    isDiscriminated: false,
    live: { c: 1 },
    body: {},
    result: {},
  },
  {
    number: 16,
    what: "an old client drops the new member and keeps the discriminator",
    isDiscriminated: true,
    live: { type: "C", c: 1 },
    body: { type: "C" },
    result: { "kep-2019": { type: "C" }, "kep-2022-draft": { type: "C", c: 1 }, "kep-2022": { type: "C" } },
  },
  {
    number: 22,
    what: "an old raw client clears the members that it knows",
    isDiscriminated: false,
    live: { c: 1 },
    body: { c: 1 },
    result: { c: 1 },
  },
  {
    number: 27,
    what: "an old raw client clears the union by an empty discriminator",
    isDiscriminated: true,
    live: { type: "C", c: 1 },
    body: { type: "", c: 1 },
    result: { type: "" },
  },
  {
    number: 23,
    what: "an old raw client sets a member beside the new one",
    isDiscriminated: false,
    live: { c: 1 },
    body: { c: 1, a: 3 },
    result: { "kep-2019": { a: 3 }, "kep-2022-draft": { a: 3 }, "kep-2022": { a: 3, c: 1 } },
  },
  {
    number: 28,
    what: "an old raw client sets a member beside the new one and its discriminator",
    isDiscriminated: true,
    live: { type: "C", c: 1 },
    body: { type: "A", c: 1, a: 3 },
    result: { type: "A", a: 3 },
  },
  {
    number: 34,
    what: "an old server drops the new member",
    isDiscriminated: false,
    live: { a: 1 },
    body: {},
    result: {},
  },
  {
    number: 39,
    what: "an old server drops the new member and keeps the discriminator",
    isDiscriminated: true,
    live: { type: "A", a: 1 },
    body: { type: "C" },
    result: { type: "C" },
  },
]

export function kepUnions(): RecordedCase[] {
  return situations.flatMap(situation => (Object.keys(texts) as Text[]).map(text => caseOf(situation, text)))
}

function caseOf({ number, what, isDiscriminated, live, body, result }: Situation, text: Text): RecordedCase {
  const value = "kep-2022" in result ? result[text] : result
  const isOldServer = number > 30
  const request = {
    op: "normalizeUnions",
    unions: text,
    schema: JSON.stringify({ types: [unionType(isDiscriminated, isOldServer ? ["a", "b"] : ["a", "b", "c"])] }),
    type: "union",
    lhs: live,
    new: body,
  }
  return {
    id: `${text}/case ${number}: ${what}`,
    origin: { module: "KEP-1027", version: texts[text] },
    request: JSON.stringify(request),
    expect: JSON.stringify({ value, lhsAfter: live, newAfter: body }),
  }
}

/** A struct with these members, and a discriminator that has their names in capitals. */
function unionType(isDiscriminated: boolean, members: readonly string[]) {
  const fields = members.map(name => ({ name, type: { scalar: "numeric" } }))
  const discriminator = isDiscriminated ? [{ name: "type", type: { scalar: "string" } }] : []
  const union = {
    ...(isDiscriminated && { discriminator: "type" }),
    fields: members.map(name => ({ fieldName: name, discriminatorValue: name.toUpperCase() })),
  }
  return { name: "union", map: { fields: [...discriminator, ...fields], unions: [union] } }
}
