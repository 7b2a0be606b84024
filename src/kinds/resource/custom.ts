// The resources that a CustomResourceDefinition defines.

import type { TypeFinder } from "../../managedfields/types/object-types.js"
import { changeApiVersion, type ObjectConverter } from "../../managedfields/types/version-converter.js"
import { OpenAPIError } from "../../openapi/conversion/errors.js"
import { unionProblems } from "../../openapi/conversion/options.js"
import { TypeConverter } from "../../openapi/type-converter.js"
import { listAt, mapAt, textAt, textsAt } from "../../value/fields.js"
import { goPrint, goTypeName } from "../../value/format.js"
import { isEmptyMap, own } from "../../value/object.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import { validateEmbedded } from "../custom/embedded.js"
import { prune } from "../custom/prune.js"
import { defaultCustomResource, readCustomResource, validateCustomResource } from "../custom/read.js"
import { badRequest, notImplemented } from "../refusal/failure.js"
import type { FieldError } from "../refusal/field-error.js"
import { unrunRules } from "../rules/compile.js"
import { Field } from "../validation/field.js"
import type { CustomVersion, Resource, Subresource, Verb } from "./resource.js"
import { comparePreference } from "./version-preference.js"

const allVerbs: readonly Verb[] = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"]
const subresourceVerbs: readonly Verb[] = ["get", "patch", "update"]

/**
 * Returns a resource for each served version of the definition. `builtIn` provides the types that the definition lacks. Throws a
 * RequestFailure for a definition that can't be served.
 */
export function customResources(definition: MapValue, builtIn: TypeFinder): Resource[] {
  const spec = mapAt(definition, "spec")
  const names = mapAt(spec, "names")
  const group = textAt(spec, "group")
  const kind = textAt(names, "kind")
  const types = new TypeConverter([{ document: definition }], {
    fallback: (apiVersion, kind) => builtIn.find(apiVersion, kind),
  })
  const all = listAt(spec, "versions").filter(isMap)
  const stored = all.find(version => version.storage === true) ?? all[0] ?? {}
  try {
    types.kinds()
  } catch (error) {
    if (!(error instanceof OpenAPIError)) throw error
    throw badRequest(error.message)
  }
  const served = all.filter(version => version.served !== false)
  const byName = changeApiVersion({
    find: (apiVersion, name) => (name === kind ? types.find(apiVersion, name) : undefined),
  })
  const schemas = new Map(all.map(version => [`${group}/${textAt(version, "name")}`, schemaOf(spec, version)]))
  const converter = asksWebhook(definition) ? noWebhook(textAt(stored, "name")) : byName
  return served.map(version => ({
    group,
    version: textAt(version, "name"),
    apiVersion: `${group}/${textAt(version, "name")}`,
    plural: textAt(names, "plural"),
    singular: textAt(names, "singular") || kind.toLowerCase(),
    kind,
    listKind: textAt(names, "listKind") || `${kind}List`,
    namespaced: textAt(spec, "scope") !== "Cluster",
    verbs: allVerbs,
    shortNames: textsAt(names, "shortNames"),
    categories: textsAt(names, "categories"),
    subresources: subresourcesOf(version, `${group}/${textAt(version, "name")}`, kind),
    storageVersion: `${group}/${textAt(stored, "name")}`,
    versions: served.map(other => `${group}/${textAt(other, "name")}`),
    types,
    converter,
    custom: {
      ...customVersion(definition, version, schemas, `${group}/${textAt(version, "name")}`),
      unionProblems: () => {
        types.find(`${group}/${textAt(version, "name")}`, kind)
        const place = `/spec/versions/${all.indexOf(version)}/`
        return unionProblems(types.diagnostics.filter(({ path }) => path.startsWith(place)))
      },
    },
    ...(version.deprecated === true && { deprecation: deprecationOf(version, served, group, kind) }),
  }))
}

/** Returns the warning about a deprecated version: the one in the definition, or one that names the version to use instead. */
function deprecationOf(version: MapValue, served: readonly MapValue[], group: string, kind: string): string {
  const name = textAt(version, "name")
  const others = served.filter(other => other.deprecated !== true).map(other => textAt(other, "name"))
  const [best] = others.filter(other => comparePreference(other, name) < 0).sort(comparePreference)
  const advice = best === undefined ? "" : `; use ${group}/${best} ${kind}`
  return textAt(version, "deprecationWarning") || `${group}/${name} ${kind} is deprecated${advice}`
}

function customVersion(
  definition: MapValue,
  version: MapValue,
  schemas: ReadonlyMap<string, MapValue>,
  apiVersion: string,
): Omit<CustomVersion, "unionProblems"> {
  const schema = schemas.get(apiVersion) ?? {}
  /** The schema of the version that an object has. */
  const schemaFor = (object: MapValue) => schemas.get(textAt(object, "apiVersion")) ?? schema
  return {
    definition,
    version,
    schema,
    read: object => readCustomResource(object, schema),
    readStored: object => readCustomResource(object, schemaFor(object)).object,
    readConverted: object => prune(object, schemaFor(object)).object,
    defaults: object => defaultCustomResource(object, schema),
    validate: (object, options) => {
      const scale = scaleProblems(object, version, options?.subresource === "status")
      return validateCustomResource(object, schema, { ...options, scale, more: validateEmbedded(object, schema) })
    },
    unrunRules: () => unrunRules(schema),
  }
}

/** Returns the problems of the values that make up the Scale of a resource. A request to the status can't write `spec`. */
function scaleProblems(object: MapValue, version: MapValue, statusOnly: boolean): readonly FieldError[] {
  const scale = mapAt(mapAt(version, "subresources"), "scale")
  const errors: FieldError[] = []
  for (const key of ["specReplicasPath", "statusReplicasPath", "labelSelectorPath"]) {
    const path = textAt(scale, key)
    if (path === "" || (statusOnly && key === "specReplicasPath")) continue
    const zero = key === "labelSelectorPath" ? "" : 0
    const field = new Field(zero, path, errors)
    try {
      const replicas = new Field(valueAlong(object, path.slice(1).split("."), goTypeName(zero)), path, errors)
      if (replicas.number < 0) replicas.invalid("should be a non-negative integer")
      else if (replicas.number > maxInt32) replicas.invalid(`should be less than or equal to ${maxInt32}`)
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      field.invalid(error.message)
    }
  }
  return errors
}

const maxInt32 = 2 ** 31 - 1

/** Returns the value at the end of the path. Throws a TypeError in Go's words for a value of another type. */
function valueAlong(object: MapValue, names: readonly string[], type: string): Value | undefined {
  const requireType = (value: Value, count: number, expected: string, fits: boolean) => {
    if (fits) return
    const start = `.${names.slice(0, count).join(".")} accessor error`
    throw new TypeError(`${start}: ${goPrint(value)} is of the type ${goTypeName(value)}, expected ${expected}`)
  }
  let value: Value | undefined = object
  for (const [index, name] of names.entries()) {
    if (value === undefined || value === null) return undefined
    requireType(value, index + 1, "map[string]interface{}", isMap(value))
    value = own(value as MapValue, name)
  }
  if (value !== undefined) requireType(value, names.length, type, goTypeName(value) === type)
  return value
}

/** Whether the definition names a webhook that converts objects. It is never called here. */
export function asksWebhook(definition: MapValue): boolean {
  return textAt(mapAt(mapAt(definition, "spec"), "conversion"), "strategy") === "Webhook"
}

/** Refuses conversions. Changing nothing but the version would be wrong. */
function noWebhook(stored: string): ObjectConverter {
  return {
    convert(object, apiVersion) {
      if (object.apiVersion === apiVersion) return object
      throw notImplemented("the conversion of custom resources by a webhook", `send and read them at version ${stored}`)
    },
  }
}

/** Returns the schema of a version. It preserves unknown fields if the version has no schema, or if the definition says so. */
function schemaOf(spec: MapValue, version: MapValue): MapValue {
  const schema = mapAt(mapAt(version, "schema"), "openAPIV3Schema")
  const preserves = isEmptyMap(schema) || spec.preserveUnknownFields === true
  return preserves ? { ...schema, "x-kubernetes-preserve-unknown-fields": true } : schema
}

function subresourcesOf(version: MapValue, apiVersion: string, kind: string): Subresource[] {
  const declared = mapAt(version, "subresources")
  const subresources: Subresource[] = []
  if (own(declared, "status") !== undefined)
    subresources.push({ name: "status", kind, apiVersion, verbs: subresourceVerbs })
  if (own(declared, "scale") !== undefined) {
    subresources.push({ name: "scale", kind: "Scale", apiVersion: "autoscaling/v1", verbs: subresourceVerbs })
  }
  return subresources
}
