/** The public names, each entry's in a list under test/api: a change of the surface is a change of a list, and seen. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { projectRoot, readEntries } from "./support/entries.js"

/** One `export { … } from "…"` of an index file. */
const reexport = /export\s+(type\s+)?\{([^}]*)\}\s*from\s*"[^"]+"/g
const comment = /\/\*[\s\S]*?\*\/|\/\/[^\n]*/g

/** The names an index file exports, in order: `name`, or `type Name` where it is gone after compilation. */
function publicNames(code: string): string[] {
  const names: string[] = []
  for (const [, type, list] of code.matchAll(reexport)) {
    for (const item of (list ?? "").split(",")) {
      const name = item.trim().replace(/^(type\s+)?\S+\s+as\s+/, "$1")
      if (name !== "") names.push(type === undefined ? name : `type ${name}`)
    }
  }
  return names.sort()
}

describe.each(readEntries())("$name", entry => {
  const code = readFileSync(join(projectRoot, entry.source), "utf8").replace(comment, "")

  it("lists its public names by hand, and holds nothing else", () => {
    expect(code.replace(reexport, "").trim()).toBe("")
  })

  it("exports the names in its list", async () => {
    const list = `${publicNames(code).join("\n")}\n`
    await expect(list).toMatchFileSnapshot(`api/${entry.key === "." ? "index" : entry.key.slice(2)}.txt`)
  })

  it("has each of its values", async () => {
    const module: object = await import(join(projectRoot, entry.source))
    const values = publicNames(code).filter(name => !name.startsWith("type "))
    expect(Object.keys(module).sort()).toEqual(values)
  })
})

describe("reading public names", () => {
  it("knows values, types and other names", () => {
    const code = 'export { b, type C, d as a } from "./x.js"\nexport type { E, F as G } from "./y.js"'
    expect(publicNames(code)).toEqual(["a", "b", "type C", "type E", "type G"])
  })
})
