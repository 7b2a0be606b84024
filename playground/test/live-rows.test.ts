import { readFileSync } from "node:fs"
import type { MapValue } from "structured-merge-diff"
import { parseYaml } from "structured-merge-diff/io"
import { kubernetesTypes } from "structured-merge-diff/kubernetes"
import { describe, expect, it } from "vitest"
import { ownedObject } from "../src/live-rows.js"

const live = parseYaml(
  readFileSync(new URL("../../examples/stories/autoscaled-replicas/live.yaml", import.meta.url), "utf8"),
) as MapValue

describe("a live object with its owners", () => {
  const { rows, fields, owners } = ownedObject(live, kubernetesTypes)
  const shown = rows.map(({ text, owners }) => `${text} <- ${owners.map(({ manager }) => manager).join("+")}`)

  it("has each line with the owners of its field", () => {
    expect(shown).toContain("  replicas: 7 <- autoscaler")
    expect(shown).toContain("            memory: 128Mi <- ci+web-team")
    expect(shown).toContain("        image: web:1.0 <- web-team")
    expect(shown).toContain("spec: <- ")
    expect(shown).toContain("  name: shop <- ")
  })

  it("omits managedFields", () => {
    expect(shown.some(line => line.includes("managedFields"))).toBe(false)
  })

  it("shows the owner of an atomic value on each of its lines", () => {
    const at = shown.findIndex(line => line.startsWith("  selector:"))
    expect(shown.slice(at, at + 3).every(line => line.endsWith("<- web-team"))).toBe(true)
  })

  it("lists the fields and the owners", () => {
    expect(owners.map(({ manager }) => manager)).toEqual(["ci", "web-team", "autoscaler"])
    expect(fields.find(({ path }) => path === ".spec.replicas")?.owners[0]?.subresource).toBe("scale")
  })
})
