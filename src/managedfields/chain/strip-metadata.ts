import { setOwner } from "../../fieldpath/managers.js"
import { pathOf } from "../../fieldpath/path.js"
import { FieldSet } from "../../fieldpath/set.js"
import type { ChainResult, Link } from "./chain.js"

/** The fields that nobody ever owns: those that identify the object, and those that only the API server writes. */
const stripped = FieldSet.of([
  pathOf("apiVersion"),
  pathOf("kind"),
  pathOf("metadata"),
  ...[
    "name",
    "namespace",
    "creationTimestamp",
    "selfLink",
    "uid",
    "clusterName",
    "generation",
    "managedFields",
    "resourceVersion",
  ].map(name => pathOf("metadata", name)),
])

/** Returns `set` without the fields that nobody owns. */
export function withoutMetadata(set: FieldSet): FieldSet {
  return set.difference(stripped)
}

/** Removes the fields that nobody may own from the set of the request's manager. */
export function stripMetadata(inner: Link): Link {
  return {
    apply: call => strip(inner.apply(call), call.manager),
    update: call => strip(inner.update(call), call.manager),
  }
}

function strip(result: ChainResult, manager: string): ChainResult {
  const { managed } = result
  const owner = managed.fields.get(manager)
  if (owner === undefined) return result
  const set = withoutMetadata(owner.set)
  if (set === owner.set && !set.isEmpty()) return result
  const fields = new Map(managed.fields)
  setOwner(fields, manager, { ...owner, set })
  return { ...result, managed: { ...managed, fields } }
}
