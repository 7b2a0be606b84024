// Converts OpenAPI v2 (swagger): the definitions of one document. Upstream converts these through models of its own, and the schemas differ
// from those of v3: references to RawExtension and schemas without a type are written out, a struct accepts undeclared fields only if it
// preserves unknown ones, and unions are kept. Clusters leave most defaults out of v2, so an associative list may lack the default of a key
// (such as a container port's protocol). A diagnostic reports each of these; OpenAPI v3 is the better source.
import { formatKind } from "../schema/group-version-kind.js"
import type { Atom, ElementRelationship, MapAtom, StructField, TypeDef, TypeRef } from "../schema/schema.js"
import { deducedAtom, deducedName, untypedName } from "../schema/untyped.js"
import { requireOptions } from "../value/argument.js"
import { compareStrings } from "../value/compare.js"
import { isEmptyMap, own, put } from "../value/object.js"
import { quoteGo } from "../value/quote.js"
import { isList, isMap, type MapValue, type Value } from "../value/value.js"
import { Conversion, describe, type NamedType, optionalMapAt, stringAt } from "./conversion.js"
import { expectFormat } from "./document.js"
import {
  finishTypes,
  kindsOf,
  listRelationship,
  mapRelationship,
  quantityName,
  rawExtensionName,
  scalarAtom,
} from "./extensions.js"
import { warnOfMissingDefaults } from "./missing-defaults.js"
import type { ConversionOptions, ConvertedSchema, KindEntry } from "./options.js"
import { sortFields, sortNames } from "./order.js"
import type { SchemaNode } from "./schema-node.js"
import { unionsOf } from "./unions.js"

const prefix = "#/definitions/"

/**
 * Returns the schema of the definitions in an OpenAPI v2 document, as kube-openapi's `ToSchema` makes it. Throws an OpenAPIError if the
 * document can't be converted, or if two of its types claim the same kind.
 */
export function schemaFromOpenAPIv2(document: unknown, options: ConversionOptions = {}): ConvertedSchema {
  requireOptions("options", options)
  const c = new Conversion(options, options.name, readAsYaml)
  const root = expectFormat(c, document, "OpenAPI v2")
  c.enter("definitions")
  const definitions = optionalMapAt(c, own(root, "definitions"), "definitions") ?? {}
  const names = Object.keys(definitions)
  const walk: Walk = { c, definitions, defined: new Set(names), references: new Map(), keyedLists: 0 }
  const types: TypeDef[] = []
  const keyed: TypeDef[] = []
  for (const name of names) {
    c.enter(name)
    c.typeName = name
    const before = walk.keyedLists
    const atom = convertDefinition(walk, definitions[name], options.preserveUnknownFields ?? false)
    c.leave()
    if (atom === undefined) continue
    const type = { name, ...atom }
    types.push(type)
    if (walk.keyedLists > before) keyed.push(type)
  }
  // Upstream converts the types in the order of their names.
  c.issues.sort((a, b) => compareStrings(a.path.split("/")[2] as string, b.path.split("/")[2] as string))
  c.finish()
  const kinds = indexKinds(c, definitions, sortNames(names))
  warnOfMissingDefaults(c, keyed, types, definitions)
  return { schema: { types: finishTypes(c, types) }, kinds, diagnostics: c.diagnostics }
}

function indexKinds(c: Conversion, definitions: MapValue, names: readonly string[]): KindEntry[] {
  const kinds = new Map<string, KindEntry>()
  for (const name of names) {
    for (const kind of kindsOf(name, definitions[name] as Value)) {
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
 * Returns a default or the value of an extension as upstream reads it.
 *
 * Go: OpenAPI v2 passes through a writer of YAML 1.2 and a reader of YAML 1.1, which takes `on`, `no` and the like for booleans.
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
  /** The names of the definitions. */
  readonly defined: ReadonlySet<string>
  /** The referenced types so far, by the text of the reference. */
  readonly references: Map<string, NamedType>
  /** The number of lists with keys so far. */
  keyedLists: number
}

/** Stops the conversion: upstream reads all definitions before it converts any, and stops at the first unreadable one. */
function refuse({ c }: Walk, message: string): never {
  const names = [c.typeName]
  // After `definitions` and the type, the path has `properties` and a name, `items`, or `additionalProperties`.
  for (let i = 2; i < c.path.length; i++) if (c.path[i] === "properties") names.push(c.path[++i] as string)
  return c.fail(`SchemaError(${names.join(".")}): ${message}`)
}

function schemaAt(c: Conversion, value: Value | undefined): MapValue {
  return isMap(value) ? value : c.malformed(`a schema must be an object, found ${describe(value)}`)
}

function convertDefinition(walk: Walk, value: Value | undefined, preserve: boolean): Atom | undefined {
  const { c } = walk
  const node = c.read(schemaAt(c, value))
  if (referredType(walk, node) !== undefined) return undefined
  const atom = convertNode(walk, node, 0, preserve)
  return c.typeName === quantityName && isPrimitive(atom) ? { scalar: "untyped" } : atom
}

function isPrimitive(atom: Atom): boolean {
  return atom.scalar !== undefined && atom.map === undefined
}

/** Returns the type that a schema refers to; undefined if it is not a reference. */
function referredType(walk: Walk, node: SchemaNode): NamedType | undefined {
  const ref = node.$ref
  if (typeof ref !== "string" || ref === "") return undefined
  if (isMap(node.properties) && !isEmptyMap(node.properties)) refuse(walk, "unallowed embedded type definition")
  if (typeOf(walk, node.type) !== undefined) refuse(walk, "definition reference can't have a type")
  const known = walk.references.get(ref)
  if (known !== undefined) return known
  if (!ref.startsWith(prefix)) refuse(walk, `unallowed reference to non-definition ${quoteGo(ref)}`)
  const name = ref.slice(prefix.length)
  if (!walk.defined.has(name)) refuse(walk, `unknown model in reference: ${quoteGo(name)}`)
  const type = name === rawExtensionName ? anyType : { namedType: walk.c.nameIn(ref) }
  walk.references.set(ref, type)
  return type
}
const anyType: NamedType = { namedType: untypedName }

/** Returns the name of the type, or the names if there are several. */
function typeOf({ c }: Walk, type: Value | undefined): string | readonly string[] | undefined {
  if (isList(type)) {
    const types = type.map(item => stringAt(c, item, "type"))
    return types.length > 1 ? types : types[0]
  }
  return type === undefined || type === null ? undefined : stringAt(c, type, "type")
}

function convertNode(walk: Walk, node: SchemaNode, depth: number, preserve: boolean): Atom {
  const type = typeOf(walk, node.type)
  const properties = optionalMapAt(walk.c, node.properties, "properties")
  if (typeof type === "object") return refuse(walk, "definitions with multiple types aren't supported")
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
      return scalarAtom(type, stringAt(walk.c, node.format, "format"))
    default:
      return refuse(walk, `Unknown primitive type: ${quoteGo(type)}`)
  }
}

/** Returns the type of a schema: a reference to a named type, or an inlined type, which is one level deeper than `depth`. */
function convertRef(walk: Walk, node: SchemaNode, depth: number, preserve: boolean): TypeRef {
  const type = referredType(walk, node)
  if (type === undefined) return convertNode(walk, node, depth + 1, preserve)
  if (type === anyType) return type
  const elementRelationship = mapRelationship(walk.c, node, depth)
  return elementRelationship === undefined ? type : { ...type, elementRelationship }
}

function convertStruct(walk: Walk, node: SchemaNode, properties: MapValue, depth: number, inherited: boolean): MapAtom {
  const { c } = walk
  const preserve = inherited || node.preserves === true
  const map: { -readonly [K in keyof MapAtom]: MapAtom[K] } = {}
  const fields = convertFields(walk, properties, depth, preserve)
  if (fields.length > 0) map.fields = fields
  const reported = c.issues.length
  const unions = unionsOf(c, node, depth, walk.definitions)
  if (c.issues.length > reported) return map // Go: reports nothing else about the struct then.
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
  c.enterEntries("properties")
  for (const name in properties) {
    c.nextEntry(name)
    const property = c.read(schemaAt(c, properties[name]))
    const type = convertRef(walk, property, depth, preserve)
    const fallback = property.default
    fields.push(
      fallback === undefined || fallback === null ? { name, type } : { name, type, default: c.literal(fallback) },
    )
  }
  c.leaveEntry()
  return sortFields(fields)
}

function convertMap(walk: Walk, node: SchemaNode, depth: number, preserve: boolean): MapAtom {
  const { c } = walk
  const relationship = mapRelationship(c, node, depth)
  const rest = node.additionalProperties
  let elementType: TypeRef = deducedAtom
  if (isMap(rest)) {
    c.enter("additionalProperties")
    elementType = convertRef(walk, c.read(rest), depth, preserve)
    c.leave()
  }
  return relationship === undefined ? { elementType } : { elementType, elementRelationship: relationship }
}

function convertList(walk: Walk, node: SchemaNode, depth: number, preserve: boolean): Atom {
  const { c } = walk
  const { elementRelationship, keys } = listRelationship(c, node, depth, "interface {}")
  const items = node.items
  if (items === undefined) refuse(walk, "array should have exactly one sub-item")
  c.enter("items")
  // Go: a list of schemas is also read as one empty schema.
  const elementType = isMap(items) ? convertRef(walk, c.read(items), depth, preserve) : deducedAtom
  c.leave()
  if (keys.length === 0) return { list: { elementType, elementRelationship } }
  walk.keyedLists++
  return { list: { elementType, elementRelationship, keys } }
}
