// Findings about managers that nobody expects, in objects that the test API server stores.
import { describe, expect, it } from "vitest"
import { createApiServer } from "../../../src/apiserver/index.js"
import { type LintObjectOptions, lintObject } from "../../../src/tools/lint/index.js"
import { release, transfer } from "../../../src/tools/managers/index.js"
import type { MapValue } from "../../../src/value/value.js"
import { configMap } from "./history.js"

/** A ConfigMap that helm, ci and a part of the cluster wrote on different days. */
async function ofThreeManagers(): Promise<MapValue> {
  let now = new Date("2026-01-01T00:00:00Z")
  const { fetch } = createApiServer({ clock: () => now })
  const path = "http://localhost/api/v1/namespaces/default/configmaps/web"
  const send = async (type: string, body: MapValue, manager: string): Promise<MapValue> => {
    const url = `${path}?fieldManager=${manager}`
    const request = { method: "PATCH", body: JSON.stringify(body), headers: { "content-type": type } }
    return (await (await fetch(new Request(url, request))).json()) as MapValue
  }
  await send("application/apply-patch+yaml", configMap({ a: "1" }), "helm")
  now = new Date("2026-03-01T00:00:00Z")
  await send("application/merge-patch+json", { data: { b: "1", c: "1" } }, "ci-1.2")
  now = new Date("2026-05-01T00:00:00Z")
  return await send("application/merge-patch+json", { data: { d: "1" } }, "kube-controller-manager")
}

const found = (live: MapValue, options: LintObjectOptions) =>
  lintObject(live, options).map(({ code, manager, message }) => `${code} ${manager}: ${message}`)

const stay = "they stay when others leave them out"

describe("managers that nobody expects", () => {
  it.each<[string, LintObjectOptions, string[]]>([
    ["nobody without a list or a date", {}, []],
    [
      "those that are not on the list, except for the cluster itself",
      { knownManagers: ["helm"] },
      [`idle-manager ci-1.2: ci-1.2 (Update) is not a known manager, and owns 2 fields: ${stay}`],
    ],
    ["nobody whose name fits a pattern", { knownManagers: ["helm", "ci-*"] }, []],
    ["those whose name only contains a known one", { knownManagers: ["helm", "ci", "*.x"] }, ["ci-1.2"]],
    [
      "those that have changed nothing since a date",
      { changedSince: new Date("2026-03-01T00:00:00Z") },
      [`idle-manager helm: helm (Apply) has changed nothing since 2026-01-01T00:00:00Z, and owns 1 field: ${stay}`],
    ],
    [
      "each entry once",
      { knownManagers: ["ci-*"], changedSince: new Date("2026-04-01T00:00:00Z") },
      [
        `idle-manager helm: helm (Apply) is not a known manager, has changed nothing since 2026-01-01T00:00:00Z, and owns 1 field: ${stay}`,
        `idle-manager ci-1.2: ci-1.2 (Update) has changed nothing since 2026-03-01T00:00:00Z, and owns 2 fields: ${stay}`,
      ],
    ],
  ])("are %s", async (_, options, expected) => {
    const messages = found(await ofThreeManagers(), options)
    expect(messages.map((message, i) => (expected[i]?.includes(" ") ? message : message.split(/[ :]/)[1]))).toEqual(
      expected,
    )
  })

  it("are gone after either remedy", async () => {
    const live = await ofThreeManagers()
    const options = { knownManagers: ["helm"] }
    for (const change of [transfer(live, { from: "ci-1.2", to: "helm" }), release(live, { managers: "ci-1.2" })]) {
      expect(found(change.object, options)).toEqual([])
    }
  })

  it("need a date that exists", () => {
    expect(() => lintObject({}, { changedSince: new Date("no") })).toThrow(
      "options.changedSince: expected a valid Date",
    )
  })
})
