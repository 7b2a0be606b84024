import { own } from "../value/object.js"
import type { MapValue, Value } from "../value/value.js"
import type { UnionDef, UnionMember } from "./union.js"

/** A union of a struct made ready for reading maps: what is set there, and what the discriminator selects. */
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

  /** The member this value selects. */
  memberOf(value: string): string | undefined {
    return this.byValue.get(value)
  }

  /** Whether the member has a value there: null does not count, `{}`, `[]`, `""` and 0 do. */
  isSet(map: MapValue | null, member: string): boolean {
    if (map === null) return false
    const value = own(map, member)
    if (value === undefined || value === null) return false
    return !isZero(value) || this.byName.get(member)?.zeroIsUnset !== true
  }

  /** The members set in the map, in the schema's order. */
  setIn(map: MapValue | null): readonly string[] {
    if (map === null) return none
    const present = this.presentIn(map, undefined)
    for (let i = 0; i < present.length; i++) {
      if (!this.isSet(map, present[i] as string)) return present.filter(member => this.isSet(map, member))
    }
    return present
  }

  /** The members but `except` that are in the map, null or not, in the schema's order. */
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
    // A map holds few of many members.
    for (const key in map) {
      if (key === except || !this.byName.has(key)) continue
      if (found === null) found = [key]
      else found.push(key)
    }
    if (found === null) return none
    const { members } = this
    return found.length === 1 ? found : found.sort((a, b) => members.indexOf(a) - members.indexOf(b))
  }

  /** The one member that is in the map, null or not; undefined where there is none, null where there are several. */
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

  /** What the discriminator says; `""` where it is absent, no string, or where the union has none. */
  selectedIn(map: MapValue | null): string {
    const value = this.rawSelection(map)
    return typeof value === "string" ? value : ""
  }

  /** What the map has for a discriminator. */
  rawSelection(map: MapValue | null): Value | undefined {
    return map === null || this.discriminator === undefined ? undefined : own(map, this.discriminator)
  }

  /**
   * Whether the map leaves nothing to be said about this union: it has one member at the most, and the discriminator, if there
   * is one, says exactly that. A map for which that takes a second look counts as unsettled.
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
