// The OpenAPI v3 document of the custom resources at one version of a group, as an API server describes them.

import type { Resource } from "../../kinds/resource/resource.js"
import { listAt, mapAt, mapsAt, textAt } from "../../value/fields.js"
import { isEmptyMap, own, put } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import { customOpenAPIData } from "./custom-openapi-data.js"

interface Recorded {
  /** The descriptions of the fields that every object has. */
  readonly texts: { readonly apiVersion: string; readonly kind: string }
  readonly parameters: Readonly<Record<string, MapValue>>
  readonly schemas: Readonly<Record<string, MapValue>>
}

let recorded: Recorded | undefined

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1."
const conventions = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md"
const listParameters = [
  ...["allowWatchBookmarks", "continue", "fieldSelector", "labelSelector", "limit", "resourceVersion"],
  ...["resourceVersionMatch", "sendInitialEvents", "shardSelector", "timeoutSeconds", "watch"],
]
const writeParameters = ["dryRun", "fieldManager", "fieldValidation"]
const deleteParameters = [
  ...["dryRun", "gracePeriodSeconds", "ignoreStoreReadErrorWithClusterBreakingPotential", "orphanDependents"],
  "propagationPolicy",
]

/** Returns the document of these resources, which have the same group and version. `nameOf` returns the name of the schema of a resource. */
export function customDocument(resources: readonly Resource[], nameOf: (resource: Resource) => string): MapValue {
  recorded ??= JSON.parse(customOpenAPIData) as Recorded
  const paths: Record<string, Value> = {}
  const schemas: Record<string, Value> = {}
  const hasScale = resources.some(({ subresources }) => subresources.some(({ name }) => name === "scale"))
  for (const [name, schema] of Object.entries(recorded.schemas)) {
    if (name.startsWith(meta) || hasScale) schemas[name] = schema
  }
  for (const resource of resources) {
    const name = nameOf(resource)
    schemas[name] = kindSchema(resource)
    schemas[`${name}List`] = listSchema(resource, name)
    Object.assign(paths, new ResourcePaths(resource, name, recorded.parameters).all())
  }
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes CRD Swagger", version: "v0.1.0" },
    paths: sorted(paths),
    components: { schemas: sorted(schemas) },
  }
}

function sorted(map: MapValue): MapValue {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Returns the extensions of the schema of a kind, or of its list. */
function extensionsOf({ group, version, custom }: Resource, kind: string): MapValue {
  const fields = mapsAt(custom?.version ?? {}, "selectableFields")
  const selectable = fields.map(each => ({ fieldPath: textAt(each, "jsonPath").replace(/^\./, "") }))
  return {
    "x-kubernetes-group-version-kind": [{ group, kind, version }],
    ...(selectable.length > 0 && { "x-kubernetes-selectable-fields": selectable }),
  }
}

const reference = (name: string): MapValue => ({ $ref: `#/components/schemas/${name}` })

/** Returns the schema of a kind, with the fields that every object has. */
function kindSchema(resource: Resource): MapValue {
  const { custom, kind } = resource
  // Without a schema, clients could take the fields of every object for the only ones.
  if (isEmptyMap(mapAt(mapAt(custom?.version ?? {}, "schema"), "openAPIV3Schema"))) {
    return { type: "object", ...extensionsOf(resource, kind) }
  }
  const shown = shownSchema(custom?.schema ?? {})
  const { apiVersion = "", kind: kindText = "" } = recorded?.texts ?? {}
  const properties = withObjectFields(mapAt(shown, "properties"), apiVersion, kindText)
  return { type: "object", ...shown, properties, ...extensionsOf(resource, kind) }
}

/** Adds the fields that every object has; the last two parameters are their descriptions. */
function withObjectFields(properties: MapValue, apiVersion: string, kind: string): MapValue {
  return sorted({
    ...properties,
    apiVersion: { description: apiVersion, type: "string" },
    kind: { description: kind, type: "string" },
    metadata: {
      description: `Standard object's metadata. More info: ${conventions}#metadata`,
      allOf: [reference(`${meta}ObjectMeta`)],
    },
  })
}

const ofEmbedded = {
  apiVersion: `apiVersion defines the versioned schema of this representation of an object. More info: ${conventions}#resources`,
  kind: `kind is a string value representing the type of this object. In CamelCase. More info: ${conventions}#types-kinds`,
}

function listSchema(resource: Resource, name: string): MapValue {
  const { kind, plural, listKind } = resource
  const { apiVersion = "", kind: kindText = "" } = recorded?.texts ?? {}
  return {
    description: `${listKind} is a list of ${kind}`,
    type: "object",
    required: ["items"],
    properties: {
      apiVersion: { description: apiVersion, type: "string" },
      items: {
        description: `List of ${plural}. More info: ${conventions}`,
        type: "array",
        items: reference(name),
      },
      kind: { description: kindText, type: "string" },
      metadata: {
        description: `Standard list metadata. More info: ${conventions}#types-kinds`,
        allOf: [reference(`${meta}ListMeta`)],
      },
    },
    ...extensionsOf(resource, listKind),
  }
}

/** Returns a structural schema as a server publishes it: a value that is a number or a text has both as alternatives. */
function shownSchema(schema: MapValue): MapValue {
  const out: Record<string, Value> = {}
  for (const key in schema) {
    const value = own(schema, key) as Value
    if (key === "properties" && isMap(value)) put(out, key, mapSchemas(value))
    else if ((key === "items" || key === "additionalProperties") && isMap(value)) put(out, key, shownSchema(value))
    else put(out, key, value)
  }
  if (own(schema, "x-kubernetes-int-or-string") === true && !isList(own(schema, "anyOf"))) {
    out.anyOf = [{ type: "integer" }, { type: "string" }]
  }
  if (own(schema, "x-kubernetes-embedded-resource") === true) {
    const { apiVersion, kind } = ofEmbedded
    out.properties = withObjectFields(mapAt(out, "properties"), apiVersion, kind)
    out.required = [...new Set([...listAt(schema, "required"), "kind", "apiVersion"])]
  }
  return out
}

function mapSchemas(properties: MapValue): MapValue {
  const out: Record<string, Value> = {}
  for (const name in properties) put(out, name, shownSchema(mapAt(properties, name)))
  return out
}

/** The paths of one resource and its operations. */
class ResourcePaths {
  private readonly resource: Resource
  private readonly name: string
  private readonly parameters: Readonly<Record<string, MapValue>>

  constructor(resource: Resource, name: string, parameters: Readonly<Record<string, MapValue>>) {
    this.resource = resource
    this.name = name
    this.parameters = parameters
  }

  all(): Record<string, Value> {
    const { resource, name } = this
    const { apiVersion, plural, kind, namespaced, subresources } = resource
    const root = `/apis/${apiVersion}`
    const base = `${root}/${namespaced ? "namespaces/{namespace}/" : ""}${plural}`
    const inside = namespaced ? ["namespace", "pretty"] : ["pretty"]
    const listed = { action: "list", text: `list objects of kind ${kind}`, answer: `${name}List` }
    const paths: Record<string, Value> = {
      [base]: {
        get: this.operation("list", { ...listed, parameters: listParameters }),
        post: this.operation("create", {
          action: "post",
          text: `create a ${kind}`,
          codes: ["200", "201", "202"],
          body: name,
          parameters: writeParameters,
        }),
        delete: this.operation("delete", {
          action: "deletecollection",
          text: `delete collection of ${kind}`,
          answer: `${meta}Status`,
          collection: "Collection",
          parameters: listParameters,
        }),
        parameters: this.parametersNamed(inside),
      },
      [`${base}/{name}`]: {
        ...this.objectOperations("", name),
        parameters: this.parametersNamed(["name", ...inside]),
      },
    }
    if (namespaced) {
      paths[`${root}/${plural}`] = {
        get: this.operation("list", { ...listed, suffix: "ForAllNamespaces", isEverywhere: true }),
        parameters: this.parametersNamed([...listParameters, "pretty"].sort()),
      }
    }
    for (const { name: subresource } of subresources) {
      const answer = subresource === "scale" ? "io.k8s.api.autoscaling.v1.Scale" : name
      paths[`${base}/{name}/${subresource}`] = {
        ...this.objectOperations(subresource, answer),
        parameters: this.parametersNamed(["name", ...inside]),
      }
    }
    return paths
  }

  private objectOperations(subresource: string, answer: string): MapValue {
    const { kind } = this.resource
    const what = subresource === "" ? `the specified ${kind}` : `${subresource} of the specified ${kind}`
    const suffix = capitalized(subresource)
    const patches = ["application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json"]
    return {
      get: this.operation("read", {
        action: "get",
        text: `read ${what}`,
        answer,
        suffix,
        parameters: ["resourceVersion"],
      }),
      put: this.operation("replace", {
        action: "put",
        text: `replace ${what}`,
        codes: ["200", "201"],
        answer,
        body: answer,
        suffix,
        parameters: writeParameters,
      }),
      ...(subresource === "" && {
        delete: this.operation("delete", {
          action: "delete",
          text: `delete a ${kind}`,
          codes: ["200", "202"],
          answer: `${meta}Status`,
          body: `${meta}DeleteOptions`,
          isBodyOptional: true,
          parameters: deleteParameters,
        }),
      }),
      patch: this.operation("patch", {
        action: "patch",
        text: `partially update ${what}`,
        answer,
        body: `${meta}Patch`,
        bodyTypes: patches,
        suffix,
        parameters: ["dryRun", "patchManager", "fieldValidation", "force"],
      }),
    }
  }

  private operation(verb: string, options: Operation): MapValue {
    const { resource, name } = this
    const { group, version, kind, namespaced } = resource
    const { action, text, codes = ["200"], answer = name, body, bodyTypes = bothForms, parameters } = options
    const { suffix = "", collection = "", isEverywhere = false } = options
    const [first = "", ...others] = group.split(".")
    const tag = first + others.map(capitalized).join("")
    const scope = namespaced && !isEverywhere ? "Namespaced" : ""
    const id = verb + capitalized(tag) + capitalized(version) + collection + scope + kind + suffix
    return {
      tags: [`${tag}_${version}`],
      description: text,
      operationId: id,
      ...(parameters !== undefined && { parameters: this.parametersNamed(parameters) }),
      ...(body !== undefined && {
        requestBody: { content: content(body, bodyTypes), ...(options.isBodyOptional !== true && { required: true }) },
      }),
      responses: {
        ...Object.fromEntries(
          codes.map(code => [code, { description: descriptions[code] ?? "", content: content(answer, bothForms) }]),
        ),
        "401": { description: "Unauthorized" },
      },
      "x-kubernetes-action": action,
      "x-kubernetes-group-version-kind": { group, version, kind },
    }
  }

  private parametersNamed(names: readonly string[]): MapValue[] {
    const { kind } = this.resource
    const ofName = {
      name: "name",
      in: "path",
      description: `name of the ${kind}`,
      required: true,
      schema: { type: "string", uniqueItems: true },
    }
    return names.map(name => (name === "name" ? ofName : (this.parameters[name] ?? {})))
  }
}

interface Operation {
  readonly action: string
  readonly text: string
  /** The codes of success; 200 if absent. */
  readonly codes?: readonly string[]
  /** The name of the schema of the answer; that of the kind if absent. */
  readonly answer?: string
  /** The name of the schema of the body. */
  readonly body?: string
  readonly bodyTypes?: readonly string[]
  readonly isBodyOptional?: boolean
  readonly suffix?: string
  readonly collection?: string
  readonly isEverywhere?: boolean
  readonly parameters?: readonly string[]
}

const bothForms = ["application/json", "application/yaml"]
const descriptions: Readonly<Record<string, string>> = { "200": "OK", "201": "Created", "202": "Accepted" }

function content(name: string, types: readonly string[]): MapValue {
  return Object.fromEntries(types.map(type => [type, { schema: reference(name) }]))
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
