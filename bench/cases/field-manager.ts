import { formatFieldsV1, type MapValue } from "../../src/index.js"
import {
  decodeManagedFields,
  encodeManagedFields,
  FieldManager,
  type Managed,
  type ManagedFieldsEntry,
  readManagedFields,
} from "../../src/managedfields/index.js"
import { builtinTypes } from "../fixtures/kinds.js"
import type { FieldManagerCase, Plan } from "../fixtures/plan-types.js"
import { sortedJson } from "./objects.js"
import type { Runnable } from "./runnable.js"

const now = new Date("2026-01-01T00:00:00Z")

/** Applies or updates one object, or reads or writes its managedFields. */
export function fieldManagerCase(plan: Plan, { object, operation }: FieldManagerCase): Runnable {
  const fixture = plan.managed[object]
  if (fixture === undefined) throw new Error(`no managed object ${object}`)
  const live = JSON.parse(fixture.live) as MapValue
  const objects = new FieldManager({ types: builtinTypes, clock: () => now })
  const ofRequest = (run: () => { readonly object: MapValue }): Runnable => ({
    run,
    answer: () => sortedJson(withoutTimes(run().object)),
  })
  const apply = (text: string, to = live): Runnable => {
    const config = JSON.parse(text) as MapValue
    return ofRequest(() => objects.apply(to, config, { manager: "deployer" }))
  }
  switch (operation) {
    case "Apply":
      return apply(fixture.nextConfig)
    case "ApplyOne":
      return apply(fixture.oneConfig)
    case "ApplyLess":
      return apply(fixture.lessConfig)
    case "ApplyEmpty":
      return apply(fixture.emptyConfig, JSON.parse(fixture.filled) as MapValue)
    case "ApplyNoop":
      return apply(fixture.config)
    case "Update": {
      const next = JSON.parse(fixture.next) as MapValue
      return ofRequest(() => objects.update(live, next, { manager: "inspector" }))
    }
    case "UpdateStatus": {
      const next = JSON.parse(fixture.nextStatus) as MapValue
      return ofRequest(() => objects.update(live, next, { manager: "controller", subresource: "status" }))
    }
    case "JSON": {
      const run = () => JSON.stringify(JSON.parse(fixture.live))
      return { run, answer: () => sortedJson(JSON.parse(run())) }
    }
    case "Decode": {
      const run = () => decodeManagedFields(readManagedFields(live) as readonly ManagedFieldsEntry[])
      return { run, answer: () => describe(run()) }
    }
    case "Encode": {
      const decoded = decodeManagedFields(readManagedFields(live) as readonly ManagedFieldsEntry[])
      // Without the original entries, because unchanged ones would be reused.
      const managed: Managed = { ...decoded, sources: new Map() }
      const run = () => encodeManagedFields(managed)
      return { run, answer: () => JSON.stringify(run()) }
    }
  }
}

function describe({ fields }: Managed): string {
  const owners: Record<string, unknown> = {}
  for (const [id, { set, apiVersion, applied }] of fields) {
    owners[id] = { apiVersion, applied, fields: formatFieldsV1(set) }
  }
  return sortedJson(owners)
}

/** Returns the object with its managedFields as JSON text, so that the order of their keys counts, and without times. */
function withoutTimes(object: MapValue): unknown {
  const entries = (readManagedFields(object) ?? []).map(({ time: _, ...entry }) => JSON.stringify(entry))
  return { ...object, metadata: { ...(object.metadata as MapValue), managedFields: entries } }
}
