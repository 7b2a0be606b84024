/** Validation of metadata, with an API server's messages. */
import { describe, expect, it } from "vitest"
import { createApiServer } from "../../src/apiserver/server.js"
import type { MapValue } from "../../src/value/value.js"
import { definitionOf } from "../support/definition.js"

const rbac = "rbac.authorization.k8s.io/v1"
const paths = {
  ConfigMap: ["v1", "/api/v1/namespaces/default/configmaps"],
  Namespace: ["v1", "/api/v1/namespaces"],
  Role: [rbac, `/apis/${rbac}/namespaces/default/roles`],
  Service: ["v1", "/api/v1/namespaces/default/services"],
  Box: ["example.org/v1", "/apis/example.org/v1/namespaces/default/boxes"],
} as const

const definition = definitionOf("Box", { group: "example.org", plural: "boxes" })

type Kind = keyof typeof paths

/** Creates an object with this metadata, or updates one named `a` if `live` is set. Returns the causes of the refusal, or the name. */
async function send(kind: Kind, metadata: MapValue, live?: MapValue): Promise<string[]> {
  const [apiVersion, path] = paths[kind]
  const objects = live === undefined ? [] : [{ apiVersion, kind, metadata: { ...live, name: "a" } }]
  const server = createApiServer({ crds: [definition], objects })
  const isPatch = live !== undefined
  const headers = { "content-type": isPatch ? "application/merge-patch+json" : "application/json" }
  const spec = kind === "Service" ? { ports: [{ port: 80 }] } : undefined
  const body = JSON.stringify({ apiVersion, kind, metadata, spec })
  const request = { method: isPatch ? "PATCH" : "POST", headers, body }
  const answer = await server.fetch(new Request(`http://server${path}${isPatch ? "/a" : ""}`, request))
  const { details, metadata: stored } = (await answer.json()) as {
    details?: { causes: { field: string; message: string }[] }
    metadata: { name: string }
  }
  return details?.causes.map(({ field, message }) => `${field}: ${message}`) ?? [stored.name]
}

const subdomain =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const keyName =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const labelText =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"

describe("names", () => {
  it.each<[Kind, string, string[]]>([
    ["ConfigMap", "a.b", ["a.b"]],
    ["ConfigMap", "A_", [`metadata.name: Invalid value: "A_": ${subdomain}`]],
    ["Box", "A_", [`metadata.name: Invalid value: "A_": ${subdomain}`]],
    ["Namespace", "a.b", ['metadata.name: Invalid value: "a.b": must not contain dots']],
    ["Service", "1a", ["1a"]],
    ["Service", "a.b", ['metadata.name: Invalid value: "a.b": must not contain dots']],
    ["Role", "system:A_", ["system:A_"]],
    ["Role", "a/b", [`metadata.name: Invalid value: "a/b": may not contain '/'`]],
    ["Role", "..", [`metadata.name: Invalid value: "..": may not be '..'`]],
    ["ConfigMap", "", ["metadata.name: Required value: name or generateName is required"]],
    ["ConfigMap", "a".repeat(254), [expect.stringMatching(/: must be no more than 253 characters$/)]],
  ])("of a %s: %s", async (kind, name, causes) => {
    expect(await send(kind, { name })).toEqual(causes)
  })

  it("may begin with what they could not end with", async () => {
    expect(await send("ConfigMap", { generateName: "a-" })).toEqual([expect.stringMatching(/^a-[a-z0-9]{5}$/)])
    const [ofPrefix, ofName] = await send("ConfigMap", { generateName: "A_b-" })
    expect(ofPrefix).toBe(`metadata.generateName: Invalid value: "A_b-": ${subdomain}`)
    expect(ofName).toMatch(/^metadata\.name: Invalid value: "A_b-[a-z0-9]{5}": a lowercase RFC 1123 subdomain/)
  })
})

const values: MapValue = {
  labels: { "a b": "c d" },
  annotations: { "UPPER.example.org/x": "any text", _: "" },
  finalizers: ["plain"],
  ownerReferences: [
    { apiVersion: "a/b/c", kind: "K", name: "n", uid: "1", controller: true },
    { apiVersion: "v1", kind: "Event", name: "", uid: "2", controller: true },
  ],
}
const labels = [
  `metadata.labels: Invalid value: "a b": ${keyName}`,
  `metadata.labels: Invalid value: "c d": ${labelText}`,
]
const annotations = [`metadata.annotations: Invalid value: "_": ${keyName}`]
const owners = [
  'metadata.ownerReferences[0].apiVersion: Invalid value: "a/b/c": must be <group>/<version> or <version>',
  'metadata.ownerReferences[1]: Invalid value: {"apiVersion":"v1","kind":"Event","name":"","uid":"2","controller":true}: /v1, Kind=Event is disallowed from being an owner',
  'metadata.ownerReferences: Invalid value: [{"apiVersion":"a/b/c","kind":"K","name":"n","uid":"1","controller":true},{"apiVersion":"v1","kind":"Event","name":"","uid":"2","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for K/n and Event/',
]
const missing = ["metadata.ownerReferences[1].name: Required value: must not be empty"]
const plain = [
  'metadata.finalizers[0]: Invalid value: "plain": name is neither a standard finalizer name nor is it fully qualified',
]

describe("labels, annotations, owners and finalizers", () => {
  it("are checked of new objects", async () => {
    const found = [...labels, ...annotations, ...owners]
    expect(await send("ConfigMap", { name: "a", ...values })).toEqual([...found, ...plain, ...missing])
    expect(await send("Box", { name: "a", ...values })).toEqual([...found, ...missing])
  })

  it("are told of several times in updates", async () => {
    const found = [...labels, ...annotations, ...owners]
    expect(await send("ConfigMap", values, {})).toEqual([...found, ...found, ...found, ...plain, ...missing])
    expect(new Set(await send("Box", values, {}))).toEqual(new Set([...found, ...missing]))
  })

  it("have limits", async () => {
    const annotations = { a: "x".repeat(256 * 1024 - 1) }
    expect(await send("ConfigMap", { name: "a", annotations })).toEqual(["a"])
    expect(await send("ConfigMap", { name: "a", annotations: { ...annotations, b: "" } })).toEqual([
      "metadata.annotations: Too long: may not be more than 262144 bytes",
    ])
    expect(await send("Box", { name: "a", finalizers: ["orphan", "foregroundDeletion"] })).toEqual([
      'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
    ])
    expect(await send("ConfigMap", { name: "a", finalizers: ["example.org/a b"] })).toEqual([
      `metadata.finalizers: Invalid value: "example.org/a b": ${keyName}`,
    ])
  })
})

describe("the time of a deletion", () => {
  it("can't be set", async () => {
    const time = "2020-01-01T00:00:00Z"
    const message = `metadata.deletionTimestamp: Invalid value: "${time}": field is immutable`
    expect(await send("ConfigMap", { deletionTimestamp: time }, {})).toEqual([message])
    expect(await send("Box", { deletionTimestamp: time }, {})).toEqual([message, message])
  })
})
