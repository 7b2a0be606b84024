// Converts CustomResourceDefinitions. An API server first turns the schema of each version into OpenAPI v3, and then converts that as it
// does for built-in types. On the way it keeps only the keywords of a closed list: a patch strategy in a CRD has no effect.
import type { TypeDef } from "../schema/schema.js"
import { deducedName } from "../schema/untyped.js"
import { aListOfObjects, optional, requireOptions } from "../value/argument.js"
import { isEmptyMap, own, put } from "../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../value/value.js"
import { booleanAt, Conversion, optionalMapAt, stringAt, valueKind } from "./conversion/conversion.js"
import { finishTypes } from "./conversion/extensions.js"
import type { ConversionOptions, ConvertedSchema, KindEntry } from "./conversion/options.js"
import { expectFormat } from "./document.js"
import { objectMetaName, objectMetaTypes } from "./object-meta.js"
import { checkStructural } from "./structural.js"
import { warnOfUnknown } from "./v3.js"
import { convertDefinition } from "./v3-walk.js"

/** Options for converting a CustomResourceDefinition. */
export interface CRDOptions extends ConversionOptions {
  /**
   * The types of `metadata`: io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta and the types that it refers to. The bundled ones by default.
   */
  readonly metadata?: readonly TypeDef[] | undefined
}

/**
 * Returns the schema of every version of a CustomResourceDefinition, as an API server that has it installed would use it.
 *
 * Versions that are not served are converted too, since managedFields may still refer to them. `apiVersion`, `kind` and `metadata` have
 * their real types whatever the schema says, also in embedded resources. A version without a schema, or with a schema that is not
 * structural (a diagnostic gives the reason), allows anything, owned field by field. Unions are read unless `options.unionMode` says
 * otherwise. An unreadable union is an error if `options.unionMode` requests unions; otherwise it is left out with a diagnostic. Types are
 * named as in a cluster's documents: `com.example.v1.Widget`. Throws an OpenAPIError if the definition can't be converted.
 */
export function schemaFromCRD(crd: unknown, options: CRDOptions = {}): ConvertedSchema {
  requireOptions("options", options, { metadata: optional(aListOfObjects) })
  const conversion = new Conversion({ ...options, unionMode: options.unionMode ?? "repair" })
  conversion.leavesOutBadUnions = options.unionMode === undefined
  const { group, kind, versions, spec } = readDefinition(conversion, crd)
  const preserve = own(spec, "preserveUnknownFields") === true || options.preserveUnknownFields === true
  const types: TypeDef[] = []
  const kinds: KindEntry[] = []
  versions.forEach((value, index) => {
    conversion.enter(String(index))
    const version = requiredMap(conversion, value, "a version")
    const name = requiredString(conversion, version, "name")
    const typeName = typeNameOf(group, name, kind)
    conversion.enterEntry("schema", "openAPIV3Schema")
    const definition = definitionOf(conversion, version)
    const type = convertDefinition(conversion, typeName, definition, preserve)
    if (type !== undefined) types.push(type)
    kinds.push({ group, version: name, kind, typeName })
    conversion.leaveEntry()
    conversion.leave()
  })
  conversion.finish()
  const metadata = conversion.references.has(objectMetaName) ? metadataTypes(options, preserve) : []
  const names = new Set(metadata.map(({ name }) => name))
  warnOfUnknown(conversion, name => names.has(name))
  return {
    schema: { types: finishTypes(conversion, [...types, ...metadata]) },
    kinds,
    diagnostics: conversion.diagnostics,
  }
}

/** Returns the kinds that a CustomResourceDefinition defines, without converting it. Throws an OpenAPIError if `crd` is something else. */
export function kindsOfCRD(crd: unknown, options: ConversionOptions = {}): KindEntry[] {
  const conversion = new Conversion(options)
  const { group, kind, versions } = readDefinition(conversion, crd)
  return versions.map((value, index) => {
    conversion.enter(String(index))
    const version = requiredString(conversion, requiredMap(conversion, value, "a version"), "name")
    conversion.leave()
    return { group, version, kind, typeName: typeNameOf(group, version, kind) }
  })
}

function metadataTypes(options: CRDOptions, preserve: boolean): readonly TypeDef[] {
  const types = options.metadata ?? objectMetaTypes
  return preserve ? types.map(keepUnknown) : types
}

/** Applies `preserveUnknownFields` to a type. In an API server's document it applies to every definition, these included. */
function keepUnknown(type: TypeDef): TypeDef {
  if (type.map?.fields === undefined || type.map.elementType !== undefined) return type
  return { ...type, map: { ...type.map, elementType: { namedType: deducedName } } }
}

/** Returns the name that clusters give to the type: the parts of the group in reverse order, then version and kind. */
function typeNameOf(group: string, version: string, kind: string): string {
  return `${group.split(".").reverse().join(".")}.${version}.${kind}`
}

/** Reads the parts of the definition that every version needs. Leaves the walk at the list of versions. */
function readDefinition(conversion: Conversion, crd: unknown) {
  const root = expectFormat(conversion, crd, "CustomResourceDefinition")
  const apiVersion = own(root, "apiVersion")
  if (apiVersion !== "apiextensions.k8s.io/v1") {
    conversion.enter("apiVersion")
    conversion.malformed(
      `must be apiextensions.k8s.io/v1, found ${String(apiVersion)}; convert the definition to v1 first`,
    )
  }
  conversion.enter("spec")
  const spec = requiredMap(conversion, own(root, "spec"), "spec")
  const group = requiredString(conversion, spec, "group")
  conversion.enter("names")
  const kind = requiredString(conversion, requiredMap(conversion, own(spec, "names"), "names"), "kind")
  conversion.leave()
  conversion.enter("versions")
  const versions = own(spec, "versions")
  if (!isList(versions) || versions.length === 0)
    conversion.malformed(`must be a list of versions, found ${valueKind(versions)}`)
  return { spec, group, kind, versions }
}

function requiredMap(conversion: Conversion, value: Value | undefined, what: string): MapValue {
  return optionalMapAt(conversion, value, what) ?? conversion.malformed(`${what} is missing`)
}

function requiredString(conversion: Conversion, map: MapValue, key: string): string {
  conversion.enter(key)
  const found = stringAt(conversion, own(map, key), key)
  if (found === "") conversion.malformed(`${key} is missing`)
  conversion.leave()
  return found
}

/** Returns the OpenAPI definition that an API server makes from the version. */
function definitionOf(conversion: Conversion, version: MapValue): MapValue {
  const container = optionalMapAt(conversion, own(version, "schema"), "schema")
  const schema = container && optionalMapAt(conversion, own(container, "openAPIV3Schema"), "openAPIV3Schema")
  if (schema === undefined || !checkStructural(conversion, schema)) return { type: "object" }
  return withObjectFields(publish(conversion, schema))
}

const kept = ["type", "format", "default", "x-kubernetes-list-type", "x-kubernetes-map-type"]
const keptForUnions = ["enum", "required", "x-kubernetes-unions"]
const keptForValidation = [
  "allOf",
  "anyOf",
  "maxProperties",
  "minLength",
  "minProperties",
  "not",
  "oneOf",
  "x-kubernetes-validations",
]

function keptBy(conversion: Conversion): readonly string[] {
  if (conversion.unionMode === "upstream") return kept
  return conversion.unionMode === "from-validation"
    ? [...kept, ...keptForUnions, ...keptForValidation]
    : [...kept, ...keptForUnions]
}

/** Returns only the parts of the schema that an API server reads, with embedded resources completed. */
function publish(conversion: Conversion, node: MapValue): MapValue {
  const out: Record<string, Value> = {}
  for (const key of keptBy(conversion)) {
    const value = own(node, key) ?? null
    if (value !== null) out[key] = value
  }
  if (booleanAt(conversion, own(node, "nullable"), "nullable")) out.nullable = true
  const keys = own(node, "x-kubernetes-list-map-keys")
  if (isList(keys) && keys.length > 0) out["x-kubernetes-list-map-keys"] = keys
  if (own(node, "x-kubernetes-preserve-unknown-fields") === true) out["x-kubernetes-preserve-unknown-fields"] = true
  publishChildren(conversion, node, out)
  return own(node, "x-kubernetes-embedded-resource") === true ? withObjectFields(out) : out
}

function publishChildren(conversion: Conversion, node: MapValue, out: Record<string, Value>): void {
  const items = optionalMapAt(conversion, own(node, "items"), "items")
  if (items !== undefined) out.items = publish(conversion, items)
  const rest = own(node, "additionalProperties") ?? null
  if (rest !== null) out.additionalProperties = isMap(rest) ? publish(conversion, rest) : rest
  const properties = optionalMapAt(conversion, own(node, "properties"), "properties")
  if (properties === undefined || isEmptyMap(properties)) return
  const published: Record<string, Value> = {}
  for (const name in properties) {
    put(
      published,
      name,
      publish(conversion, optionalMapAt(conversion, own(properties, name), `property ${name}`) ?? {}),
    )
  }
  out.properties = published
}

/** Returns the schema of an object with the fields that every object has, which replace the schema's own declarations of them. */
function withObjectFields(schema: MapValue): MapValue {
  const properties = own(schema, "properties")
  return {
    ...schema,
    properties: {
      ...(isMap(properties) ? properties : {}),
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: { $ref: `#/components/schemas/${objectMetaName}` },
    },
  }
}
