/** The examples of README.md, run. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { build } from "esbuild"
import { afterEach, describe, expect, it, vi } from "vitest"
import { projectRoot, readEntries } from "../support/entries.js"
import { deployment, smd } from "./cli.js"

const readme = readFileSync(join(projectRoot, "README.md"), "utf8")

/** The blocks of this language. */
function blocks(language: string): string[] {
  return Array.from(
    readme.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm")),
    ([, code]) => code as string,
  )
}

/** Runs a program that imports the package by its name, and gives the lines it logs. */
async function runExample(code: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "readme-"))
  try {
    const file = join(folder, "example.mjs")
    const alias = Object.fromEntries(readEntries().map(({ name, source }) => [name, join(projectRoot, source)]))
    const stdin = { contents: code, loader: "ts", resolveDir: projectRoot } as const
    const { outputFiles } = await build({ stdin, alias, bundle: true, format: "esm", platform: "node", write: false })
    writeFileSync(file, outputFiles[0]?.contents ?? "")
    const log = vi.spyOn(console, "log").mockImplementation(() => undefined)
    await import(pathToFileURL(file).href)
    return log.mock.calls.flatMap(call => call.join(" ").split("\n"))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

describe("README.md", () => {
  afterEach(() => void vi.restoreAllMocks())

  it.each(blocks("ts").map(code => [code]))("has an example that prints what its comments say: %s", async code => {
    const expected = Array.from(code.matchAll(/^\/\/ (.*)$/gm), ([, line]) => line as string)
    expect(expected.length).toBeGreaterThan(0)
    expect(await runExample(code)).toEqual(expected)
  })

  it("shows a conflict as the command prints it", async () => {
    const [block = ""] = blocks("console")
    const [command = "", ...shown] = block.split("\n")
    const { out: created } = await smd(["apply", "--manager", "web-team", "-"], { files: { "-": deployment(3) } })
    // The autoscaler's entry, as an API server writes it after an update.
    const entry =
      "- {manager: autoscaler, operation: Update, apiVersion: apps/v1, fieldsType: FieldsV1, fieldsV1: {f:spec: {f:replicas: {}}}}"
    const live = created.replace(/^( *)- manager: /m, `$1${entry}\n$&`).replace("replicas: 3", "replicas: 7")
    const files = { "live.yaml": live, "web.yaml": deployment(3) }
    const { status, out, err } = await smd(command.replace("$ smd ", "").split(" "), { files })
    expect([status, out]).toEqual([1, ""])
    expect(err).toBe(shown.join("\n"))
  })

  it("names the scripts that package.json has", () => {
    const scripts: object = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8")).scripts
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(["start", "test"]))
    expect(readme).toContain("    npm start ")
    expect(readme).toContain("    npm test ")
  })

  it("links to files that exist", () => {
    const links = Array.from(readme.matchAll(/\]\((?!https:)([^)#]+)\)/g), ([, file]) => file as string)
    expect(links.length).toBeGreaterThan(0)
    for (const file of links) expect(readFileSync(join(projectRoot, file), "utf8")).not.toBe("")
  })
})
