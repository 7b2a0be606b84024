import { fieldElement } from "../fieldpath/create-element.js"
import { formatManagerParts, type ManagerParts } from "../fieldpath/managers.js"
import { formatPath, type Path } from "../fieldpath/path.js"
import { parseJson } from "../json/json.js"
import { textAt } from "../value/fields.js"
import { formatValue } from "../value/format.js"
import { isMap, type Value } from "../value/value.js"

/** The changes that the engine made to one union. */
export interface UnionChange {
  /** The path of the struct that has the union. */
  readonly path: Path
  /** The name of the union, if an overlay gives it one. */
  readonly name?: string
  /** The name of the policy. */
  readonly policy: string
  /** The discriminator before and after. Absent if the union has no discriminator. */
  readonly discriminator?: DiscriminatorChange
  /** The members that the engine cleared, in the schema's order. */
  readonly cleared: readonly ClearedMember[]
  /** The only member that is set afterwards; absent if no member or several are set. */
  readonly member?: ReportedMember
  /** An absent member that the engine carried over from the old object. */
  readonly carried?: string
}

/** The discriminator of a union, before and after. */
export interface DiscriminatorChange {
  /** The name of the discriminator in the struct. */
  readonly field: string
  /** Its value before the change; undefined if it was absent. */
  readonly from: Value | undefined
  /** Its value after the change; undefined if it is absent. */
  readonly to: Value | undefined
  /** Whether the engine wrote it because of a member. Otherwise it comes from the request. */
  readonly implied: boolean
  /** The member that implies the discriminator. */
  readonly because?: string
}

/** A member of a union in reports. */
export interface ReportedMember {
  /** The name of the member in the struct. An item of a list is named with its keys: `conditions[type="Denied"]`. */
  readonly field: string
  /** The path of the member in the struct, if it is an item of a list. */
  readonly item?: Path
}

/** A member that the engine cleared. */
export interface ClearedMember extends ReportedMember {
  /**
   * The managers that owned the member or something inside it, sorted. Empty if it had no owner, or if no managers are known. A FieldManager
   * names them by identifiers, which `parseManagerId` reads.
   */
  readonly owners: readonly string[]
}

/** Returns the path of a field of the union's struct, or of a list item that the change reports. */
export function unionFieldPath(
  { path, cleared = [], member }: Pick<UnionChange, "path"> & Partial<Pick<UnionChange, "cleared" | "member">>,
  field: string,
): Path {
  const item = [...cleared, ...(member === undefined ? [] : [member])].find(reported => reported.field === field)?.item
  return [...path, ...(item ?? [fieldElement(field)])]
}

/**
 * Formats the change on one line: `.strategy: type "RollingUpdate" -> "Recreate"; removed rollingUpdate (owned by "controller")`. Owners that
 * are identifiers of a FieldManager are named as in messages about conflicts: `"kubectl-edit" using apps/v1`.
 */
export function formatUnionChange(change: UnionChange): string {
  const parts: string[] = []
  const { discriminator, cleared, carried } = change
  const silent = cleared.length === 0 && carried === undefined
  if (discriminator !== undefined && (silent || discriminator.from !== discriminator.to)) {
    const { field, from, to, because } = discriminator
    const change = from === to ? `is ${show(to)}` : `${show(from)} -> ${show(to)}`
    parts.push(`${field} ${change}${because === undefined ? "" : ` (implied by ${because})`}`)
  }
  for (const { field, owners } of cleared) {
    const who = owners.length === 0 ? "" : ` (owned by ${owners.map(formatOwner).join(", ")})`
    parts.push(`removed ${field}${who}`)
  }
  if (carried !== undefined) parts.push(`kept ${carried}`)
  return `${change.path.length === 0 ? "." : formatPath(change.path)}: ${parts.join("; ")}`
}

/** Formats an owner. An owner of a Kubernetes object is JSON with the parts of its entry in managedFields. */
function formatOwner(owner: string): string {
  const entry = owner.startsWith("{") ? entryIn(owner) : undefined
  return entry === undefined ? formatValue(owner) : formatManagerParts(entry)
}

function entryIn(text: string): ManagerParts | undefined {
  try {
    const entry = parseJson(text)
    if (!isMap(entry) || textAt(entry, "manager") === "") return undefined
    const part = (key: string) => textAt(entry, key)
    return {
      manager: part("manager"),
      operation: part("operation"),
      apiVersion: part("apiVersion"),
      subresource: part("subresource"),
    }
  } catch {
    return undefined
  }
}

function show(value: Value | undefined): string {
  return value === undefined ? "none" : formatValue(value)
}
