import { describe, expect, it } from "vitest"
import { diffValues } from "../../../src/cli/output/markdown/diff.js"
import { formatComment } from "../../../src/cli/output/markdown/markdown.js"
import type { Value } from "../../../src/value/value.js"
import { smd } from "../cli.js"

const configMap = (name: string, data: Value, managedFields?: Value): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, ...(managedFields !== undefined && { managedFields }) },
    data,
  })

const owned = (manager: string, ...keys: string[]): Value => [
  {
    manager,
    operation: manager === "m" ? "Apply" : "Update",
    apiVersion: "v1",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:data": Object.fromEntries(keys.map(key => [`f:${key}`, {}])) },
  },
]

/** Returns the lines of a comment outside its code blocks, in the way of CommonMark: a fence ends at one that is at least as long. */
function outsideCode(comment: string): string[] {
  let fence = ""
  return comment.split("\n").filter(line => {
    const ticks = /^ {0,3}(`{3,})([^`]*)$/.exec(line)
    if (fence === "") {
      if (ticks === null) return true
      fence = ticks[1] as string
    } else if (ticks !== null && (ticks[1] as string).length >= fence.length && ticks[2]?.trim() === "") fence = ""
    return false
  })
}

describe("comments", () => {
  it("contain nothing from documents outside of code", async () => {
    const evil = "x\n```\n</details></code>--> <img src=x onerror=1> @octocat [a](https://evil.example) #1 ``````"
    const files = {
      "l.json": configMap(evil, { a: evil, b: "1" }, owned(evil, "a", "b")),
      "c.json": configMap(evil, { a: `${evil}2`, b: "````" }),
    }
    for (const command of ["plan", "explain"]) {
      const args = [command, "--manager", "@octocat </details> ```", "--live", "l.json", "c.json", "-o", "markdown"]
      const { out, err } = await smd(args, { files })
      expect(err).toBe("")
      const [marker, summary, ...lines] = outsideCode(out)
      expect(marker).toBe(`<!-- smd: ${command} -->`)
      expect(summary).toMatch(/^\*\*[\w ,:.]+\*\*$/)
      const title =
        "ConfigMap x\\x0a```\\x0a&lt;/details&gt;&lt;/code&gt;--&gt; &lt;img src=x onerror=1&gt; @octocat [a](https://evil.example) #1 ``````"
      expect(lines.filter(line => line !== "")).toEqual([
        "<details open>",
        `<summary><code>${title}</code> <b>2 conflicts</b></summary>`,
        "</details>",
      ])
    }
  })

  it("have a marker with the given name", async () => {
    const files = { "c.json": configMap("c", {}) }
    const args = ["plan", "--manager", "m", "c.json", "-o", "markdown", "--marker"]
    expect((await smd([...args, "web/prod eu-1"], { files })).out).toMatch(/^<!-- smd: web\/prod eu-1 -->\n\*\*Plan: /)
    for (const name of ["a-->", "a--b", "", "-a", "a-", "a\nb", "<b>"]) {
      const { status, err } = await smd([...args.slice(0, -1), `--marker=${name}`], { files })
      expect([status, err]).toEqual([2, expect.stringContaining("--marker must be up to 100 letters")])
    }
  })

  it("stay below GitHub's limit, with conflicts first, and say what they leave out", async () => {
    const names = Array.from({ length: 100 }, (_, i) => `c${i}`)
    const long = "é".repeat(300)
    const data = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`k${i}`, `${i}`]))
    const changed = Object.fromEntries(Object.keys(data).map(key => [key, long]))
    const files = {
      "l.json": names
        .map(name => configMap(name, data, owned(name === "c99" ? "b" : "m", ...Object.keys(data))))
        .join("\n"),
      "c.json": names.map(name => configMap(name, changed)).join("\n"),
    }
    const { out } = await smd(["plan", "--manager", "m", "--live", "l.json", "c.json", "-o", "markdown"], { files })
    expect(out.length).toBeLessThan(65_536)
    expect(out.length).toBeGreaterThan(50_000)
    expect(/<code>(.*?)<\/code>/.exec(out)?.[1]).toBe("ConfigMap c99")
    const shown = out.match(/^<\/details>$/gm)?.length ?? 0
    expect(out).toMatch(/^# \.\.\. \d+ more lines$/m)
    expect(out).toContain(`_${shown} objects not shown completely and ${100 - shown} more objects left out, because `)
    expect(outsideCode(out).filter(line => line.startsWith("#"))).toEqual([])
  })

  it("give all room to a single object", () => {
    const lines = Array.from({ length: 3000 }, (_, i) => `+ ${i}`)
    const fold = { title: "a", result: "new", isUrgent: false, lines }
    const all = formatComment({ marker: "m", summary: "s", noun: "object", folds: [fold] })
    expect(all).toContain("\n+ 2999\n")
    expect(all).not.toContain("not shown completely")
    const many = { ...fold, lines: lines.flatMap(line => [line, line, line, line, line]) }
    const cut = formatComment({ marker: "m", summary: "s", noun: "object", folds: [fold, many] })
    expect(cut.length).toBeLessThan(65_536)
    expect(cut).toContain("\n+ 2999\n")
    expect(cut).toContain("_1 object not shown completely, because ")
  })

  it("say that there are no findings", async () => {
    const files = { "c.json": configMap("c", { a: "1" }) }
    const { out } = await smd(["lint", "c.json", "-o", "markdown"], { files })
    expect(out).toBe("<!-- smd: lint -->\n**Lint: nothing found in 1 object.**\n")
  })

  it("fold objects without changes", async () => {
    const { out: live } = await smd(["apply", "--manager", "m", "c.json"], { files: { "c.json": configMap("c", {}) } })
    const files = { "l.yaml": live, "c.json": configMap("c", {}) }
    const { out } = await smd(["plan", "--manager", "m", "--live", "l.yaml", "c.json", "-o", "markdown"], { files })
    expect(out).toBe("<!-- smd: plan -->\n**Plan: 0 to add, 0 to change, 0 to remove. 1 object without changes.**\n")
  })

  it("list findings by severity, with their places", async () => {
    const files = { "a.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: A}\nspec: {ports: [{port: 0}]}\n" }
    const { out } = await smd(["validate", "a.yaml", "-o", "markdown"], { files })
    expect(out).toMatch(/^<summary><code>Service A<\/code> <b>\d errors<\/b><\/summary>$/m)
    expect(out).toMatch(/^@@ a\.yaml:3:\d+ @@ error: FieldValueInvalid\n- \.metadata\.name: Invalid value: "A": a/m)
  })
})

describe("diffValues", () => {
  it.each<[from: Value | undefined, to: Value | undefined, lines: string[]]>([
    [1, "1", ["- 1", '+ "1"']],
    [undefined, {}, ["+ {}"]],
    [{ a: 1, b: [2] }, undefined, ["- a: 1", "- b:", "- - 2"]],
    [{ a: 1, b: 2 }, { a: 1, b: 3 }, ["  a: 1", "- b: 2", "+ b: 3"]],
    ["a\nb\nc\n", "a\nx\nc\n", ["  a", "- b", "+ x", "  c"]],
    ["a\nb", "a", ["  a", "- b"]],
    ["1\n2\n3\n4\n5\n6\n7\n8", "1\n2\n3\n4\n5\n6\n7\n9", ["  ...", "  6", "  7", "- 8", "+ 9"]],
    ["a\n\u202eb", "a\n\x1bb", ["  a", "- \\u202eb", "+ \\x1bb"]],
    ["same", "same", ["  same"]],
    ["a\nb\n", "a\nb", ["  a", "  b", "+ \\ no line break at the end"]],
    ["a\nb", "a\nb\n", ["  a", "  b", "- \\ no line break at the end"]],
    [["a", "b", "c", "d"].join("\n"), ["b", "x", "d", "e"].join("\n"), ["- a", "  b", "- c", "+ x", "  d", "+ e"]],
  ])("%j to %j", (from, to, lines) => {
    expect(diffValues(from, to)).toEqual(lines)
  })

  it("finds changes anywhere in long texts, and cuts long diffs", () => {
    const lines = Array.from({ length: 5000 }, (_, i) => `line ${i}`)
    const changed = lines.with(4000, "changed")
    expect(diffValues(lines.join("\n"), changed.join("\n"))).toEqual([
      "  ...",
      "  line 3998",
      "  line 3999",
      "- line 4000",
      "+ changed",
      "  line 4001",
      "  line 4002",
      "  ...",
    ])
    const others = lines.map(line => `other ${line}`)
    const cut = diffValues(lines.join("\n"), others.join("\n"))
    expect([cut.length, cut[200]]).toEqual([201, "# ... 9800 more lines"])
  })
})
