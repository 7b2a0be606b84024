// The OpenAPI v3 documents of the server: every path with its parameters, and the fields of every kind, without descriptions.
import { formatGoJson, parseJson } from "../../json/json.js"
import { noSuchResource } from "../../kinds/refusal/failure.js"
import type { Resource, Verb } from "../../kinds/resource/resource.js"
import { typesUnder } from "../../managedfields/types/object-types.js"
import type { UnionPolicy } from "../../union/policy.js"
import { own } from "../../value/object.js"
import type { MapValue, Value } from "../../value/value.js"
import type { customDocument } from "./custom-openapi.js"
import { toOpenAPIv2 } from "./openapi-v2/document.js"
import { addBuiltInSchemas, customSchema } from "./openapi-v3-schemas.js"

/** The JSON of a document, and the hash in its address. */
export interface ServedDocument {
  readonly text: string
  readonly hash: string
}

/** The documents of a server: the supplied ones, and generated ones for all other groups and versions. */
export class OpenAPIDocuments {
  private readonly resources: { readonly all: readonly Resource[] }
  private readonly supplied: Readonly<Record<string, object>>
  private readonly gate: { readonly policy: UnionPolicy }
  /** Returns the document of custom resources; undefined until it is loaded. */
  private documentOf: typeof customDocument | undefined
  /** The supplied documents that were already encoded. */
  private readonly encoded = new Map<string, ServedDocument>()

  /** `supplied` has documents by the names that the index has: `apis/apps/v1`. */
  constructor(
    resources: { readonly all: readonly Resource[] },
    supplied: Readonly<Record<string, object>>,
    gate: { readonly policy: UnionPolicy },
  ) {
    this.resources = resources
    this.supplied = supplied
    this.gate = gate
  }

  /** Loads the code for the documents of custom resources, if there are any. */
  async load(): Promise<void> {
    if (!this.resources.all.some(({ custom }) => custom !== undefined)) return
    this.documentOf ??= (await import("./custom-openapi.js")).customDocument
  }

  /** Returns the index, which has the address of each document. */
  index(): MapValue {
    const paths: Record<string, Value> = {}
    for (const name of this.names()) {
      const { hash } = this.find(name)
      paths[name] = { serverRelativeURL: `/openapi/v3/${name}?hash=${hash}` }
    }
    return { paths }
  }

  /** Returns the OpenAPI v2 document, which combines all v3 documents. */
  toVersion2(): MapValue {
    const custom = this.resources.all.filter(({ custom }) => custom !== undefined).map(schemaName)
    return toOpenAPIv2(
      this.names().map(name => parseJson(this.find(name).text) as MapValue),
      new Set(custom),
    )
  }

  private names(): readonly string[] {
    return [...new Set(this.resources.all.map(documentName))]
  }

  /** Finds the document `api/v1` or `apis/GROUP/VERSION`. Throws a RequestFailure for an unknown name. */
  find(name: string): ServedDocument {
    const resources = this.resources.all.filter(resource => documentName(resource) === name)
    if (resources.length === 0) throw noSuchResource()
    if (this.documentOf !== undefined && resources.every(({ custom }) => custom !== undefined)) {
      return encodeDocument(this.documentOf(resources, schemaName))
    }
    const supplied = own(this.supplied as MapValue, name)
    if (supplied === undefined || resources.some(({ custom }) => custom !== undefined)) {
      return generateDocument(resources, name, this.gate.policy)
    }
    let encoded = this.encoded.get(name)
    if (encoded === undefined) this.encoded.set(name, (encoded = encodeDocument(supplied)))
    return encoded
  }
}

function generateDocument(resources: readonly Resource[], name: string, policy: UnionPolicy): ServedDocument {
  const paths: Record<string, Value> = {}
  const schemas: Record<string, Value> = {}
  for (const resource of resources) {
    const base = `/${name}/${resource.namespaced ? "namespaces/{namespace}/" : ""}${resource.plural}`
    paths[base] = operations(resource, resource.verbs, { create: "post", list: "get" })
    paths[`${base}/{name}`] = operations(resource, resource.verbs, objectVerbs)
    for (const { name: sub, verbs } of resource.subresources) {
      paths[`${base}/{name}/${sub}`] = operations(resource, verbs, objectVerbs)
    }
    addSchema(resource, schemas, policy)
  }
  const info = { title: "Kubernetes", version: "unversioned" }
  return encodeDocument({ openapi: "3.0.0", info, paths, components: { schemas } })
}

function encodeDocument(document: Value): ServedDocument {
  const text = formatGoJson(document, { sorted: false })
  return { text, hash: hashOf(text) }
}

function addSchema(resource: Resource, schemas: Record<string, Value>, policy: UnionPolicy): void {
  const extension = { "x-kubernetes-group-version-kind": [groupVersionKind(resource)] }
  const { apiVersion, kind, custom, types } = resource
  const builtIn = typesUnder(types, policy).find(apiVersion, kind)
  if (custom !== undefined) {
    schemas[schemaName(resource)] = { ...customSchema(custom.schema, types, schemas), ...extension }
  }
  if (custom === undefined && builtIn !== undefined) {
    addBuiltInSchemas(builtIn, apiVersion, kind, schemas, policy.enabled)
    schemas[builtIn.typeName] = { ...(schemas[builtIn.typeName] as MapValue), ...extension }
  }
}

const objectVerbs: Readonly<Partial<Record<Verb, string>>> = {
  get: "get",
  update: "put",
  patch: "patch",
  delete: "delete",
}
const actions: Readonly<Partial<Record<Verb, string>>> = { create: "post", update: "put" }
const writeParameters = ["dryRun", "fieldManager", "fieldValidation"]

function operations(resource: Resource, verbs: readonly Verb[], methods: Partial<Record<Verb, string>>): MapValue {
  const out: Record<string, Value> = {}
  for (const verb of verbs) {
    const method = methods[verb]
    if (method === undefined) continue
    const names = verb === "patch" ? [...writeParameters, "force"] : verb in actions ? writeParameters : []
    out[method] = {
      ...(names.length > 0 && { parameters: names.map(parameter) }),
      ...(verb === "patch" && { requestBody: { content: patchContent(resource) } }),
      responses: { "200": { description: "OK" } },
      "x-kubernetes-action": actions[verb] ?? verb,
      "x-kubernetes-group-version-kind": groupVersionKind(resource),
    }
  }
  return out
}

function parameter(name: string): MapValue {
  return { name, in: "query", schema: { type: name === "force" ? "boolean" : "string", uniqueItems: true } }
}

function patchContent({ custom }: Resource): MapValue {
  const types = ["application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json"]
  if (custom === undefined) types.push("application/strategic-merge-patch+json")
  return Object.fromEntries(types.map(type => [type, {}]))
}

function documentName({ group, version }: Resource): string {
  return group === "" ? `api/${version}` : `apis/${group}/${version}`
}

function groupVersionKind({ group, version, kind }: Resource): MapValue {
  return { group, version, kind }
}

function schemaName({ group, version, kind }: Resource): string {
  return `${group === "" ? "core" : group.split(".").reverse().join(".")}.${version}.${kind}`
}

/** Returns a short hash of the text (FNV-1a), by which clients cache documents. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return (hash >>> 0).toString(16).toUpperCase().padStart(8, "0")
}
