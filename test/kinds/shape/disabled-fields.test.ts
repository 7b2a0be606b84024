import { expect, test } from "vitest"
import { createApiServer } from "../../../src/apiserver/server.js"
import { disabledFields } from "../../../src/kinds/shape/disabled-fields.js"
import { send } from "../../apiserver/requests.js"

test("fields of a disabled feature are those of a type in every version", () => {
  expect([...disabledFields("io.k8s.api.resource.v1beta2.ExactDeviceRequest")]).toEqual(["derivedAttributes"])
  expect([...disabledFields("io.k8s.api.core.v1.PodSecurityContext")]).toEqual([])
})

test("a server drops them, and keeps their owner", async () => {
  const lease = {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { name: "a" },
    spec: { holderIdentity: "x", preferredHolder: "y" },
  }
  const path = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
  const { body } = await send(createApiServer(), "POST", path, lease)
  expect(body.spec).toEqual({ holderIdentity: "x" })
  expect(body.metadata.managedFields[0].fieldsV1["f:spec"]).toEqual({ "f:holderIdentity": {}, "f:preferredHolder": {} })
})
