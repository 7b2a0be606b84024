/**
 * The output for the stories of examples/stories at 80 and 120 columns. Their live objects are those that the engine computes.
 * `npx vitest run test/cli/golden -u` records all files again; read the diff.
 */
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { widthOf } from "../../../src/cli/terminal/width.js"
import { codeBlocks, read } from "../../support/documents.js"
import { projectRoot } from "../../support/entries.js"
import { allStories, liveOf, storiesFolder, storiesToPlan } from "../../support/stories.js"
import { type Outcome, smd } from "../cli.js"

const folder = storiesFolder
const stories = storiesToPlan
/** The time of the stories. */
const now = new Date("2026-01-09T12:00:00Z")

function commandsFor(story: string): Record<string, readonly string[]> {
  const manager = managers[story] ?? "web-team"
  const request = ["--manager", manager, "--live", "live.yaml", "config.yaml"]
  const unions = unionStories.includes(story)
  return {
    plan: ["plan", ...request],
    explain: ["explain", ...request],
    ...(unions && {
      "plan-unions": ["plan", ...request, "--unions", "extended"],
      "explain-unions": ["explain", ...request, "--unions", "extended"],
    }),
    ...(story === "client-side-first" && {
      managers: ["managers", "upgrade", "live.yaml"],
      "plan-upgraded": ["plan", "--manager", manager, "--live", "upgraded.yaml", "config.yaml"],
    }),
    ...(blamed.includes(story) && { blame: ["blame", "live.yaml"] }),
  }
}

/** The appliers of stories in which the web team does not apply. */
const managers: Readonly<Record<string, string>> = { "helm-over-edit": "helm", "client-side-first": "kubectl" }
/** Stories that are also played with unions, which Kubernetes' own types have only on request. */
const unionStories = ["switched-volume", "recreate-strategy"]
const blamed = ["autoscaled-replicas", "shared-environment", "changed-port", "atomic-tolerations"]

function transcript({ status, out, err }: Outcome): string {
  return `${out}${err === "" ? "" : `--- standard error\n${err}`}--- exit status ${status}\n`
}

function tooLong(text: string, columns: number): string[] {
  return text.split("\n").filter(line => widthOf(line) > columns)
}

it("shows the existing stories", () => {
  expect(stories).toHaveLength(8)
  for (const story of allStories) expect(read(`${folder}/README.md`)).toContain(`](${story}/`)
})

describe.each(stories)("%s", story => {
  const live = liveOf(story)

  it("has the live object that its steps make", async () => {
    await expect(live).toMatchFileSnapshot(join(projectRoot, folder, story, "live.yaml"))
  })

  describe.each(Object.entries(commandsFor(story)))("smd %s", (command, args) => {
    it("fits into 40 columns", async () => {
      const files = { "config.yaml": read(`${folder}/${story}/config.yaml`), "live.yaml": live, "upgraded.yaml": live }
      expect(tooLong((await smd(args, { files, columns: 40, now })).out, 40)).toEqual([])
    })

    it.each([80, 120])("at %d columns", async columns => {
      const given = { "config.yaml": read(`${folder}/${story}/config.yaml`), "live.yaml": live }
      const upgraded = await smd(["managers", "upgrade", "live.yaml", "--output", "object"], { files: given, now })
      const files = { ...given, "upgraded.yaml": upgraded.out }
      const outcome = await smd(args, { files, columns, now })
      expect(tooLong(outcome.out, columns)).toEqual([])
      await expect(transcript(outcome)).toMatchFileSnapshot(
        join(import.meta.dirname, story, `${command}-${columns}.txt`),
      )
    })
  })
})

/** The formats for pull requests and CI, which have no columns. */
const reports: readonly (readonly [command: string, form: string, ending: string])[] = [
  ["plan", "markdown", "md"],
  ["explain", "markdown", "md"],
  ["plan", "github", "annotations.txt"],
  ["plan", "gitlab", "gitlab.json"],
  ["plan", "junit", "junit.xml"],
  ["plan", "sarif", "sarif"],
]

describe.each(["autoscaled-replicas", "shared-environment"])("the reports of %s", story => {
  it.each(reports)("smd %s -o %s", async (command, form, ending) => {
    const files = { "config.yaml": read(`${folder}/${story}/config.yaml`), "live.yaml": liveOf(story) }
    const { out, err } = await smd([...(commandsFor(story)[command] ?? []), "-o", form], { files, now })
    expect(err).toBe("")
    const file = join(import.meta.dirname, story, `${command}.${ending}`)
    await expect(out).toMatchFileSnapshot(file)
  })
})

it("is what docs/cli.md shows", async () => {
  const blocks = codeBlocks(read("docs/cli.md"), "text").map(block => block.trim())
  const shown = [
    "autoscaled-replicas explain",
    "autoscaled-replicas plan",
    "changed-port blame",
    "client-side-first managers",
  ].map(async name => {
    const [story = "", command = ""] = name.split(" ")
    const args = commandsFor(story)[command] ?? []
    const files = {
      "config.yaml": read(`${folder}/${story}/config.yaml`),
      "live.yaml": read(`${folder}/${story}/live.yaml`),
    }
    return `$ smd ${args.join(" ")}\n${(await smd(args, { files, now })).out}`.trim()
  })
  expect(blocks).toEqual(await Promise.all(shown))
})
