// OpenAPI v2 (swagger): the definitions of one document. Upstream takes a longer way for these, over models of its own, and the
// schemas differ from those of v3: references to RawExtension and schemas without a type are written out, a struct takes further
// fields only where it preserves unknown ones, and unions are kept. Clusters leave most defaults out of v2, so an associative
// list may lack that of a key (a container port's protocol, say): each is a diagnostic, and OpenAPI v3 is the better source.
import type { Atom, ElementRelationship, MapAtom, StructField, TypeDef, TypeRef } from "../schema/schema.js"
import { compareStrings } from "../value/compare.js"
import { own, put } from "../value/object.js"
import { quoteGo } from "../value/quote.js"
import { isList, isMap, type MapValue, type Value } from "../value/value.js"
import { Conversion, describe, mapAt, referredName, stringAt } from "./conversion.js"
import { expectFormat } from "./document.js"
import {
  deducedAtom,
  deducedName,
  finishTypes,
  formatKind,
  kindsOf,
  listRelationship,
  mapRelationship,
  quantityName,
  rawExtensionName,
  scalarAtom,
  untypedName,
} from "./extensions.js"
import { warnOfMissingDefaults } from "./missing-defaults.js"
import type { ConversionOptions, ConvertedSchema, KindEntry } from "./options.js"
import { unionsOf } from "./unions.js"

const prefix = "#/definitions/"

/**
 * The schema of an OpenAPI v2 document's definitions, as kube-openapi's `ToSchema` has it.
 *
 * Throws an OpenAPIError, also where two types claim one kind.
 */
export function schemaFromOpenAPIv2(document: unknown, options: ConversionOptions = {}): ConvertedSchema {
  const c = new Conversion(options, options.name, readAsYaml)
  const root = expectFormat(c, document, "OpenAPI v2")
  c.enter("definitions")
  const definitions = mapAt(c, own(root, "definitions"), "definitions") ?? {}
  const walk: Walk = { c, definitions, fields: [] }
  const types: TypeDef[] = []
  for (const name in definitions) {
    c.enter(name)
    c.typeName = name
    const atom = convertDefinition(walk, own(definitions, name), options.preserveUnknownFields ?? false)
    if (atom !== undefined) types.push({ name, ...atom })
    c.leave()
  }
  // Upstream goes through the types by name.
  c.issues.sort((a, b) => compareStrings(a.path.split("/")[2] as string, b.path.split("/")[2] as string))
  c.finish()
  const kinds = indexKinds(c, definitions)
  warnOfMissingDefaults(c, types, definitions)
  return { schema: { types: finishTypes(c, types) }, kinds, diagnostics: c.diagnostics }
}

function indexKinds(c: Conversion, definitions: MapValue): KindEntry[] {
  const kinds = new Map<string, KindEntry>()
  for (const name of Object.keys(definitions).sort(compareStrings)) {
    for (const kind of kindsOf(name, own(definitions, name) as Value)) {
      const id = formatKind(kind)
      if (kinds.has(id)) {
        c.enterEntry(name, "x-kubernetes-group-version-kind")
        c.fail(`duplicate entry for ${id}`)
      }
      kinds.set(id, kind)
    }
  }
  return [...kinds.values()]
}

/**
 * A default or an extension's value as upstream has it.
 *
 * Go: OpenAPI v2 goes through a writer of YAML 1.2 and a reader of YAML 1.1, which takes `on`, `no` and the like for booleans.
 */
function readAsYaml(value: Value): Value {
  if (typeof value === "string") return oldTrue.test(value) ? true : oldFalse.test(value) ? false : value
  if (isList(value)) return value.map(readAsYaml)
  if (!isMap(value)) return value
  const read: Record<string, Value> = {}
  for (const key in value) put(read, key, readAsYaml(own(value, key) as Value))
  return read
}
const oldTrue = /^(y|Y|yes|Yes|YES|on|On|ON)$/
const oldFalse = /^(n|N|no|No|NO|off|Off|OFF)$/

interface Walk {
  readonly c: Conversion
  readonly definitions: MapValue
  /** The properties around the place of the walk: upstream's errors name it by them. */
  readonly fields: string[]
}

/** Upstream reads all definitions before it converts any, and stops at the first that it can't read. */
function refuse({ c, fields }: Walk, message: string): never {
  return c.fail(`SchemaError(${[c.typeName, ...fields].join(".")}): ${message}`)
}

function schemaAt(c: Conversion, value: Value | undefined): MapValue {
  return isMap(value) ? value : c.malformed(`a schema must be an object, found ${describe(value)}`)
}

function convertDefinition(walk: Walk, value: Value | undefined, preserve: boolean): Atom | undefined {
  const { c } = walk
  const node = schemaAt(c, value)
  if (checkReference(walk, node) !== undefined) return undefined
  const atom = convertNode(walk, node, 0, preserve)
  return c.typeName === quantityName && isPrimitive(atom) ? { scalar: "untyped" } : atom
}

function isPrimitive(atom: Atom): boolean {
  return atom.scalar !== undefined && atom.map === undefined
}

/** The name a schema refers to, undefined where it is no reference. */
function checkReference(walk: Walk, node: MapValue): string | undefined {
  const ref = own(node, "$ref")
  if (typeof ref !== "string" || ref === "") return undefined
  const properties = own(node, "properties")
  if (isMap(properties) && Object.keys(properties).length > 0) refuse(walk, "unallowed embedded type definition")
  if (typesOf(walk, node).length > 0) refuse(walk, "definition reference can't have a type")
  if (!ref.startsWith(prefix)) refuse(walk, `unallowed reference to non-definition ${quoteGo(ref)}`)
  const name = ref.slice(prefix.length)
  if (own(walk.definitions, name) === undefined) refuse(walk, `unknown model in reference: ${quoteGo(name)}`)
  return name
}

function typesOf({ c }: Walk, node: MapValue): readonly string[] {
  const type = own(node, "type")
  if (isList(type)) return type.map(item => stringAt(c, item, "type"))
  return type === undefined || type === null ? [] : [stringAt(c, type, "type")]
}

function convertNode(walk: Walk, node: MapValue, depth: number, preserve: boolean): Atom {
  const types = typesOf(walk, node)
  const properties = mapAt(walk.c, own(node, "properties"), "properties")
  if (types.length > 1) refuse(walk, "definitions with multiple types aren't supported")
  const type = types[0]
  if (properties !== undefined && (type === undefined || type === "object")) {
    return { map: convertStruct(walk, node, properties, depth, preserve) }
  }
  switch (type) {
    case undefined:
      return deducedAtom
    case "object":
      return { map: convertMap(walk, node, depth, preserve) }
    case "array":
      return convertList(walk, node, depth, preserve)
    case "string":
    case "number":
    case "integer":
    case "boolean":
      return scalarAtom(type, stringAt(walk.c, own(node, "format"), "format"))
    default:
      return refuse(walk, `Unknown primitive type: ${quoteGo(type)}`)
  }
}

/** The type at a place: the name referred to, or a type written in place, one level deeper than `depth`. */
function convertRef(walk: Walk, node: MapValue, depth: number, preserve: boolean): TypeRef {
  const name = checkReference(walk, node)
  if (name === undefined) return convertNode(walk, node, depth + 1, preserve)
  if (name === rawExtensionName) return { namedType: untypedName }
  const namedType = referredName(name)
  const elementRelationship = mapRelationship(walk.c, node, depth)
  return elementRelationship === undefined ? { namedType } : { namedType, elementRelationship }
}

function convertStruct(walk: Walk, node: MapValue, properties: MapValue, depth: number, inherited: boolean): MapAtom {
  const { c } = walk
  const preserve = inherited || own(node, "x-kubernetes-preserve-unknown-fields") === true
  const map: { -readonly [K in keyof MapAtom]: MapAtom[K] } = {}
  const fields = convertFields(walk, properties, depth, preserve)
  if (fields.length > 0) map.fields = fields
  const reported = c.issues.length
  const unions = unionsOf(c, node, depth, walk.definitions)
  if (c.issues.length > reported) return map // Go: says no more about the struct then.
  if (unions !== undefined) map.unions = unions
  if (preserve) map.elementType = { namedType: deducedName }
  setRelationship(map, mapRelationship(c, node, depth))
  return map
}

function setRelationship(
  map: { elementRelationship?: ElementRelationship },
  value: ElementRelationship | undefined,
): void {
  if (value !== undefined) map.elementRelationship = value
}

function convertFields(walk: Walk, properties: MapValue, depth: number, preserve: boolean): StructField[] {
  const { c } = walk
  const fields: StructField[] = []
  for (const name in properties) {
    c.enterEntry("properties", name)
    walk.fields.push(name)
    const property = schemaAt(c, own(properties, name))
    const type = convertRef(walk, property, depth, preserve)
    const fallback = own(property, "default")
    fields.push(
      fallback === undefined || fallback === null ? { name, type } : { name, type, default: c.literal(fallback) },
    )
    walk.fields.pop()
    c.leaveEntry()
  }
  return fields.sort((a, b) => compareStrings(a.name, b.name))
}

function convertMap(walk: Walk, node: MapValue, depth: number, preserve: boolean): MapAtom {
  const { c } = walk
  const relationship = mapRelationship(c, node, depth)
  const rest = own(node, "additionalProperties")
  let elementType: TypeRef = deducedAtom
  if (isMap(rest)) {
    c.enter("additionalProperties")
    elementType = convertRef(walk, rest, depth, preserve)
    c.leave()
  }
  return relationship === undefined ? { elementType } : { elementType, elementRelationship: relationship }
}

function convertList(walk: Walk, node: MapValue, depth: number, preserve: boolean): Atom {
  const { c } = walk
  const { elementRelationship, keys } = listRelationship(c, node, depth, "interface {}")
  const items = own(node, "items")
  if (items === undefined) refuse(walk, "array should have exactly one sub-item")
  c.enter("items")
  // Go: a list of schemas, too, is read as one schema that says nothing.
  const elementType = isMap(items) ? convertRef(walk, items, depth, preserve) : deducedAtom
  c.leave()
  return { list: keys.length === 0 ? { elementType, elementRelationship } : { elementType, elementRelationship, keys } }
}
