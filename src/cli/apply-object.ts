// Applying a configuration to a live object, both with their types known and checked.
import { equalManagers } from "../fieldpath/managers.js"
import { readManagedFields, withManagedFields } from "../managedfields/entry.js"
import { FieldManager } from "../managedfields/field-manager.js"
import { decodeManagedFields, encodeManagedFields, type Managed } from "../managedfields/managed.js"
import { managerId } from "../managedfields/manager-id.js"
import { beforeFirstApply } from "../managedfields/skip-non-applied.js"
import { Updater } from "../merge/updater.js"
import type { Type } from "../typed/type.js"
import { TypedValue } from "../typed/typed-value.js"
import type { UnionPolicyName } from "../union/policy.js"
import type { UnionChange } from "../union/report.js"
import type { MapValue } from "../value/value.js"
import { isKubernetes, takeOffManagedFields } from "./managed-fields.js"

export interface ApplyRequest {
  /** The object with its managedFields; undefined where there is none yet. */
  readonly live: MapValue | undefined
  /** What the managedFields of `live` say. */
  readonly owners: Managed
  readonly config: MapValue
  /** The type of both. */
  readonly type: Type
  /** What there is before an object of this kind exists. */
  readonly emptyObject: MapValue | undefined
  readonly manager: string
  readonly force: boolean
  readonly unions: UnionPolicyName
  readonly now: Date
}

export interface Applied {
  /** With managedFields. */
  readonly object: MapValue
  /** What was done to unions; owners go by their identifiers. */
  readonly unions: readonly UnionChange[]
}

/**
 * The live object with `config` applied, and managedFields. What has an apiVersion and a kind is treated as an API server does
 * it; anything else goes to the Updater as it is. Times are written only where the live object has some.
 * Throws a ConflictError, with the identifiers of managedfields/manager-id.ts for managers; an ApplyConflictError where a server would.
 */
export function applyObject(request: ApplyRequest): Applied {
  const { live, config } = request
  const { object, unions } = isKubernetes(config) ? applyAsServer(request) : applyPlainly(request)
  const timed = (live === undefined ? [] : (readManagedFields(live) ?? [])).some(({ time }) => time !== undefined)
  if (timed) return { object, unions }
  const managed = decodeManagedFields(readManagedFields(object) ?? [])
  return { object: withManagedFields(object, encodeManagedFields({ ...managed, times: new Map() })), unions }
}

function applyAsServer({ live, config, type, emptyObject, manager, force, unions, now }: ApplyRequest): Applied {
  const found = { schema: type.schema.schema, typeName: type.name, emptyObject }
  const types = { find: () => found }
  return new FieldManager({ types, unions, clock: () => now }).apply(live, config, { manager, force })
}

/** The version that entries of objects without versions name. */
const apiVersion = "v1"

function applyPlainly({ live, owners, config, type, manager, force, unions, now }: ApplyRequest): Applied {
  const before = TypedValue.of(live === undefined ? {} : takeOffManagedFields(live), type, { allowDuplicates: true })
  const managers = owners.fields.size > 0 ? owners.fields : ownedBefore(before)
  const id = managerId({ manager, operation: "Apply" })
  const configured = TypedValue.of(config, type)
  const result = new Updater().apply(before, configured, { manager: id, apiVersion, managers, force, unions })
  const changed = result.changed || !equalManagers(owners.fields, result.managers)
  const times = new Map(owners.times)
  if (changed) times.set(id, `${now.toISOString().slice(0, 19)}Z`)
  const entries = encodeManagedFields({ ...owners, fields: result.managers, times })
  return { object: withManagedFields(result.object.value as MapValue, entries), unions: result.unions }
}

/** Owners of an object that has none yet: what it has was there before anybody applied. */
function ownedBefore(live: TypedValue): Managed["fields"] {
  const manager = managerId({ manager: beforeFirstApply, operation: "Update", apiVersion })
  const nothing = TypedValue.of({}, live.type)
  const request = { manager, apiVersion, managers: new Map(), unions: "off" } as const
  return new Updater().update(nothing, live, request).managers
}
