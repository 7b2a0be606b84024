// How objects are shown as a Table, beside the printers of Kubernetes (test/vectors/tables.json, recorded by oracle/reset-fields/tables).
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { createApiServer } from "../../src/apiserver/server.js"
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

/** The Table of an object that is stored as it is. */
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

describe("a table is that of a real server:", () => {
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

test("a table has ages by the clock of the server", async () => {
  const settings = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings", namespace: "default" } }
  let minutes = 0
  const server = createApiServer({ objects: [settings], clock: () => new Date(Date.UTC(2024, 1, 29, 12, minutes)) })
  minutes = 5
  expect((await tableOf(settings, server)).rows[0]?.cells).toEqual(["settings", 0, "5m"])
})
