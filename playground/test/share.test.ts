import { readFileSync } from "node:fs"
import { deflateRawSync } from "node:zlib"
import { compressToEncodedURIComponent } from "lz-string"
import { describe, expect, it } from "vitest"
import { firstStory } from "../src/first-story.js"
import { fromFragment, toFragment } from "../src/share.js"
import { emptyState, type State } from "../src/state.js"
import { stateOfStory } from "../src/stories.js"

const packed = (text: string) => deflateRawSync(text).toString("base64url")

const state: State = {
  ...emptyState,
  title: "Ünïcode 🎈",
  unions: "extended",
  branches: [
    { name: "main", steps: [{ manager: "a", apply: { kind: "A", n: null, long: 9223372036854775807n } }], at: 1 },
  ],
}

describe("a shared link", () => {
  it("restores the state", async () => {
    for (const server of ["cluster", "merge"] as const) {
      expect(await fromFragment(`#${await toFragment({ ...state, server })}`, stateOfStory)).toEqual({
        ...state,
        server,
      })
    }
  })

  it("is shorter than the links of earlier versions, which it still reads", async () => {
    const { server: _, ...before } = firstStory
    const old = `#s=${compressToEncodedURIComponent(JSON.stringify(before))}`
    expect((await toFragment(firstStory)).length).toBeLessThan(0.6 * old.length)
    expect(await fromFragment(old, stateOfStory)).toEqual(firstStory)
  })

  it("may contain the text of a story file", async () => {
    const text = readFileSync(new URL("../../examples/stories/autoscaled-replicas/story.yaml", import.meta.url), "utf8")
    expect(await fromFragment(`#story=${packed(text)}`, stateOfStory)).toEqual(firstStory)
  })

  it("is short for a repetitive state", async () => {
    const text = "spec:\n  replicas: 3\n".repeat(100)
    const drafts = [{ ...(state.drafts[0] as State["drafts"][0]), text }]
    expect((await toFragment({ ...state, drafts })).length).toBeLessThan(900)
  })

  it.each([
    "",
    "#",
    "#s=",
    "#s=garbage%%",
    `#s=${compressToEncodedURIComponent("[]")}`,
    `#s=${compressToEncodedURIComponent("{}")}`,
    "#d=",
    "#d=garbage%%",
    "#d=AAAA",
    "#story=AAAA",
    `#story=${packed("steps: 1\n")}`,
    `#d=${packed(`"${"a".repeat(40_000_000)}"`)}`,
  ])("reads nothing from %j", async fragment => {
    expect(await fromFragment(fragment, stateOfStory)).toBeUndefined()
  })

  it("replaces invalid parts by their defaults", async () => {
    const wrong = {
      drafts: [{ manager: 1, verb: "rm", text: [] }],
      draft: 7,
      branches: [{ steps: [1, {}], at: 9 }],
      branch: -1,
    }
    expect(await fromFragment(`s=${compressToEncodedURIComponent(JSON.stringify(wrong))}`, stateOfStory)).toMatchObject(
      {
        drafts: [{ manager: "", verb: "apply", text: "" }],
        draft: 0,
        branches: [{ steps: [{}], at: 0 }],
        branch: 0,
      },
    )
  })
})
