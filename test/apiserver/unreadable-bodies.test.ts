// The messages of a kube-apiserver v1.37.1 about bodies that are not objects of the kind.
import { describe, expect, it } from "vitest"
import { createApiServer } from "../../src/apiserver/server.js"
import { definitionOf } from "../support/definition.js"

const containers = [{ name: "c", image: "i" }]
const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: { containers } }
const objects = [definitionOf("Box", { plural: "boxes" }), pod]

/** Sends a text to a new server. Returns the code and the message of the Status. */
async function send(method: string, path: string, type: string, body: string): Promise<[unknown, unknown]> {
  const server = createApiServer({ objects })
  const init = { method, headers: { "content-type": type }, body }
  const answer = await server.fetch(new Request(`http://server${path}`, init))
  const { code, message } = (await answer.json()) as { code?: number; message?: string }
  return [code, message]
}

const json = "application/json"
const yaml = "application/yaml"
const pods = "/api/v1/namespaces/default/pods"
const secrets = "/api/v1/namespaces/default/secrets"
const boxes = "/apis/example.com/v1/namespaces/default/boxes"
const noKind = "couldn't get version/kind; json parse error:"
const struct =
  'Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'

describe("a body of no kind", () => {
  it.each<[string, string, string]>([
    [json, "", `${noKind} unexpected end of JSON input (<empty>)`],
    [json, '{"a":', `${noKind} unexpected end of JSON input ({"a":)`],
    [json, `{"a":"${"x".repeat(30)}`, `${noKind} unexpected end of JSON input ({"a":"${"x".repeat(24)} ...)`],
    [json, "[x", `${noKind} invalid character 'x' looking for beginning of value (5b78)`],
    [json, "[]", `${noKind} json: cannot unmarshal array into ${struct} (5b5d)`],
    [yaml, "7", `${noKind} json: cannot unmarshal number into ${struct} (37)`],
    [
      json,
      '{"apiVersion":[],"kind":true}',
      `${noKind} json: cannot unmarshal array into Go struct field .apiVersion of type string ({"apiVersion":[],"kind":true})`,
    ],
    [json, '{"apiVersion":"a/b/c"}', 'unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c"})'],
    [yaml, "a: [b", "yaml: line 1: did not find expected ',' or ']' (613a205b62)"],
  ])("is refused: %s %j", async (type, body, why) => {
    const message = (kind: string) => `the object provided is unrecognized (must be of type ${kind}): ${why}`
    expect(await send("POST", secrets, type, body)).toEqual([400, message("Secret")])
    expect(await send("POST", boxes, type, body)).toEqual([400, message("Box")])
  })

  it("counts as an empty object if it is null", async () => {
    const [code, message] = await send("POST", secrets, json, "null")
    expect([code, message]).toEqual([422, expect.stringContaining("metadata.name: Required value")])
  })
})

describe("a body of another kind", () => {
  const unknown = (kind: string, version: string) =>
    `no kind "${kind}" is registered for version "${version}" in scheme "pkg/runtime/scheme.go:111"`
  const roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles"
  const scalers = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"

  it.each<[string, string, string, string]>([
    [pods, "v1", "Nope", `Nope in version "v1" cannot be handled as a Pod: ${unknown("Nope", "v1")}`],
    [pods, "nope/v1", "Pod", `Pod in version "v1" cannot be handled as a Pod: ${unknown("Pod", "nope/v1")}`],
    [
      pods,
      "v1",
      "List",
      'List in version "v1" cannot be handled as a Pod: converting (v1.List) to (core.Pod): unknown conversion',
    ],
    [
      roles,
      "v1",
      "ConfigMap",
      'ConfigMap in version "v1" cannot be handled as a Role: converting (v1.ConfigMap) to (rbac.Role): unknown conversion',
    ],
    [
      scalers,
      "autoscaling/v1",
      "HorizontalPodAutoscaler",
      "the API version in the data (autoscaling/v1) does not match the expected API version (autoscaling/v2)",
    ],
    [
      boxes,
      "example.com/v2",
      "Box",
      "the API version in the data (example.com/v2) does not match the expected API version (example.com/v1)",
    ],
  ])("is refused: %s %s %s", async (path, apiVersion, kind, message) => {
    const body = JSON.stringify({ apiVersion, kind, metadata: { name: "a" } })
    expect(await send("POST", path, json, body)).toEqual([400, message])
  })
})

describe("a patch that can't be read", () => {
  const end = "unexpected end of JSON input"
  const ofList = (target: string) => `json: cannot unmarshal object into Go value of type ${target}`

  it.each<[string, string, string, string]>([
    ["merge-patch+json", "Warn", '{"a":', `error decoding patch: ${end}`],
    ["merge-patch+json", "Ignore", '{"a":', "Invalid JSON Patch"],
    ["json-patch+json", "Strict", "[", `error decoding patch: ${end}`],
    ["json-patch+json", "Ignore", "[", end],
    ["json-patch+json", "Warn", "{}", `error decoding patch: ${ofList("[]handlers.jsonPatchOp")}`],
    ["json-patch+json", "Ignore", "{}", ofList("jsonpatch.Patch")],
    ["strategic-merge-patch+json", "Warn", "{", end],
    ["apply-patch+yaml", "Warn", "a: [b", "error encoding patch: yaml: line 1: did not find expected ',' or ']'"],
    [
      "apply-patch+yaml",
      "Warn",
      "b:\n- {a: '}'",
      "error encoding patch: yaml: line 2: did not find expected ',' or '}'",
    ],
    ["apply-patch+yaml", "Warn", "a: [b}", "error encoding patch: yaml: did not find expected ',' or ']'"],
    ["apply-patch+yaml", "Warn", "\n\n[a\n\n", "error encoding patch: yaml: line 4: did not find expected ',' or ']'"],
    ["apply-patch+yaml", "Warn", "a: [b\nc: d", "error encoding patch: yaml: line 1: did not find expected ',' or ']'"],
  ])("is refused: %s %s %j", async (type, validation, body, message) => {
    const path = `${pods}/a?fieldManager=me&fieldValidation=${validation}`
    expect(await send("PATCH", path, `application/${type}`, body)).toEqual([400, message])
  })
})

it("answers a delete with malformed options with the error alone", async () => {
  expect(await send("DELETE", `${pods}/a`, json, "{")).toEqual([500, `${noKind} unexpected end of JSON input`])
})

it("answers an apply with a malformed quantity as a server that fails", async () => {
  const config = {
    apiVersion: "v1",
    kind: "LimitRange",
    metadata: { name: "l", namespace: "default" },
    spec: { limits: [{ type: "Pod", max: { cpu: "a,b" } }] },
  }
  const path = "/api/v1/namespaces/default/limitranges"
  const pattern = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
  const start =
    "failed to convert new object (default/l; /v1, Kind=LimitRange) to proper version: unable to convert unstructured object to"
  expect(
    await send("PATCH", `${path}/l?fieldManager=me`, "application/apply-patch+yaml", JSON.stringify(config)),
  ).toEqual([500, `${start} /v1, Kind=LimitRange: ${pattern}`])
  expect(await send("POST", path, json, JSON.stringify(config))).toEqual([
    400,
    `LimitRange in version "v1" cannot be handled as a LimitRange: ${pattern}`,
  ])
})

it.each([
  [
    "v1",
    "Secret",
    "secrets",
    { data: { a: "c", b: null } },
    "error decoding from json: illegal base64 data at input byte 0",
  ],
  [
    "v1",
    "ConfigMap",
    "configmaps",
    { binaryData: { a: "YQ==", b: "Y Q=" } },
    "error decoding from json: illegal base64 data at input byte 1",
  ],
  [
    "coordination.k8s.io/v1",
    "Lease",
    "leases",
    { spec: { renewTime: "now" } },
    'parsing time "now" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "now" as "2006"',
  ],
  [
    "v1",
    "ReplicationController",
    "replicationcontrollers",
    { spec: { replicas: 1.5 } },
    "cannot convert float64 to int32",
  ],
  [
    "v1",
    "Service",
    "services",
    { spec: { ports: [{ port: 1, targetPort: true }] } },
    "json: cannot unmarshal bool into Go value of type int32",
  ],
])("answers an apply of a %s %s with values that its Go type can't have with 500", async (...given) => {
  const [apiVersion, kind, resource, fields, why] = given
  const config = { apiVersion, kind, metadata: { name: "a", namespace: "default" }, ...fields }
  const prefix = apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`
  const path = `${prefix}/namespaces/default/${resource}/a?fieldManager=me`
  const named = `${apiVersion === "v1" ? "/v1" : apiVersion}, Kind=${kind}`
  const start = `failed to convert new object (default/a; ${named}) to proper version`
  expect(await send("PATCH", path, "application/apply-patch+yaml", JSON.stringify(config))).toEqual([
    500,
    `${start}: unable to convert unstructured object to ${named}: ${why}`,
  ])
})
