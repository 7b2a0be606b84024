// Checks live objects: finds problems with ownership, entry by entry of managedFields, and with the unions of the object.

import { hasCode } from "../../errors.js"
import { readEntries } from "../../managedfields/entries/entry.js"
import type { TypeFinder } from "../../managedfields/types/object-types.js"
import { objectKindOf } from "../../schema/group-version-kind.js"
import { metadataOf } from "../../schema/metadata.js"
import { compileSchema, type Type } from "../../typed/type.js"
import { aDate, aListOfStrings, anObject, aTypeFinder, optional, requireOptions } from "../../value/argument.js"
import { withKeys } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { oncePer } from "../../value/once-per.js"
import { Table } from "../../value/table.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import { lintCoOwners } from "./co-owners.js"
import { findContradictions } from "./configurations.js"
import type { LintFinding } from "./finding.js"
import { type ExpectedManagers, lintIdleManagers } from "./idle-managers.js"
import { lintLastApplied, lintLeftovers } from "./leftovers.js"
import { lintMixedVersions } from "./mixed-versions.js"
import {
  lintAncientChanges,
  lintKeysOnly,
  lintVersions,
  noList,
  type OwnedFields,
  readOwners,
  unreadableList,
} from "./owners.js"
import { findRepeatedItems } from "./repeated.js"
import { lintSize, type SizeLimits } from "./size.js"

/** The options of `lintObject`. */
export interface LintObjectOptions extends SizeLimits, ExpectedManagers {
  /**
   * Finds types, for the unions of the object and for the existing versions of its kind. Without it, or if it does not know the kind,
   * unions are not checked, and only versions that Kubernetes has removed are reported. It has to return the same schema object every time.
   */
  readonly types?: TypeFinder | undefined
  /**
   * The CustomResourceDefinition of the object's kind. With it and `types`, entries at versions that lack a field of the object are reported.
   */
  readonly definition?: object | undefined
}

/**
 * Finds problems with a live object's managedFields, and with its unions if `types` knows them. An object without managedFields is checked
 * as a configuration. The findings about managedFields come first, in the order of the entries. Paths are paths in the object. Values that
 * do not fit the type are left to validation. The object is not changed, and no reference to it is kept. Never throws for JSON.
 *
 * @example
 * ```ts
 * import { kubernetesTypes } from "structured-merge-diff/kubernetes"
 * import { lintObject } from "structured-merge-diff/lint"
 *
 * const entry = { operation: "Update", fieldsType: "FieldsV1", fieldsV1: { "f:spec": { "f:maxReplicas": {} } } }
 * const managedFields = [{ ...entry, manager: "kubectl", apiVersion: "autoscaling/v2beta2", time: "2022-03-01T08:00:00Z" }]
 * const live = { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", metadata: { name: "web", managedFields } }
 * for (const { code, path } of lintObject(live, { types: kubernetesTypes })) console.log(`${code} ${path}`)
 * // version-gone .metadata.managedFields[0].apiVersion
 * ```
 */
export function lintObject(object: object, options: LintObjectOptions = {}): readonly LintFinding[] {
  requireOptions("options", options, {
    types: optional(aTypeFinder),
    definition: optional(anObject),
    knownManagers: optional(aListOfStrings),
    changedSince: optional(aDate),
  })
  const live = object as Value
  if (!isMap(live)) return none
  const found: LintFinding[] = []
  const list = managedFieldsOf(live)
  try {
    const type = options.types && liveType(live, options.types)
    if (list !== undefined) lintManagedFields(found, live, list, type, options)
    if (type !== undefined) findContradictions(found, type, live)
    if (type !== undefined && list === undefined) findRepeatedItems(found, type, live)
  } catch (error) {
    if (!hasCode(error)) throw error // nested too deep for an API server too
  }
  return found.length === 0 ? none : found
}

const none: readonly LintFinding[] = Object.freeze([])

/** Whether the object has managedFields, as every object that an API server stored. */
export function isLive(object: Value): boolean {
  return isMap(object) && managedFieldsOf(object) !== undefined
}

/** Returns the managedFields in whatever form; undefined if the object has none. */
function managedFieldsOf(object: MapValue): Value | undefined {
  return own(metadataOf(object), "managedFields") ?? undefined
}

function lintManagedFields(
  found: LintFinding[],
  live: MapValue,
  list: Value,
  type: Type | undefined,
  options: LintObjectOptions,
): void {
  if (!isList(list)) {
    found.push(noList())
    return
  }
  const entries = readEntries(list)
  if (entries === undefined) {
    found.push(...unreadableList(list))
    return
  }
  const owners = readOwners(found, entries)
  lintVersions(found, live, owners, options.types)
  lintAncientChanges(found, owners)
  lintKeysOnly(found, owners)
  lintCoOwners(found, owners)
  lintIdleManagers(found, owners, options)
  const { types, definition } = options
  if (types !== undefined && definition !== undefined) {
    const typeAt = (apiVersion: string) => liveType(withKeys(live, { apiVersion }), types)
    lintMixedVersions(found, live, owners, definition as MapValue, typeAt)
  }
  if (hasApplier(owners)) {
    lintLeftovers(found, live, owners, type)
    lintLastApplied(found, live, owners)
  }
  lintSize(found, live, list, options)
}

function hasApplier(owners: readonly OwnedFields[]): boolean {
  return owners.some(({ entry }) => entry.operation === "Apply")
}

/** The types found so far by a finder, by apiVersion and kind. */
const knownTypes = oncePer((_: TypeFinder) => new Table<string, Type>())

function liveType(live: MapValue, finder: TypeFinder): Type | undefined {
  const types = knownTypes(finder)
  const { apiVersion, kind } = objectKindOf(live)
  const id = `${apiVersion} ${kind}`
  const type = types.get(id)
  if (type !== undefined) return type
  const found = finder.find(apiVersion, kind)
  return found && types.add(id, compileSchema(found.schema).type(found.typeName))
}
