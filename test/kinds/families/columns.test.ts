import { build } from "esbuild"
import { describe, expect, it } from "vitest"
import { columnsOfKind } from "../../../src/kinds/families/columns.js"
import { projectRoot } from "../../support/entries.js"

describe("columnsOfKind", () => {
  const titles = (group: string, kind: string) => columnsOfKind(group, kind).map(({ name }) => name)

  it("knows a kind by its group", () => {
    expect(titles("", "Endpoints")).toEqual(["Name", "Endpoints", "Age"])
    expect(titles("example.org", "Endpoints")).toEqual(["Name", "Created At"])
    expect(titles("", "constructor")).toEqual(["Name", "Created At"])
  })
})

describe("a bundle with the registry", () => {
  const bytes = async (contents: string): Promise<number | undefined> => {
    const stdin = { contents, resolveDir: projectRoot }
    const { metafile } = await build({ stdin, bundle: true, format: "esm", write: false, metafile: true })
    return Object.values(metafile.outputs)[0]?.inputs["src/kinds/kind/column.ts"]?.bytesInOutput
  }

  it("has no columns unless it asks for them", async () => {
    const registry = 'export { builtInKind } from "./src/kinds/families/registry.ts"'
    expect(await bytes(registry)).toBeUndefined()
    const columns = 'export { columnsOfKind } from "./src/kinds/families/columns.ts"'
    expect(await bytes(`${registry}\n${columns}`)).toBeGreaterThan(1000)
  })
})
