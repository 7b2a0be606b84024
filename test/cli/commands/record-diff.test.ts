/** Recordings of the test API server: what is kept of Secrets, and what `smd record diff` finds in two runs of a program. */
import { describe, expect, it } from "vitest"
import { createApiServer } from "../../../src/apiserver/server.js"
import { Secrets } from "../../../src/cli/secrets/secrets.js"
import { addressOf } from "../../../src/cli/traffic/exchange.js"
import { redacted } from "../../../src/cli/traffic/redaction.js"
import type { MapValue, Value } from "../../../src/value/value.js"
import { codeBlocks, read } from "../../support/documents.js"
import { smd } from "../cli.js"

interface Asked {
  readonly method: string
  readonly path: string
  readonly body?: object
  readonly type?: string
}

/** Sends requests of a program to a server of its own, and returns the recording. */
async function recorded(seed: number, requests: readonly Asked[]): Promise<string> {
  const server = createApiServer({ seed })
  const lines: string[] = []
  for (const { method, path, body, type = "application/json" } of requests) {
    server.clock.advance(1500 * seed)
    const headers = { "content-type": type, "user-agent": "operator/v1" }
    const { status, body: answer } = await server.answer({ method, path, headers, body: JSON.stringify(body) })
    const time = server.clock.now().toISOString()
    lines.push(JSON.stringify({ time, method, path, headers, body, status, answer: JSON.parse(answer as string) }))
  }
  return `${lines.join("\n")}\n`
}

const folder = "/api/v1/namespaces/default"
const metadata = { name: "shop" }
const spec = (replicas: number, image: string) => ({
  replicas,
  selector: { matchLabels: { app: "shop" } },
  template: { metadata: { labels: { app: "shop" } }, spec: { containers: [{ name: "web", image }] } },
})
const apply = (object: object, { manager = "operator", force = false } = {}): Asked => {
  const { kind } = object as { kind: string }
  const base = kind === "Deployment" ? "/apis/apps/v1/namespaces/default/deployments" : `${folder}/configmaps`
  const path = `${base}/shop?fieldManager=${manager}${force ? "&force=true" : ""}`
  return { method: "PATCH", path, body: object, type: "application/apply-patch+yaml" }
}
const deployment = (replicas: number, image: string) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata,
  spec: spec(replicas, image),
})
const config = (data: MapValue) => ({ apiVersion: "v1", kind: "ConfigMap", metadata, data })
const job = (time: string) => ({
  method: "POST",
  path: `${folder}/configmaps`,
  body: { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "run-", annotations: { started: time } } },
})
const compare = async (a: string, b: string, ...args: string[]) =>
  smd(["record", "diff", ...args, "a.ndjson", "b.ndjson"], { files: { "a.ndjson": a, "b.ndjson": b } })

describe("smd record diff", () => {
  it("finds two runs equal that differ in uids, versions, names, times, repeats and the order of independent requests", async () => {
    const first = apply(deployment(2, "shop:1.0"))
    const other = apply(config({ color: "blue" }))
    const a = await recorded(1, [first, other, job("2026-01-01T00:00:03Z"), job("2026-01-01T00:00:03Z")])
    const b = await recorded(2, [job("2026-01-01T00:00:09Z"), other, job("2026-01-01T00:00:04Z"), first])
    expect(a).not.toBe(b)
    expect(await compare(a, b)).toMatchObject({ status: 0, out: "The recordings have the same requests.\n" })
    const far = await recorded(1, [first, other, job("2031-01-01T00:00:03Z"), job("2026-01-01T00:00:03Z")])
    expect((await compare(a, far)).status).toBe(1)
  })

  it("shows other bodies, new fields, force, conflicts and numbers of requests", async () => {
    const theirs = apply(config({ color: "red" }), { manager: "gitops" })
    const a = await recorded(1, [theirs, apply(deployment(2, "shop:1.0")), apply(deployment(2, "shop:1.1"), {})])
    const b = await recorded(2, [
      theirs,
      apply(deployment(2, "shop:1.0")),
      apply({ ...deployment(3, "shop:1.2"), metadata: { ...metadata, labels: { team: "web" } } }, { force: true }),
      apply(config({ color: "blue" })),
    ])
    const { status, out } = await compare(a, b)
    expect(status).toBe(1)
    const [block = ""] = codeBlocks(
      read("docs/apiserver/record-and-replay.md").split("\n## Two runs of a program\n")[1] ?? "",
      "console",
    )
    expect(`$ smd record diff a.ndjson b.ndjson\n${out}`).toBe(block)
    const { out: json } = await compare(a, b, "--writes", "--output", "json")
    expect(JSON.parse(json)[0]).toMatchObject({
      requests: [{ verb: "apply", resource: "configmaps", manager: "operator", before: 0, after: 1 }],
      bodies: [
        { after: 4 },
        {
          before: 3,
          after: 3,
          changes: [{ path: ".metadata.labels" }, { path: ".spec.replicas", from: 2, to: 3 }, {}],
        },
      ],
      forces: [{ object: "deployments.apps default/shop", forces: true, line: 3 }],
    })
  })

  it("reads audit logs, and says which line is neither", async () => {
    expect(await compare("{}\n", "")).toMatchObject({
      status: 2,
      err: "a.ndjson:1: is neither a line of --record nor an event of an audit log\n",
    })
  })
})

describe("a recording", () => {
  const base64 = (text: string) => Buffer.from(text).toString("base64")
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "db" }, data: { password: base64("hunter2") } }
  const copy = { "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify(secret) }
  const secrets = `${folder}/secrets/db`

  it.each<readonly [string, string, Value]>([
    ["a Secret, wherever it is", `${folder}/configmaps`, secret],
    ["a Secret whose kind the client leaves out", secrets, { data: secret.data, stringData: { token: "hunter2" } }],
    [
      "a list",
      `${folder}/secrets`,
      { kind: "SecretList", apiVersion: "v1", items: [{ metadata: {}, data: secret.data }] },
    ],
    ["events of a watch", `${folder}/secrets?watch=true`, [{ type: "ADDED", object: secret }]],
    ["a merge patch", secrets, { data: secret.data, metadata: { annotations: copy } }],
    ["a JSON patch", secrets, [{ op: "add", path: "/data/password", value: base64("hunter2") }]],
    [
      "a table",
      secrets,
      {
        kind: "Table",
        rows: [
          { object: { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: { annotations: copy } } },
        ],
      },
    ],
    ["YAML", secrets, `stringData: {password: hunter2}`],
    [
      "YAML of a Secret at another address",
      `${folder}/configmaps/x`,
      `{apiVersion: v1, kind: Secret, stringData: {password: hunter2}}`,
    ],
    ["text that can't be read", secrets, '{"data": {"password": "hunter2'],
    ["a Secret that was cut off", `${folder}/configmaps/x`, '{"kind": "Secret", "stringData": {"password": "hunter2'],
    ["protobuf", secrets, { base64: base64("hunter2") }],
    ["a token", `${folder}/serviceaccounts/x/token`, { kind: "TokenRequest", status: { token: "hunter2" } }],
    [
      "a token to review",
      "/apis/authentication.k8s.io/v1/tokenreviews",
      { kind: "TokenReview", spec: { token: "hunter2" } },
    ],
  ])("hides the values of %s", (_, path, body) => {
    const hiding = new Secrets()
    const text = JSON.stringify(redacted(body, addressOf(path), hiding))
    expect(text).not.toMatch(new RegExp(`hunter2|${base64("hunter2")}`))
    expect(text).toContain(text.includes("KGhpZGRlbi") ? base64("(hidden 1)") : "(hidden")
    expect(hiding.hasHidden).toBe(true)
    expect(redacted(body, addressOf(path), new Secrets({ show: true }))).toBe(body)
  })

  it("keeps other bodies as they are", () => {
    const bodies: readonly Value[] = [
      config({ password: "x" }),
      "data: {a: x}",
      { base64: "/wA=" },
      "{",
      { kind: "Status", message: "no Secret" },
    ]
    for (const body of bodies) expect(redacted(body, addressOf(`${folder}/configmaps/a`), new Secrets())).toEqual(body)
  })
})
