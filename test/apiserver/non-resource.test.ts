import { expect, it } from "vitest"
import { createApiServer } from "../../src/apiserver/server.js"

async function answer(path: string, accept: string, method = "GET") {
  const { status, headers, body } = await createApiServer().answer({ method, path, headers: { accept } })
  const text = typeof body === "string" ? body : Buffer.from(body as Uint8Array).toString("latin1")
  return { status, type: headers["content-type"], text }
}

it.each([
  ["/version", "application/json;as=Table;v=v1;g=meta.k8s.io", 200, "application/json"],
  ["/version", "garbage", 406, "application/json"],
  ["/openid/v1/jwks", "*/*", 200, "application/jwk-set+json"],
  ["/openid/v1/jwks", "application/json", 406, "application/json"],
  ["/.well-known/openid-configuration", "application/json", 200, "application/json"],
])("answers %s for %s with %i", async (path, accept, status, type) => {
  expect(await answer(path, accept)).toMatchObject({ status, type })
})

it("names the media types of a path", async () => {
  const { text } = await answer("/openid/v1/jwks", "text/html")
  expect(JSON.parse(text).message).toBe("406: Not Acceptable\n\nAvailable representations: application/jwk-set+json")
})

it.each(["/version", "/openid/v1/jwks", "/metrics"])("refuses other methods at %s", async path => {
  expect(await answer(path, "*/*", "PATCH")).toMatchObject({ status: 405 })
})

it("sends refusals in protobuf to a client that reads nothing else", async () => {
  const { status, type, text } = await answer("/api/v2", "application/vnd.kubernetes.protobuf")
  expect([status, type]).toEqual([404, "application/vnd.kubernetes.protobuf"])
  // As a real server answered.
  expect(text).toBe(
    "k8s\0\n\f\n\x02v1\x12\x06Status\x12\\\n\x06\n\0\x12\0\x1a\0\x12\x07Failure\x1a0the server could not find the requested resource" +
      '"\bNotFound*\n\n\0\x12\0\x1a\0(\x002\x000\x94\x03\x1a\0"\0',
  )
})
