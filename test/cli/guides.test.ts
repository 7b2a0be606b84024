/** The commands of guides print what the guides show. `-u` writes their output into the guides again. */
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { read } from "../support/documents.js"
import { projectRoot } from "../support/entries.js"
import { commandGuides } from "../support/examples.js"
import { consoleBlocks, filesOf } from "./console.js"

describe.each(commandGuides())("%s", file => {
  it("shows the output of its commands", async () => {
    const page = read(file)
    const blocks = await consoleBlocks(page, filesOf(page))
    expect(blocks.length).toBeGreaterThan(0)
    let next = 0
    const expected = page.replaceAll(/^```console\n[\s\S]*?^```$/gm, () => `\`\`\`console\n${blocks[next++]}\`\`\``)
    await expect(expected).toMatchFileSnapshot(join(projectRoot, file))
  })

  it("is one page", () => {
    expect(read(file).split("\n").length).toBeLessThan(230)
  })
})
