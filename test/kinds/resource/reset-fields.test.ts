import { describe, expect, it } from "vitest"
import { pathOf } from "../../../src/fieldpath/path.js"
import { FieldSet } from "../../../src/fieldpath/set.js"
import { resetFieldsOf } from "../../../src/kinds/resource/reset-fields.js"
import type { ResetFields } from "../../../src/managedfields/request.js"
import { definitionOf } from "../../support/definition.js"

const deployment = { apiVersion: "apps/v1", kind: "Deployment" }
const widget = { apiVersion: "example.com/v1", kind: "Widget" }

/** The reset fields as text, at the only or the first version. */
function text(fields: ResetFields | undefined): string | undefined {
  const [set] = fields?.values() ?? []
  return set?.toString()
}

describe("resetFieldsOf", () => {
  it("knows built-in kinds", () => {
    expect(text(resetFieldsOf(deployment, undefined)?.(""))).toContain("status")
    expect(text(resetFieldsOf(deployment, undefined)?.("status"))).toContain("spec")
  })

  it("takes the fields of a custom kind from its definition", () => {
    const withStatus = definitionOf("Widget", { version: { subresources: { status: {} } } })
    expect(text(resetFieldsOf(widget, withStatus)?.(""))).toContain("status")
    expect(resetFieldsOf(widget, definitionOf("Widget"))?.("")).toBeUndefined()
  })

  it("is undefined for a kind that is neither built in nor defined", () => {
    expect(resetFieldsOf(widget, undefined)).toBeUndefined()
  })

  const chosen = new Map([["apps/v1", FieldSet.of([pathOf("data")])]])

  it("lets a map of the caller decide for every subresource", () => {
    const fields = resetFieldsOf(deployment, undefined, chosen)
    expect([fields?.(""), fields?.("status")]).toEqual([chosen, chosen])
  })

  it("asks a function of the caller first", () => {
    const fields = resetFieldsOf(deployment, undefined, subresource => (subresource === "" ? chosen : undefined))
    expect(fields?.("")).toBe(chosen)
    expect(text(fields?.("status"))).toContain("spec")
  })
})
