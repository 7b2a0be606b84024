/** Checks the pages about internals: their files exist, and in the table "Where is the rule …" a search for the word leads to the file. */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { read } from "../support/documents.js"
import { projectRoot } from "../support/entries.js"

const [, section = ""] = read("docs/internals.md").split("\n## Where is the rule …\n")
const rows = Array.from(
  (section.split("\n## ")[0] ?? "").matchAll(/^\| (.+) \| `([^`]+)` \| `([^`]+)` \| `([^`]+)` \|$/gm),
  ([, rule, file, word, test]) => ({ rule: String(rule), file: String(file), word: String(word), test: String(test) }),
)

/** The sources except the command line and data, in lower case. */
const sources = readdirSync(join(projectRoot, "src"), { recursive: true, encoding: "utf8" })
  .map(file => file.replaceAll("\\", "/"))
  .filter(file => file.endsWith(".ts") && !/^cli\/|-data\.ts$/.test(file))
  .map(file => ({ file, text: read(`src/${file}`).toLowerCase() }))

/** Returns the files that contain the word most often. */
function filesWith(word: string): string[] {
  const counts = sources.map(({ file, text }) => ({ file, count: text.split(word.toLowerCase()).length - 1 }))
  const most = counts.toSorted((a, b) => b.count - a.count)
  const third = most[2]?.count ?? 0
  return most.filter(({ count }) => count > 0 && count >= third).map(({ file }) => file)
}

describe("where a rule is", () => {
  it("has at least 20 rules", () => {
    expect(rows.length).toBeGreaterThanOrEqual(20)
    expect(new Set(rows.map(({ rule }) => rule)).size).toBe(rows.length)
  })

  it.each(rows)("$rule: $file", ({ file, word, test }) => {
    expect(existsSync(join(projectRoot, "src", file))).toBe(true)
    expect(existsSync(join(projectRoot, "test", test))).toBe(true)
    expect(filesWith(word)).toContain(file)
  })
})

describe("the pages about internals", () => {
  const files = ["src", "test", "bench", "scripts"].flatMap(folder =>
    readdirSync(join(projectRoot, folder), { recursive: true, encoding: "utf8" }).map(
      file => `/${folder}/${file.replaceAll("\\", "/")}`,
    ),
  )

  it.each(["engine", "kubernetes", "tools"])("names files that exist: %s", page => {
    const names = Array.from(read(`docs/internals/${page}.md`).matchAll(/`([\w./-]+\.m?[tj]s)`/g), ([, name]) =>
      String(name),
    )
    expect(names.length).toBeGreaterThan(0)
    expect(names.filter(name => !files.some(file => file.endsWith(`/${name}`)))).toEqual([])
  })
})
