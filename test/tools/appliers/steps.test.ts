/** What tools do before and after their applies. The recordings play the steps with the released tools. */
import { describe, expect, it } from "vitest"
import { lastAppliedAnnotation } from "../../../src/managedfields/chain/last-applied.js"
import type { ManagedFieldsEntry } from "../../../src/managedfields/index.js"
import type { ApplierStep } from "../../../src/tools/appliers/profile.js"
import { requestOfStep, type StepContext } from "../../../src/tools/appliers/steps.js"
import type { MapValue } from "../../../src/value/value.js"
import { entry } from "../../managedfields/notation.js"

const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" } }
const stored = (managedFields: readonly ManagedFieldsEntry[], more: MapValue = {}): MapValue =>
  ({ ...config, metadata: { name: "web", ...more, managedFields } }) as object as MapValue
const entriesAfter = (step: ApplierStep, live: MapValue, context: Partial<StepContext> = {}) => {
  const request = requestOfStep(step, live, { manager: "me", config, ...context }) as { patch?: MapValue[] } | undefined
  const last = request?.patch?.at(-1)
  return (last?.value as ManagedFieldsEntry[] | undefined)?.map(one => {
    return `${one.manager} ${one.operation} ${one.subresource ?? ""}${one.apiVersion}`
  })
}

const data = (name: string) => ({ "f:data": { [`f:${name}`]: {} } })

describe("migrate-versions", () => {
  const step = { step: "migrate-versions" } as const

  it("gives all entries the version of the configuration", () => {
    const live = stored([entry("a Apply v1beta1", data("a")), entry("b Update v1", data("b"))])
    expect(entriesAfter(step, live)).toEqual(["a Apply v1", "b Update v1"])
  })

  it("does nothing if they have it", () => {
    const live = stored([entry("a Apply v1", data("a")), entry("b Update v1", data("b"))])
    expect(requestOfStep(step, live, { manager: "me", config })).toBeUndefined()
  })
})

describe("replace-managers", () => {
  const step = { step: "replace-managers", entries: [{ manager: "old", operation: "Update" }] } as const

  it.each<[string, ManagedFieldsEntry[], string[] | undefined]>([
    ["makes an entry the manager's own", [entry("old Update v1", data("a"))], ["me Apply v1"]],
    [
      "leaves entries of other operations and of subresources",
      [
        entry("old Apply v1", data("a")),
        entry("old Update/status v1", data("b")),
        entry("old Update v1", data("c")),
        entry("x Update v1", data("d")),
      ],
      ["old Apply v1", "old Update statusv1", "x Update v1", "me Apply v1"],
    ],
    ["does nothing for a subresource alone", [entry("old Update/status v1", data("b"))], undefined],
    ["does nothing for another operation", [entry("old Apply v1", data("b"))], undefined],
  ])("%s", (_, entries, expected) => {
    expect(entriesAfter(step, stored(entries))).toEqual(expected)
  })

  it("selects the entry that it unites with only once", () => {
    const own = { step: "replace-managers", entries: [{ manager: "me", operation: "Apply" }] } as const
    expect(entriesAfter(own, stored([entry("me Apply v1", data("a"))]))).toBeUndefined()
  })
})

describe("keep-last-applied", () => {
  const step = { step: "keep-last-applied", manager: "kubectl-last-applied", onlyAs: "kubectl" } as const
  const annotations = { [lastAppliedAnnotation]: "{}" }
  const owned = { "f:metadata": { "f:annotations": { [`f:${lastAppliedAnnotation}`]: {} } } }

  it.each<[string, string, ManagedFieldsEntry[], boolean]>([
    ["applies an annotation that updates own", "kubectl", [entry("edit Update v1", owned)], true],
    ["does nothing if somebody applies it", "kubectl", [entry("a Apply v1", owned)], false],
    ["does nothing under another name", "me", [entry("edit Update v1", owned)], false],
  ])("%s", (_, manager, entries, applies) => {
    const request = requestOfStep(step, stored(entries, { annotations }), { manager, config })
    const apply = { ...config, metadata: { name: "web", annotations } }
    expect(request).toEqual(applies ? { apply, manager: "kubectl-last-applied" } : undefined)
  })
})
