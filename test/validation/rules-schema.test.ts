/** The published JSON Schema of rule documents accepts what `compileRules` accepts, and refuses everything else. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { Ajv2020 } from "ajv/dist/2020.js"
import { describe, expect, it } from "vitest"
import { podRules } from "../../bench/fixtures/pod-rules.js"
import { kubernetesSchema } from "../../src/kubernetes/index.js"
import { compileRules, type RuleDocument, rulesForSchema } from "../../src/validation/index.js"
import { projectRoot } from "../support/entries.js"

const schema = JSON.parse(readFileSync(join(projectRoot, "rules.schema.json"), "utf8")) as {
  readonly $id: string
  readonly $defs: { readonly rule: { readonly properties: { readonly tag: { readonly enum: readonly string[] } } } }
}
const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true, allErrors: true }).addSchema(
  schema,
)

function problems(value: unknown, part = ""): string[] {
  ajv.validate(`${schema.$id}${part}`, value)
  return (ajv.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

const vectors = gunzipSync(readFileSync(join(projectRoot, "test/vectors/declarative.json.gz"))).toString()
const { documents } = JSON.parse(vectors) as { readonly documents: Readonly<Record<string, RuleDocument>> }

describe("rules.schema.json", () => {
  it.each(Object.keys(documents))("accepts the document of the generator's tests of %s", name => {
    expect(problems(documents[name])).toEqual([])
  })

  it("accepts an overlay, and the document made from it and a schema", () => {
    expect(problems(podRules, "#/$defs/overlay")).toEqual([])
    expect(problems(rulesForSchema(kubernetesSchema(), podRules))).toEqual([])
  })

  const field = (more: object) => ({ types: { T: { fields: [{ name: "A", json: "a", type: "string", ...more }] } } })

  it.each([
    ["a list of types", { types: [] }, "/types must be object"],
    [
      "a type that is neither a struct nor a name",
      { types: { T: {} } },
      "/types/T must match exactly one schema in oneOf",
    ],
    [
      "a field without a type",
      { types: { T: { fields: [{ name: "A" }] } } },
      "/types/T/fields/0 must have required property 'type'",
    ],
    ["a misspelt key", field({ rule: [] }), "/types/T/fields/0 must NOT have additional properties"],
    ["a rule that is not an object", field({ rules: ["required"] }), "/types/T/fields/0/rules/0 must be object"],
    [
      "a rule that does not exist",
      field({ rules: [{ tag: "eachVal", payload: { tag: "maxLenght", value: 3 } }] }),
      "/types/T/fields/0/rules/0/payload/tag must be equal to one of the allowed values",
    ],
    [
      "a rule with a value and a payload",
      field({ rules: [{ tag: "alpha", value: 1, payload: { tag: "required" } }] }),
      "/types/T/fields/0/rules/0 must NOT be valid",
    ],
    [
      "an overlay",
      podRules,
      "/types/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta/fields/0 must have required property 'name'",
    ],
  ])("refuses %s", (_, document, problem) => {
    expect(problems(document)).toContain(problem)
  })

  it("names only rules that exist", () => {
    const unknown = schema.$defs.rule.properties.tag.enum.filter(tag => {
      try {
        compileRules({ types: { T: { fields: [{ name: "A", type: "string", rules: [{ tag }] }] } } }, "T")
        return false
      } catch (error) {
        return String(error).includes("there is no such rule")
      }
    })
    // `compileRules` does not compile these. They come from types and constants.
    expect(unknown).toEqual(["enumExclude", "isSubresource", "supportsSubresource"])
  })
})
