// Where rules stand, and what they say together with the others there.
import { SchemaError } from "../../errors.js"
import type { Step, Steps } from "./checks.js"
import type { GoField, GoType } from "./go-type.js"
import type { StabilityLevel } from "./report.js"
import type { Rule, RuleConstant, RuleField, RuleValue } from "./rules.js"

/** The kinds of places, as messages name them. */
export type Scope = "type definitions" | "struct fields" | "list values" | "map keys" | "map values"

/** What the rules of a list say about its items. */
export interface ListFacts {
  /** From `listType`. */
  ownership?: string
  /** How items are told apart. */
  semantic?: "atomic" | "set" | "map"
  readonly keys: GoField[]
  /** `customUnique`: that items are unique is checked elsewhere. */
  custom?: boolean
  level?: StabilityLevel | undefined
  /** Whether the check for duplicates was made. */
  done?: boolean
}

/** One member of a union: a field, or an item of a list. */
export interface UnionMember {
  /** As messages name it. */
  readonly label: string
  /** The value of the discriminator that selects it. */
  readonly value: string
  readonly field: GoField | null
  readonly selector: Selector
}

/** The unions among the fields of a struct, or the items of a list, by name. */
export type Unions = Map<string, { discriminator: GoField | null; readonly members: UnionMember[] }>

/** What the keys of an item must be, in the order they were written. */
export type Selector = readonly (readonly [string, RuleValue])[]

/** The rules of a field for each mode that its struct may be in. */
export interface ModeGroup {
  discriminator: GoField | null
  readonly members: Map<GoField, { mode: string; steps: readonly Step[]; level: StabilityLevel | undefined }[]>
}

/** Where rules stand. */
export class Place {
  readonly scope: Scope
  readonly type: GoType
  /** How messages name the place, without what it is in: `name`, `conditions[{"type": "Ready"}]`. */
  readonly label: string
  readonly field: GoField | null
  readonly parent: Place | null
  /** The place in full, from its type on. Places of a field that several rules speak of have the same. */
  readonly path: string
  /** Which items of a list; empty for all. */
  readonly selector: Selector
  readonly constants: readonly RuleConstant[]
  list: ListFacts | null = null
  /** Whether what the type of the value says about it is left out. */
  opaque = false
  readonly unions: Unions = new Map()
  readonly zeroOrOneOf: Unions = new Map()
  readonly modes = new Map<string, ModeGroup>()
  /** Constraints of `update`. */
  readonly updates = new Set<string>()
  /** The fields that `subfield` speaks of here, by their names in JSON. */
  readonly subfields = new Map<string, Place>()

  constructor(what: Pick<Place, "scope" | "type" | "label"> & Partial<Place>) {
    this.scope = what.scope
    this.type = what.type
    this.label = what.label
    this.field = what.field ?? null
    this.parent = what.parent ?? null
    this.path = what.path ?? pathOf(this)
    this.selector = what.selector ?? []
    this.constants = what.constants ?? []
  }

  /** The place in full, for errors in the document. */
  get where(): string {
    if (this.parent === null) return `type ${this.label}`
    const above = this.parent.where
    return this.field === null ? above : `${above}.${this.field.json || this.field.name}`
  }

  /** The facts of the list, made if there are none. */
  facts(): ListFacts {
    this.list ??= { keys: [] }
    return this.list
  }
}

function pathOf({ field, parent, label }: Place): string {
  if (parent === null) return label
  return field === null ? parent.path + label.slice(parent.label.length) : `${parent.path}.${label}`
}

/** What compiles the rules inside other rules. */
export interface RuleCompiler {
  /** The fields that any rule calls opaque. */
  readonly opaqueFields: Set<RuleField>
  /** The paths of fields that a subfield rule has taken over the stopping checks of. */
  readonly inherited: Set<string>
  /** The steps that the rules give at the place. */
  compile(place: Place, rules: readonly Rule[], level?: StabilityLevel): Steps
  /** What is known about a list: by the rules of the place, or by those of its type. */
  listFacts(place: Place): ListFacts | null
  /** What the rules of the type of the place say about its items. */
  typeFacts(place: Place): ListFacts | null
  /** Whether what the type of the place says about itself is left out. */
  isOpaque(place: Place): boolean
}

/** The error of a rule that can't be. */
export function ruleError(place: Place, rule: Rule, problem: string): SchemaError {
  return new SchemaError(`${place.where}: +k8s:${rule.tag}: ${problem}`)
}

/** The field of a struct with this name in JSON. */
export function fieldNamed(place: Place, rule: Rule, type: GoType, name: string): GoField {
  const field = type.fields().find(({ json }) => json === name)
  if (field === undefined) throw ruleError(place, rule, `no field with the JSON name "${name}"`)
  return field
}
