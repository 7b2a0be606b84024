import { SchemaError } from "../errors.js"
import { own, put } from "../value/object.js"
import { isList, type MapValue, type Value } from "../value/value.js"
import { type ItemMember, itemMember, memberName } from "./item-member.js"
import type { MapAtom, TypeRef } from "./schema.js"
import type { UnionDef, UnionMember } from "./union.js"

/** A union prepared for reading maps: it finds the members that are set in a map, and the one that the discriminator selects. */
export class CompiledUnion {
  readonly def: UnionDef
  readonly discriminator: string | undefined
  /** The names of the members, in the schema's order: names of fields, or of items (`conditions[type="Approved"]`). */
  readonly members: readonly string[]
  /** The members by name, if they are items of a list; null if they are fields. */
  readonly items: ReadonlyMap<string, ItemMember> | null
  private readonly byName = new Map<string, UnionMember>()
  private readonly byValue = new Map<string, string>()

  /** `items` are the members, if they are items of a list; either all members are items, or none. */
  constructor(def: UnionDef, items: readonly ItemMember[] = []) {
    const fields = def.fields ?? []
    this.def = def
    this.items = items.length === 0 ? null : new Map(items.map(item => [item.name, item]))
    this.discriminator = def.discriminator ?? undefined
    this.members = fields.map(memberName)
    fields.forEach((member, i) => {
      const name = this.members[i] as string
      const value = member.discriminatorValue ?? ""
      this.byName.set(name, member)
      if (!this.byValue.has(value)) this.byValue.set(value, name)
    })
  }

  /** Whether exactly one member must be set. */
  get required(): boolean {
    return this.def.cardinality === "exactlyOne"
  }

  /** Returns the discriminator value that selects this member. */
  valueOf(member: string): string {
    return this.byName.get(member)?.discriminatorValue ?? ""
  }

  /** Returns the member that this value of the discriminator selects, or undefined. */
  memberOf(value: string): string | undefined {
    return this.byValue.get(value)
  }

  /**
   * Whether the member is set in the map. Null does not count as set; `{}`, `[]`, `""` and 0 do, except that `zeroIsUnset` excludes `""`, 0
   * and false. An item is set if the list has it.
   */
  isSet(map: MapValue | null, member: string): boolean {
    if (map === null) return false
    if (this.items !== null) return this.hasItem(map, member)
    const value = own(map, member)
    if (value === undefined || value === null) return false
    return !isZero(value) || this.byName.get(member)?.zeroIsUnset !== true
  }

  /** Returns the members that are set in the map, in the schema's order. */
  setIn(map: MapValue | null): readonly string[] {
    if (map === null) return none
    const present = this.presentIn(map, undefined)
    for (let i = 0; i < present.length; i++) {
      if (!this.isSet(map, present[i] as string)) return present.filter(member => this.isSet(map, member))
    }
    return present
  }

  /** Returns the members that the map has, null included, without `except`, in the schema's order. */
  presentIn(map: MapValue, except: string | undefined): readonly string[] {
    let found: string[] | null = null
    if (this.items !== null) return this.members.filter(member => member !== except && this.hasItem(map, member))
    if (this.members.length <= fewMembers) {
      for (const member of this.members) {
        if (member === except || own(map, member) === undefined) continue
        if (found === null) found = [member]
        else found.push(member)
      }
      return found ?? none
    }
    // This visits the keys and not the members, since a map has few keys if the union has many members.
    for (const key in map) {
      if (key === except || !this.byName.has(key)) continue
      if (found === null) found = [key]
      else found.push(key)
    }
    if (found === null) return none
    const { members } = this
    return found.length === 1 ? found : found.sort((a, b) => members.indexOf(a) - members.indexOf(b))
  }

  /** Returns the only member that the map has, null included; undefined if it has no member, null if it has several. */
  private onlyIn(map: MapValue): string | undefined | null {
    let only: string | undefined
    if (this.items !== null) {
      const found = this.presentIn(map, undefined)
      return found.length > 1 ? null : found[0]
    }
    if (this.members.length <= fewMembers) {
      for (let i = 0; i < this.members.length; i++) {
        const member = this.members[i] as string
        if (own(map, member) === undefined) continue
        if (only !== undefined) return null
        only = member
      }
      return only
    }
    for (const key in map) {
      if (!this.byName.has(key)) continue
      if (only !== undefined) return null
      only = key
    }
    return only
  }

  /** Removes members from a map under construction. Copies lists that lose items, and adds no lists. */
  clear(map: Record<string, Value>, members: readonly string[]): void {
    const { items } = this
    if (items === null) {
      for (const member of members) delete map[member]
      return
    }
    for (const member of members) {
      const found = items.get(member)
      const list = found === undefined ? undefined : own(map, found.list)
      if (found !== undefined && isList(list))
        put(
          map,
          found.list,
          list.filter(item => !found.matches(item)),
        )
    }
  }

  private hasItem(map: MapValue, member: string): boolean {
    const found = this.items?.get(member)
    const list = found === undefined ? undefined : own(map, found.list)
    if (found === undefined || !isList(list)) return false
    for (let i = 0; i < list.length; i++) if (found.matches(list[i] as Value)) return true
    return false
  }

  /** Returns the value of the discriminator; `""` if it is absent or not a string, or if the union has no discriminator. */
  selectedIn(map: MapValue | null): string {
    const value = this.rawSelection(map)
    return typeof value === "string" ? value : ""
  }

  /** Returns the value of the discriminator, which may have any type; undefined if it is absent or the union has no discriminator. */
  rawSelection(map: MapValue | null): Value | undefined {
    return map === null || this.discriminator === undefined ? undefined : own(map, this.discriminator)
  }

  /**
   * Whether there is nothing to do for this union: the map has at most one member, and the discriminator, if the union has one, names exactly
   * that member. Returns false if a quick look can't tell.
   */
  isSettled(map: MapValue): boolean {
    const member = this.onlyIn(map)
    if (member === undefined || member === null) return member === undefined
    if (this.discriminator === undefined) return true
    const selected = this.selectedIn(map)
    return selected !== "" && this.memberOf(selected) === member && this.isSet(map, member)
  }
}

/** Returns the union compiled for reading maps. Throws a SchemaError if the struct `map` has no such members. */
export function compileUnion(definitions: ReadonlyMap<string, TypeRef>, map: MapAtom, def: UnionDef): CompiledUnion {
  const items = (def.fields ?? [])
    .filter(({ item }) => item !== undefined)
    .map(member => {
      const found = itemMember(definitions, map, member)
      if (typeof found === "string") throw new SchemaError(`a union of items: ${found}`)
      return found
    })
  const union = new CompiledUnion(def, items)
  for (const name of [union.discriminator ?? "", ...union.members]) {
    if (typeof name !== "string") throw new SchemaError("a union with a field without a name")
  }
  return union
}

/** Whether all these unions are settled in the map. */
export function areSettled(unions: readonly CompiledUnion[], map: MapValue): boolean {
  for (let i = 0; i < unions.length; i++) if (!(unions[i] as CompiledUnion).isSettled(map)) return false
  return true
}

const none: readonly string[] = Object.freeze([])

/** With at most this many members, they are looked up in the map one by one; otherwise the keys of the map are visited. */
const fewMembers = 6

function isZero(value: Value): boolean {
  return value === "" || value === 0 || value === false || value === 0n
}
