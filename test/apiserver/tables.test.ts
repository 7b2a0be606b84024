// Compares Tables with the output of Kubernetes' printers (test/vectors/tables.json, recorded by oracle/reset-fields/tables).
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { createApiServer } from "../../src/apiserver/server.js"
import { columnDescriptionsData } from "../../src/kinds/families/column-descriptions-data.js"
import { columnsOfKind } from "../../src/kinds/families/columns.js"
import { projectRoot } from "../fuzz/programs.js"

interface Shown {
  readonly object: { readonly apiVersion: string; readonly kind: string; readonly metadata: { readonly name: string } }
  readonly columns: readonly object[]
  readonly cells: readonly unknown[]
}

interface Table {
  readonly columnDefinitions: readonly { name: string; type: string; format: string; priority: number }[]
  readonly rows: readonly { readonly cells: readonly unknown[] }[]
}

const vectors = JSON.parse(readFileSync(join(projectRoot(), "test/vectors/tables.json"), "utf8")) as Shown[]

/** Stores an object unchanged and returns its Table. */
async function tableOf(object: Shown["object"], { fetch } = createApiServer({ objects: [object] })): Promise<Table> {
  const { apiVersion, kind, metadata } = object
  const root = apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`
  const discovery = await fetch(new Request(`http://test${root}`))
  const { resources } = (await discovery.json()) as { resources: { name: string; kind: string; namespaced: boolean }[] }
  const resource = resources.find(found => found.kind === kind && !found.name.includes("/"))
  const path = `${resource?.namespaced ? "/namespaces/default" : ""}/${resource?.name}/${metadata.name}`
  const headers = { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" }
  return (await fetch(new Request(`http://test${root}${path}`, { headers }))).json() as Promise<Table>
}

describe("a table equals a real server's:", () => {
  test.each(vectors.map(vector => [`${vector.object.kind} ${vector.object.metadata.name}`, vector] as const))(
    "%s",
    async (_, { object, columns, cells }) => {
      const { columnDefinitions, rows } = await tableOf(object)
      expect(rows[0]?.cells).toEqual(cells)
      expect(columnDefinitions.map(({ name, type, format, priority }) => ({ name, type, format, priority }))).toEqual(
        columns,
      )
    },
  )
})

const recorded = JSON.parse(columnDescriptionsData) as {
  readonly descriptions: readonly string[]
  readonly kinds: Readonly<Record<string, Readonly<Record<string, number>>>>
}

test.each(Object.entries(recorded.kinds).filter(([kind]) => kind !== "" && kind !== "/ComponentStatus"))(
  "all columns of %s have the recorded descriptions",
  (name, numbers) => {
    const [group = "", kind = ""] = name.split("/")
    const columns = columnsOfKind(group, kind).filter(({ isUndefined }) => isUndefined !== true)
    expect(Object.fromEntries(columns.map(column => [column.name, column.description]))).toEqual(
      Object.fromEntries(Object.entries(numbers).map(([column, number]) => [column, recorded.descriptions[number]])),
    )
  },
)

test("a table has ages by the clock of the server", async () => {
  const settings = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings", namespace: "default" } }
  let minutes = 0
  const server = createApiServer({ objects: [settings], clock: () => new Date(Date.UTC(2024, 1, 29, 12, minutes)) })
  minutes = 5
  expect((await tableOf(settings, server)).rows[0]?.cells).toEqual(["settings", 0, "5m"])
})

test.each([
  [119, "119s"],
  [3 * 60 + 5, "3m5s"],
  [30 * 60 + 5, "30m"],
  [5 * 3600 + 60, "5h1m"],
  [30 * 3600 + 60, "30h"],
  [50 * 3600, "2d2h"],
  [48 * 3600, "2d"],
  [10 * 86_400 + 3600, "10d"],
  [800 * 86_400, "2y70d"],
  [9 * 365 * 86_400, "9y"],
  [-5, "0s"],
])("an age of %d seconds is shown as in kubectl: %s", async (seconds, expected) => {
  const settings = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings", namespace: "default" } }
  let now = Date.UTC(2024, 1, 29)
  const server = createApiServer({ objects: [settings], clock: () => new Date(now) })
  now += 1000 * seconds
  expect((await tableOf(settings, server)).rows[0]?.cells.at(-1)).toBe(expected)
})

test.each([
  [{ running: { startedAt: "2024-01-01T00:00:00Z" } }, true, "1/1"],
  [{ running: { startedAt: "2024-01-01T00:00:00Z" } }, false, "0/1"],
  [{ waiting: { reason: "CrashLoopBackOff" } }, true, "0/1"],
])("a container in the state %j, ready: %s, counts in %s", async (state, ready, expected) => {
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: "default", uid: "1" },
    spec: { containers: [{ name: "web", image: "web" }] },
    status: {
      phase: "Running",
      containerStatuses: [{ name: "web", image: "web", imageID: "", restartCount: 0, ready, state }],
    },
  }
  expect((await tableOf(pod)).rows[0]?.cells[1]).toBe(expected)
})

test.each([
  ["v1", "ReplicationController", "replicationcontroller/web"],
  ["apps/v1", "StatefulSet", "statefulset.apps/web"],
])("a revision of %s %s is shown with its controller: %s", async (apiVersion, kind, expected) => {
  const owner = { apiVersion, kind, name: "web", uid: "1", controller: true }
  const revision = {
    apiVersion: "apps/v1",
    kind: "ControllerRevision",
    metadata: {
      name: "web-1",
      namespace: "default",
      ownerReferences: [{ ...owner, name: "other", controller: false }, owner],
    },
    revision: 1,
    data: {},
  }
  expect((await tableOf(revision)).rows[0]?.cells[1]).toBe(expected)
})
