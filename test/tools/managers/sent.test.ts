/** Patches on a server: of an object that has changed meanwhile, by different senders, and for fields that nobody can remove. */
import { describe, expect, it } from "vitest"
import { createApiServer } from "../../../src/apiserver/index.js"
import { kubernetesTypes as types } from "../../../src/kubernetes/index.js"
import { release, transfer } from "../../../src/tools/managers/index.js"
import type { MapValue } from "../../../src/value/value.js"
import { configMap } from "../../support/config-map.js"
import { collectionOf, Subject, unversioned } from "./world.js"

const settingsOf = (data: MapValue): MapValue => configMap("web", data)

function settings(): Subject {
  let now = Date.parse("2026-01-01T00:00:00Z")
  const server = createApiServer({ clock: () => new Date((now += 60_000)) })
  return new Subject(server, collectionOf("configmaps"), "v1", "web")
}

describe("a patch", () => {
  it.each([
    ["test", 422],
    ["replace", 409],
  ] as const)("that guards by %s is refused with %i if the object has changed", async (guard, expected) => {
    const web = settings()
    await web.apply(settingsOf({ a: "1" }), "old")
    const { patch } = transfer(await web.live(), { types, from: "old", to: "new", guard })
    await web.merge({ data: { b: "2" } }, "editor")
    const before = await web.live()
    expect((await web.patch(patch)).status).toBe(expected)
    expect(await web.live()).toEqual(before)
  })

  it("changes no time, and does not make its sender an owner", async () => {
    const web = settings()
    await web.apply(settingsOf({ a: "1" }), "old")
    await web.merge({ data: { b: "2" } }, "editor")
    const live = await web.live()
    const made = release(live, { types, managers: "old", paths: [".data.a"] })
    const { status, body } = await web.patch(made.patch)
    expect([status, unversioned(body)]).toEqual([200, unversioned(made.object)])
    const { managedFields } = live.metadata as { managedFields: MapValue[] }
    expect(made.managedFields).toEqual(managedFields.filter(({ manager }) => manager === "editor"))
  })

  it("that empties managedFields leaves the object to before-first-apply", async () => {
    const web = settings()
    await web.apply(settingsOf({ a: "1" }), "old")
    const made = release(await web.live(), { types, managers: "old" })
    const { body } = await web.patch(made.patch)
    expect([body.metadata, made.object.metadata]).toEqual([
      expect.not.objectContaining({ managedFields: expect.anything() }),
      expect.not.objectContaining({ managedFields: expect.anything() }),
    ])
    const { status, body: answer } = await web.apply(settingsOf({ a: "2" }), "new")
    expect([status, answer.message]).toEqual([409, expect.stringContaining('"before-first-apply"')])
  })
})

describe("transfer lets an apply remove the fields that it leaves out", () => {
  it("if a program has written them by updates before (kubernetes#99003)", async () => {
    const web = settings()
    await web.create(settingsOf({ a: "1", b: "2" }), "operator")
    await web.apply(settingsOf({ a: "1", b: "2" }), "operator")
    const stuck = await web.apply(settingsOf({ a: "1" }), "operator", { dryRun: true })
    expect(stuck.body.data).toEqual({ a: "1", b: "2" })
    await web.patch(transfer(await web.live(), { types, from: "operator", to: "operator", operation: "Update" }).patch)
    expect((await web.apply(settingsOf({ a: "1" }), "operator")).body.data).toEqual({ a: "1" })
  })

  it("if another tool has applied them before (flux-operator#740)", async () => {
    const web = settings()
    await web.apply(settingsOf({ a: "1", b: "2" }), "kustomize-controller")
    await web.apply(settingsOf({ a: "1", b: "2" }), "helm-controller")
    const stuck = await web.apply(settingsOf({ a: "1" }), "helm-controller", { dryRun: true })
    expect(stuck.body.data).toEqual({ a: "1", b: "2" })
    await web.patch(transfer(await web.live(), { types, from: "kustomize-controller", to: "helm-controller" }).patch)
    expect((await web.apply(settingsOf({ a: "1" }), "helm-controller")).body.data).toEqual({ a: "1" })
  })
})
