/** Checks the tables that `npm run kubernetes` makes, and the programs in oracle. Nothing here needs Go. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { describe, expect, it } from "vitest"
import { projectRoot } from "../support/entries.js"

type Entries = Readonly<Record<string, Readonly<Record<string, unknown>>>>
type EntriesOf = (text: string) => Entries
type Names = Readonly<Record<"added" | "removed" | "changed", readonly string[]>>

interface Recipe {
  readonly steps: readonly { readonly input?: string; readonly tables: Readonly<Record<string, EntriesOf>> }[]
  textOf(file: string, bytes: Buffer): string
  differences(entriesOf: EntriesOf, before: string, after: string): Readonly<Record<string, Names>>
}

const recipe = pathToFileURL(join(projectRoot, "scripts/kubernetes-tables.mjs")).href
const { steps, textOf, differences } = (await import(recipe)) as Recipe
const tables = steps.flatMap(step => Object.entries(step.tables))
const readme = readFileSync(join(projectRoot, "oracle/README.md"), "utf8")

/** The files below a folder, by their paths in the project. */
function filesIn(folder: string): string[] {
  const names = readdirSync(join(projectRoot, folder), { recursive: true, encoding: "utf8" })
  return names.map(name => `${folder}/${name.replaceAll("\\", "/")}`)
}

describe("tables of a Kubernetes release", () => {
  it.each(tables)("%s has entries", (file, entriesOf) => {
    const entries = entriesOf(textOf(file, readFileSync(join(projectRoot, file))))
    expect(Object.keys(entries)).not.toEqual([])
    for (const [noun, found] of Object.entries(entries)) expect(Object.keys(found), noun).not.toEqual([])
    expect(readme).toContain(`\`${file}\``)
  })

  it("are all that src has as data", () => {
    const data = filesIn("src").filter(file => file.endsWith("-data.ts"))
    const listed = tables.map(([file]) => file)
    expect(data.filter(file => !listed.includes(file))).toEqual([])
  })

  it("are made from files that exist", () => {
    const inputs = steps.flatMap(({ input }) => input ?? [])
    expect(inputs.filter(file => !existsSync(join(projectRoot, file)))).toEqual([])
  })

  it("are compared entry by entry", () => {
    const before = '{"kept":1,"gone":2,"other":[3]}'
    const after = '{"other":[4],"new":5,"kept":1}'
    const entriesOf = (text: string) => ({ kinds: JSON.parse(text) as Entries[string] })
    expect(differences(entriesOf, before, after)).toEqual({
      kinds: { added: ["new"], removed: ["gone"], changed: ["other"] },
    })
    expect(differences(entriesOf, before, '{"gone":2,"other":[3],"kept":1}')).toEqual({})
  })
})

describe("oracle/README.md", () => {
  it("has a heading for every program", () => {
    const sources = filesIn("oracle").filter(file => /\.go$/.test(file) && !/\/(bin|generated|overlay)\//.test(file))
    const isMain = (file: string) => /^package main$/m.test(readFileSync(join(projectRoot, file), "utf8"))
    const programs = new Set(sources.filter(isMain).map(file => dirname(file)))
    expect(programs.size).toBeGreaterThan(10)
    expect([...programs].filter(folder => !new RegExp(`^##+ \`${folder}\`$`, "m").test(readme))).toEqual([])
  })
})
