// The walk over one OpenAPI v3 schema, as kube-openapi does it for the API server, for built-in types and CRDs alike.
import type { Atom, ListAtom, MapAtom, StructField, TypeDef, TypeRef } from "../schema/schema.js"
import { deducedName, untypedAtom, untypedName } from "../schema/untyped.js"
import { isList, isMap, type MapValue, type Value } from "../value/value.js"
import { booleanAt, type Conversion, describe, optionalMapAt, stringAt } from "./conversion.js"
import { listRelationship, mapRelationship, quantityName, rawExtensionName, scalarAtom } from "./extensions.js"
import { sortFields } from "./order.js"
import type { SchemaNode } from "./schema-node.js"
import { unionsOf } from "./unions.js"

const deduced: TypeRef = { namedType: deducedName }

/** One walk, and the definitions that names refer to. */
export interface Walk {
  readonly c: Conversion
  readonly definitions: MapValue
  /** The names of the definitions. */
  readonly defined: ReadonlySet<string>
}

/**
 * Returns the type that a definition describes; undefined if the definition is only a reference to another one.
 *
 * `c.path` must be at the definition. Unknown fields are kept below `preserve`, or below a schema that asks for it.
 */
export function convertDefinition(walk: Walk, name: string, schema: MapValue, preserve: boolean): TypeDef | undefined {
  const { c } = walk
  const node = c.read(schema)
  if (refOf(node.$ref) !== "") return undefined
  if (name === quantityName) return { name, scalar: "untyped" }
  if (name === rawExtensionName) return { name, ...untypedAtom }
  c.typeName = name
  return { name, ...convertNode(walk, node, 0, preserve) }
}

function convertNode(walk: Walk, node: SchemaNode, depth: number, inherited: boolean): Atom {
  const preserve = inherited || node.preserves === true
  const type = typeOf(walk.c, node.type)
  switch (type) {
    case "":
      return {
        scalar: "untyped",
        list: convertList(walk, node, depth, preserve, false),
        map: convertMap(walk, node, depth, preserve),
      }
    case "object":
      return { map: convertMap(walk, node, depth, preserve) }
    case "array":
      return { list: convertList(walk, node, depth, preserve, true) }
    case "integer":
    case "number":
    case "boolean":
    case "string":
      return scalarAtom(type, stringAt(walk.c, node.format, "format"))
    default:
      walk.c.report(depth, `unrecognized type: '${type}'`)
      return { scalar: "untyped" }
  }
}

function typeOf(c: Conversion, type: Value | undefined): string {
  if (typeof type === "string") return type
  return stringAt(c, isList(type) ? type[0] : type, "type")
}

/** Returns the reference that a schema consists of. `wrappedRefOf` returns the reference of the only schema in its `allOf`. */
function refOf($ref: Value | undefined): string {
  return typeof $ref === "string" ? $ref : ""
}
function wrappedRefOf(parts: Value | undefined): string {
  const only = isList(parts) && parts.length === 1 ? parts[0] : undefined
  return isMap(only) ? refOf(only.$ref) : ""
}

/** Returns the type of a schema: a reference to a named type, or an inlined type, which is one level deeper than `depth`. */
function convertRef(walk: Walk, node: SchemaNode, depth: number, preserve: boolean): TypeRef {
  const { c } = walk
  const nullable = booleanAt(c, node.nullable, "nullable")
  const reference = refOf(node.$ref) || wrappedRefOf(node.allOf)
  const named = reference === "" ? undefined : c.refersTo(reference, walk.defined)
  if (named === undefined) {
    const inlined = convertNode(walk, node, depth + 1, preserve)
    return nullable ? { ...inlined, nullable } : inlined
  }
  const elementRelationship = mapRelationship(c, node, depth)
  const type = elementRelationship === undefined ? named : { ...named, elementRelationship }
  return nullable ? { ...type, nullable } : type
}

function convertMap(walk: Walk, node: SchemaNode, depth: number, preserve: boolean): MapAtom {
  const { c } = walk
  const map: { -readonly [K in keyof MapAtom]: MapAtom[K] } = {}
  const fields = convertFields(walk, node, depth, preserve)
  if (fields.length > 0) map.fields = fields
  if (c.unionMode !== "upstream") {
    const unions = unionsOf(c, node, depth, walk.definitions)
    if (unions !== undefined) map.unions = unions
  }
  const elementType = convertRest(walk, node, depth, preserve, fields.length > 0)
  if (elementType !== undefined) map.elementType = elementType
  const relationship = mapRelationship(c, node, depth)
  if (relationship !== undefined) map.elementRelationship = relationship
  return map
}

function convertFields(walk: Walk, node: SchemaNode, depth: number, preserve: boolean): StructField[] {
  const { c } = walk
  const properties = optionalMapAt(c, node.properties, "properties")
  const fields: StructField[] = []
  if (properties === undefined) return fields
  c.enterEntries("properties")
  for (const name in properties) {
    c.nextEntry(name)
    const property = c.read(schemaAt(c, properties[name]))
    const type = convertRef(walk, property, depth, preserve)
    const fallback = property.default
    fields.push(fallback === undefined || fallback === null ? { name, type } : { name, type, default: fallback })
  }
  c.leaveEntry()
  return sortFields(fields)
}

/** Returns the type of undeclared fields; undefined if they are not allowed. */
function convertRest(
  walk: Walk,
  node: SchemaNode,
  depth: number,
  preserve: boolean,
  named: boolean,
): TypeRef | undefined {
  const { c } = walk
  const rest = node.additionalProperties
  if (rest === undefined || rest === null) return preserve || !named ? deduced : undefined
  if (typeof rest === "boolean") return rest ? deduced : undefined
  c.enter("additionalProperties")
  const schema = schemaAt(c, rest, "additionalProperties must be true, false or a schema")
  const type = convertRef(walk, c.read(schema), depth, preserve)
  c.leave()
  return type
}

function convertList(walk: Walk, node: SchemaNode, depth: number, preserve: boolean, typed: boolean): ListAtom {
  const { elementRelationship, keys } = listRelationship(walk.c, node, depth, "string")
  const elementType = convertItems(walk, node, depth, preserve, typed)
  return keys.length === 0 ? { elementType, elementRelationship } : { elementType, elementRelationship, keys }
}

function convertItems(walk: Walk, { items }: SchemaNode, depth: number, preserve: boolean, typed: boolean): TypeRef {
  const { c } = walk
  if (items === undefined || items === null) {
    if (typed) c.report(depth, "`items` must be specified on arrays")
    return { namedType: untypedName }
  }
  if (isList(items)) {
    c.report(depth, "structural schema arrays must have exactly one member subtype")
    return deduced
  }
  c.enter("items")
  const type = convertRef(walk, c.read(schemaAt(c, items, "items must be a schema")), depth, preserve)
  c.leave()
  return type
}

/** Returns the schema at the current place. Null stands for an empty schema. */
function schemaAt(c: Conversion, value: Value | undefined, expected = "a schema must be an object"): MapValue {
  if (value === null) return nothing
  return isMap(value) ? value : c.malformed(`${expected}, found ${describe(value)}`)
}
const nothing: MapValue = {}
