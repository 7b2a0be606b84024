import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { parseJson } from "../../../src/json/json.js"
import type { FieldError } from "../../../src/kinds/refusal/field-error.js"
import { withDeclaredProblems } from "../../../src/kinds/validation/declared.js"
import { declaredData } from "../../../src/kinds/validation/declared-data.js"
import type { RuleDocument } from "../../../src/validation/rules/rules.js"
import type { ValidationGates } from "../../../src/validation/shadow/shadowed.js"
import type { MapValue } from "../../../src/value/value.js"
import { projectRoot } from "../../support/entries.js"

const runtimeClass = { group: "node.k8s.io", version: "v1", kind: "RuntimeClass" }

function problems(of: typeof runtimeClass, object: MapValue, before?: MapValue, subresource = ""): string[] {
  return withDeclaredProblems([], of, subresource, object, before).map(({ field, message }) => `${field}: ${message}`)
}

describe("the declared rules of a kind", () => {
  it("finds what the markers of the kind say", () => {
    expect(problems(runtimeClass, { handler: "" })).toEqual(["handler: Required value"])
    expect(problems(runtimeClass, { handler: "a" })).toEqual([])
  })

  it("compares an object with the one that it replaces", () => {
    expect(problems(runtimeClass, { handler: "b" }, { handler: "a" })).toEqual([
      "handler: Invalid value: null: field is immutable",
    ])
  })

  it("compares fields in which nothing is checked", () => {
    const of = { group: "storage.k8s.io", version: "v1", kind: "VolumeAttachment" }
    const spec = { attacher: "d.example.com", nodeName: "n", source: { persistentVolumeName: "a" } }
    const next = { spec: { ...spec, source: { persistentVolumeName: "b" } } }
    expect(problems(of, next, { spec })).toEqual(["spec: Invalid value: null: field is immutable"])
  })

  it("depends on feature gates as the release does", () => {
    const of = { group: "autoscaling", version: "v2", kind: "HorizontalPodAutoscaler" }
    expect(problems(of, { spec: { minReplicas: 0, maxReplicas: 1 } })).toEqual([])
    expect(problems(of, { spec: { minReplicas: -1, maxReplicas: 1 } })).toEqual([
      "spec.minReplicas: Invalid value: -1: must be greater than or equal to 0",
    ])
  })

  it("finds nothing in kinds and subresources without rules", () => {
    expect(problems({ group: "", version: "v1", kind: "ConfigMap" }, { data: {} })).toEqual([])
    expect(problems({ group: "", version: "v1", kind: "constructor" }, {})).toEqual([])
    expect(problems(runtimeClass, { handler: "" }, undefined, "status")).toEqual([])
  })

  it("checks every recorded kind without an option that is missing", () => {
    const documents = parseJson(declaredData) as unknown as Readonly<Record<string, RuleDocument["types"]>>
    const text = readFileSync(`${projectRoot}/src/kinds/validation/declared.ts`, "utf8")
    const options = [...declaredData.matchAll(/"tag":"if(?:Enabled|Disabled)","arg":"(\w+)"/g)].map(match => match[1])
    expect(new Set(options).size).toBeGreaterThan(0)
    for (const option of options) expect(text).toContain(`  ${option}: `)
    for (const [id, types] of Object.entries(documents)) {
      const [group = "", version = ""] = id.split("/")
      for (const [kind, { fields }] of Object.entries(types)) {
        if (fields === undefined) continue
        const found = withDeclaredProblems(
          [],
          { group: group === "core" ? "" : group, version, kind },
          "",
          {},
          undefined,
        )
        expect(found.filter(({ reason }) => reason === "InternalError")).toEqual([])
      }
    }
  })
})

describe("a rule in the shadow of handwritten checks", () => {
  const of = { group: "", version: "v1", kind: "Secret" }
  const changed = {
    reason: "FieldValueInvalid",
    field: "type",
    message: 'Invalid value: "b": field is immutable',
  } as const
  const fixed = { ...changed, origin: "immutable" } as const

  /** Returns the problems of a Secret with a new type, and what was counted. */
  function compared(handwritten: readonly FieldError[], gates: ValidationGates, next: MapValue = { type: "b" }) {
    const counted: string[] = []
    const metrics = {
      countMismatch: (identifier: string) => void counted.push(`mismatch ${identifier}`),
      countPanic: (identifier: string) => void counted.push(`panic ${identifier}`),
    }
    return { problems: withDeclaredProblems(handwritten, of, "", next, { type: "a" }, { gates, metrics }), counted }
  }

  it("decides nothing by default, even if the handwritten checks find nothing", () => {
    expect(compared([fixed], {})).toEqual({ problems: [fixed], counted: [] })
    expect(compared([], {})).toEqual({ problems: [], counted: ["mismatch secret_update"] })
    expect(compared([], { DeclarativeValidation: false })).toEqual({ problems: [], counted: [] })
  })

  it("is not about another problem of the same field", () => {
    expect(compared([changed], {})).toEqual({ problems: [changed], counted: ["mismatch secret_update"] })
    const next = { type: "a" }
    expect(compared([fixed], {}, next)).toEqual({ problems: [fixed], counted: ["mismatch secret_update"] })
  })

  it("replaces handwritten problems with DeclarativeValidationTakeover", () => {
    const other = { reason: "FieldValueRequired", field: "data", message: "Required value" } as const
    expect(compared([other, fixed], { DeclarativeValidationTakeover: true })).toEqual({
      problems: [
        other,
        { reason: "FieldValueInvalid", field: "type", message: expect.stringContaining("field is immutable") },
      ],
      counted: [],
    })
  })

  it("is counted if it throws, and refuses the request if rules have authority", () => {
    const broken = {
      get type(): string {
        throw new Error("broken")
      },
    }
    const failure = {
      reason: "InternalError",
      field: "",
      message: "Internal error: panic during declarative validation: broken",
    }
    const counted = ["panic secret_update", "mismatch secret_update"]
    expect(compared([fixed], {}, broken)).toEqual({
      problems: [fixed, failure],
      counted,
    })
    expect(compared([fixed], { DeclarativeValidationTakeover: false }, broken).problems).toEqual([fixed])
    expect(compared([], { DeclarativeValidationTakeover: true }, broken)).toEqual({ problems: [failure], counted })
  })
})
