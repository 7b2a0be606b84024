/** Predicts the recorded applies of released tools: the stored object, its owners, and whether the tool fails. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { formatGoJson } from "../../../src/json/json.js"
import { kubernetes } from "../../../src/kinds/kubernetes.js"
import { type Plan, plan } from "../../../src/tools/ownership/plan.js"
import { read } from "../../support/documents.js"
import { type RecordedStory, vectorsFile, withoutServerFields } from "./recorded.js"
import { storyTools } from "./stories.js"

const recorded = JSON.parse(readFileSync(vectorsFile, "utf8")) as RecordedStory[]

describe.each(Object.entries(storyTools))("plan as %s", (tool, { manager, release }) => {
  const stories = recorded.filter(story => story.tool === tool)

  it("has 30 stories or more, as the docs say", () => {
    expect(stories.length).toBeGreaterThanOrEqual(30)
    const rows = read("docs/appliers.md")
      .split("\n")
      .filter(line => line.startsWith(`| \`${tool}\` |`))
    expect(rows[1]).toMatch(new RegExp(`\\| ${stories.length} \\| ${stories.length} \\|$`))
  })

  it.each(stories.map(story => [story.name, story] as const))("predicts %s", (_, story) => {
    const { live, config, force, namespace, time, after, error, ignore } = story
    const ignores = ignore && [{ pointers: ignore }]
    const origin = release === "" ? undefined : { name: release, namespace, ignores }
    const request = {
      types: kubernetes,
      as: tool as keyof typeof storyTools,
      manager,
      force,
      origin,
      clock: () => new Date(time),
    }
    const planned = plan(live, config, request)
    expect({ error, fails: planned.outcome === "conflict" || planned.outcome === "refused" }).toEqual({
      error,
      fails: error !== undefined,
    })
    for (const part of messagesOf(planned, error ?? "")) expect(error).toContain(part)
    const object = planned.outcome === "refused" && live === undefined ? undefined : withoutServerFields(planned.object)
    expect(object).toEqual(after)
    expect(object && formatGoJson(object)).toBe(after && formatGoJson(after))
  })
})

/** Returns the parts of the plan's message that the tool has to show: all of it, or each cause in the layout of kubectl. */
function messagesOf({ status, refusal }: Plan, error: string): readonly string[] {
  if (status === undefined || error.includes(status.message)) return []
  const causes = refusal?.causes ?? []
  return causes.length === 0 ? [status.message] : causes.map(({ field, message }) => `${field}: ${message}`)
}
