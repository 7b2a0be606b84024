/** Checks that an API server accepts the manifest of docs/fleets.md. */
import { expect, it } from "vitest"
import { createApiServer } from "../../src/apiserver/index.js"
import { recipe } from "./recipes.js"

const manifest = recipe("A Kubernetes Job", "yaml")
const { fetch } = createApiServer()

async function create(body: string) {
  const url = "http://test/apis/batch/v1/namespaces/default/jobs?fieldValidation=Strict"
  const headers = { "content-type": "application/yaml" }
  const answer = await fetch(new Request(url, { method: "POST", headers, body }))
  return { status: answer.status, body: await answer.json() }
}

it("is taken by an API server that knows every field", async () => {
  const { status, body } = await create(manifest)
  expect(body).toMatchObject({ kind: "Job", metadata: { name: "lint" }, spec: { completionMode: "Indexed" } })
  expect(status).toBe(201)
})

it.each([
  ["a field that is misspelt", "completionMode", "completionsMode"],
  ["a value of another type", "completions: 3", "completions: three"],
])("would not be taken with %s", async (_, right, wrong) => {
  const { status } = await create(manifest.replace(right, wrong))
  expect(status).toBe(400)
})
