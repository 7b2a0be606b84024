/** Documents are correct: their programs compile and print the expected output, and their links lead somewhere. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { codeBlocks, read } from "../support/documents.js"
import { projectRoot, readManifest } from "../support/entries.js"
import { bundle, commandGuides, documents, examples, guides, printedBy, typeErrors } from "../support/examples.js"

describe("the programs in documents, examples and doc comments", () => {
  const wrong = [
    'import type { Type } from "structured-merge-diff"',
    'import { parsePath } from "structured-merge-diff/io"',
    "const text: string = 1",
    "const internal = (type: Type) => type.map",
    "console.log(parsePath, text, internal)",
  ]
  let known: readonly string[] | undefined
  const errors = () => (known ??= typeErrors([{ name: "wrong", code: `${wrong.join("\n")}\n` }, ...examples()]))

  it("compile in strict mode", () => {
    expect(
      errors()
        .slice(1)
        .filter(text => text !== ""),
    ).toEqual([])
  })

  const bundles = bundle(examples())
  afterAll(async () => (await bundles).remove())

  it.each(examples())("print what their comments say: $name", async ({ name, code }) => {
    expect(printedBy(code).length).toBeGreaterThan(0)
    expect(await (await bundles).run(name)).toEqual(printedBy(code))
  })

  it("are checked against the published types", () => {
    expect(errors()[0]).toContain("no exported member 'parsePath'")
    expect(errors()[0]).toContain("Type 'number' is not assignable to type 'string'")
    expect(errors()[0]).toContain("Property 'map' does not exist on type 'Type'")
  })

  it.each(documents())("are all marked as TypeScript: %s", file => {
    expect([...codeBlocks(read(file), "js"), ...codeBlocks(read(file), "typescript")]).toEqual([])
  })
})

describe("a guide", () => {
  it.each(guides())("contains all of its example: $name", ({ name, file }) => {
    expect(codeBlocks(read(file), "ts").join("\n")).toBe(read(`examples/${name}.ts`))
  })

  it.each([...guides().map(({ file }) => file), ...commandGuides()])("is listed with the others: %s", file => {
    expect(read("docs/README.md")).toContain(`](${posix.relative("docs", file)})`)
  })
})

describe("the page about other languages", () => {
  it.each(["python", "go", "java", "rust", "dockerfile", "yaml"])("shows parts of its examples: %s", language => {
    const files = readdirSync(join(projectRoot, "examples/clients"), { recursive: true, withFileTypes: true })
    const texts = files
      .filter(file => file.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"))
    const blocks = codeBlocks(read("docs/clients.md"), language)
    expect(blocks.length).toBeGreaterThan(0)
    expect(blocks.filter(block => !texts.some(text => text.includes(block)))).toEqual([])
  })

  it("starts the program of the package in its image", () => {
    const program = posix.join("/opt/node_modules/structured-merge-diff", readManifest().bin.smd ?? "")
    expect(read("examples/clients/container/Dockerfile")).toContain(` ${program} `)
  })
})

describe("the programs about ownership", () => {
  it.each([
    ["gitops-dry-run", 22],
    ["owners-view", 15],
  ])("are short, besides their data: %s", (name, most) => {
    const code = read(`examples/${name}.ts`).replaceAll(/`\n[\s\S]*?\n`/g, "``")
    const lines = code.split("\n").filter(line => line.trim() !== "" && !line.startsWith("//"))
    expect(lines.length).toBeLessThanOrEqual(most)
  })
})

describe("a document", () => {
  it.each(documents())("links to files and headings that exist: %s", file => {
    for (const [, link = ""] of withoutCode(read(file)).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
      const [path = "", heading] = link.split("#")
      const target = path === "" ? file : posix.join(dirname(file), path)
      expect(existsSync(join(projectRoot, target)), `${link} in ${file}`).toBe(true)
      if (heading !== undefined) expect(anchors(read(target)), `${link} in ${file}`).toContain(heading)
    }
  })
})

describe("the figures in documents", () => {
  const results: { name: string; ratio: number }[] = JSON.parse(read("bench/results/compare.json"))
  const ratios = new Map(results.map(({ name, ratio }) => [name, ratio.toFixed(1)]))

  it("equal the latest benchmarks", () => {
    const rows = Array.from(read("docs/engine.md").matchAll(/^\| .*\(`(\w+)`\) \| ([\d.]+) \|$/gm))
    expect(rows.length).toBe(5)
    for (const [, group, figure] of rows) expect(figure, group).toBe(ratios.get(`geometric mean of ${group}`))
    const whole = ratios.get("geometric mean of FieldManager")
    expect(read("README.md")).toContain(`A \`FieldManager\` is on average ${whole} times as fast`)
  })

  it("differ from the size bounds by less than a tenth", () => {
    const bounds: Record<string, number> = JSON.parse(read("test/size/bounds.json"))
    const rows = Array.from(read("README.md").matchAll(/^\| `structured-merge-diff([\w/-]*)` \| ([\d.]+) \|/gm))
    expect(rows.map(([, entry]) => `.${entry}`).sort()).toEqual(Object.keys(bounds).sort())
    for (const [, entry, figure] of rows) {
      const bound = bounds[`.${entry}`] ?? 0
      expect(Math.abs(Number(figure) * 1000 - bound) / bound, entry).toBeLessThan(0.1)
    }
  })
})

function withoutCode(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```/gm, "").replaceAll(/`[^`\n]*`/g, "")
}

/** Returns the anchors that GitHub gives to the headings of a text. */
function anchors(text: string): string[] {
  const headings = text.replaceAll(/^```[\s\S]*?^```/gm, "").matchAll(/^#+ (.*)$/gm)
  return Array.from(headings, ([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  )
}
