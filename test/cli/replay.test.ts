/** Logs that `smd serve --replay` plays: what it serves at each moment, and what it says the log does not have. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type ApiServer, createApiServer, TestClock } from "../../src/apiserver/index.js"
import type { LogValue } from "../../src/cli/input/log-values.js"
import { Replay, type ReplaySpeed } from "../../src/cli/serve/replay/replay.js"
import { type Change, readLog } from "../../src/cli/serve/replay/timeline.js"
import type { MapValue, Value } from "../../src/value/value.js"
import { play, type Step, session, sessionOptions } from "../apiserver/random-session.js"
import { runs } from "../support/budget.js"
import { definitionOf } from "../support/definition.js"

async function* linesOf(values: readonly object[]): AsyncGenerator<LogValue> {
  for (const [i, value] of values.entries()) yield { line: i + 1, value: value as Value, at: `log:${i + 1}` }
}

interface Options {
  readonly speed?: ReplaySpeed
  readonly objects?: readonly object[]
  readonly onChange?: (change: Change) => void
}

/** Opens a replay, and returns it with its server, the clock of the machine, and what it reports. */
async function opened(log: readonly object[], { speed = "step", objects = [], onChange }: Options = {}) {
  const machine = new TestClock("2030-01-01T00:00:00Z")
  const replay = new Replay(await readLog(linesOf(log)), speed, machine, onChange)
  const server = replay.emptied(createApiServer({ clock: replay.now }))
  server.load(objects)
  const gaps = replay.begin(server).map(({ line, reason, about }) => `${line} ${about}: ${reason}`)
  return { replay, server, machine, gaps }
}

/** The kinds whose objects the tests compare, by their paths. */
const watched = ["/api/v1/namespaces", "/api/v1/configmaps", "/api/v1/services", "/apis/apps/v1/deployments"]
const watchedKinds = ["Namespace", "ConfigMap", "Service", "Deployment"]

function objectsOf(server: ApiServer): MapValue[] {
  return server.snapshot().filter(({ kind }) => watchedKinds.includes(String(kind)))
}

/** Follows all objects of these paths. Returns the events, path after path, once the server is closed. */
async function watching(server: ApiServer, paths: readonly string[]): Promise<() => Promise<MapValue[]>> {
  const texts = paths.map(async path => {
    const { body } = await server.answer({ method: "GET", path: `${path}?watch=true` })
    let text = ""
    for await (const chunk of body as AsyncIterable<Uint8Array>) text += new TextDecoder().decode(chunk)
    return text
  })
  return async () =>
    (await Promise.all(texts)).flatMap(text => text.split("\n").flatMap(line => (line === "" ? [] : JSON.parse(line))))
}

describe("a replay of a recorded watch", () => {
  it("serves after each change the objects that the server had, with owners, uids and resourceVersions", async () => {
    const isObject = (step: Step) => "wait" in step || !step.path.includes("customresourcedefinitions")
    let changes = 0
    await fc.assert(
      fc.asyncProperty(fc.integer(), session, fc.boolean(), async (seed, steps, isPrinted) => {
        const live = createApiServer(sessionOptions(seed))
        const events = await watching(live, watched)
        await play(live, steps.filter(isObject))
        const log = (await events()).map(event => (isPrinted ? (event.object as MapValue) : event))
        const made: Change[] = []
        const { replay, server, gaps } = await opened(log, { onChange: change => made.push(change) })
        expect(gaps).toEqual([])
        for (;;) {
          replay.advance({ steps: 1 })
          const change = made.pop()
          if (change === undefined) break
          changes++
          expect(server.resourceVersion).toBe(String(change.version))
          expect(objectsOf(server)).toEqual(objectsOf(live.at(change.version as number)))
        }
        expect(objectsOf(server)).toEqual(objectsOf(live))
      }),
      runs(20),
    )
    expect(changes).toBeGreaterThan(20)
  })
})

/** A state of a ConfigMap, or of another kind. */
const state = (name: string, version: number, more: object = {}, metadata: object = {}) => ({
  ...{ apiVersion: "v1", kind: "ConfigMap" },
  metadata: { name, namespace: "shop", uid: `uid-${name}`, resourceVersion: String(version), ...metadata },
  ...more,
})
const at = (second: number) => `2026-03-01T10:00:${String(second).padStart(2, "0")}Z`

interface Logged {
  readonly verb: string
  readonly name?: string
  readonly resource?: string
  readonly second: number
  readonly answer?: object
  readonly level?: string
  readonly [more: string]: unknown
}

/** An event of an audit log about a ConfigMap. */
function audited({ verb, name, resource = "configmaps", second, answer, level = "RequestResponse", ...more }: Logged) {
  return {
    ...{ kind: "Event", apiVersion: "audit.k8s.io/v1", level, stage: "ResponseComplete", verb },
    ...{ requestURI: "/", userAgent: "kubectl/v1.37", responseStatus: { code: 200 } },
    objectRef: { resource, namespace: "shop", apiVersion: "v1", ...(name !== undefined && { name }) },
    ...{ requestReceivedTimestamp: at(second), stageTimestamp: at(second) },
    ...(answer !== undefined && { responseObject: answer }),
    ...more,
  }
}

const success = { kind: "Status", apiVersion: "v1", status: "Success" }
const widget = (version: number) => ({ ...state("w", version), apiVersion: "example.com/v1", kind: "Widget" })
const list = (...items: object[]) => ({ kind: "ConfigMapList", apiVersion: "v1", metadata: {}, items })

/** Returns the changes that a replay makes: `ADDED a 11`, and before a slash the beginning. */
async function told(log: readonly object[], options: Options = {}): Promise<string> {
  const made: string[] = []
  const note = ({ type, object, version }: Change) =>
    void made.push(`${type} ${(object.metadata as { name: string }).name} ${version}`)
  const { replay, server } = await opened(log, { ...options, onChange: note })
  const names = server.snapshot().flatMap(({ kind, metadata }) => {
    return kind === "ConfigMap" ? [(metadata as { name: string }).name] : []
  })
  replay.advance({})
  return [names.join(" "), ...made].join(" / ")
}

describe("a replay of an audit log", () => {
  const create = (name: string, second: number, version: number) =>
    audited({ verb: "create", second, answer: state(name, version) })

  it.each<readonly [string, readonly object[], string]>([
    [
      "orders writes by their resourceVersions, and ignores refusals, dry runs and other stages",
      [
        create("b", 2, 12),
        create("a", 1, 11),
        audited({ verb: "update", name: "a", second: 3, answer: state("a", 20), requestURI: "/?dryRun=All" }),
        audited({ verb: "update", name: "a", second: 3, answer: state("a", 21), responseStatus: { code: 409 } }),
        audited({ verb: "update", name: "a", second: 3, answer: state("a", 22), stage: "RequestReceived" }),
        audited({ verb: "update", name: "a", second: 3, answer: state("a", 13) }),
      ],
      " / ADDED a 11 / ADDED b 12 / MODIFIED a 13",
    ],
    [
      "gives a deletion the free number at its time, even if there is none at first",
      [
        ...[create("a", 1, 11), create("b", 2, 12), create("c", 4, 13), create("d", 5, 16)],
        audited({ verb: "delete", name: "a", second: 3, answer: { ...success, details: { uid: "uid-a" } } }),
      ],
      " / ADDED a 11 / ADDED b 12 / ADDED c 13 / DELETED a 14 / ADDED d 16",
    ],
    [
      "ends an object when its last finalizer goes, or when it is returned without one",
      [
        audited({ verb: "create", second: 1, answer: state("a", 11, {}, { finalizers: ["x/y"] }) }),
        audited({
          verb: "delete",
          name: "a",
          second: 2,
          answer: state("a", 12, {}, { finalizers: ["x/y"], deletionTimestamp: at(2) }),
        }),
        audited({ verb: "patch", name: "a", second: 3, answer: state("a", 13, {}, { deletionTimestamp: at(2) }) }),
        audited({ verb: "create", second: 4, answer: state("b", 14) }),
        audited({ verb: "delete", name: "b", second: 5, answer: state("b", 14) }),
      ],
      " / ADDED a 11 / MODIFIED a 12 / DELETED a 13 / ADDED b 14 / DELETED b 15",
    ],
    [
      "begins with the objects that the first reads show, and lets a created object of the same name replace a deleted one",
      [
        audited({
          verb: "list",
          second: 9,
          answer: list({ metadata: state("old", 3).metadata }, { metadata: state("a", 11).metadata }),
        }),
        create("a", 1, 11),
        audited({ verb: "delete", name: "a", second: 2, answer: success }),
        audited({ verb: "create", second: 3, answer: state("a", 15, {}, { uid: "second" }) }),
        audited({
          verb: "deletecollection",
          second: 4,
          answer: list({ metadata: state("a", 15, {}, { uid: "second" }).metadata }),
        }),
      ],
      "old / ADDED a 11 / DELETED a 12 / ADDED a 15 / DELETED a 16",
    ],
  ])("%s", async (_, log, expected) => expect(await told(log)).toBe(expected))

  it("reports with line numbers what the log does not have", async () => {
    const log = [
      audited({
        verb: "update",
        name: "a",
        second: 1,
        answer: state("a", 11, {}, { creationTimestamp: at(0), managedFields: [{ time: at(1) }] }),
      }),
      audited({ verb: "patch", name: "a", second: 2, level: "Metadata" }),
      audited({ verb: "patch", name: "a", second: 2, annotations: { "audit.k8s.io/truncated": "true" } }),
      audited({
        verb: "patch",
        resource: "deployments",
        name: "d",
        second: 2,
        answer: { apiVersion: "autoscaling/v1", kind: "Scale" },
        objectRef: { apiGroup: "apps", resource: "deployments", name: "d", namespace: "shop", subresource: "scale" },
      }),
      audited({ verb: "create", resource: "tokenreviews", second: 2, level: "Metadata" }),
      audited({ verb: "delete", resource: "pods", name: "p", second: 2, level: "Metadata" }),
      audited({
        verb: "create",
        second: 3,
        answer: widget(12),
        objectRef: { apiGroup: "example.com", resource: "widgets" },
      }),
      audited({ verb: "create", second: 4, answer: state("a", 14, {}, { uid: "other" }) }),
      { type: "ERROR", object: { kind: "Status", message: "too old" } },
      audited({ verb: "create", second: 5, answer: state("early", 5), stageTimestamp: "2026-03-01T10:02:00Z" }),
    ]
    const missing = "load its CustomResourceDefinition first"
    const { replay, server, gaps } = await opened(log)
    expect(gaps).toEqual([
      "1 ConfigMap shop/a: an object existed before the log shows it, and appears with its first state",
      "2 patch of configmaps shop/a: level Metadata: the written object is not in the log",
      "3 patch of configmaps shop/a: the event is truncated: the written object is not in the log",
      "4 patch of deployments/scale shop/d: the response is not the object that was written",
      "6 pods shop/p: the log does not say whether a deleted object was gone at once",
      `7 Widget shop/w: no resource serves example.com/v1 Widget: ${missing}`,
      "8 ConfigMap shop/a: an object was deleted and created again, and the log has no deletion",
      "9 too old: the watch ended with an error: later events may be missing",
      "10 ConfigMap shop/early: a write has a lower resourceVersion than much earlier ones, as if from another etcd: the order may be wrong",
    ])
    replay.advance({})
    expect(server.resourceVersion).toBe("14")
  })

  it("continues the objects of --load, and serves custom resources whose definitions are in the log", async () => {
    const crd = {
      ...definitionOf("Widget"),
      metadata: { name: "widgets.example.com", uid: "crd", resourceVersion: "21" },
    }
    const log = [
      create("a", 1, 11),
      audited({ verb: "delete", name: "loaded", second: 2, answer: success }),
      audited({
        verb: "create",
        second: 3,
        answer: crd,
        objectRef: { apiGroup: "apiextensions.k8s.io", resource: "customresourcedefinitions" },
      }),
      audited({
        verb: "create",
        second: 4,
        answer: widget(22),
        objectRef: { apiGroup: "example.com", resource: "widgets" },
      }),
    ]
    const { replay, server, gaps } = await opened(log, { objects: [state("loaded", 12), state("stays", 13)] })
    expect(gaps).toEqual([])
    const names = () =>
      server
        .snapshot()
        .filter(({ kind }) => kind === "ConfigMap" || kind === "Widget")
        .map(({ metadata }) => (metadata as { name: string }).name)
    expect(names()).toEqual(["a", "loaded", "stays"])
    replay.advance({})
    expect(names()).toEqual(["a", "stays", "w"])
  })
})

describe("a replay", () => {
  const log = [1, 2, 4, 400].map((second, i) => ({
    ...{ time: new Date(Date.parse(at(0)) + second * 1000).toISOString(), method: "POST", headers: {}, status: 201 },
    path: "/api/v1/namespaces/shop/configmaps",
    answer: state(`c${second}`, 11 + i),
  }))
  const names = (server: ApiServer) =>
    server
      .snapshot()
      .flatMap(({ kind, metadata }) => (kind === "ConfigMap" ? [(metadata as { name: string }).name] : []))

  it("goes on at its speed, shortens pauses to a minute, and shows the times of the log", async () => {
    const { replay, server, machine } = await opened(log, { speed: 2 })
    expect(replay.now().toISOString()).toBe("2026-03-01T10:00:01.000Z")
    replay.play()
    const seen: string[] = []
    for (const milliseconds of [0, 499, 1, 999, 1, 500, 58_499, 1_001]) {
      machine.advance(milliseconds)
      seen.push(`${replay.now().toISOString().slice(14, 23)} ${names(server).join(" ")}`)
    }
    expect(seen).toEqual([
      "00:01.000 c1",
      "00:01.998 c1",
      "00:02.000 c1 c2",
      "00:03.998 c1 c2",
      "00:04.000 c1 c2 c4",
      "00:05.000 c1 c2 c4",
      "02:01.998 c1 c2 c4",
      "06:40.000 c1 c2 c4 c400",
    ])
  })

  it("tells watches of changes, and lets requests advance it", async () => {
    const { replay, server } = await opened(log)
    const { body } = await server.answer({ method: "GET", path: "/api/v1/configmaps?watch=true&resourceVersion=10" })
    const lines = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
    const next = async () => JSON.parse(new TextDecoder().decode((await lines.next()).value))
    const post = async (text?: string) => {
      const request = new Request("http://server/structured-merge-diff/replay", { method: "POST", body: text ?? null })
      const response = await replay.answer(request)
      return {
        code: response.status,
        ...((await response.json()) as { position?: number; time?: string; message?: string }),
      }
    }
    expect(await post()).toMatchObject({ code: 200, position: 1, changes: 4, speed: "step", gaps: [] })
    expect(await next()).toEqual({ type: "ADDED", object: state("c1", 11) })
    expect(await post(`{"until": "${at(30)}"}`)).toMatchObject({
      position: 3,
      time: "2026-03-01T10:00:30.000Z",
      next: { type: "ADDED", object: "ConfigMap shop/c400", line: 4 },
    })
    expect(await post("{steps: 5}")).toMatchObject({ position: 4 })
    for (const text of ["{steps: 0}", "{until: soon}", "[", "{steps: 1, until: 2026-03-01}"]) {
      expect(await post(text)).toMatchObject({ code: 400, message: expect.stringContaining('{"steps": 5}') })
    }
  })
})
