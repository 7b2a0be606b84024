/** Invalid objects of built-in kinds, definitions whose rules cost too much, and why a kube-apiserver v1.37.1 refused to create them. */
import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import { expect, it } from "vitest"
import { createApiServer } from "../../src/apiserver/server.js"
import { projectRoot } from "../support/entries.js"

interface Refusal {
  readonly path: string
  readonly body: unknown
  readonly message: string
}

it("refuses objects in the words of a real server", async () => {
  const text = gunzipSync(readFileSync(`${projectRoot}/test/vectors/refusals.json.gz`)).toString()
  const refusals = JSON.parse(text) as Refusal[]
  expect(refusals.length).toBeGreaterThan(100)
  const server = createApiServer({ objects: [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } }] })
  const headers = { "content-type": "application/json" }
  for (const { path, body, message } of refusals) {
    const url = `http://localhost${path}?dryRun=All`
    const answer = await server.fetch(new Request(url, { method: "POST", headers, body: JSON.stringify(body) }))
    const status = (await answer.json()) as Record<string, unknown>
    expect(status).toMatchObject({ code: 422, message })
  }
})
