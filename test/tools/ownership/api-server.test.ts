/** `plan` predicts what a kube-apiserver answered to PATCH requests that apply. */
import { expect, it } from "vitest"
import { readStories } from "../../support/api-server-stories.js"
import { tally } from "./api-server.js"

it("predicts the answers to requests that apply", () => {
  const { counts, wrong } = tally(readStories())
  expect(wrong).toEqual([])
  expect(counts).toEqual({
    "right: the whole body": 452,
    "right: refused alike": 204,
    "right: the whole body, but for addresses and node ports of a Service": 6,
    "right: the whole body, but for the user who asks for a certificate": 3,
    "right: the whole body, but for the uid in the labels of a Job": 1,
    "left out: plan is not about Scales": 6,
    "left out: the body names another object than the address": 9,
    "left out: the body is not YAML": 3,
    "left out: the body is not an object": 6,
    "left out: fieldValidation is Strict, and plan has only the value of the text": 3,
    "left out: another option of the request is wrong": 3,
  })
})
