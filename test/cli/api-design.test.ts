/** The commands of docs/api-design.md print what it shows. */
import { expect, it } from "vitest"
import { codeBlocks, read } from "../support/documents.js"
import { consoleBlocks, filesOf } from "./console.js"

const page = read("docs/api-design.md")
const [, source = ""] = /^const source = `\n([\s\S]*?)^`$/m.exec(read("examples/api-design.ts")) ?? []

it("is what docs/api-design.md shows", async () => {
  const blocks = codeBlocks(page, "console")
  expect(blocks).toHaveLength(3)
  const files = { "types.go": source.replaceAll("\\`", "`"), ...filesOf(page) }
  expect(await consoleBlocks(page, files)).toEqual(blocks)
})
