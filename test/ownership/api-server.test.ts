/** `plan` predicts what a kube-apiserver answered to PATCH requests that apply. */
import { expect, it } from "vitest"
import { readStories } from "../support/api-server-stories.js"
import { tally } from "./api-server.js"

it("predicts the answers to requests that apply", () => {
  const { counts, wrong } = tally(readStories())
  expect(wrong).toEqual([])
  expect(counts).toEqual({
    create: 88,
    "create, but Go leaves out what is empty, or defaults it": 2,
    "create, but Go writes quantities in its own form": 2,
    "create, but admission adds tolerations": 2,
    change: 295,
    "change, but Go leaves out what is empty, or defaults it": 18,
    "change, but Go writes quantities in its own form": 11,
    "change, but Go writes quantities in its own form, the strategy counts generations": 2,
    "change, but admission adds tolerations": 6,
    "change, but the strategy counts generations": 1,
    "change, but the strategy puts back what this endpoint does not write": 2,
    none: 30,
    "none, but Go leaves out what is empty, or defaults it": 1,
    "none, but Go writes quantities in its own form": 2,
    "refused alike": 141,
    "refused by another part of the server": 87,
    "a ScaleHandler translates the owners of a Scale": 6,
  })
})
