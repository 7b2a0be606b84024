import { own, put } from "../value/object.js"
import { isList, type MapValue, type Value } from "../value/value.js"
import { type ItemMember, memberName } from "./item-member.js"
import type { UnionDef, UnionMember } from "./union.js"

/** A union made ready to be asked about maps: which members are set in a map, and which one its discriminator selects. */
export class CompiledUnion {
  readonly def: UnionDef
  readonly discriminator: string | undefined
  /** The names of the members, in the schema's order: those of their fields, or of items (`conditions[type="Approved"]`). */
  readonly members: readonly string[]
  /** The members by name, if they are items of a list; null if they are fields. */
  readonly items: ReadonlyMap<string, ItemMember> | null
  private readonly byName = new Map<string, UnionMember>()
  private readonly byValue = new Map<string, string>()

  /** `items` are the members that are items of a list, all or none. */
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

  /** Whether one member has to be set. */
  get required(): boolean {
    return this.def.cardinality === "exactlyOne"
  }

  /** The discriminator value that selects this member. */
  valueOf(member: string): string {
    return this.byName.get(member)?.discriminatorValue ?? ""
  }

  /** The member that this value of the discriminator selects; undefined if it selects none. */
  memberOf(value: string): string | undefined {
    return this.byValue.get(value)
  }

  /**
   * Whether the member is set in the map: null does not count, but `{}`, `[]`, `""` and 0 do, except with `zeroIsUnset`. An item is
   * set if the list has it.
   */
  isSet(map: MapValue | null, member: string): boolean {
    if (map === null) return false
    if (this.items !== null) return this.hasItem(map, member)
    const value = own(map, member)
    if (value === undefined || value === null) return false
    return !isZero(value) || this.byName.get(member)?.zeroIsUnset !== true
  }

  /** The members that are set in the map, in the schema's order. */
  setIn(map: MapValue | null): readonly string[] {
    if (map === null) return none
    const present = this.presentIn(map, undefined)
    for (let i = 0; i < present.length; i++) {
      if (!this.isSet(map, present[i] as string)) return present.filter(member => this.isSet(map, member))
    }
    return present
  }

  /** The members that are in the map, null or not, without `except`, in the schema's order. */
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
    // The map is walked and not the members, since a map has few of many members.
    for (const key in map) {
      if (key === except || !this.byName.has(key)) continue
      if (found === null) found = [key]
      else found.push(key)
    }
    if (found === null) return none
    const { members } = this
    return found.length === 1 ? found : found.sort((a, b) => members.indexOf(a) - members.indexOf(b))
  }

  /** The one member that is in the map, null or not; undefined if there is none, null if there are several. */
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

  /** Takes members out of a map that is being made. A list is copied; one that the map does not have stays absent. */
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

  /** What the discriminator says; `""` if it is absent or not a string, or if the union has none. */
  selectedIn(map: MapValue | null): string {
    const value = this.rawSelection(map)
    return typeof value === "string" ? value : ""
  }

  /** What the map has at the discriminator, of whatever type; undefined if it is absent or the union has none. */
  rawSelection(map: MapValue | null): Value | undefined {
    return map === null || this.discriminator === undefined ? undefined : own(map, this.discriminator)
  }

  /**
   * Whether nothing is left to do for this union: the map has one member at most, and the discriminator, if there is one, says
   * exactly that. A map for which this is not plain to see counts as unsettled.
   */
  isSettled(map: MapValue): boolean {
    const member = this.onlyIn(map)
    if (member === undefined || member === null) return member === undefined
    if (this.discriminator === undefined) return true
    const selected = this.selectedIn(map)
    return selected !== "" && this.memberOf(selected) === member && this.isSet(map, member)
  }
}

/** Whether all these unions are settled in the map. */
export function areSettled(unions: readonly CompiledUnion[], map: MapValue): boolean {
  for (let i = 0; i < unions.length; i++) if (!(unions[i] as CompiledUnion).isSettled(map)) return false
  return true
}

const none: readonly string[] = Object.freeze([])

const fewMembers = 6

function isZero(value: Value): boolean {
  return value === "" || value === 0 || value === false || value === 0n
}
