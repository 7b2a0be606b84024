/** The Scale of a custom resource that has no replicas, as a kube-apiserver v1.37.1 answers. */
import { expect, it } from "vitest"
import { createApiServer } from "../../src/apiserver/server.js"
import { definitionOf } from "../support/definition.js"
import { clientOf } from "./requests.js"

it("can't be read, and can be written", async () => {
  const spec = { type: "object", properties: { replicas: { type: "integer" } } }
  const version = {
    name: "v1",
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
    subresources: { scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" } },
  }
  const send = clientOf(createApiServer({ crds: [definitionOf("Thing", { spec: { versions: [version] } })] }))
  const path = "/apis/example.com/v1/namespaces/default/things"
  await send("POST", path, { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "a" }, spec: {} })
  const { status, body } = await send("GET", `${path}/a/scale`)
  const message = 'the spec replicas field ".spec.replicas" does not exist'
  expect([status, body.message, body.details.causes]).toEqual([
    500,
    `Internal error occurred: ${message}`,
    [{ message }],
  ])
  const scale = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "a" }, spec: { replicas: 2 } }
  const apply = () => send("PATCH", `${path}/a/scale?fieldManager=me&force=true`, scale, "apply")
  // Nobody owns the replicas yet.
  expect((await apply()).body).toMatchObject({
    code: 500,
    message: expect.stringContaining("to convert CR to an invalid"),
  })
  expect((await send("PATCH", `${path}/a/scale`, { spec: { replicas: 3 } }, "merge")).status).toBe(200)
  const owned = { apiVersion: "example.com/v1", kind: "Thing", spec: { replicas: 1 } }
  expect((await send("PATCH", `${path}/a?fieldManager=gitops&force=true`, owned, "apply")).status).toBe(200)
  expect((await apply()).status).toBe(200)
  expect((await send("GET", `${path}/a/scale`)).body.spec).toEqual({ replicas: 2 })
})
