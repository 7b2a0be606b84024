import { own } from "../value/object.js"
import type { MapValue, Value } from "../value/value.js"
import type { UnionDef, UnionMember } from "./union.js"

/** A union made ready to be asked about maps: which members are set in a map, and which one its discriminator selects. */
export class CompiledUnion {
  readonly def: UnionDef
  readonly discriminator: string | undefined
  /** The names of the members' fields, in the schema's order. */
  readonly members: readonly string[]
  private readonly byName = new Map<string, UnionMember>()
  private readonly byValue = new Map<string, string>()

  constructor(def: UnionDef) {
    const fields = def.fields ?? []
    this.def = def
    this.discriminator = def.discriminator ?? undefined
    this.members = fields.map(({ fieldName }) => fieldName)
    for (const member of fields) {
      const value = member.discriminatorValue ?? ""
      this.byName.set(member.fieldName, member)
      if (!this.byValue.has(value)) this.byValue.set(value, member.fieldName)
    }
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

  /** Whether the member is set in the map: null does not count, but `{}`, `[]`, `""` and 0 do, except with `zeroIsUnset`. */
  isSet(map: MapValue | null, member: string): boolean {
    if (map === null) return false
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
