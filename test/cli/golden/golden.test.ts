/** What people see of three stories, at 80 and 120 columns. Read these files by eye when they change: `npx vitest run test/cli/golden -u`. */
import { describe, expect, it } from "vitest"
import { codeBlocks, read } from "../../support/examples.js"
import { type Outcome, smd } from "../cli.js"
import { ports, replicas, variables } from "../stories.js"

const stories = { replicas, variables, ports }
const commands = {
  explain: ["explain", "--manager", "web-team", "--live", "live.json", "web.yaml"],
  plan: ["plan", "--manager", "web-team", "--live", "live.json", "web.yaml"],
  blame: ["blame", "live.json"],
}

function transcript({ status, out, err }: Outcome): string {
  return `${out}${err === "" ? "" : `--- standard error\n${err}`}--- exit status ${status}\n`
}

describe.each(Object.entries(stories))("the story of %s", (name, files) => {
  describe.each(Object.entries(commands))("smd %s", (command, args) => {
    it.each([80, 120])("at %d columns", async columns => {
      const outcome = await smd(args, { files, columns })
      for (const line of outcome.out.split("\n")) expect(line.length).toBeLessThanOrEqual(columns)
      await expect(transcript(outcome)).toMatchFileSnapshot(`${name}-${command}-${columns}.txt`)
    })
  })
})

it("is what docs/cli.md shows", async () => {
  const blocks = codeBlocks(read("docs/cli.md"), "text")
  const shown = blocks.map(block => block.slice(block.indexOf("\n") + 1).trim())
  const expected = [
    await smd(commands.explain, { files: replicas }),
    await smd(commands.plan, { files: replicas }),
    await smd(commands.blame, { files: ports }),
  ]
  expect(shown).toEqual(expected.map(({ out }) => out.trim()))
  expect(blocks.map(block => block.split("\n", 1)[0]?.replace(/^\$ smd /, ""))).toEqual(
    [commands.explain, commands.plan, commands.blame].map(args => args.join(" ")),
  )
})
