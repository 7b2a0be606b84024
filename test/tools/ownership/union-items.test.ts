/** Reports about a union member that is an item of a list: one manager denies a request that another has approved. */
import { expect, it } from "vitest"
import { kubernetesTypes } from "../../../src/kubernetes/index.js"
import { FieldManager } from "../../../src/managedfields/index.js"
import { explain, type OnConflict, plan, resolve } from "../../../src/tools/ownership/index.js"
import type { MapValue } from "../../../src/value/value.js"
import { deepFreeze } from "../../support/deep-freeze.js"
import { schemaErrors } from "./schema.js"

function request(...conditions: readonly string[]): MapValue {
  return deepFreeze({
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { name: "node" },
    status: { conditions: conditions.map(type => ({ type, status: "True" })) },
  })
}

const setup = { types: kubernetesTypes, unions: "extended" } as const
const live = deepFreeze(
  new FieldManager(setup).apply<MapValue>(undefined, request("Approved"), { manager: "approver" }).object,
)
const asked = { ...setup, manager: "denier", subresource: "approval" } as const
const approved = '.status.conditions[type="Approved"]'
const owner = '{"manager":"approver","operation":"Apply"}'
const denied = '.status.conditions[type="Denied"]'

it("a plan names the item that goes, and its owner", () => {
  const made = plan(live, request("Denied"), asked)
  expect(schemaErrors(made)).toBe("")
  expect([made.outcome, made.conflicts.map(({ path }) => path)]).toEqual(["conflict", [approved]])
  expect(made.changes.map(({ action, path, because, contested }) => [action, path, because, contested])).toEqual([
    ["remove", approved, "union", true],
    ["add", denied, "configured", undefined],
  ])
  expect(made.changes[0]?.union).toEqual({
    effect: "cleared",
    member: 'conditions[type="Approved"]',
    struct: ".status",
    policy: "extended",
    text: '.status: removed conditions[type="Approved"]',
  })
})

it("an explanation names the configured item that removes the other one", () => {
  const [conflict, ...others] = explain(live, request("Failed", "Denied"), asked).conflicts
  expect(others).toEqual([])
  expect(conflict).toMatchObject({ path: approved, union: { effect: "cleared", because: { path: denied } } })
  expect(conflict?.livePointer).toBe("/status/conditions/0")
  expect(conflict?.ways.relinquish).toMatchObject({ patch: [{ op: "remove", path: "/status/conditions/1" }] })
})

it.each<[OnConflict, boolean, string[], string[]]>([
  ["relinquish", false, ["Approved", "Failed"], []],
  ["overwrite", true, ["Failed", "Denied"], [approved]],
])("a resolution can %s it", (onConflict, force, conditions, overwritten) => {
  const made = resolve(live, request("Failed", "Denied"), { ...asked, onConflict })
  expect([made.outcome, made.force, made.overwritten.map(({ path }) => path)]).toEqual(["resolved", force, overwritten])
  const result = new FieldManager(setup).apply<MapValue>(live, made.config, { ...asked, force: made.force })
  expect((result.object.status as MapValue).conditions).toMatchObject(conditions.map(type => ({ type })))
  expect(result.unions).toMatchObject(
    force ? [{ path: [{ name: "status" }], cleared: [{ field: 'conditions[type="Approved"]', owners: [owner] }] }] : [],
  )
})
