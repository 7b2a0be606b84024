/** What documents show is true: their programs compile and print what they say, their links lead somewhere. */
import { existsSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { projectRoot } from "../support/entries.js"
import { bundle, codeBlocks, documents, examples, guides, printedBy, read, typeErrors } from "../support/examples.js"

describe("the programs in documents, examples and doc comments", () => {
  it("compile in strict mode", () => {
    expect(typeErrors(examples())).toBe("")
  })

  const bundles = bundle(examples())
  afterAll(async () => (await bundles).remove())

  it.each(examples())("print what their comments say: $name", async ({ name, code }) => {
    expect(printedBy(code).length).toBeGreaterThan(0)
    expect(await (await bundles).run(name)).toEqual(printedBy(code))
  })

  it("are checked for types", () => {
    const wrong =
      'import { parsePath } from "structured-merge-diff/io"\nconst text: string = 1\nconsole.log(parsePath, text)\n'
    const errors = typeErrors([{ name: "wrong", code: wrong }])
    expect(errors).toContain("no exported member 'parsePath'")
    expect(errors).toContain("Type 'number' is not assignable to type 'string'")
  })

  it.each(documents())("are TypeScript, all of them: %s", file => {
    expect([...codeBlocks(read(file), "js"), ...codeBlocks(read(file), "typescript")]).toEqual([])
  })
})

describe("a guide", () => {
  it.each(guides())("tells the whole of its example: $name", ({ name, file }) => {
    expect(codeBlocks(read(file), "ts").join("\n")).toBe(read(`examples/${name}.ts`))
  })

  it.each(guides())("is listed with the others: $name", ({ file }) => {
    expect(read("docs/README.md")).toContain(`](${posix.relative("docs", file)})`)
  })
})

describe("the programs about ownership", () => {
  it.each(["gitops-dry-run", "owners-view"])("take at most 15 lines beside their data: %s", name => {
    const code = read(`examples/${name}.ts`).replaceAll(/`\n[\s\S]*?\n`/g, "``")
    const lines = code.split("\n").filter(line => line.trim() !== "" && !line.startsWith("//"))
    expect(lines.length).toBeLessThanOrEqual(15)
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

describe("README.md", () => {
  const rows = (heading: string) => {
    const [, section = ""] = read("README.md").split(`\n## ${heading}\n`)
    return Array.from(
      section.split("\n## ")[0]?.matchAll(/^\| .*`([\w/-]+)`\)? \| ([\d.]+)/gm) ?? [],
      ([, name, figure]) => ({
        name: String(name),
        figure: String(figure),
      }),
    )
  }

  it("has the figures of the latest benchmarks", () => {
    const results: { name: string; ratio: number }[] = JSON.parse(read("bench/results/compare.json"))
    const ratios = new Map(results.map(({ name, ratio }) => [name, ratio.toFixed(1)]))
    const shown = rows("Speed and size").filter(({ name }) => !name.includes("structured-merge-diff"))
    expect(shown.length).toBe(5)
    for (const { name, figure } of shown) expect(figure, name).toBe(ratios.get(`geometric mean of ${name}`))
  })

  it("has sizes that are within a tenth of the bounds", () => {
    const bounds: Record<string, number> = JSON.parse(read("test/size/bounds.json"))
    const shown = rows("Speed and size").filter(({ name }) => name.includes("structured-merge-diff"))
    expect(shown.length).toBe(8)
    for (const { name, figure } of shown) {
      const bound = bounds[name.replace("structured-merge-diff", ".")] ?? 0
      expect(Math.abs(Number(figure) * 1000 - bound) / bound, name).toBeLessThan(0.1)
    }
  })
})

function withoutCode(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```/gm, "").replaceAll(/`[^`\n]*`/g, "")
}

/** What GitHub makes of the headings of a text. */
function anchors(text: string): string[] {
  const headings = text.replaceAll(/^```[\s\S]*?^```/gm, "").matchAll(/^#+ (.*)$/gm)
  return Array.from(headings, ([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  )
}
