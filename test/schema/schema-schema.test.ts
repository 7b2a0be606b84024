import { describe, expect, it } from "vitest"
import { schemaSchema } from "../../src/schema/schema-schema.js"
import { deducedSchema } from "../../src/typed/deduced.js"
import { compileSchema } from "../../src/typed/type.js"
import { TypedValue } from "../../src/typed/typed-value.js"
import type { Value } from "../../src/value/value.js"
import { show } from "../fieldpath/notation.js"
import { deepFreeze } from "../support/deep-freeze.js"
import { issuesOf, things, typed } from "../typed/notation.js"

const types = compileSchema(schemaSchema)

function asDocument(schema: unknown): Value {
  return deepFreeze(structuredClone(schema)) as Value
}

describe("the schema of schemas", () => {
  it("describes itself", () => {
    expect(issuesOf(() => typed(asDocument(schemaSchema), types.type("schema")))).toEqual([])
  })

  it.each([
    ["of values without one", deducedSchema],
    ["with types of every kind", things.schema],
  ])("describes a schema %s", (_, schema) => {
    expect(issuesOf(() => typed(asDocument(schema), types.type("schema")))).toEqual([])
  })

  it("has every type that it refers to", () => {
    const problems = types.typeNames.filter(name => types.type(name).problem !== null)
    expect(problems).toEqual([])
    const referred = [...JSON.stringify(schemaSchema).matchAll(/"namedType":"([^"]+)"/g)].map(
      ([, name]) => name as string,
    )
    expect(referred.filter(name => !types.has(name))).toEqual([])
  })

  it("finds types and fields by their names, so that schemas can be merged and owned", () => {
    const type = types.type("schema")
    const schema = { types: [{ name: "a", map: { fields: [{ name: "f", type: { scalar: "string" } }] } }] }
    expect(show(TypedValue.of(deepFreeze(schema), type).toFieldSet())).toBe(
      "types[name=a] types[name=a].name types[name=a].map.fields[name=f] types[name=a].map.fields[name=f].name types[name=a].map.fields[name=f].type.scalar",
    )
  })
})
