// Adds rules to the types of a schema, for use without their Go source.
import { SchemaError } from "../errors.js"
import { requireTypes } from "../schema/check.js"
import type { Atom, ListAtom, Schema, StructField, TypeDef, TypeRef } from "../schema/schema.js"
import { didYouMean } from "../value/nearest.js"
import type { Rule, RuleDocument, RuleField, RuleType } from "./rules/rules.js"
import { requireRuleTypes } from "./rules/rules.js"

/** Rules for types that a schema describes. */
export interface RuleOverlay {
  /** The types by their names in the schema. */
  readonly types: Readonly<Record<string, RuleOverlayType>>
}

/** Additions to a type of the schema. */
export interface RuleOverlayType extends Pick<RuleType, "rules" | "constants"> {
  /** The fields that have rules. */
  readonly fields?: readonly RuleOverlayField[]
}

/** Additions to a field of the schema. */
export interface RuleOverlayField {
  /** The name in JSON. */
  readonly json: string
  /** The name in Go, which unions use. Defaults to the name in JSON with a capital first letter. */
  readonly name?: string
  /** The type as Go spells it. Needed only if absence matters and the type is not the one that the schema suggests. */
  readonly type?: string
  /** The default of an optional field. */
  readonly default?: unknown
  /** The rules of the field. */
  readonly rules?: readonly Rule[]
}

/**
 * Returns the document for `compileRules` with all types of the schema and the rules of the overlay. A schema does not say what Go calls
 * absent, so a field counts as absent if its key is: scalars and structs are treated as pointers. Old and new items are matched by the keys
 * of their list. The keys' uniqueness is left to validation against the schema. Throws a SchemaError for types and fields that the schema
 * does not have.
 */
export function rulesForSchema(schema: Schema, overlay: RuleOverlay): RuleDocument {
  requireRuleTypes("overlay", overlay)
  requireTypes(schema)
  const types = new DescribedTypes(schema).all()
  for (const [name, more] of Object.entries(overlay.types)) {
    const known = types.get(name)
    if (known === undefined) throw new SchemaError(`unknown type ${name}${didYouMean(name, types.keys())}`)
    types.set(name, withRules(name, known, more))
  }
  return { types: Object.fromEntries([...types].map(([name, type]) => [name, withAbsence(type, overlay)])) }
}

/**
 * Returns the type with every pointer to a type of the overlay marked optional, unless its rules say more. Go checks a type's own rules
 * even for nil.
 */
function withAbsence(type: RuleType, overlay: RuleOverlay): RuleType {
  const isNamed = (text: string) => text.startsWith("*") && Object.hasOwn(overlay.types, text.slice(1))
  if (type.fields?.some(field => isNamed(field.type)) !== true) return type
  const says = ({ rules = [] }: RuleField) => rules.some(({ tag }) => presence.includes(tag))
  const mark = (field: RuleField): RuleField => ({ ...field, rules: [{ tag: "optional" }, ...(field.rules ?? [])] })
  return { ...type, fields: type.fields.map(field => (isNamed(field.type) && !says(field) ? mark(field) : field)) }
}
const presence = ["required", "optional", "forbidden"]

function withRules(
  typeName: string,
  known: RuleType,
  { fields = [], rules = [], constants = [] }: RuleOverlayType,
): RuleType {
  const names = (known.fields ?? []).map(({ json }) => json as string)
  for (const { json } of fields) {
    if (!names.includes(json))
      throw new SchemaError(`type ${typeName}: unknown field ${json}${didYouMean(json, names)}`)
  }
  const merged = known.fields?.map(field => {
    const more = fields.find(({ json }) => json === field.json)
    if (more === undefined) return field
    return { ...field, ...more, rules: [...impliedRules(field, more.rules), ...(more.rules ?? [])] }
  })
  return { ...known, ...(merged && { fields: merged }), rules: [...(known.rules ?? []), ...rules], constants }
}

/** The rules that the schema implies for the list, unless the overlay has its own. */
function impliedRules({ rules = [] }: RuleField, given: readonly Rule[] = []): readonly Rule[] {
  return given.some(({ tag }) => tag === "listType" || tag === "unique") ? [] : rules
}

/** Describes the types of a schema as Go might declare them. */
class DescribedTypes {
  private readonly schema: Schema
  private readonly named: ReadonlyMap<string, TypeDef>
  private readonly types = new Map<string, RuleType>()

  constructor(schema: Schema) {
    this.schema = schema
    this.named = new Map(schema.types.map(type => [type.name, type]))
  }

  all(): Map<string, RuleType> {
    for (const type of this.schema.types) this.declare(type.name, type)
    return this.types
  }

  private declare(name: string, atom: Atom): void {
    const kind = kindOf(atom)
    if (kind === "struct") {
      const fields = (atom.map?.fields ?? []).map(field => this.field(name, field))
      this.types.set(name, { fields })
    } else {
      const rules = kind === "list" ? listRules(atom.list as ListAtom, this.itemKind(atom.list as ListAtom)) : []
      this.types.set(name, { type: this.expression(atom, name), rules })
    }
  }

  private field(owner: string, { name, type }: StructField): RuleField {
    const path = `${owner}.${name}`
    const kind = this.kindOfRef(type)
    const pointer = kind === "scalar" || kind === "struct" ? "*" : ""
    const rules =
      type.namedType === undefined && kind === "list"
        ? listRules(type.list as ListAtom, this.itemKind(type.list as ListAtom))
        : []
    return {
      name: name.charAt(0).toUpperCase() + name.slice(1),
      json: name,
      type: pointer + this.reference(type, path),
      ...(rules.length > 0 && { rules }),
    }
  }

  /** Returns the type that a reference stands for. An inline struct is named after its place. */
  private reference(ref: TypeRef | undefined, path: string): string {
    if (ref === undefined) return "any"
    if (ref.namedType !== undefined) return this.named.has(ref.namedType) ? ref.namedType : "any"
    if (kindOf(ref) !== "struct") return this.expression(ref, path)
    this.declare(path, ref)
    return path
  }

  private expression(atom: Atom, path: string): string {
    switch (kindOf(atom)) {
      case "list":
        return `[]${this.reference(atom.list?.elementType, `${path}.item`)}`
      case "map":
        return `map[string]${this.reference(atom.map?.elementType, `${path}.value`)}`
      case "scalar":
        return { string: "string", boolean: "bool", numeric: "int64", untyped: "any" }[atom.scalar ?? "untyped"]
      default:
        return "any"
    }
  }

  private itemKind({ elementType }: ListAtom): Kind {
    return elementType === undefined ? "any" : this.kindOfRef(elementType)
  }

  private kindOfRef(ref: TypeRef): Kind {
    const atom = ref.namedType === undefined ? ref : this.named.get(ref.namedType)
    return atom === undefined ? "any" : kindOf(atom)
  }
}

type Kind = "scalar" | "list" | "map" | "struct" | "any"

/** The kind of a value; "any" if the schema allows several kinds. */
function kindOf({ scalar, list, map }: Atom): Kind {
  if ([scalar, list, map].filter(part => part !== undefined).length !== 1 || scalar === "untyped") return "any"
  if (scalar !== undefined) return "scalar"
  if (list !== undefined) return "list"
  return (map?.fields?.length ?? 0) > 0 || map?.elementType === undefined ? "struct" : "map"
}

/** The rules by which items of an associative list are matched. */
function listRules({ elementRelationship, keys = [] }: ListAtom, items: Kind): Rule[] {
  if (elementRelationship !== "associative") return []
  if (keys.length === 0) return items === "scalar" ? [{ tag: "listType", value: "set" }, { tag: "customUnique" }] : []
  if (items !== "struct") return []
  const rules = keys.map((value): Rule => ({ tag: "listMapKey", value }))
  return [{ tag: "listType", value: "map" }, ...rules, { tag: "customUnique" }]
}
