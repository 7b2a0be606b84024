// Prints the TypeScript types of CustomResourceDefinitions.

import { aListOfObjects, requireArgument } from "../../value/argument.js"
import { mapAt, mapsAt, textsAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { isList, isMap, type MapValue } from "../../value/value.js"

const header = `import type { KeyedList, ObjectMetadata, UnkeyedList } from "structured-merge-diff/controller"`

/**
 * Returns the TypeScript types of the kinds that these CustomResourceDefinitions define: an interface for each served version. Its name is
 * the kind, or the kind with the version if several versions are served. Lists carry the keys of their items, for `ApplyConfiguration`;
 * keys with defaults are optional. Objects that are not definitions or have no schema produce no types.
 */
export function typesOfDefinitions(definitions: readonly object[]): string {
  requireArgument("definitions", definitions, aListOfObjects)
  const interfaces = definitions.flatMap(definition => interfacesOf(definition as MapValue))
  const used = ["KeyedList", "ObjectMetadata", "UnkeyedList"].filter(name =>
    interfaces.some(text => new RegExp(`\\b${name}\\b`).test(text)),
  )
  const imports = header.replace(/\{.*\}/, `{ ${used.join(", ")} }`)
  return [...(used.length > 0 ? [imports] : []), ...interfaces].map(part => `${part}\n`).join("\n")
}

function interfacesOf(definition: MapValue): string[] {
  const spec = mapAt(definition, "spec")
  const [group, kind] = [own(spec, "group"), own(mapAt(spec, "names"), "kind")]
  const served = mapsAt(spec, "versions").filter(version => own(version, "served") !== false)
  return served.map(version => {
    const name = String(own(version, "name"))
    const schema = mapAt(mapAt(version, "schema"), "openAPIV3Schema")
    const fixed = {
      apiVersion: { enum: [`${group}/${name}`] },
      kind: { enum: [String(kind)] },
      metadata: objectMetadata,
    }
    const properties = { ...fixed, ...mapAt(schema, "properties"), ...fixed }
    const required = ["apiVersion", "kind", "metadata", ...textsAt(schema, "required")]
    const title = served.length === 1 ? String(kind) : `${kind}${name.charAt(0).toUpperCase()}${name.slice(1)}`
    return `${comment(schema, "")}export interface ${title} ${braces({ ...schema, properties, required }, "")}`
  })
}

/** A placeholder for the schema of metadata, which definitions can't contain. */
const objectMetadata: MapValue = {}

/** Returns the type of the values that a schema allows. `indent` is the indentation of the line in which the type begins. */
function typeText(schema: MapValue, indent: string): string {
  const type = withoutNull(schema, indent)
  return own(schema, "nullable") === true ? `${type} | null` : type
}

function withoutNull(schema: MapValue, indent: string): string {
  if (schema === objectMetadata) return "ObjectMetadata"
  if (own(schema, "x-kubernetes-int-or-string") === true) return "number | string"
  const values = own(schema, "enum")
  if (isList(values) && values.length > 0) return values.map(value => JSON.stringify(value)).join(" | ")
  switch (own(schema, "type")) {
    case "string":
      return "string"
    case "integer":
    case "number":
      return "number"
    case "boolean":
      return "boolean"
    case "array":
      return listOf(schema, indent)
    case "object":
      return mapOf(schema, indent)
    default:
      return "unknown"
  }
}

function listOf(schema: MapValue, indent: string): string {
  const items = mapAt(schema, "items")
  const item = typeText(items, indent)
  if (own(items, "type") !== "object") return `(${item})[]`.replace(/^\((\w+)\)/, "$1")
  const isKeyed = own(schema, "x-kubernetes-list-type") === "map"
  const hasDefault = (key: string) => own(mapAt(mapAt(items, "properties"), key), "default") !== undefined
  const keys = isKeyed ? textsAt(schema, "x-kubernetes-list-map-keys").filter(key => !hasDefault(key)) : []
  if (keys.length === 0) return `UnkeyedList<${item}>`
  return `KeyedList<${item}, ${keys.map(key => JSON.stringify(key)).join(" | ")}>`
}

function mapOf(schema: MapValue, indent: string): string {
  const values = own(schema, "additionalProperties")
  if (isMap(values)) return `{ [key: string]: ${typeText(values, indent)} }`
  const isOpen = values === true || own(schema, "x-kubernetes-preserve-unknown-fields") === true
  if (own(schema, "properties") === undefined && own(schema, "x-kubernetes-embedded-resource") !== true) {
    return isOpen ? "{ [key: string]: unknown }" : "object"
  }
  return braces(schema, indent)
}

function braces(schema: MapValue, indent: string): string {
  const inner = `${indent}  `
  const isObject = own(schema, "x-kubernetes-embedded-resource") === true
  const embedded: MapValue = { apiVersion: { type: "string" }, kind: { type: "string" }, metadata: objectMetadata }
  const properties = { ...mapAt(schema, "properties"), ...(isObject && embedded) }
  const required = [...textsAt(schema, "required"), ...(isObject ? ["apiVersion", "kind"] : [])]
  const lines = Object.entries(properties).map(([name, given]) => {
    const property = isMap(given) ? given : {}
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
    const mark = required.includes(name) ? "" : "?"
    return `${comment(property, inner)}${inner}${key}${mark}: ${typeText(property, inner)}\n`
  })
  if (own(schema, "x-kubernetes-preserve-unknown-fields") === true) lines.push(`${inner}[key: string]: unknown\n`)
  return lines.length === 0 ? "object" : `{\n${lines.join("")}${indent}}`
}

/** Returns the description as a comment, on a line of its own; "" without a description. */
function comment(schema: MapValue, indent: string): string {
  const description = own(schema, "description")
  if (typeof description !== "string" || description.trim() === "") return ""
  const lines = description.trim().replaceAll("*/", "* /").split(/\r?\n/)
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  const body = lines.map(line => `${indent} * ${line}`.trimEnd()).join("\n")
  return `${indent}/**\n${body}\n${indent} */\n`
}
