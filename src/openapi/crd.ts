// Converts CustomResourceDefinitions. An API server first turns the schema of each version into OpenAPI v3, and then converts that as it
// does for built-in types. On the way it keeps only the keywords of a closed list: a patch strategy in a CRD has no effect.
import type { TypeDef } from "../schema/schema.js"
import { deducedName } from "../schema/untyped.js"
import { aListOfObjects, optional, requireOptions } from "../value/argument.js"
import { isEmptyMap, own, put } from "../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../value/value.js"
import { booleanAt, Conversion, describe, optionalMapAt, stringAt } from "./conversion.js"
import { expectFormat } from "./document.js"
import { finishTypes } from "./extensions.js"
import { objectMetaName, objectMetaTypes } from "./object-meta.js"
import type { ConversionOptions, ConvertedSchema, KindEntry } from "./options.js"
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
  const c = new Conversion({ ...options, unionMode: options.unionMode ?? "repair" })
  c.leavesOutBadUnions = options.unionMode === undefined
  const { group, kind, versions, spec } = readDefinition(c, crd)
  const preserve = own(spec, "preserveUnknownFields") === true || options.preserveUnknownFields === true
  const types: TypeDef[] = []
  const kinds: KindEntry[] = []
  versions.forEach((value, index) => {
    c.enter(String(index))
    const version = requiredMap(c, value, "a version")
    const name = requiredString(c, version, "name")
    const typeName = typeNameOf(group, name, kind)
    c.enterEntry("schema", "openAPIV3Schema")
    const definition = definitionOf(c, version)
    const type = convertDefinition({ c, definitions: {}, defined: new Set<string>() }, typeName, definition, preserve)
    if (type !== undefined) types.push(type)
    kinds.push({ group, version: name, kind, typeName })
    c.leaveEntry()
    c.leave()
  })
  c.finish()
  const metadata = c.references.has(objectMetaName) ? metadataTypes(options, preserve) : []
  const names = new Set(metadata.map(({ name }) => name))
  warnOfUnknown(c, name => names.has(name))
  return { schema: { types: finishTypes(c, [...types, ...metadata]) }, kinds, diagnostics: c.diagnostics }
}

/** Returns the kinds that a CustomResourceDefinition defines, without converting it. Throws an OpenAPIError if `crd` is something else. */
export function kindsOfCRD(crd: unknown, options: ConversionOptions = {}): KindEntry[] {
  const c = new Conversion(options)
  const { group, kind, versions } = readDefinition(c, crd)
  return versions.map((value, index) => {
    c.enter(String(index))
    const version = requiredString(c, requiredMap(c, value, "a version"), "name")
    c.leave()
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
function readDefinition(c: Conversion, crd: unknown) {
  const root = expectFormat(c, crd, "CustomResourceDefinition")
  const apiVersion = own(root, "apiVersion")
  if (apiVersion !== "apiextensions.k8s.io/v1") {
    c.enter("apiVersion")
    c.malformed(`must be apiextensions.k8s.io/v1, found ${String(apiVersion)}; convert the definition to v1 first`)
  }
  c.enter("spec")
  const spec = requiredMap(c, own(root, "spec"), "spec")
  const group = requiredString(c, spec, "group")
  c.enter("names")
  const kind = requiredString(c, requiredMap(c, own(spec, "names"), "names"), "kind")
  c.leave()
  c.enter("versions")
  const versions = own(spec, "versions")
  if (!isList(versions) || versions.length === 0) c.malformed(`must be a list of versions, found ${describe(versions)}`)
  return { spec, group, kind, versions }
}

function requiredMap(c: Conversion, value: Value | undefined, what: string): MapValue {
  return optionalMapAt(c, value, what) ?? c.malformed(`${what} is missing`)
}

function requiredString(c: Conversion, map: MapValue, key: string): string {
  c.enter(key)
  const found = stringAt(c, own(map, key), key)
  if (found === "") c.malformed(`${key} is missing`)
  c.leave()
  return found
}

/** Returns the OpenAPI definition that an API server makes from the version. */
function definitionOf(c: Conversion, version: MapValue): MapValue {
  const container = optionalMapAt(c, own(version, "schema"), "schema")
  const schema = container && optionalMapAt(c, own(container, "openAPIV3Schema"), "openAPIV3Schema")
  if (schema === undefined || !checkStructural(c, schema)) return { type: "object" }
  return withObjectFields(publish(c, schema))
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

function keptBy(c: Conversion): readonly string[] {
  if (c.unionMode === "upstream") return kept
  return c.unionMode === "from-validation"
    ? [...kept, ...keptForUnions, ...keptForValidation]
    : [...kept, ...keptForUnions]
}

/** Returns only the parts of the schema that an API server reads, with embedded resources completed. */
function publish(c: Conversion, node: MapValue): MapValue {
  const out: Record<string, Value> = {}
  for (const key of keptBy(c)) {
    const value = own(node, key) ?? null
    if (value !== null) out[key] = value
  }
  if (booleanAt(c, own(node, "nullable"), "nullable")) out.nullable = true
  const keys = own(node, "x-kubernetes-list-map-keys")
  if (isList(keys) && keys.length > 0) out["x-kubernetes-list-map-keys"] = keys
  if (own(node, "x-kubernetes-preserve-unknown-fields") === true) out["x-kubernetes-preserve-unknown-fields"] = true
  publishChildren(c, node, out)
  return own(node, "x-kubernetes-embedded-resource") === true ? withObjectFields(out) : out
}

function publishChildren(c: Conversion, node: MapValue, out: Record<string, Value>): void {
  const items = optionalMapAt(c, own(node, "items"), "items")
  if (items !== undefined) out.items = publish(c, items)
  const rest = own(node, "additionalProperties") ?? null
  if (rest !== null) out.additionalProperties = isMap(rest) ? publish(c, rest) : rest
  const properties = optionalMapAt(c, own(node, "properties"), "properties")
  if (properties === undefined || isEmptyMap(properties)) return
  const published: Record<string, Value> = {}
  for (const name in properties) {
    put(published, name, publish(c, optionalMapAt(c, own(properties, name), `property ${name}`) ?? {}))
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
