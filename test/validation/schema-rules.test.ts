/** Rules for types of a schema. */
import { describe, expect, it } from "vitest"
import { SchemaError } from "../../src/errors.js"
import { kubernetesSchema } from "../../src/kubernetes/index.js"
import type { Schema } from "../../src/schema/schema.js"
import { compileRules } from "../../src/validation/compile.js"
import { type RuleOverlay, rulesForSchema } from "../../src/validation/schema-rules.js"
import type { Value } from "../../src/value/value.js"

const core = "io.k8s.api.core.v1"
const overlay: RuleOverlay = {
  types: {
    [`${core}.Container`]: {
      fields: [
        { json: "name", rules: [{ tag: "required" }, { tag: "format", value: "k8s-short-name" }] },
        { json: "command", rules: [{ tag: "maxItems", value: 1 }] },
      ],
    },
    [`${core}.ContainerPort`]: {
      fields: [{ json: "containerPort", type: "int32", rules: [{ tag: "minimum", value: 1 }] }],
    },
    [`${core}.PodSpec`]: {
      fields: [
        { json: "containers", rules: [{ tag: "maxItems", value: 2 }] },
        { json: "nodeName", rules: [{ tag: "optional" }, { tag: "maxLength", value: 3 }] },
      ],
    },
  },
}

function fieldsOf(next: Value, old?: Value): string[] {
  const { validate } = compileRules(rulesForSchema(kubernetesSchema(), overlay), `${core}.Pod`)
  return validate(next, old).map(({ field, origin }) => `${field} ${origin}`.trim())
}

const pod = (...containers: Value[]): Value => ({ spec: { containers } })

describe("rulesForSchema", () => {
  it("adds rules to built-in types", () => {
    const container = { name: "Web", command: ["a", "b"], ports: [{ containerPort: 0 }, {}] }
    expect(fieldsOf(pod(container, {}))).toEqual([
      "spec.containers[0].command maxItems",
      "spec.containers[0].name format=k8s-short-name",
      "spec.containers[0].ports[0].containerPort minimum",
      "spec.containers[0].ports[1].containerPort minimum",
      "spec.containers[1].name",
    ])
    expect(fieldsOf({ spec: { containers: [], nodeName: "long" } })).toEqual(["spec.nodeName maxLength"])
  })

  it("matches old and new items by the keys of the schema", () => {
    const wrong = { name: "Web" }
    expect(fieldsOf(pod({ name: "a" }, wrong), pod(wrong))).toEqual([])
    expect(fieldsOf(pod({ name: "A" }, wrong), pod(wrong))).toEqual(["spec.containers[0].name format=k8s-short-name"])
  })

  it("describes inlined types, sets and maps", () => {
    const inner = { map: { fields: [{ name: "a", type: { scalar: "string" } }] } } as const
    const schema: Schema = {
      types: [
        {
          name: "T",
          map: {
            fields: [
              { name: "in", type: inner },
              { name: "each", type: { map: { elementType: inner } } },
              {
                name: "set",
                type: { list: { elementType: { scalar: "string" }, elementRelationship: "associative" } },
              },
            ],
          },
        },
      ],
    }
    const rules = [{ tag: "maxLength", value: 1 }]
    const short = { fields: [{ json: "a", rules }] }
    const each = { tag: "eachVal", payload: { tag: "maxLength", value: 1 } }
    const document = rulesForSchema(schema, {
      types: { T: { fields: [{ json: "set", rules: [each] }] }, "T.in": short, "T.each.value": short },
    })
    expect(document.types.T?.fields).toEqual([
      { name: "In", json: "in", type: "*T.in", rules: [{ tag: "optional" }] },
      { name: "Each", json: "each", type: "map[string]T.each.value" },
      {
        name: "Set",
        json: "set",
        type: "[]string",
        rules: [{ tag: "listType", value: "set" }, { tag: "customUnique" }, each],
      },
    ])
    const { validate } = compileRules(document, "T")
    const next = { in: { a: "xy" }, each: { k: { a: "xy" } }, set: ["xy", "zz"] }
    expect(validate(next).map(({ field }) => field)).toEqual(["in.a", "each[k].a", "set[0]", "set[1]"])
    expect(validate(next, { set: ["zz"] }).map(({ field }) => field)).toEqual(["in.a", "each[k].a", "set[0]"])
  })

  it("reports nothing about absent fields", () => {
    const members = ["exec", "httpGet"].map(json => ({ json, rules: [{ tag: "optional" }, { tag: "unionMember" }] }))
    const document = rulesForSchema(kubernetesSchema(), { types: { [`${core}.Probe`]: { fields: members } } })
    const { validate } = compileRules(document, `${core}.Container`)
    expect(validate({})).toEqual([])
    expect(validate({ livenessProbe: {} }).map(({ detail }) => detail)).toEqual([
      "must specify one of: `exec`, `httpGet`",
    ])
  })

  it("refuses types and fields that the schema does not have", () => {
    const make = (types: RuleOverlay["types"]) => () => rulesForSchema(kubernetesSchema(), { types })
    expect(make({ [`${core}.Pdo`]: {} })).toThrow(
      new SchemaError(`unknown type ${core}.Pdo; did you mean ${core}.Pod?`),
    )
    expect(make({ [`${core}.Pod`]: { fields: [{ json: "speck" }] } })).toThrow(
      new SchemaError(`type ${core}.Pod: unknown field speck; did you mean spec?`),
    )
  })
})
