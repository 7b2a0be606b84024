/** Stories made of logs of the test API server: its requests, its responses, and the states in between. */
import { describe, expect, it } from "vitest"
import { createApiServer } from "../../../src/apiserver/server.js"
import { parseYaml } from "../../../src/io/yaml.js"
import { writeJson } from "../../../src/json/json.js"
import type { MapValue, Value } from "../../../src/value/value.js"
import { definitionOf } from "../../support/definition.js"
import { codeBlocks, read } from "../../support/documents.js"
import { smd } from "../cli.js"

interface Asked {
  readonly method: "POST" | "PUT" | "PATCH" | "DELETE"
  readonly query?: string
  readonly subresource?: string
  readonly agent?: string
  readonly user?: string
  /** Of a PATCH: `apply` if absent. */
  readonly type?: "apply" | "merge" | "strategic"
  readonly body?: MapValue | ((live: MapValue) => MapValue)
}

const folder = "/apis/apps/v1/namespaces/default/deployments"
const types = {
  apply: "application/apply-patch+yaml",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
}

/** Asks a server one after the other. Returns the audit log, the states after each request, and the last one. */
async function logged(requests: readonly Asked[], options: { omitManagedFields?: boolean } = {}) {
  const server = createApiServer()
  const call = async (path: string, init: RequestInit = {}) => {
    const response = await server.fetch(new Request(`http://server${path}`, init))
    return { code: response.status, body: (await response.json()) as MapValue }
  }
  const events: MapValue[] = []
  const states: MapValue[] = []
  for (const [
    i,
    { method, query = "", subresource, agent = "curl/8.0", user = "admin", type = "apply", body },
  ] of requests.entries()) {
    const path = `${folder}${method === "POST" ? "" : "/web"}${subresource === undefined ? "" : `/${subresource}`}${query}`
    const sent = typeof body === "function" ? body((await call(`${folder}/web`)).body) : body
    const { code, body: answer } = await call(path, {
      method,
      headers: { "content-type": method === "PATCH" ? types[type] : "application/json", "user-agent": agent },
      ...(sent !== undefined && { body: writeJson(sent) }),
    })
    const metadata = answer.metadata as MapValue
    const response = options.omitManagedFields ? { ...answer, metadata: { ...metadata, managedFields: null } } : answer
    const event = {
      kind: "Event",
      apiVersion: "audit.k8s.io/v1",
      level: "RequestResponse",
      stage: "ResponseComplete",
      requestURI: path,
      verb: { POST: "create", PUT: "update", PATCH: "patch", DELETE: "delete" }[method],
      user: { username: user },
      userAgent: agent,
      objectRef: {
        resource: "deployments",
        namespace: "default",
        ...(method !== "POST" && { name: "web" }),
        apiGroup: "apps",
        apiVersion: "v1",
        ...(subresource !== undefined && { subresource }),
      },
      responseStatus: { metadata: {}, code },
      ...(sent !== undefined && { requestObject: sent }),
      responseObject: response,
      requestReceivedTimestamp: `2026-03-01T10:00:${String(i).padStart(2, "0")}.123456Z`,
    }
    events.push({ ...event, stage: "RequestReceived" }, event as unknown as MapValue)
    const state = await call(`${folder}/web`)
    if (state.code === 200) states.push(state.body)
  }
  const lines = (values: readonly Value[]) => values.map(value => `${writeJson(value)}\n`).join("")
  return { audit: lines(events), states, live: writeJson(states[states.length - 1] as Value) }
}

const config = (replicas: number | undefined, image = "web:1.0"): MapValue => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    ...(replicas !== undefined && { replicas }),
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image }] } },
  },
})
const apply = (body: MapValue, more = "", manager = "gitops"): Asked => ({
  method: "PATCH",
  query: `?fieldManager=${manager}${more}`,
  body,
})
const scale = (replicas: number): Asked => ({
  method: "PATCH",
  type: "merge",
  subresource: "scale",
  agent: "autoscaler/v1.37 (linux)",
  user: "system:hpa",
  body: { spec: { replicas } },
})

interface Recorded {
  readonly steps?: readonly (MapValue & { readonly expect?: Value })[]
  readonly objects?: readonly MapValue[]
}

/** Makes a story of a log and plays it. */
async function recorded(log: string, live: string) {
  const made = await smd(["simulate", "--record", "live.json", "--record-from", "log"], {
    files: { "live.json": live, log },
  })
  const again = await smd(["simulate", "story.yaml"], { files: { "story.yaml": made.out } })
  const { steps = [], objects } = (made.out === "" ? {} : parseYaml(made.out)) as Recorded
  return { ...made, steps, objects, again }
}

const fight: readonly Asked[] = [
  apply(config(3)),
  scale(7),
  apply(config(3), "&force=true"),
  scale(7),
  apply(config(3)),
  apply(config(undefined, "web:1.1"), "&dryRun=All"),
  apply(config(undefined, "web:1.1")),
  apply(config(undefined, "web:1.1")),
  {
    method: "PATCH",
    type: "strategic",
    agent: "kubectl/v1.37",
    body: { spec: { template: { spec: { containers: [{ name: "web", image: "web:2" }] } } } },
  },
  { method: "PUT", agent: "operator", body: live => ({ ...live, spec: { ...(live.spec as MapValue), paused: true } }) },
]

describe("smd simulate --record", () => {
  it("makes a story of an audit log, which plays with the results of the log", async () => {
    const { audit, live } = await logged(fight)
    const { status, steps, err, again } = await recorded(audit, live)
    expect([status, again.status, again.err]).toEqual([0, 0, ""])
    const told = steps.filter(({ manager }) => manager !== "(not in the log)")
    expect(told.map(({ about }) => about)).toEqual([
      "line 2, admin",
      "line 4, system:hpa",
      "line 6, admin",
      "line 8, system:hpa",
      "line 10, admin",
      "line 14, admin",
      "line 16, admin",
      "line 18, admin",
      "line 20, admin",
    ])
    expect(told[0]).toMatchObject({
      manager: "gitops",
      apply: { spec: { replicas: 3 } },
      expect: { outcome: "created" },
    })
    expect(told[1]).toEqual({
      manager: "autoscaler",
      object: "Deployment.apps/default/web",
      patch: { spec: { replicas: 7 } },
      about: "line 4, system:hpa",
      time: "2026-03-01T10:00:01Z",
      subresource: "scale",
      expect: { outcome: "changed" },
    })
    expect(told[2]).toMatchObject({
      force: true,
      expect: { outcome: "changed", changes: [".spec.replicas"], lost: { autoscaler: [".spec.replicas"] } },
    })
    expect(told[4]?.expect).toEqual({ conflicts: [{ field: ".spec.replicas", with: "autoscaler" }] })
    expect(told[6]?.expect).toEqual({ outcome: "unchanged" })
    expect(told[7]).toMatchObject({
      manager: "kubectl",
      expect: { lost: { gitops: ['.spec.template.spec.containers[name="web"].image'] } },
    })
    expect(told[8]).toMatchObject({ manager: "operator", patch: { spec: { paused: true } } })
    const [, section = ""] = read("docs/cli.md").split("\n## Stories from logs\n")
    const [block = ""] = codeBlocks(section, "console")
    const [command, ...shown] = block.split("\n")
    expect(command).toBe("$ smd simulate --record live.yaml --record-from audit.jsonl --out story.yaml")
    expect(err).toBe(`${shown.join("\n").trimEnd()}\n`)
  })

  it("finds the fight when the story continues", async () => {
    const { audit, live } = await logged(fight.slice(0, 4))
    const { out } = await recorded(audit, live)
    const { out: shown } = await smd(["simulate", "--contend", "s.yaml"], { files: { "s.yaml": out } })
    expect(shown).toContain("fights  1 field in ")
    expect(shown).toContain("    .spec.replicas of Deployment default/web\n      autoscaler and gitops, with 3, 7\n")
  })

  it("makes nearly the same story of states, and finds their writers by the owners", async () => {
    const { states, live } = await logged(fight)
    const lines = states.map(state => `${writeJson(state)}\n`)
    const { status, steps, objects, again, err } = await recorded(lines.join(""), live)
    expect([status, again.status, again.err]).toEqual([0, 0, ""])
    expect(objects).toHaveLength(1)
    expect(steps.map(({ manager, about, force }) => [manager, about, force])).toEqual([
      ["autoscaler", "line 2", undefined],
      ["gitops", "line 3", true],
      ["autoscaler", "line 4", undefined],
      ["gitops", "line 7", undefined],
      ["kubectl", "line 9", undefined],
      ["operator", "line 10", undefined],
    ])
    expect(err).toContain("line 1: the story begins with the state after it")
    // As kubectl prints them: indented, and as events of a watch.
    const indented = states.map(state => `${writeJson(state, { indent: 4 })}\n`).join("")
    const events = states.map(object => `${writeJson({ type: "MODIFIED", object })}\n`).join("")
    for (const log of [indented, events]) {
      const other = await recorded(log, live)
      expect(other.steps.map(({ manager, expect }) => [manager, expect])).toEqual(
        steps.map(({ manager, expect }) => [manager, expect]),
      )
      expect(other.again.status).toBe(0)
    }
  })

  it("reports refusals, writes that the log lacks, and a delete", async () => {
    const { audit, states, live } = await logged([
      { method: "POST", agent: "kubectl/1", query: "?fieldManager=kubectl-create", body: config(1) },
      scale(2),
      {
        method: "PUT",
        agent: "operator",
        body: live => ({ ...live, metadata: { ...(live.metadata as MapValue), resourceVersion: "1" } }),
      },
      { method: "PATCH", type: "merge", agent: "kubectl/1", body: { spec: { replicas: -1 } } },
      { method: "PATCH", type: "merge", agent: "sneaky", body: { spec: { paused: true } } },
      apply(config(2)),
      { method: "DELETE", agent: "kubectl/1" },
    ])
    const lacking = audit.split("\n").filter(line => !line.includes('"userAgent":"sneaky"'))
    const { status, steps, err, again } = await recorded(lacking.join("\n"), live)
    expect([status, again.status, again.err]).toEqual([0, 0, ""])
    expect(steps.map(({ manager, expect }) => [manager, expect])).toEqual([
      ["kubectl-create", { outcome: "created" }],
      ["autoscaler", { outcome: "changed" }],
      ["operator", { error: 409 }],
      ["kubectl", { error: 422 }],
      ["gitops", { outcome: "changed" }],
      ["(not in the log)", { outcome: "changed" }],
      ["(not in the log)", { outcome: "changed" }],
      ["kubectl", { outcome: "deleted" }],
    ])
    const forbidden = await recorded(lacking.join("\n").replaceAll('"code":422', '"code":403'), live)
    expect(forbidden.err).toContain("line 8: kubectl was refused with 403, but not by the engine alone")
    expect(err).toContain("the request does not explain .spec.paused\n")
    expect(states.length).toBe(6)
  })

  it("reads events without managedFields by their values", async () => {
    const { audit, live } = await logged(fight, { omitManagedFields: true })
    const { status, steps, again } = await recorded(audit, live)
    expect([status, again.status]).toEqual([0, 0])
    expect(steps.filter(step => "apply" in step)).toHaveLength(5)
  })

  it("uses the definition in the file of the object", async () => {
    const widget = (size: number, version: string) => ({
      apiVersion: "example.org/v1",
      kind: "Widget",
      metadata: { name: "a", namespace: "x", resourceVersion: version },
      spec: { size },
    })
    const spec = { type: "object", properties: { size: { type: "integer" } } }
    const definition = definitionOf("Widget", { group: "example.org", schema: { properties: { spec } } })
    const log = [widget(1, "1"), widget(2, "2")].map(state => `${writeJson(state)}\n`).join("")
    const live = `${writeJson(definition)}\n${writeJson(widget(2, "2"))}\n`
    const { status, steps, again } = await recorded(log, live)
    expect([status, again.status]).toEqual([0, 0])
    expect(steps).toMatchObject([{ manager: "(not in the log)", patch: { spec: { size: 2 } } }])
    expect(await recorded(log, writeJson(widget(2, "2"), { indent: 1 }))).toMatchObject({
      status: 2,
      err: "live.json:3:2: no type is known for example.org/v1 Widget; the file may contain its definition too\n",
    })
  })

  it.each([
    ['{"kind": "Event"\n', "log:1: is not JSON\n"],
    ["\n[1]\n", "log:2: is neither an event of an audit log nor an object\n"],
    ['{"a": 1}\n', "log:1: is neither an event of an audit log nor an object\n"],
    ["{\n}\n{\n", "log:1: is neither an event of an audit log nor an object\n"],
    ['{\n  "apiVersion": "v1", "kind": "Pod"\n}\n{\n', "log:4: the file ends before the object does\n"],
    ['{"apiVersion": "v1", "kind": "Pod"}\n', "log: contains no write to ConfigMap x/web\n"],
    [
      `${writeJson({
        kind: "Event",
        apiVersion: "audit.k8s.io/v1",
        level: "Metadata",
        stage: "ResponseComplete",
        verb: "update",
        requestURI: "/api/v1/namespaces/x/configmaps/web",
        objectRef: { resource: "configmaps", namespace: "x", name: "web", apiVersion: "v1" },
      })}\n`,
      "log:1: the event has level Metadata; only events with level RequestResponse contain the written object\n",
    ],
  ])("says which line can't be used: %j", async (log, message) => {
    const live = "{apiVersion: v1, kind: ConfigMap, metadata: {name: web, namespace: x}}"
    const { status, out, err } = await recorded(log, live)
    expect([status, out, err]).toEqual([2, "", message])
  })

  it("names missing options", async () => {
    const asked = async (...args: string[]) =>
      (await smd(["simulate", ...args], { files: { "live.json": "{}", log: "" } })).err
    expect(await asked("--record", "live.json")).toContain("--record-from is required")
    expect(await asked("--record-from", "log")).toContain("--record is required")
    expect(await asked("--record", "live.json", "--record-from", "log", "story.yaml")).toContain(
      "unexpected story.yaml",
    )
    expect(await asked("--record", "live.json", "--record-from", "log")).toContain("live.json: expected one object")
    const both = await smd(["simulate", "--record", "-", "--record-from", "-"], {
      files: { "-": writeJson(config(1)) },
    })
    expect(both).toEqual({ status: 2, out: "", err: "standard input can be read only once\n" })
    const bytes = { "live.json": writeJson(config(1)), log: new Uint8Array([0x7b, 0x0a, 0xff]) }
    const torn = await smd(["simulate", "--record", "live.json", "--record-from", "log"], { files: bytes })
    expect(torn).toEqual({ status: 2, out: "", err: "log:2: is not UTF-8 text\n" })
  })
})
