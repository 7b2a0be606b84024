import { valueAt } from "../fieldpath/lookup.js"
import { comparePaths, formatPath, type Path } from "../fieldpath/path.js"
import type { ManagedFieldsEntry } from "../managedfields/entry.js"
import type { ConflictError } from "../merge/conflict.js"
import type { MapValue, Value } from "../value/value.js"
import { alignColumns, count, indent, printable, showValue } from "./layout.js"
import type { Style } from "./terminal.js"

/** A field in conflict, with all who own it and both values. */
export interface FieldConflict {
  readonly path: Path
  readonly owners: readonly ManagedFieldsEntry[]
  /** Undefined where the object has none. */
  readonly live: Value | undefined
  readonly configured: Value | undefined
}

/** The conflicts by field, in the order of paths. `ownerOf` says who goes by an identifier. */
export function conflictsByField(
  error: ConflictError,
  ownerOf: (manager: string) => ManagedFieldsEntry,
  live: Value,
  config: Value,
): FieldConflict[] {
  const byField = new Map<string, { readonly path: Path; readonly owners: ManagedFieldsEntry[] }>()
  for (const { path, manager } of error.conflicts) {
    const text = formatPath(path)
    const field = byField.get(text) ?? { path, owners: [] }
    byField.set(text, field)
    field.owners.push(ownerOf(manager))
  }
  return Array.from(byField.values())
    .sort((a, b) => comparePaths(a.path, b.path))
    .map(field => ({ ...field, live: valueAt(live, field.path), configured: valueAt(config, field.path) }))
}

/** The conflicts for people, without what could be done about them. */
export function formatConflicts(manager: string, conflicts: readonly FieldConflict[], style: Style): string {
  const heading = `${style.bad("conflict")}: ${printable(manager)} configures ${count(conflicts.length, "field")} that others own`
  return [heading, ...conflicts.map(conflict => indent(formatConflict(conflict, style), 2))].join("\n\n")
}

function formatConflict({ path, owners, live, configured }: FieldConflict, style: Style): string {
  const rows = [
    ...owners.map(owner => ["owned by", formatOwner(owner)]),
    ["live", showValue(live)],
    ["configured", showValue(configured)],
  ]
  return [style.strong(printable(formatPath(path))), ...alignColumns(rows).map(line => `  ${line}`)].join("\n")
}

/** `autoscaler (Update, apps/v1, subresource scale)`: what tells it from others of the name. */
function formatOwner({ manager, operation, apiVersion, subresource }: ManagedFieldsEntry): string {
  const details = [operation, apiVersion, subresource === undefined ? undefined : `subresource ${subresource}`]
  return printable(`${manager} (${details.filter(detail => detail !== undefined).join(", ")})`)
}

/** The conflicts for programs. */
export function conflictsValue(conflicts: readonly FieldConflict[]): Value {
  return {
    conflicts: conflicts.map(({ path, owners, live, configured }) => ({
      field: formatPath(path),
      owners: owners as readonly MapValue[],
      ...(live !== undefined && { live }),
      ...(configured !== undefined && { configured }),
    })),
  }
}
