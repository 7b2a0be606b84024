// Would an apply change anything? The operation of the conformance protocol for matchers.

import { formatJson } from "../../src/json/json.js"
import { kubernetes } from "../../src/kinds/index.js"
import { readManagedFields, withoutManagedFields } from "../../src/managedfields/entries/entry.js"
import { plan } from "../../src/tools/ownership/index.js"
import { equalValues } from "../../src/value/equal.js"
import type { MapValue } from "../../src/value/value.js"
import { objectAt } from "./kubernetes.js"
import type { Operation } from "./operations.js"
import { currentParity } from "./parity.js"

export const wouldChange: Operation = request => {
  const crd = request.get("crd")
  const { outcome, object } = plan(objectAt(request, "live"), objectAt(request, "object"), {
    types: crd === undefined ? kubernetes : kubernetes.with([crd as MapValue]),
    manager: request.text("manager"),
    force: request.flag("force"),
    unions: "off",
    parity: currentParity(),
  })
  if (outcome === "refused" || outcome === "conflict") return { changes: outcome }
  const live = { ...objectAt(request, "live"), apiVersion: object.apiVersion ?? null }
  if (!equalValues(withoutManagedFields(live), withoutManagedFields(object))) return { changes: "object" }
  return { changes: sameOwners(live, object) ? "nothing" : "owners" }
}

/** Whether the entries of managedFields are equal but for their times and their order. */
function sameOwners(before: MapValue, after: MapValue): boolean {
  const owners = (object: MapValue) =>
    (readManagedFields(object) ?? []).map(({ time: _, ...entry }) => formatJson(entry as object as MapValue)).sort()
  return equalValues(owners(before), owners(after))
}
