/** The commands of docs/api-design.md print what it shows. */
import { expect, it } from "vitest"
import { codeBlocks, read } from "../support/examples.js"
import { smd } from "./cli.js"

const page = read("docs/api-design.md")
const [, source = ""] = /^const source = `\n([\s\S]*?)^`$/m.exec(read("examples/api-design.ts")) ?? []
const files: Record<string, string> = { "types.go": source.replaceAll("\\`", "`") }
for (const text of codeBlocks(page, "yaml")) files[/^# (.*)$/m.exec(text)?.[1] ?? ""] = text

/** Runs a command of the page: smd, or sed as the page uses it. Returns its output, and puts a file that it writes into `files`. */
async function run(command: string): Promise<string> {
  const [, pattern, replacement = "", from = "", to = ""] = /^sed 's\/(.+)\/(.+)\/' (\S+) > (\S+)$/.exec(command) ?? []
  if (pattern !== undefined) {
    files[to] = (files[from] as string).replace(new RegExp(pattern), replacement)
    return ""
  }
  const { out, err, written } = await smd(command.split(" ").slice(1), { files, columns: 100 })
  Object.assign(files, written)
  return out + err
}

it("is what docs/api-design.md shows", async () => {
  const blocks = codeBlocks(page, "console")
  expect(blocks).toHaveLength(3)
  for (const block of blocks) {
    const shown: string[] = []
    for (const [, command = ""] of block.matchAll(/^\$ (.*)$/gm)) shown.push(`$ ${command}\n${await run(command)}`)
    expect(shown.join("")).toBe(block)
  }
})
