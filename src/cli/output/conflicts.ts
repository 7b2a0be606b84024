import { comparePaths, equalPaths, formatPath, type Path } from "../../fieldpath/path.js"
import type { ManagedFieldsEntry } from "../../managedfields/entries/entry.js"
import { type Conflict, type ConflictError, reasonOf, type UnionCause } from "../../merge/conflict.js"
import type { MapValue, Value } from "../../value/value.js"
import { counted } from "../../value/words.js"
import { alignColumns, indent, printable } from "../terminal/layout.js"
import type { Style } from "../terminal/style.js"
import { showValue } from "./flow.js"

/** A field in conflict, with all its owners and both values. */
export interface ContestedField {
  readonly path: Path
  readonly owners: readonly ManagedFieldsEntry[]
  /** The value in the live object; undefined if the object does not have the field. */
  readonly live: Value | undefined
  /** The value that the apply would set; undefined if it would remove the field. */
  readonly next: Value | undefined
  /** Set if the engine would change the field because of a union. */
  readonly union: UnionCause | undefined
}

/** Groups conflicts by field, in the order of their paths. `ownerOf` returns the managedFields entry of an identifier. */
export function conflictsByField(
  error: ConflictError,
  ownerOf: (manager: string) => ManagedFieldsEntry,
): ContestedField[] {
  const fields: { readonly first: Conflict; readonly owners: ManagedFieldsEntry[] }[] = []
  for (const conflict of error.conflicts.toSorted((a, b) => comparePaths(a.path, b.path))) {
    const last = fields[fields.length - 1]
    if (last !== undefined && equalPaths(last.first.path, conflict.path)) last.owners.push(ownerOf(conflict.manager))
    else fields.push({ first: conflict, owners: [ownerOf(conflict.manager)] })
  }
  return fields.map(({ first: { path, union, live, configured }, owners }) => {
    return { path, owners, live, next: configured, union }
  })
}

/** Formats the conflicts for people, without the ways out. */
export function formatConflicts(manager: string, conflicts: readonly ContestedField[], style: Style): string {
  const heading = `${style.bad("conflict")}: ${printable(manager)} would change ${counted(conflicts.length, "field")} that others own`
  return [heading, ...conflicts.map(conflict => indent(formatConflict(conflict, style), 2))].join("\n\n")
}

/** Formats one field: its path, its owners and both values. */
export function formatConflict({ path, owners, live, next, union }: ContestedField, style: Style): string {
  const rows = owners.map(owner => ["owned by", formatOwner(owner)])
  rows.push(["live", showValue(live)])
  if (union === undefined) rows.push(["configured", showValue(next)])
  else rows.push(["becomes", showValue(next)], ["because", printable(reasonOf(union))])
  return [style.strong(printable(formatPath(path))), ...alignColumns(rows).map(line => `  ${line}`)].join("\n")
}

/** `autoscaler (Update, apps/v1, subresource scale)`: the owner with the details that distinguish it from others of the same name. */
function formatOwner({ manager, operation, apiVersion, subresource }: ManagedFieldsEntry): string {
  const details = [operation, apiVersion, subresource === undefined ? undefined : `subresource ${subresource}`]
  return printable(`${manager} (${details.filter(detail => detail !== undefined).join(", ")})`)
}

/** Returns the conflicts as data. `object` is the name of their object if there are several objects. */
export function conflictsValue(conflicts: readonly ContestedField[], object: string | undefined): Value[] {
  return conflicts.map(({ path, owners, live, next, union }) => ({
    ...(object !== undefined && { object }),
    field: formatPath(path),
    owners: owners as readonly MapValue[],
    ...(live !== undefined && { live }),
    ...(next !== undefined && { [union === undefined ? "configured" : "becomes"]: next }),
    ...(union !== undefined && { because: reasonOf(union) }),
  }))
}
