// Upgrades from client-side to server-side apply: fields that client-side apply owned by updates become applied fields of a manager.
import { hasCode } from "../../errors.js"
import { type DecodedFields, decodeFields, encodeFields } from "../../fieldpath/fieldsv1/object.js"
import type { FieldSet } from "../../fieldpath/set.js"
import { aParity, type Parity } from "../../json/json.js"
import { during } from "../../merge/versions.js"
import { anObject, aString, type Expected, requireArgument, requireOptions } from "../../value/argument.js"
import { textAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import { entryOf, equalEntries, type ManagedFieldsEntry, readManagedFields, withManagedFields } from "./entry.js"

/** The managers to upgrade, and the manager that replaces them. */
export interface UpgradeManagedFieldsOptions {
  /** Names of managers that updated the object by client-side apply, such as `kubectl-client-side-apply`. */
  readonly csaManagers: Iterable<string>
  /** The name of the manager that uses server-side apply, such as `kubectl`. */
  readonly ssaManager: string
  /** The subresource whose entries are upgraded; "" or absent for the main resource. */
  readonly subresource?: string | undefined
  /** The release of the Go module whose bytes fieldsV1 gets; `v6` if absent. */
  readonly parity?: Parity | undefined
}

/** One operation of a JSON Patch (RFC 6902). */
export interface JsonPatchOperation {
  /** The operation at the path. */
  readonly op: "test" | "replace" | "remove"
  /** A JSON pointer (RFC 6901). */
  readonly path: string
  /** The expected or new value; absent for `remove`. */
  readonly value?: Value
}

/**
 * Returns the object with the fields that `csaManagers` own by update turned into fields that `ssaManager` has applied. The applier's entry
 * takes over the fields of the updates at its version; if there is no such entry, the first of the updates becomes it. Returns the object
 * itself if there is nothing to change. Unreadable managedFields are dropped. Throws a ParseError for malformed fieldsV1.
 *
 * @example
 * ```ts
 * import { upgradeManagedFields } from "structured-merge-diff/managedfields"
 *
 * const entry = { manager: "kubectl-client-side-apply", operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1" }
 * const managedFields = [{ ...entry, fieldsV1: { "f:data": { "f:color": {} } } }]
 * const live = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", managedFields } }
 * const options = { csaManagers: ["kubectl-client-side-apply"], ssaManager: "kubectl" }
 * for (const { manager, operation } of upgradeManagedFields(live, options).metadata.managedFields) {
 *   console.log(manager, operation)
 * }
 * // kubectl Apply
 * ```
 */
export function upgradeManagedFields<T extends object>(object: T, options: UpgradeManagedFieldsOptions): T {
  requireArgument("object", object, anObject)
  const entries = readManagedFields(object)
  if (entries?.length === 0) return object
  const upgraded = upgradeEntries(entries ?? [], options)
  return withManagedFields(object as object as MapValue, upgraded) as object as T
}

/**
 * Returns the change that `upgradeManagedFields` makes, as a JSON Patch to send; undefined if there is nothing to change. The patch
 * contains the resourceVersion, so that the API server answers with a conflict if the object has changed meanwhile. Throws a ParseError for
 * malformed fieldsV1.
 */
export function upgradeManagedFieldsPatch(
  object: object,
  options: UpgradeManagedFieldsOptions,
): JsonPatchOperation[] | undefined {
  const before = readManagedFields(object) ?? []
  const after = upgradeEntries(before, options)
  if (equalEntries(before, after)) return undefined
  const metadata = own(object as MapValue, "metadata")
  return [
    { op: "replace", path: "/metadata/managedFields", value: after.length === 0 ? null : (after as readonly Value[]) },
    {
      op: "replace",
      path: "/metadata/resourceVersion",
      value: isMap(metadata) ? textAt(metadata, "resourceVersion") : "",
    },
  ]
}

function upgradeEntries(
  entries: readonly ManagedFieldsEntry[],
  options: UpgradeManagedFieldsOptions,
): readonly ManagedFieldsEntry[] {
  requireOptions("options", options, { ssaManager: aString, csaManagers: names, parity: aParity })
  let upgraded = entries
  for (const name of new Set(options.csaManagers)) upgraded = upgradeManager(upgraded, name, options)
  return upgraded
}

const names: Expected = {
  name: "a list or set of names",
  fits: value => typeof value === "object" && value !== null && Symbol.iterator in value,
}

function upgradeManager(
  entries: readonly ManagedFieldsEntry[],
  csaManager: string,
  { ssaManager, subresource = "", parity = "v6" }: UpgradeManagedFieldsOptions,
): readonly ManagedFieldsEntry[] {
  const is = (entry: ManagedFieldsEntry, manager: string, operation: string) =>
    (entry.manager ?? "") === manager && entry.operation === operation && (entry.subresource ?? "") === subresource
  const applied = entries.findIndex(entry => is(entry, ssaManager, "Apply"))
  const target = applied < 0 ? entries.findIndex(entry => is(entry, csaManager, "Update")) : applied
  const found = entries[target]
  if (found === undefined) return entries
  const others = entries.filter((entry, i) => i !== target && is(entry, csaManager, "Update"))
  const sameVersion = others.find(entry => entry.apiVersion === found.apiVersion)
  const { set, canonical, canonicalV7 } = decode(found, parity)
  const united = sameVersion === undefined ? set : set.union(decode(sameVersion, parity).set)
  const unchanged = united === set && (parity === "v7" ? canonicalV7 : canonical)
  const fieldsV1 = unchanged ? found.fieldsV1 : encodeFields(united, { parity })
  const same = target === applied && fieldsV1 === found.fieldsV1
  const upgraded = same ? found : entryOf({ ...(found as MapValue), manager: ssaManager, operation: "Apply", fieldsV1 })
  return entries.flatMap((entry, i) => (i === target ? [upgraded] : others.includes(entry) ? [] : [entry]))
}

function decode(entry: ManagedFieldsEntry, parity: Parity): DecodedFields {
  return during("failed to convert fields to set", () => decodeFields(entry.fieldsV1, { parity }))
}

/**
 * Returns the entries of managedFields whose manager owns all of `fields` by this operation. The first argument is the list, or the object
 * that has it. Entries that can't be decoded own nothing.
 */
export function findFieldsOwners(
  managedFields: object | readonly ManagedFieldsEntry[],
  operation: "Apply" | "Update",
  fields: FieldSet,
): ManagedFieldsEntry[] {
  const entries = isEntries(managedFields) ? managedFields : (readManagedFields(managedFields) ?? [])
  return entries.filter(entry => isMap(entry as Value) && entry.operation === operation && owns(entry, fields))
}

function isEntries(value: object | readonly ManagedFieldsEntry[]): value is readonly ManagedFieldsEntry[] {
  return Array.isArray(value)
}

function owns(entry: ManagedFieldsEntry, fields: FieldSet): boolean {
  try {
    return entry.fieldsV1 !== undefined && fields.difference(decodeFields(entry.fieldsV1).set).isEmpty()
  } catch (error) {
    if (hasCode(error)) return false
    throw error
  }
}
