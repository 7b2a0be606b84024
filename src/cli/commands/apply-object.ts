// Applies a configuration to a live object, both with known types. The engine checks whether they fit.
import { equalManagers } from "../../fieldpath/managers.js"
import { kubernetes } from "../../kinds/kubernetes.js"
import { beforeFirstApply } from "../../managedfields/chain/skip-non-applied.js"
import { readManagedFields, withManagedFields } from "../../managedfields/entries/entry.js"
import {
  decodeManagedFields,
  encodeManagedFields,
  type Managed,
  nobody,
  withoutTimes,
} from "../../managedfields/entries/managed.js"
import { managerId } from "../../managedfields/entries/manager-id.js"
import { FieldManager } from "../../managedfields/field-manager.js"
import type { FieldManagerOptions } from "../../managedfields/request.js"
import { Updater } from "../../merge/updater.js"
import type { ExplainRequest } from "../../ownership/explain.js"
import type { Type } from "../../typed/type.js"
import { TypedValue } from "../../typed/typed-value.js"
import type { UnionPolicy } from "../../union/policy.js"
import type { UnionChange } from "../../union/report.js"
import type { MapValue, Value } from "../../value/value.js"
import { type Document, InputError } from "../input/document.js"
import { isKubernetes, takeOffManagedFields } from "../input/managed-fields.js"
import { completed, type Endpoint } from "./endpoint.js"

interface WriteRequest {
  /** The type of both objects. */
  readonly type: Type
  /** The object that stands for one of this kind before it exists. */
  readonly emptyObject: MapValue | undefined
  readonly endpoint: Endpoint
  readonly manager: string
  /** The policy for unions that was named; undefined if none was. */
  readonly unions: UnionPolicy | undefined
  readonly now: Date
}

export interface ApplyRequest extends WriteRequest {
  /** The object with its managedFields; undefined if there is none yet. */
  readonly live: MapValue | undefined
  readonly config: MapValue
  readonly force: boolean
  /** The definition of the kind; undefined for built-in kinds. */
  readonly definition: Value | undefined
}

export interface UpdateRequest extends WriteRequest {
  /** The object with its managedFields. */
  readonly live: MapValue
  /** What is put in its place. */
  readonly next: MapValue
}

export interface Applied {
  /** With managedFields. */
  readonly object: MapValue
  /** What was done to unions. Owners are given by their identifiers. */
  readonly unions: readonly UnionChange[]
}

/**
 * The live object with `config` applied, and managedFields. An object with apiVersion and kind is treated as by an API server; any
 * other goes to the Updater as it is. Times are written only if the live object has some. Throws a ConflictError, in which managers
 * are identifiers (managedfields/entries/manager-id.ts); for objects of an API server, that is an ApplyConflictError.
 */
export function applyObject(request: ApplyRequest): Applied {
  const { live, config } = request
  const { object, unions } = isKubernetes(config) ? applyAsServer(request) : applyPlainly(request)
  return { object: timedAs(live, object), unions }
}

/** What an API server makes of the live object in an update by PUT, with managedFields. Times are as in `applyObject`. */
export function updateObject(request: UpdateRequest): Applied {
  const { live, next, manager } = request
  const { subresource } = request.endpoint
  const { object, unions } = fieldManager(request).update(live, completed(next, live), { manager, subresource })
  return { object: timedAs(live, object), unions }
}

/** The object, without times if the live object has none. */
function timedAs(live: MapValue | undefined, object: MapValue): MapValue {
  const timed = (live === undefined ? [] : (readManagedFields(live) ?? [])).some(({ time }) => time !== undefined)
  if (timed) return object
  return withManagedFields(object, withoutTimes(readManagedFields(object) ?? []))
}

function fieldManager(request: WriteRequest): FieldManager {
  return new FieldManager(fieldManagerOptions(request))
}

/** What a FieldManager needs to know of the object of a request. */
export function fieldManagerOptions({ type, emptyObject, endpoint, unions, now }: WriteRequest): FieldManagerOptions {
  const found = { schema: type.schema.schema, typeName: type.name, emptyObject }
  const { prepare, resetFields } = endpoint
  const reset = resetFields && { resetFields }
  return { types: { find: () => found }, ...(unions && { unions }), clock: () => now, prepare, ...reset }
}

/**
 * The request as the functions about ownership take it; `document` is where its configuration is written. Throws an InputError for
 * a configuration without apiVersion and kind: only objects of Kubernetes have managedFields.
 */
export function ownershipRequest(request: ApplyRequest, document: Document): ExplainRequest {
  if (!isKubernetes(request.config)) {
    throw new InputError(`${document.at([])}: an object has to have apiVersion and kind`)
  }
  const { manager, force, endpoint, definition } = request
  const { source } = document
  const { prepare: _, resetFields: __, types, ...options } = fieldManagerOptions(request)
  const kinds = definition === undefined ? types : kubernetes.with([definition as MapValue]).typedBy(types)
  return { ...options, types: kinds, manager, force, subresource: endpoint.subresource, source }
}

function applyAsServer(request: ApplyRequest): Applied {
  const { live, config, manager, force } = request
  const { subresource } = request.endpoint
  return fieldManager(request).apply(live, config, { manager, subresource, force })
}

/** The version in entries of objects that have no apiVersion. */
const apiVersion = "v1"

function applyPlainly({ live, config, type, manager, force, unions, now }: ApplyRequest): Applied {
  const owners = live === undefined ? nobody : decodeManagedFields(readManagedFields(live) ?? [])
  const before = TypedValue.of(live === undefined ? {} : takeOffManagedFields(live), type, { allowDuplicates: true })
  const managers = owners.fields.size > 0 ? owners.fields : ownedBefore(before)
  const id = managerId({ manager, operation: "Apply" })
  const configured = TypedValue.of(config, type)
  const updateRequest = { manager: id, apiVersion, managers, force, ...(unions && { unions }) }
  const result = new Updater().apply(before, configured, updateRequest)
  const changed = result.changed || !equalManagers(owners.fields, result.managers)
  const times = new Map(owners.times)
  if (changed) times.set(id, `${now.toISOString().slice(0, 19)}Z`)
  const entries = encodeManagedFields({ ...owners, fields: result.managers, times })
  return { object: withManagedFields(result.object.value as MapValue, entries), unions: result.unions }
}

/** The owners of an object that has none yet: all that it has belongs to `before-first-apply`. */
function ownedBefore(live: TypedValue): Managed["fields"] {
  const manager = managerId({ manager: beforeFirstApply, operation: "Update", apiVersion })
  const nothing = TypedValue.of({}, live.type)
  const request = { manager, apiVersion, managers: new Map(), unions: "off" } as const
  return new Updater().update(nothing, live, request).managers
}
