// Selects the entries of managedFields for an operation, and the fields in them.

import type { VersionedSet } from "../../fieldpath/managers.js"
import { parsePath } from "../../fieldpath/parse-path.js"
import { equalPaths, formatPath, formatQuotedPath, type Path } from "../../fieldpath/path.js"
import { FieldSet } from "../../fieldpath/set.js"
import type { ManagedFieldsEntry } from "../../managedfields/entries/entry.js"
import type { Managed } from "../../managedfields/entries/managed.js"
import { parseManagerId } from "../../managedfields/entries/manager-id.js"
import { managerOptions } from "../../managedfields/request.js"
import {
  aList,
  aListOfObjects,
  aListOfStrings,
  anObject,
  aString,
  aTypeFinder,
  type Expected,
  either,
  optional,
} from "../../value/argument.js"

/** Names of managers, or all managers. */
export type ManagerNames = string | readonly string[] | AllManagers

/** All managers. */
export interface AllManagers {
  /** Always true. */
  readonly all: true
}

/** Selects entries of managedFields. Absent properties select everything. */
export interface EntrySelection {
  /** Only entries of this operation. */
  readonly operation?: "Apply" | "Update" | undefined
  /** Only entries of this subresource; "" for the main resource. */
  readonly subresource?: string | undefined
  /** Only entries at this version: `apps/v1`, or `v1` for that version of any group. */
  readonly apiVersion?: string | undefined
}

/** One manager of an object, as the engine knows it. */
export interface Holder {
  readonly id: string
  /** The entry without its fields, with the version of the fields. */
  readonly entry: Required<Pick<ManagedFieldsEntry, "manager" | "operation" | "apiVersion" | "subresource">>
  readonly owned: VersionedSet
}

/** Returns the managers with these names whose entries are selected, in the order of managedFields. */
export function holders(managed: Managed, names: ManagerNames, selection: EntrySelection = {}): Holder[] {
  const found: Holder[] = []
  for (const [id, owned] of managed.fields) {
    const { manager, operation, subresource } = parseManagerId(id) ?? {}
    const entry = {
      manager: manager ?? "",
      operation: operation ?? "",
      apiVersion: owned.apiVersion,
      subresource: subresource ?? "",
    }
    if (isNamed(entry.manager, names) && isSelected(entry, selection)) found.push({ id, entry, owned })
  }
  return found
}

/** Whether the name is among these. */
export function isNamed(manager: string, names: ManagerNames): boolean {
  if (typeof names === "string") return manager === names
  return "all" in names ? names.all : names.includes(manager)
}

function isSelected(entry: Holder["entry"], { operation, subresource, apiVersion }: EntrySelection): boolean {
  if (operation !== undefined && entry.operation !== operation) return false
  if (subresource !== undefined && entry.subresource !== subresource) return false
  return apiVersion === undefined || isVersion(entry.apiVersion, apiVersion)
}

/** Whether `named` means this version: it is the whole version, or its last part. */
export function isVersion(apiVersion: string, named: string): boolean {
  return apiVersion === named || (!named.includes("/") && apiVersion.endsWith(`/${named}`))
}

/** Returns the part of the set that is at these paths and below them; the set itself without paths. */
export function partOf(set: FieldSet, paths: readonly Path[] | undefined): FieldSet {
  if (paths === undefined) return set
  const found: Path[] = []
  set.forEach(path => {
    if (paths.some(above => equalPaths(path.slice(0, above.length), above))) found.push([...path])
  })
  return FieldSet.of(found)
}

/**
 * Returns the paths that `given` means. A text means a path that somebody owns, or a path above one, if that path prints as the text; this
 * finds names with dots. Any other text is read by `parsePath`, which may throw a ParseError.
 */
export function pathsMeant(
  managed: Managed,
  given: readonly (Path | string)[] | undefined,
): readonly Path[] | undefined {
  if (given === undefined) return undefined
  const known = new Map<string, Path>()
  for (const { set } of managed.fields.values()) {
    set.forEach(path => {
      for (let length = path.length; length > 0; length--) {
        const above = path.slice(0, length)
        const text = formatPath(above)
        // If two paths print as the same text, the text means the one that needs no quotes.
        if (!known.has(text) || text === formatQuotedPath(above)) known.set(text, above)
      }
    })
  }
  return given.map(path => (typeof path === "string" ? (known.get(path) ?? parsePath(path)) : path))
}

/** One or several names of managers, for `requireOptions`. */
export const aNameOrNames: Expected = either(aString, aListOfStrings)

/** Names of managers, or all managers, for `requireOptions`. */
export const managerNames: Expected = {
  name: "names of managers or { all: true }",
  fits: value => aNameOrNames.fits(value) || isAll(value),
}

/** The types of `ManagersOptions` and `EntrySelection`, for `requireOptions`. */
export const managersOptions: Readonly<Record<string, Expected>> = {
  types: optional(aTypeFinder),
  unions: optional(managerOptions.unions),
  operation: optional(aString),
  subresource: optional(aString),
  apiVersion: optional(aString),
  paths: optional({ name: "a list of paths", fits: value => aList.fits(value) && (value as unknown[]).every(isPath) }),
  managers: optional(managerNames),
}

function isPath(value: unknown): boolean {
  return typeof value === "string" || aListOfObjects.fits(value)
}

function isAll(value: unknown): boolean {
  return anObject.fits(value) && (value as AllManagers).all === true
}
