/** Validates unions in requests: an apply or update is refused after settling, or let through. */
import { describe, expect, it } from "vitest"
import { ConflictError } from "../../src/merge/conflict.js"
import type { UpdaterOptions } from "../../src/merge/updater.js"
import { parseSchema } from "../../src/typed/parser.js"
import { compileSchema } from "../../src/typed/type.js"
import { applyUnionOverlay } from "../../src/union/overlay.js"
import { type UnionPolicyName, unionPolicies } from "../../src/union/policy.js"
import { UnionValidationError, validateUnions } from "../../src/union/validate.js"
import { Story, typed, yaml } from "./story.js"

const schema = parseSchema(
  yaml(`
types:
- name: root
  map:
    fields:
    - {name: strategy, type: {namedType: strategy}}
    - {name: other, type: {scalar: numeric}}
    - name: sources
      type: {list: {elementType: {namedType: source}, elementRelationship: associative, keys: [name]}}
    - {name: atoms, type: {list: {elementType: {namedType: source}, elementRelationship: atomic}}}
- name: strategy
  map: {fields: [{name: type, type: {scalar: string}}, {name: a, type: {scalar: numeric}}, {name: b, type: {scalar: numeric}}]}
- name: source
  map: {fields: [{name: name, type: {scalar: string}}, {name: x, type: {scalar: numeric}}, {name: z, type: {scalar: numeric}}]}
`),
)
const overlay = yaml(`
types:
- name: strategy
  unions:
  - discriminator: type
    emptyValues: [None]
    fields: [{fieldName: a, discriminatorValue: A}, {fieldName: b, discriminatorValue: B}]
- name: source
  unions: [{cardinality: exactlyOne, fields: [{fieldName: x}, {fieldName: z}]}]
`)
const root = compileSchema(applyUnionOverlay(schema, overlay)).type("root")

function story(unions: UpdaterOptions["unions"], ...steps: readonly string[]): Story {
  return new Story(root, unions === undefined ? {} : { unions }).tell(...steps)
}

const policies = Object.keys(unionPolicies) as UnionPolicyName[]
const refusing = policies.filter(name => unionPolicies[name].invalidResult === "error")

describe("a request", () => {
  it("is validated by extended and the KEP, not by v4 and off, as their originals", () => {
    expect(refusing).toEqual(["kep-2019", "kep-2022-draft", "kep-2022", "extended"])
  })

  it.each(refusing)("%s: that would leave an item without a member fails, and changes nothing", policy => {
    for (const verb of ["<", "="]) {
      const bad = story(policy, `P ${verb} {sources: [{name: s, x: 1}]}`)
      const { live, owners } = bad
      bad.tell(`P ${verb} {sources: [{name: s}]}`)
      expect(bad.error).toBeInstanceOf(UnionValidationError)
      expect(bad.error).toMatchObject({
        code: "union",
        message: 'sources[0]: Invalid value: "": must specify one of: `x`, `z`',
        issues: [{ path: '.sources[name="s"]', message: 'Invalid value: "": must specify one of: `x`, `z`' }],
        errors: [{ rule: "exactly-one", field: "sources[0]" }],
      })
      expect([bad.live, bad.owners]).toEqual([live, owners])
    }
  })

  it.each(["v4", "off"] as const)("%s: that leaves an item without a member passes", policy => {
    const live = story(policy, "P < {sources: [{name: s, x: 1}]}", "P < {sources: [{name: s}]}")
    expect([live.error, live.live.value]).toEqual([undefined, { sources: [{ name: "s" }] }])
  })

  it("reports every problem, even inside atomic lists", () => {
    const { error } = story(
      "kep-2022",
      "off: Q = {strategy: {type: A, b: 1}}",
      "P < {strategy: {b: 1}, atoms: [{x: 1, z: 1}]}",
    )
    expect((error as Error).message.split("\n")).toEqual([
      "errors:",
      '  strategy.a: Invalid value: "": must be specified when `type` is "A"',
      '  strategy.b: Invalid value: "": may only be specified when `type` is "B"',
      '  atoms[0]: Invalid value: "{x, z}": must specify exactly one of: `x`, `z`',
    ])
  })

  it("is in conflict first, and invalid only then", () => {
    const live = story("extended", "P < {strategy: {type: A, a: 1}}", "Q < {strategy: {type: B}}")
    expect(live.error).toBeInstanceOf(ConflictError)
    live.tell("Q ! {strategy: {type: B}}")
    expect(live.error).toBeInstanceOf(UnionValidationError)
    live.tell("Q ! {strategy: {type: B, b: 1}}")
    expect([live.error, live.live.value]).toEqual([undefined, { strategy: { type: "B", b: 1 } }])
  })

  it("is validated after it is pruned", () => {
    const live = story("kep-2022", "off: P < {strategy: {type: A, a: 1, b: 1}}", "P < {strategy: {type: A, a: 1}}")
    expect([live.error, live.live.value]).toEqual([undefined, { strategy: { type: "A", a: 1 } }])
  })

  it("may go by a policy that others do not", () => {
    const strict = { ...unionPolicies.v4, name: "strict", invalidResult: "error" } as const
    expect(story(strict, "P < {sources: [{name: s}]}").error).toBeInstanceOf(UnionValidationError)
    const lax = { ...unionPolicies.extended, name: "lax", invalidResult: "accept" } as const
    expect(story(lax, "P < {sources: [{name: s}]}").error).toBeUndefined()
  })

  it("is settled alone with validateUnions: false", () => {
    const live = new Story(root, { unions: "kep-2022", validateUnions: false })
    live.tell("P < {strategy: {type: A, a: 1}}", "P < {strategy: {type: B, a: 1}}")
    expect(live.live.value).toEqual({ strategy: { type: "B", a: 1 } })
    const fields = validateUnions(undefined, live.live, { policy: "kep-2022" }).map(({ field }) => field)
    expect(fields).toEqual(["strategy.a", "strategy.b"])
  })
})

describe("kep-2019", () => {
  it.each([
    [
      "no member where one is required",
      "{sources: [{name: s}]}",
      'sources[0]: Invalid value: "": must specify one of: `x`, `z`',
    ],
    [
      "two members at once",
      "{strategy: {a: 1, b: 1}}",
      'strategy.a: Invalid value: "": may only be specified when `type` is "A"',
    ],
  ])("refuses %s", (_, config, message) => {
    expect((story("kep-2019", `P < ${config}`).error as Error).message).toContain(message)
  })

  it.each(["{strategy: {type: Nothing}}", "{strategy: {type: A}}", "{strategy: {}}"])(
    "asks nothing of the discriminator: %s",
    config => {
      expect(story("kep-2019", `P < ${config}`).error).toBeUndefined()
    },
  )
})

describe("an object that was stored with unions off and is invalid", () => {
  const stored = "off: P < {strategy: {type: A, a: 1, b: 1}, sources: [{name: s}], other: 1}"
  const changed = "{strategy: {type: A, a: 1, b: 1}, sources: [{name: s}], other: 2}"

  it.each(["kep-2019", "extended"] as const)("%s: may change in its other fields when they are on again", policy => {
    const live = story(policy, stored, `P = ${changed}`)
    expect([live.error, live.live.value]).toEqual([undefined, yaml(changed)])
    live.tell("Q ! {other: 3}")
    expect([live.error, live.live.value]).toEqual([undefined, yaml(changed.replace("2}", "3}"))])
  })

  it.each(["kep-2019", "extended"] as const)("%s: may not become invalid in another way", policy => {
    const live = story(policy, stored, `P = ${changed.replace("name: s", "name: t")}`)
    expect(live.error).toBeInstanceOf(UnionValidationError)
  })

  // Taken literally, the text refuses every modifying request until the object is corrected. Reads need no request here.
  it("kep-2022: has to be put right first, and can be", () => {
    const live = story("kep-2022", stored)
    for (const step of [`P = ${changed}`, "Q ! {other: 2}", `P < ${changed}`]) {
      live.tell(step)
      expect([step, live.error]).toEqual([step, expect.any(UnionValidationError)])
    }
    expect(live.live.value).toEqual(yaml(changed.replace("2}", "1}")))
    live.tell("P < {strategy: {type: A, a: 1}, sources: [{name: s, x: 1}], other: 2}")
    expect(live.error).toBeUndefined()
    live.tell("Q ! {other: 3}")
    expect([live.error, live.live.value]).toEqual([
      undefined,
      { strategy: { type: "A", a: 1 }, sources: [{ name: "s", x: 1 }], other: 3 },
    ])
  })

  it("kep-2022: changes freely when unions are off again", () => {
    const live = story("kep-2022", stored, `off: P = ${changed}`)
    expect([live.error, live.live.value]).toEqual([undefined, yaml(changed)])
  })

  it("kep-2022: ratchets in a policy of one's own", () => {
    const unions = { ...unionPolicies["kep-2022"], name: "later", legacyMultiple: "ratchet" } as const
    const live = story(unions, stored, `P = ${changed}`)
    expect([live.error, live.live.value]).toEqual([undefined, yaml(changed)])
  })
})

describe("a struct that was there and empty", () => {
  const strict = compileSchema(
    applyUnionOverlay(
      schema,
      yaml(
        "{types: [{name: strategy, unions: [{cardinality: exactlyOne, fields: [{fieldName: a}, {fieldName: b}]}]}]}",
      ),
    ),
  ).type("root")
  const empty = (...steps: readonly string[]) => new Story(strict, { unions: "extended" }).tell(...steps)

  it("may stay so, and may not become so", () => {
    expect(empty("P < {strategy: {}}").error).toBeInstanceOf(UnionValidationError)
    expect(empty("off: P < {strategy: {}}", "P < {strategy: {}, other: 1}").error).toBeUndefined()
    expect(empty("P = {strategy: {a: 1}}", "P = {strategy: {}}").error).toBeInstanceOf(UnionValidationError)
  })

  it("is no object yet at the root", () => {
    const type = strict.map?.fields.get("strategy")?.type ?? strict
    for (const nothing of ["null", "{}"]) {
      const created = new Story(type, { unions: "extended" })
      created.live = typed(type, nothing)
      expect(created.tell("P = {type: T}").error).toBeInstanceOf(UnionValidationError)
    }
  })
})

describe("a discriminator that is set to the empty string", () => {
  it.each([
    ["values", "{values: [A, B], ", 'strategy.type: Unsupported value: "": supported values: "A", "B"'],
    [
      "empty values",
      "{emptyValues: [None], ",
      'strategy.type: Unsupported value: "": supported values: "A", "B", "None"',
    ],
    ["values with an empty one", "{values: [A, B, ''], ", undefined],
    ["a none value", "{noneValue: '', ", undefined],
    ["nothing", "{", undefined],
    ["nothing, and a member is required", "{cardinality: exactlyOne, ", "strategy.type: Required value"],
    [
      "values, and a member is required",
      "{cardinality: exactlyOne, values: [A, B], ",
      'strategy.type: Unsupported value: "": supported values: "A", "B"',
    ],
  ])("where the union lists %s", (_, listed, message) => {
    const union = `${listed}discriminator: type, fields: [{fieldName: a, discriminatorValue: A}, {fieldName: b, discriminatorValue: B}]}`
    const type = compileSchema(applyUnionOverlay(schema, yaml(`{types: [{name: strategy, unions: [${union}]}]}`))).type(
      "root",
    )
    for (const policy of ["kep-2022", "extended"] as const) {
      const { error } = new Story(type, { unions: policy }).tell("P < {strategy: {type: ''}}")
      expect((error as Error | undefined)?.message).toBe(message)
      const emptied = new Story(type, { unions: policy }).tell("off: P < {strategy: {}}", "P = {strategy: {type: ''}}")
      expect((emptied.error as Error | undefined)?.message).toBe(
        policy === "extended" && message?.endsWith("Required value") ? undefined : message,
      )
    }
  })
})
