import { compressToEncodedURIComponent } from "lz-string"
import { describe, expect, it } from "vitest"
import { fromFragment, toFragment } from "../src/share.js"
import { emptyState, type State } from "../src/store.js"

const state: State = {
  ...emptyState,
  title: "Ünïcode 🎈",
  unions: "extended",
  branches: [
    { name: "main", steps: [{ manager: "a", apply: { kind: "A", n: null, long: 9223372036854775807n } }], at: 1 },
  ],
}

describe("a shared link", () => {
  it("restores the state", () => {
    expect(fromFragment(`#${toFragment(state)}`)).toEqual(state)
  })

  it("is short for a repetitive state", () => {
    const text = "spec:\n  replicas: 3\n".repeat(100)
    const drafts = [{ ...(state.drafts[0] as State["drafts"][0]), text }]
    expect(toFragment({ ...state, drafts }).length).toBeLessThan(900)
  })

  it.each([
    "",
    "#",
    "#s=",
    "#s=garbage%%",
    `#s=${compressToEncodedURIComponent("[]")}`,
    `#s=${compressToEncodedURIComponent("{}")}`,
  ])("reads nothing from %j", fragment => {
    expect(fromFragment(fragment)).toBeUndefined()
  })

  it("replaces invalid parts by their defaults", () => {
    const wrong = {
      drafts: [{ manager: 1, verb: "rm", text: [] }],
      draft: 7,
      branches: [{ steps: [1, {}], at: 9 }],
      branch: -1,
    }
    expect(fromFragment(`s=${compressToEncodedURIComponent(JSON.stringify(wrong))}`)).toMatchObject({
      drafts: [{ manager: "", verb: "apply", text: "" }],
      draft: 0,
      branches: [{ steps: [{}], at: 0 }],
      branch: 0,
    })
  })
})
