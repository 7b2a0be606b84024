// Patches whose result is not an object of the kind, refused in the words of a kube-apiserver.
import { expect, test } from "vitest"
import { createApiServer } from "../../src/apiserver/server.js"

const path = "/apis/apps/v1/namespaces/default/deployments/web"
const web = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "app", image: "nginx" }] },
    },
  },
}

async function refused(patch: unknown, type = "strategic-merge-patch", query = "?fieldValidation=Strict") {
  const { fetch } = createApiServer({ objects: [web] })
  const headers = { "content-type": `application/${type}+json` }
  const answer = await fetch(
    new Request(`http://test${path}${query}`, { method: "PATCH", headers, body: JSON.stringify(patch) }),
  )
  const status = (await answer.json()) as { message: string; details: object; reason: string }
  return { code: answer.status, reason: status.reason, message: status.message, details: status.details }
}

test("a strategic merge patch with an unknown field", async () => {
  const patch = {
    spec: {
      replicas: null,
      template: {
        spec: { "$setElementOrder/containers": [{ name: "app" }], containers: [{ name: "app", nosuch: 1 }] },
      },
    },
  }
  const message =
    'Invalid value: "map[spec:map[replicas:<nil> template:map[spec:map[]]]]": strict decoding error: unknown field "spec.template.spec.containers[0].nosuch"'
  expect(await refused(patch)).toEqual({
    code: 422,
    reason: "Invalid",
    message: ` "" is invalid: patch: ${message}`,
    details: { causes: [{ reason: "FieldValueInvalid", message, field: "patch" }] },
  })
})

test.each([
  ["text for a number", { spec: { replicas: "two" } }, "unrecognized type: int32"],
  ["text for a large number", { metadata: { generation: "two" } }, "unrecognized type: int64"],
  ["a number for text", { spec: { strategy: { type: 1 } } }, "cannot convert int64 to string"],
  ["a boolean for text", { spec: { strategy: { type: true } } }, "unrecognized type: string"],
  ["text for a boolean", { spec: { paused: "yes" } }, "unrecognized type: bool"],
  ["text for a struct", { spec: { template: "t" } }, "cannot restore struct from: string"],
  ["a list for a map", { spec: { template: { metadata: { labels: ["a"] } } } }, "cannot restore map from slice"],
  ["a number for a list", { metadata: { finalizers: 1 } }, "cannot restore slice from int64"],
])("a strategic merge patch with %s", async (_, patch, why) => {
  const { code, message } = await refused(patch)
  expect({ code, why: message.slice(-why.length - 3) }).toEqual({ code: 422, why: `": ${why}` })
})

test("a merge patch with an unknown field shows the object that it makes", async () => {
  const { code, message } = await refused({ spec: { nosuch: 1 } }, "merge-patch")
  expect(code).toBe(422)
  expect(message).toMatch(/^ "" is invalid: patch: Invalid value: "\{\\"apiVersion\\":\\"apps\/v1\\",.*\\"nosuch\\":1/)
  expect(message).toMatch(/: strict decoding error: unknown field "spec.nosuch"$/)
})

test("an operation on an object that is not there is answered with that", async () => {
  const { fetch } = createApiServer()
  const ask = async (name: string) => {
    const url = `http://test/api/v1/namespaces/default/serviceaccounts/${name}/token`
    const headers = { "content-type": "application/json" }
    return (await fetch(new Request(url, { method: "POST", headers, body: "{}" }))).json()
  }
  expect(await ask("none")).toMatchObject({ code: 404, message: 'serviceaccounts "none" not found' })
})

test.each([
  ["json-patch", {}, "error decoding patch: ", "object", "[]handlers.jsonPatchOp"],
  ["merge-patch", 1, "error decoding patch: ", "number", "map[string]interface {}"],
  ["merge-patch", "a", "error decoding patch: ", "string", "map[string]interface {}"],
  ["strategic-merge-patch", [], "", "array", "map[string]interface {}"],
  ["strategic-merge-patch", 1, "", "number", "map[string]interface {}"],
])("a %s that is %j", async (type, patch, prefix, given, wanted) => {
  const message = `${prefix}json: cannot unmarshal ${given} into Go value of type ${wanted}`
  expect(await refused(patch, type)).toMatchObject({ code: 400, reason: "BadRequest", message })
})
