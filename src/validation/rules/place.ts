// The places that rules apply to, and what all rules of a place say together.
import type { CompiledChecks, Step } from "./checks.js"
import type { GoField, GoType } from "./go-type.js"
import type { StabilityLevel } from "./report.js"
import type { Rule, RuleConstant, RuleField, RuleValue } from "./rules.js"

/** The kinds of places, as messages name them. */
export type Scope = "type definitions" | "struct fields" | "list values" | "map keys" | "map values"

/** Facts about a list and its items, collected from the rules of the list. */
export interface ListFacts {
  /** The value of `listType`. */
  ownership?: string
  /** How items are told apart. */
  semantic?: "atomic" | "set" | "map"
  readonly keys: GoField[]
  /** Set by `customUnique`: another check makes sure that items are unique. */
  custom?: boolean
  level?: StabilityLevel | undefined
  /** Whether the check for duplicates has been made. */
  done?: boolean
}

/** One member of a union: a field, or an item of a list. */
export interface UnionMember {
  /** The member's name in messages. */
  readonly label: string
  /** The value of the discriminator that selects the member. */
  readonly value: string
  readonly field: GoField | null
  readonly selector: Selector
}

/** The unions by name. Their members are fields of a struct or items of a list. */
export type Unions = Map<string, { discriminator: GoField | null; readonly members: UnionMember[] }>

/** The keys that select an item and their values, in the order of the source. */
export type Selector = readonly (readonly [string, RuleValue])[]

/** The rules of fields for each mode of their struct. */
export interface ModeGroup {
  discriminator: GoField | null
  readonly members: Map<GoField, { mode: string; steps: readonly Step[]; level: StabilityLevel | undefined }[]>
}

/** A place that rules apply to. */
export class RulePlace {
  readonly scope: Scope
  readonly type: GoType
  /** The place's own name in messages, without its parent: `name`, `conditions[{"type": "Ready"}]`. */
  readonly label: string
  readonly field: GoField | null
  readonly parent: RulePlace | null
  /** The full path of the place, starting at its type. Places for the same field have the same path. */
  readonly path: string
  /** The keys of the list items that the place stands for; empty for all items. */
  readonly selector: Selector
  readonly constants: readonly RuleConstant[]
  list: ListFacts | null = null
  /** Whether the rules of the value's own type are skipped. */
  opaque = false
  readonly unions: Unions = new Map()
  readonly zeroOrOneOf: Unions = new Map()
  readonly modes: Map<string, ModeGroup>
  /** The constraints that `update` rules have set. */
  readonly updates = new Set<string>()
  /** The places of the fields that `subfield` rules are about, by their names in JSON. */
  readonly subfields = new Map<string, RulePlace>()

  constructor(what: Pick<RulePlace, "scope" | "type" | "label"> & Partial<RulePlace>) {
    this.scope = what.scope
    this.type = what.type
    this.label = what.label
    this.field = what.field ?? null
    this.parent = what.parent ?? null
    this.path = what.path ?? pathOf(this)
    this.selector = what.selector ?? []
    this.constants = what.constants ?? []
    this.modes = what.modes ?? new Map()
  }

  /** The full path of the place, for errors in the document. */
  get where(): string {
    if (this.parent === null) return `type ${this.label}`
    const above = this.parent.where
    return this.field === null ? above : `${above}.${this.field.json || this.field.name}`
  }

  /** Returns the facts of the list, and creates them on first use. */
  facts(): ListFacts {
    this.list ??= { keys: [] }
    return this.list
  }
}

function pathOf({ field, parent, label }: RulePlace): string {
  if (parent === null) return label
  return field === null ? parent.path + label.slice(parent.label.length) : `${parent.path}.${label}`
}

/** Compiles the rules inside other rules. */
export interface RuleCompiler {
  /** The fields that any rule calls opaque. */
  readonly opaqueFields: Set<RuleField>
  /** The paths of fields whose stopping checks a `subfield` rule has taken over. */
  readonly inherited: Set<string>
  /** Compiles the rules of a place to steps. */
  compile(place: RulePlace, rules: readonly Rule[], level?: StabilityLevel): CompiledChecks
  /** The facts about a list, from the rules of the place or from those of its type. */
  listFacts(place: RulePlace): ListFacts | null
  /** The facts about a list from the rules of its type. */
  typeFacts(place: RulePlace): ListFacts | null
  /** Whether the rules of the place's own type are skipped. */
  isOpaque(place: RulePlace): boolean
}
