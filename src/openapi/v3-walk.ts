// The walk over one OpenAPI v3 schema, as kube-openapi does it for the API server, for built-in types and CRDs alike.

import type { Atom, ListAtom, MapAtom, StructField, TypeDef, TypeRef } from "../schema/schema.js"
import { deducedName, untypedAtom, untypedName } from "../schema/untyped.js"
import { isList, isMap, type MapValue, type Value } from "../value/value.js"
import { booleanAt, type Conversion, optionalMapAt, stringAt, valueKind } from "./conversion/conversion.js"
import {
  listRelationship,
  mapRelationship,
  quantityName,
  rawExtensionName,
  scalarAtom,
} from "./conversion/extensions.js"
import { sortFields } from "./conversion/order.js"
import { referenceOf } from "./conversion/property.js"
import type { SchemaNode } from "./conversion/schema-node.js"
import { unionsOf } from "./unions/unions.js"

const deduced: TypeRef = { namedType: deducedName }

/**
 * Returns the type that a definition describes; undefined if the definition is only a reference to another one.
 *
 * `conversion.path` must be at the definition. Unknown fields are kept below `preserve`, or below a schema that asks for it.
 */
export function convertDefinition(
  conversion: Conversion,
  name: string,
  schema: MapValue,
  preserve: boolean,
): TypeDef | undefined {
  const node = conversion.read(schema)
  if (typeof node.$ref === "string" && node.$ref !== "") return undefined
  if (name === quantityName) return { name, scalar: "untyped" }
  if (name === rawExtensionName) return { name, ...untypedAtom }
  conversion.typeName = name
  return { name, ...convertNode(conversion, node, 0, preserve) }
}

function convertNode(conversion: Conversion, node: SchemaNode, depth: number, inherited: boolean): Atom {
  const preserve = inherited || node.preserves === true
  const type = typeName(conversion, node.type)
  switch (type) {
    case "":
      return {
        scalar: "untyped",
        list: convertList(conversion, node, depth, preserve, false),
        map: convertMap(conversion, node, depth, preserve),
      }
    case "object":
      return { map: convertMap(conversion, node, depth, preserve) }
    case "array":
      return { list: convertList(conversion, node, depth, preserve, true) }
    case "integer":
    case "number":
    case "boolean":
    case "string":
      return scalarAtom(type, stringAt(conversion, node.format, "format"))
    default:
      conversion.report(depth, `unrecognized type: '${type}'`)
      return { scalar: "untyped" }
  }
}

function typeName(conversion: Conversion, type: Value | undefined): string {
  if (typeof type === "string") return type
  return stringAt(conversion, isList(type) ? type[0] : type, "type")
}

/** Returns the type of a schema: a reference to a named type, or an inlined type, which is one level deeper than `depth`. */
function convertRef(conversion: Conversion, node: SchemaNode, depth: number, preserve: boolean): TypeRef {
  const nullable = booleanAt(conversion, node.nullable, "nullable")
  const reference = referenceOf(node.$ref, node.allOf)
  const named = reference === "" ? undefined : conversion.refersTo(reference)
  if (named === undefined) {
    const inlined = convertNode(conversion, node, depth + 1, preserve)
    return nullable ? { ...inlined, nullable } : inlined
  }
  const elementRelationship = mapRelationship(conversion, node, depth)
  const type = elementRelationship === undefined ? named : { ...named, elementRelationship }
  return nullable ? { ...type, nullable } : type
}

function convertMap(conversion: Conversion, node: SchemaNode, depth: number, preserve: boolean): MapAtom {
  const map: { -readonly [K in keyof MapAtom]: MapAtom[K] } = {}
  const fields = convertFields(conversion, node, depth, preserve)
  if (fields.length > 0) map.fields = fields
  if (conversion.unionMode !== "upstream") {
    const unions = unionsOf(conversion, node, depth)
    if (unions !== undefined) map.unions = unions
  }
  const elementType = convertRest(conversion, node, depth, preserve, fields.length > 0)
  if (elementType !== undefined) map.elementType = elementType
  const relationship = mapRelationship(conversion, node, depth)
  if (relationship !== undefined) map.elementRelationship = relationship
  return map
}

function convertFields(conversion: Conversion, node: SchemaNode, depth: number, preserve: boolean): StructField[] {
  const properties = optionalMapAt(conversion, node.properties, "properties")
  const fields: StructField[] = []
  if (properties === undefined) return fields
  conversion.enterEntries("properties")
  for (const name in properties) {
    conversion.nextEntry(name)
    const property = conversion.read(schemaAt(conversion, properties[name]))
    const type = convertRef(conversion, property, depth, preserve)
    const fallback = property.default
    fields.push(fallback === undefined || fallback === null ? { name, type } : { name, type, default: fallback })
  }
  conversion.leaveEntry()
  return sortFields(fields)
}

/** Returns the type of undeclared fields; undefined if they are not allowed. */
function convertRest(
  conversion: Conversion,
  node: SchemaNode,
  depth: number,
  preserve: boolean,
  named: boolean,
): TypeRef | undefined {
  const rest = node.additionalProperties
  if (rest === undefined || rest === null) return preserve || !named ? deduced : undefined
  if (typeof rest === "boolean") return rest ? deduced : undefined
  conversion.enter("additionalProperties")
  const schema = schemaAt(conversion, rest, "additionalProperties must be true, false or a schema")
  const type = convertRef(conversion, conversion.read(schema), depth, preserve)
  conversion.leave()
  return type
}

function convertList(
  conversion: Conversion,
  node: SchemaNode,
  depth: number,
  preserve: boolean,
  typed: boolean,
): ListAtom {
  const { elementRelationship, keys } = listRelationship(conversion, node, depth, "string")
  const elementType = convertItems(conversion, node, depth, preserve, typed)
  return keys.length === 0 ? { elementType, elementRelationship } : { elementType, elementRelationship, keys }
}

function convertItems(
  conversion: Conversion,
  { items }: SchemaNode,
  depth: number,
  preserve: boolean,
  typed: boolean,
): TypeRef {
  if (items === undefined || items === null) {
    if (typed) conversion.report(depth, "`items` must be specified on arrays")
    return { namedType: untypedName }
  }
  if (isList(items)) {
    conversion.report(depth, "structural schema arrays must have exactly one member subtype")
    return deduced
  }
  conversion.enter("items")
  const type = convertRef(
    conversion,
    conversion.read(schemaAt(conversion, items, "items must be a schema")),
    depth,
    preserve,
  )
  conversion.leave()
  return type
}

/** Returns the schema at the current place. Null stands for an empty schema. */
function schemaAt(conversion: Conversion, value: Value | undefined, expected = "a schema must be an object"): MapValue {
  if (value === null) return nothing
  return isMap(value) ? value : conversion.malformed(`${expected}, found ${valueKind(value)}`)
}
const nothing: MapValue = {}
