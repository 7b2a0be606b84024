/** Recorded requests to a kube-apiserver, replayed: the statuses, owners and Status bodies must be the same. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { parseJson } from "../../src/json/json.js"
import { projectRoot } from "../support/entries.js"
import { isKnown, replay, type Story } from "./replay-story.js"

const data = gunzipSync(readFileSync(join(projectRoot, "test/vectors/api-server.json.gz"))).toString("utf8")
const stories = parseJson(data) as unknown as readonly Story[]

describe("stories of a kube-apiserver", () => {
  it("are many", () => {
    expect(stories.length).toBeGreaterThan(80)
  })

  it.each(stories.map(story => ({ name: story.name, story })))("$name", async ({ story }) => {
    const wrong = (await replay(story)).filter(outcome => outcome.differs !== "" && !isKnown(outcome))
    expect(wrong.map(({ where, step, status, response }) => ({ where, step, status, response }))).toEqual([])
  })
})
