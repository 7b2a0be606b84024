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
import { Conversion, type NamedType, optionalMapAt, stringAt, valueKind } from "./conversion/conversion.js"
import {
  finishTypes,
  kindsOf,
  listRelationship,
  mapRelationship,
  quantityName,
  rawExtensionName,
  scalarAtom,
} from "./conversion/extensions.js"
import { warnOfMissingDefaults } from "./conversion/missing-defaults.js"
import type { ConversionOptions, ConvertedSchema, KindEntry } from "./conversion/options.js"
import { sortFields, sortNames } from "./conversion/order.js"
import type { SchemaNode } from "./conversion/schema-node.js"
import { expectFormat } from "./document.js"
import { unionsOf } from "./unions/unions.js"

const prefix = "#/definitions/"

/**
 * Returns the schema of the definitions in an OpenAPI v2 document, as kube-openapi's `ToSchema` makes it. Throws an OpenAPIError if the
 * document can't be converted, or if two of its types claim the same kind.
 */
export function schemaFromOpenAPIv2(document: unknown, options: ConversionOptions = {}): ConvertedSchema {
  requireOptions("options", options)
  const conversion = new Conversion(options, options.name, readAsYaml)
  const root = expectFormat(conversion, document, "OpenAPI v2")
  conversion.enter("definitions")
  const definitions = optionalMapAt(conversion, own(root, "definitions"), "definitions") ?? {}
  const names = Object.keys(definitions)
  conversion.definitions = definitions
  const walk: DocumentWalk = { conversion, references: new Map(), keyedLists: 0 }
  const types: TypeDef[] = []
  const keyed: TypeDef[] = []
  for (const name of names) {
    conversion.enter(name)
    conversion.typeName = name
    const before = walk.keyedLists
    const atom = convertDefinition(walk, definitions[name], options.preserveUnknownFields ?? false)
    conversion.leave()
    if (atom === undefined) continue
    const type = { name, ...atom }
    types.push(type)
    if (walk.keyedLists > before) keyed.push(type)
  }
  // Upstream converts the types in the order of their names.
  conversion.issues.sort((a, b) => compareStrings(a.path.split("/")[2] as string, b.path.split("/")[2] as string))
  conversion.finish()
  const kinds = indexKinds(conversion, sortNames(names))
  warnOfMissingDefaults(conversion, keyed, types)
  return { schema: { types: finishTypes(conversion, types) }, kinds, diagnostics: conversion.diagnostics }
}

function indexKinds(conversion: Conversion, names: readonly string[]): KindEntry[] {
  const kinds = new Map<string, KindEntry>()
  for (const name of names) {
    for (const kind of kindsOf(name, conversion.definitions[name] as Value)) {
      const id = formatKind(kind)
      if (kinds.has(id)) {
        conversion.enterEntry(name, "x-kubernetes-group-version-kind")
        conversion.fail(`duplicate entry for ${id}`)
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

interface DocumentWalk {
  readonly conversion: Conversion
  /** The referenced types so far, by the text of the reference. */
  readonly references: Map<string, NamedType>
  /** The number of lists with keys so far. */
  keyedLists: number
}

/** Stops the conversion: upstream reads all definitions before it converts any, and stops at the first unreadable one. */
function refuse({ conversion }: DocumentWalk, message: string): never {
  const names = [conversion.typeName]
  // After `definitions` and the type, the path has `properties` and a name, `items`, or `additionalProperties`.
  for (let i = 2; i < conversion.path.length; i++)
    if (conversion.path[i] === "properties") names.push(conversion.path[++i] as string)
  return conversion.fail(`SchemaError(${names.join(".")}): ${message}`)
}

function schemaAt(conversion: Conversion, value: Value | undefined): MapValue {
  return isMap(value) ? value : conversion.malformed(`a schema must be an object, found ${valueKind(value)}`)
}

function convertDefinition(walk: DocumentWalk, value: Value | undefined, preserve: boolean): Atom | undefined {
  const { conversion } = walk
  const node = conversion.read(schemaAt(conversion, value))
  if (referredType(walk, node) !== undefined) return undefined
  const atom = convertNode(walk, node, 0, preserve)
  return conversion.typeName === quantityName && isPrimitive(atom) ? { scalar: "untyped" } : atom
}

function isPrimitive(atom: Atom): boolean {
  return atom.scalar !== undefined && atom.map === undefined
}

/** Returns the type that a schema refers to; undefined if it is not a reference. */
function referredType(walk: DocumentWalk, node: SchemaNode): NamedType | undefined {
  const ref = node.$ref
  if (typeof ref !== "string" || ref === "") return undefined
  if (isMap(node.properties) && !isEmptyMap(node.properties)) refuse(walk, "unallowed embedded type definition")
  if (typeNames(walk, node.type) !== undefined) refuse(walk, "definition reference can't have a type")
  const known = walk.references.get(ref)
  if (known !== undefined) return known
  if (!ref.startsWith(prefix)) refuse(walk, `unallowed reference to non-definition ${quoteGo(ref)}`)
  const name = ref.slice(prefix.length)
  if (!Object.hasOwn(walk.conversion.definitions, name)) refuse(walk, `unknown model in reference: ${quoteGo(name)}`)
  const type = name === rawExtensionName ? anyType : { namedType: walk.conversion.nameIn(ref) }
  walk.references.set(ref, type)
  return type
}
const anyType: NamedType = { namedType: untypedName }

/** Returns the name of the type, or the names if there are several. */
function typeNames({ conversion }: DocumentWalk, type: Value | undefined): string | readonly string[] | undefined {
  if (isList(type)) {
    const types = type.map(item => stringAt(conversion, item, "type"))
    return types.length > 1 ? types : types[0]
  }
  return type === undefined || type === null ? undefined : stringAt(conversion, type, "type")
}

function convertNode(walk: DocumentWalk, node: SchemaNode, depth: number, preserve: boolean): Atom {
  const type = typeNames(walk, node.type)
  const properties = optionalMapAt(walk.conversion, node.properties, "properties")
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
      return scalarAtom(type, stringAt(walk.conversion, node.format, "format"))
    default:
      return refuse(walk, `Unknown primitive type: ${quoteGo(type)}`)
  }
}

/** Returns the type of a schema: a reference to a named type, or an inlined type, which is one level deeper than `depth`. */
function convertRef(walk: DocumentWalk, node: SchemaNode, depth: number, preserve: boolean): TypeRef {
  const type = referredType(walk, node)
  if (type === undefined) return convertNode(walk, node, depth + 1, preserve)
  if (type === anyType) return type
  const elementRelationship = mapRelationship(walk.conversion, node, depth)
  return elementRelationship === undefined ? type : { ...type, elementRelationship }
}

function convertStruct(
  walk: DocumentWalk,
  node: SchemaNode,
  properties: MapValue,
  depth: number,
  inherited: boolean,
): MapAtom {
  const { conversion } = walk
  const preserve = inherited || node.preserves === true
  const map: { -readonly [K in keyof MapAtom]: MapAtom[K] } = {}
  const fields = convertFields(walk, properties, depth, preserve)
  if (fields.length > 0) map.fields = fields
  const reported = conversion.issues.length
  const unions = unionsOf(conversion, node, depth)
  if (conversion.issues.length > reported) return map // Go: reports nothing else about the struct then.
  if (unions !== undefined) map.unions = unions
  if (preserve) map.elementType = { namedType: deducedName }
  setRelationship(map, mapRelationship(conversion, node, depth))
  return map
}

function setRelationship(
  map: { elementRelationship?: ElementRelationship },
  value: ElementRelationship | undefined,
): void {
  if (value !== undefined) map.elementRelationship = value
}

function convertFields(walk: DocumentWalk, properties: MapValue, depth: number, preserve: boolean): StructField[] {
  const { conversion } = walk
  const fields: StructField[] = []
  conversion.enterEntries("properties")
  for (const name in properties) {
    conversion.nextEntry(name)
    const property = conversion.read(schemaAt(conversion, properties[name]))
    const type = convertRef(walk, property, depth, preserve)
    const fallback = property.default
    fields.push(
      fallback === undefined || fallback === null
        ? { name, type }
        : { name, type, default: conversion.literal(fallback) },
    )
  }
  conversion.leaveEntry()
  return sortFields(fields)
}

function convertMap(walk: DocumentWalk, node: SchemaNode, depth: number, preserve: boolean): MapAtom {
  const { conversion } = walk
  const relationship = mapRelationship(conversion, node, depth)
  const rest = node.additionalProperties
  let elementType: TypeRef = deducedAtom
  if (isMap(rest)) {
    conversion.enter("additionalProperties")
    elementType = convertRef(walk, conversion.read(rest), depth, preserve)
    conversion.leave()
  }
  return relationship === undefined ? { elementType } : { elementType, elementRelationship: relationship }
}

function convertList(walk: DocumentWalk, node: SchemaNode, depth: number, preserve: boolean): Atom {
  const { conversion } = walk
  const { elementRelationship, keys } = listRelationship(conversion, node, depth, "interface {}")
  const items = node.items
  if (items === undefined) refuse(walk, "array should have exactly one sub-item")
  conversion.enter("items")
  // Go: a list of schemas is also read as one empty schema.
  const elementType = isMap(items) ? convertRef(walk, conversion.read(items), depth, preserve) : deducedAtom
  conversion.leave()
  if (keys.length === 0) return { list: { elementType, elementRelationship } }
  walk.keyedLists++
  return { list: { elementType, elementRelationship, keys } }
}
