// The type of a field in the words of people, and its meaning for owners.
import type { MapValue } from "structured-merge-diff"
import { fieldElement, indexElement } from "../../src/fieldpath/create-element.js"
import { formatPath, type Path } from "../../src/fieldpath/path.js"
import { memberName } from "../../src/schema/item-member.js"
import type { UnionDef } from "../../src/schema/union.js"
import { elementOfItem } from "../../src/typed/list-items.js"
import type { ListShape, Type } from "../../src/typed/type.js"
import { type Steps, valueAtSteps } from "../../src/value/change.js"
import { listAnd } from "../../src/value/words.js"

/** A field with the parts of the types around it that concern its owners. */
export interface FieldType {
  readonly type: Type
  readonly path: Path
  /** The unions of the map that has the field. */
  readonly unions: readonly UnionDef[]
  /** The key of an item, if the field is one. */
  readonly key: ListShape["keys"][number] | undefined
  /** The atomic list or map around the field. */
  readonly within: { readonly path: Path; readonly type: Type } | undefined
}

/** Returns the field that the steps lead to, in an object of the type; undefined if the type does not have it. */
export function fieldType(root: Type, object: MapValue, steps: Steps): FieldType | undefined {
  let type = root
  let parent: Type | undefined
  let list: ListShape | null = null
  let within: FieldType["within"]
  const path: Path[number][] = []
  for (const [i, step] of steps.entries()) {
    if (within === undefined && isAtomic(type)) within = { path: [...path], type }
    parent = type
    let below: Type | undefined
    if (typeof step === "string") {
      path.push(fieldElement(step))
      below = parent.map?.fields.get(step)?.type ?? parent.map?.rest
    } else {
      list = parent.list
      const item = valueAtSteps(object, steps.slice(0, i + 1)) ?? null
      path.push((list && elementOfItem(list, item)) || indexElement(step))
      below = list?.item
    }
    if (below === undefined || below.empty) return undefined
    type = below
  }
  const name = steps.at(-1)
  const isInItem = typeof steps.at(-2) === "number"
  const key = isInItem ? list?.keys.find(key => key.name === name) : undefined
  return { type, path, unions: parent?.map?.unions ?? [], key, within }
}

/** Describes a type in a few words: "string", "granular struct PodSpec", "list of Container by name". */
export function typeText(type: Type): string {
  const { scalar, list, map } = type
  if (scalar !== null && (list !== null || map !== null)) return "anything"
  if (scalar !== null) return itemText(type)
  if (map !== null) {
    const relation = map.atomic ? "atomic" : "granular"
    if (map.fields.size === 0) return `${relation} map${map.rest.empty ? "" : ` of ${itemText(map.rest)}`}`
    return `${relation} struct${nameOf(type) && ` ${nameOf(type)}`}`
  }
  if (list === null) return ""
  const items = itemText(list.item)
  if (list.atomic) return `atomic list of ${items}`
  if (!list.associative) return `list of ${items} without a merge type`
  return list.keyNames.length === 0 ? `set of ${items}` : `list of ${items} by ${list.keyNames.join(", ")}`
}

/** The name of a named type, or a word for its values. */
function itemText(type: Type): string {
  const { scalar, list, map } = type
  if (nameOf(type) !== "") return nameOf(type)
  if (map !== null || list !== null) return scalar !== null ? "anything" : map === null ? "list" : "map"
  return scalar === null || scalar.scalar === "untyped"
    ? "any scalar"
    : scalar.scalar === "numeric"
      ? "number"
      : scalar.scalar
}

/** Returns the last part of a type's name; "" for types without a name of their own. */
function nameOf({ name }: Type): string {
  return name.startsWith("__") ? "" : (name.split(".").at(-1) ?? "")
}

/** Says what the type means for owners. */
export function mergeText({ type, key, within }: FieldType): string {
  if (within !== undefined) {
    return `Part of ${formatPath(within.path)}, an ${typeText(within.type)}: its owners own it as a whole.`
  }
  if (key !== undefined) return "A key of its item: with another value, it is another item."
  const { scalar, list, map } = type
  if (scalar !== null && (list !== null || map !== null))
    return "It has no schema: maps have owners by key, lists only as a whole."
  if (scalar !== null) return "Managers that apply the same value share it; a different value is a conflict."
  if (isAtomic(type)) return "It has owners only as a whole: an apply replaces all of it."
  if (map !== null) return `Each ${map.fields.size > 0 ? "field" : "key"} has its own owners.`
  if (list === null || !list.associative) return "The list has no type for merges: a request that changes it fails."
  if (list.keyNames.length === 0) return "Each value is an item with its own owners: managers can add different ones."
  return `Items with the same ${listAnd(list.keyNames)} are merged: each item, and each field in it, has its own owners.`
}

function isAtomic({ list, map }: Type): boolean {
  return list?.atomic === true || map?.atomic === true
}

/** The greatest number of members of a union that are listed. */
const mostMembers = 6

/** Describes a union from the point of view of a field; undefined if the field has no part in it. */
export function unionText(
  { discriminator, fields = [], emptyValues = [], cardinality }: UnionDef,
  name: string,
): string | undefined {
  if (name === discriminator) {
    const selected = fields.map(
      ({ fieldName, discriminatorValue }) => `${discriminatorValue ?? fieldName} selects ${fieldName}`,
    )
    return [...selected, ...emptyValues.map(value => `${value} selects no field`)].join(", ")
  }
  const member = fields.find(({ fieldName }) => fieldName === name)
  if (member === undefined) return undefined
  const selector = discriminator && `${discriminator}: ${member.discriminatorValue ?? name}`
  if (fields.length === 1 && selector !== undefined) return `set only with ${selector}`
  const names = fields.map(memberName)
  const shown =
    names.length > mostMembers + 1 ? [...names.slice(0, mostMembers), `${names.length - mostMembers} more`] : names
  const rule = `${cardinality === "exactlyOne" ? "exactly" : "at most"} one of ${listAnd(shown)} can be set`
  return selector === undefined ? rule : `${rule}; ${selector} selects ${name}`
}
