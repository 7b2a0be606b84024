import { describe, expect, it } from "vitest"
import { suggest } from "../src/completions.js"
import { problemsOf } from "../src/diagnostics.js"
import { builtInTypes, type Types, typesOfText } from "../src/types.js"
import { crdOf, lampInGo } from "./definitions.js"

const crd = crdOf(
  "Backup",
  `
spec:
  type: object
  properties:
    schedule: {type: string, description: When it runs.}
    targets:
      type: array
      x-kubernetes-list-type: map
      x-kubernetes-list-map-keys: [name]
      items: {type: object, required: [name], properties: {name: {type: string}, paused: {type: boolean}}}
`,
)

const builtIn = builtInTypes(true)

function labels(text: string, types: Types): string[] {
  const found = suggest(text.replace("|", ""), text.indexOf("|"), types)
  return found?.all.map(({ label, detail }) => `${label} (${detail})`) ?? []
}

const deployment = "apiVersion: apps/v1\nkind: Deployment\n"

describe("completion", () => {
  it("offers the fields of built-in kinds, except those already written", () => {
    const found = labels(`${deployment}spec:\n  replicas: 3\n  p|`, builtIn)
    expect(found).toContain("paused (boolean)")
    expect(found).toContain("template (granular struct PodTemplateSpec)")
    expect(found.some(label => label.startsWith("replicas"))).toBe(false)
  })

  it("offers the fields of list items", () => {
    const text = `${deployment}spec:\n  template:\n    spec:\n      containers:\n      - name: web\n        |`
    expect(labels(text, builtIn)).toContain("env (list of EnvVar by name)")
    expect(labels(text, builtIn)).toContain("command (atomic list of string)")
  })

  it("offers kinds, versions, booleans and discriminators", () => {
    expect(labels("apiVersion: apps/v1\nkind: D|", builtIn)).toContain("Deployment (apps/v1)")
    expect(labels("kind: Deployment\napiVersion: |", builtIn)).toContain("apps/v1 (apiVersion)")
    expect(labels(`${deployment}spec:\n  paused: |`, builtIn)).toEqual(["true (boolean)", "false (boolean)"])
    expect(labels(`${deployment}spec:\n  strategy:\n    type: |`, builtIn)).toEqual([
      "RollingUpdate (selects a member)",
      "Recreate (selects a member)",
    ])
    expect(
      labels("|", builtIn)
        .slice(0, 3)
        .map(label => label.split(" ")[0]),
    ).toEqual(["apiVersion", "kind", "metadata"])
  })

  it("offers the fields of definitions", async () => {
    const types = await typesOfText(crd, true)
    const text = "apiVersion: example.com/v1\nkind: Backup\nspec:\n  s"
    expect(suggest(text, text.length, types)?.all).toContainEqual({
      label: "schedule",
      insert: "schedule: ",
      detail: "string",
      isField: true,
    })
    expect(labels("apiVersion: example.com/v1\nkind: Backup\nspec:\n  targets:\n  - |", types)).toContain(
      "paused (boolean)",
    )
  })

  it("offers the fields of Go types", async () => {
    const types = await typesOfText(lampInGo, true)
    const text = "apiVersion: example.com/v1\nkind: Lamp\nspec:\n  c"
    expect(suggest(text, text.length, types)?.all[0]).toMatchObject({ label: "color", detail: "string" })
  })
})

describe("diagnostics", () => {
  const marked = (text: string, types = builtIn) =>
    problemsOf(text, types).map(({ from, to, message }) => [text.slice(from, to), message])

  it("finds nothing in valid or empty text", () => {
    expect(marked(`${deployment}spec: {replicas: 3}\n`)).toEqual([])
    expect(marked("# nothing yet\n")).toEqual([])
  })

  it("marks unknown fields and wrong types at their keys", () => {
    expect(marked(`${deployment}spec:\n  replicsa: 3\n  paused: often\n`)).toEqual([
      ["replicsa", expect.stringContaining("field not declared in schema")],
      ["paused", expect.stringContaining("must be true or false")],
    ])
  })

  it("shows keys as they were written", () => {
    const [[text, message] = []] = marked("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  on: 1\n")
    expect(text).toBe("on")
    expect(message).toBe(
      ".data.on: must be text, not the number 1; quote it; the key `on` means true in YAML 1.1, unless it is quoted",
    )
  })

  it("marks the end of text that is not YAML", () => {
    const [[text, message] = []] = marked("kind: A\nspec: [1\nmore: 2\n")
    expect(message).toMatch(/line \d+/)
    expect(text).not.toBe("")
  })

  it("marks a second object and an unknown kind", () => {
    expect(marked(`${deployment}---\n${deployment}`)[0]?.[1]).toContain("only one object")
    expect(marked("apiVersion: example.com/v1\nkind: Lamp\n")).toEqual([
      ["kind", expect.stringContaining("are unknown")],
    ])
  })
})

describe("pasted types", () => {
  it("reports their problems", async () => {
    await expect(typesOfText("kind: Pod\napiVersion: v1\n", false)).rejects.toThrow("expected an OpenAPI document")
    await expect(typesOfText("package v1\n\ntype A struct {\n", false)).rejects.toThrow("types.go")
    await expect(typesOfText("package v1\n\ntype A struct {}\n", false)).rejects.toThrow("defines no kind")
  })

  it("keeps the built-in kinds", async () => {
    const types = await typesOfText(crd, false)
    expect(types.finder.find("v1", "ConfigMap")).toBeDefined()
    expect(types.title).toBe("Backup, and built-in kinds")
  })
})
