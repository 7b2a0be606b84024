// Members of a union that are items of an associative list, such as the conditions Approved and Denied of one list: their names, the items
// that they match, and the list that the schema must have for them.
import { compareStrings } from "../value/compare.js"
import { equalValues } from "../value/equal.js"
import { formatValue } from "../value/format.js"
import { own } from "../value/object.js"
import { isMap, type MapValue, type Value } from "../value/value.js"
import { resolveRef } from "./resolve.js"
import type { ListAtom, MapAtom, TypeRef } from "./schema.js"
import type { UnionMember } from "./union.js"

/** A key of an item: its name, its value in the member, and the value of an absent key. */
interface ItemKey {
  readonly name: string
  readonly value: Value
  readonly default: Value | undefined
}

/** A member that is an item, prepared for finding it in lists. */
export class ItemMember {
  /** The name of the member: `conditions[type="Approved"]`. */
  readonly name: string
  /** The field that holds the list. */
  readonly list: string
  /** The keys of the item. */
  readonly item: MapValue
  private readonly keys: readonly ItemKey[]

  constructor(name: string, list: string, item: MapValue, keys: readonly ItemKey[]) {
    this.name = name
    this.list = list
    this.item = item
    this.keys = keys
  }

  /** Whether an item of the list is this member. In a list with duplicates, several items may be. */
  matches(item: Value): boolean {
    if (!isMap(item)) return false
    for (const { name, value, default: absent } of this.keys) {
      const given = own(item, name) ?? absent
      if (given !== value && (given === undefined || !equalValues(given, value))) return false
    }
    return true
  }
}

/** Returns the name of a member in reports: its field, and for an item also its keys, spelled as in paths. */
export function memberName({ fieldName, item }: UnionMember): string {
  if (item === undefined) return fieldName
  const names = Object.keys(item).sort(compareStrings)
  return `${fieldName}[${names.map(name => `${name}=${formatValue(own(item, name) as Value)}`).join(",")}]`
}

/** Returns the member with the keys of its list in the struct, or a message if the struct has no such list or the list has other keys. */
export function itemMember(
  definitions: ReadonlyMap<string, TypeRef>,
  map: MapAtom,
  member: UnionMember,
): ItemMember | string {
  const { fieldName, item = {} } = member
  const ref = map.fields?.findLast(({ name }) => name === fieldName)?.type
  if (ref === undefined) return `the type has no field ${fieldName}`
  const list = resolveRef(definitions, ref)?.list
  const { keys = [] } = list ?? {}
  if (list?.elementRelationship !== "associative" || keys.length === 0) {
    return `${fieldName} is not an associative list with keys, so its items can't be members`
  }
  const name = memberName(member)
  const unknown = Object.keys(item).filter(key => !keys.includes(key))
  if (unknown.length > 0) return `${name}: ${unknown.join(", ")} is not a key of the list (${keys.join(", ")})`
  const missing = keys.filter(key => own(item, key) === undefined)
  if (missing.length > 0) return `${name}: key ${missing.join(", ")} of the list is missing`
  const found: ItemKey[] = []
  for (const key of keys) {
    const { scalar, default: absent } = keyOf(definitions, list, key)
    const value = own(item, key) as Value // none is missing
    if (!fits(scalar, value))
      return `${name}: ${key} is ${scalar ?? "not a scalar"}, so ${formatValue(value)} does not fit`
    found.push({ name: key, value, default: absent })
  }
  return new ItemMember(name, fieldName, item, found)
}

function keyOf(definitions: ReadonlyMap<string, TypeRef>, { elementType = {} }: ListAtom, key: string) {
  const field = resolveRef(definitions, elementType)?.map?.fields?.findLast(({ name }) => name === key)
  const scalar = field === undefined ? undefined : resolveRef(definitions, field.type)?.scalar
  return { scalar, default: field?.default }
}

/** Whether a key of this kind can have the value: a string, an integer or a boolean. */
function fits(scalar: string | undefined, value: Value): boolean {
  switch (typeof value) {
    case "string":
      return scalar === "string" || scalar === "untyped"
    case "number":
      return Number.isSafeInteger(value) && (scalar === "numeric" || scalar === "untyped")
    case "bigint":
      return scalar === "numeric" || scalar === "untyped"
    case "boolean":
      return scalar === "boolean" || scalar === "untyped"
    default:
      return false
  }
}
