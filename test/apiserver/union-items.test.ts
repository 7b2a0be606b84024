/** List items that exclude each other: two managers decide on a certificate signing request. */
import { expect, it } from "vitest"
import { createApiServer } from "../../src/apiserver/server.js"
import type { UnionPolicyName } from "../../src/union/policy.js"
import type { MapValue } from "../../src/value/value.js"
import { type Sent, send } from "./requests.js"

const requests = "/apis/certificates.k8s.io/v1/certificatesigningrequests"
const request: MapValue = {
  apiVersion: "certificates.k8s.io/v1",
  kind: "CertificateSigningRequest",
  metadata: { name: "node" },
}
const pem = btoa("-----BEGIN CERTIFICATE REQUEST-----\nMAA=\n-----END CERTIFICATE REQUEST-----\n")
const spec: MapValue = { request: pem, signerName: "example.com/nodes", usages: ["client auth"] }

function decision(type: string): MapValue {
  return { ...request, status: { conditions: [{ type, status: "True", reason: "Checked" }] } }
}

/** Returns the responses of a server with this policy when `b` denies what `a` approved: by apply, by update and by force. */
async function denied(unions: UnionPolicyName): Promise<Sent[]> {
  const server = createApiServer({ unions })
  expect(await send(server, "POST", requests, { ...request, spec })).toMatchObject({ status: 201 })
  const apply = (manager: string, type: string, force = "") =>
    send(server, "PATCH", `${requests}/node/approval?fieldManager=${manager}${force}`, decision(type), "apply")
  expect(await apply("a", "Approved")).toMatchObject({ status: 200 })
  const { body: live } = await send(server, "GET", `${requests}/node`)
  const both = [...live.status.conditions, { type: "Denied", status: "True", reason: "Checked" }]
  return [
    await apply("b", "Denied"),
    await send(server, "PUT", `${requests}/node/approval`, {
      ...live,
      metadata: { name: "node" },
      status: { conditions: both },
    }),
    await apply("b", "Denied", "&force=true"),
  ]
}

function outcome({ status, body }: Sent): string {
  if (status !== 200) return `${status} ${body.message}`
  return body.status.conditions.map(({ type }: { type: string }) => type).join(" ")
}

const names = '`conditions[{"type": "Approved"}]`, `conditions[{"type": "Denied"}]`'
const invalid = '422 CertificateSigningRequest.certificates.k8s.io "node" is invalid: status'
const several = `${invalid}: Invalid value: "": multiple fields set without discriminator change: conditions[type="Approved"], conditions[type="Denied"]`
const both = `${invalid}.conditions: Invalid value: "{conditions[{\\"type\\": \\"Approved\\"}], conditions[{\\"type\\": \\"Denied\\"}]}": must specify at most one of: ${names}`

it.each<[UnionPolicyName, string[]]>([
  ["off", [both, both, both]],
  ["v4", ["Denied", several, "Denied"]],
  [
    "extended",
    [
      '409 Apply failed with 1 conflict: conflict with "a" with subresource "approval": .status.conditions[type="Approved"]',
      "Denied",
      "Denied",
    ],
  ],
  ["kep-2022", [both, both, both]],
])("%s: an apply, an update and a forced apply that deny what another manager approved", async (unions, expected) => {
  expect((await denied(unions)).map(outcome)).toEqual(expected)
})
