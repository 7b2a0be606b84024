/** Compares the public names of each entry with a list under test/api, so that a change of the public API shows up as a change of a list. */
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { type Entry, projectRoot, readEntries } from "./support/entries.js"

/** Matches an `export { … } from "…"` of an index file. */
const reexport = /export\s+(type\s+)?\{([^}]*)\}\s*from\s*"([^"]+)"/g
const comment = /\/\*[\s\S]*?\*\/|\/\/[^\n]*/g

/** Returns the names that an index file exports, in order: `name`, or `type Name` for a type. */
function publicNames(code: string): string[] {
  return definitions(code)
    .map(({ name }) => name)
    .sort()
}

/** Returns the names that an index file exports, and the file that defines each. */
function definitions(code: string): { readonly name: string; readonly file: string }[] {
  return [...code.matchAll(reexport)].flatMap(([, type, list = "", file = ""]) =>
    list.split(",").flatMap(item => {
      const name = item.trim().replace(/^(type\s+)?\S+\s+as\s+/, "$1")
      return name === "" ? [] : [{ name: type === undefined ? name : `type ${name}`, file }]
    }),
  )
}

function codeOf({ source }: Entry): string {
  return readFileSync(join(projectRoot, source), "utf8").replace(comment, "")
}

describe.each(readEntries())("$name", entry => {
  const code = codeOf(entry)

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

it("has one definition for each name, whatever the entry", () => {
  const files = new Map<string, Set<string>>()
  for (const entry of readEntries()) {
    for (const { name, file } of definitions(codeOf(entry))) {
      const known = files.get(name) ?? new Set()
      files.set(name, known.add(join(dirname(entry.source), file)))
    }
  }
  expect([...files].filter(([, known]) => known.size > 1)).toEqual([])
})

it("has options that may be undefined, for compilers with exactOptionalPropertyTypes", () => {
  const refusing = readEntries().flatMap(entry =>
    definitions(codeOf(entry)).flatMap(({ name, file }) => {
      if (!/(Options|Request|Limits|Gates|Selection)$/.test(name)) return []
      const path = join(dirname(entry.source), file.replace(/\.js$/, ".ts"))
      const text = readFileSync(join(projectRoot, path), "utf8").replace(comment, "")
      const [, body = ""] =
        new RegExp(`^export (?:interface|type) ${name.replace("type ", "")}\\b([^]*?)^\\S`, "m").exec(text) ?? []
      const optional = [...body.matchAll(/^ +(?:readonly )?(\w+)\?: (.*)/gm)]
      return optional.flatMap(([, option, type = ""]) =>
        type.endsWith("| undefined") && !/=>[^)]*$/.test(type) ? [] : [`${path}: ${name} ${option}`],
      )
    }),
  )
  expect(refusing).toEqual([])
})

describe("reading public names", () => {
  it("knows values, types and other names", () => {
    const code = 'export { b, type C, d as a } from "./x.js"\nexport type { E, F as G } from "./y.js"'
    expect(publicNames(code)).toEqual(["a", "b", "type C", "type E", "type G"])
  })
})
