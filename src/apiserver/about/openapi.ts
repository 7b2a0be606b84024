// The OpenAPI v3 documents of the server: what clients have to know to send requests. They have every path with its
// parameters, and the fields of every kind, without descriptions.
import { formatGoJson, parseJson } from "../../json/json.js"
import { noSuchResource } from "../../kinds/refusal/failure.js"
import type { Resource, Verb } from "../../kinds/resource/resource.js"
import { typesUnder } from "../../managedfields/types/object-types.js"
import type { UnionPolicy } from "../../union/policy.js"
import { own } from "../../value/object.js"
import type { MapValue, Value } from "../../value/value.js"
import { builtInSchemas, customSchema } from "./openapi-schemas.js"
import { openapiV2 } from "./openapi-v2/document.js"

/** A document, and the hash that its address has. */
export interface ServedDocument {
  readonly text: string
  readonly hash: string
}

/** The documents of a server: those that it was given, and for everything else that it serves those that are made here. */
export class OpenAPIDocuments {
  private readonly resources: { readonly all: readonly Resource[] }
  private readonly given: Readonly<Record<string, object>>
  private readonly gate: { readonly policy: UnionPolicy }
  private readonly written = new Map<string, ServedDocument>()

  /** `given` has documents by group and version, as in the index. */
  constructor(
    resources: { readonly all: readonly Resource[] },
    given: Readonly<Record<string, object>>,
    gate: { readonly policy: UnionPolicy },
  ) {
    this.resources = resources
    this.given = given
    this.gate = gate
  }

  /** The index: where the document of each version of a group is. */
  index(): MapValue {
    const paths: Record<string, Value> = {}
    for (const name of new Set(this.resources.all.map(nameOf))) {
      const { hash } = this.find(name)
      paths[name] = { serverRelativeURL: `/openapi/v3/${name}?hash=${hash}` }
    }
    return { paths }
  }

  /** The OpenAPI v2 document: all of v3 in one. */
  version2(): MapValue {
    const names = [...new Set(this.resources.all.map(nameOf))]
    return openapiV2(names.map(name => parseJson(this.find(name).text) as MapValue))
  }

  /** The document of `api/v1` or `apis/GROUP/VERSION`. Throws a RequestFailure if there is none. */
  find(name: string): ServedDocument {
    const found = this.resources.all.filter(resource => nameOf(resource) === name)
    if (found.length === 0) throw noSuchResource()
    const given = own(this.given as MapValue, name)
    if (given === undefined || found.some(({ custom }) => custom !== undefined)) {
      return madeDocument(found, name, this.gate.policy)
    }
    let written = this.written.get(name)
    if (written === undefined) this.written.set(name, (written = servedDocument(given)))
    return written
  }
}

function madeDocument(found: readonly Resource[], name: string, policy: UnionPolicy): ServedDocument {
  const paths: Record<string, Value> = {}
  const schemas: Record<string, Value> = {}
  for (const resource of found) {
    const base = `/${name}/${resource.namespaced ? "namespaces/{namespace}/" : ""}${resource.plural}`
    paths[base] = operations(resource, resource.verbs, { create: "post", list: "get" })
    paths[`${base}/{name}`] = operations(resource, resource.verbs, objectVerbs)
    for (const { name: sub, verbs } of resource.subresources) {
      paths[`${base}/{name}/${sub}`] = operations(resource, verbs, objectVerbs)
    }
    addSchema(resource, schemas, policy)
  }
  const info = { title: "Kubernetes", version: "unversioned" }
  return servedDocument({ openapi: "3.0.0", info, paths, components: { schemas } })
}

function servedDocument(document: Value): ServedDocument {
  const text = formatGoJson(document, { sorted: false })
  return { text, hash: hashOf(text) }
}

function addSchema(resource: Resource, schemas: Record<string, Value>, policy: UnionPolicy): void {
  const extension = { "x-kubernetes-group-version-kind": [kindOf(resource)] }
  const { apiVersion, kind, custom, types } = resource
  const found = typesUnder(types, policy).find(apiVersion, kind)
  if (custom !== undefined) {
    schemas[schemaName(resource)] = { ...customSchema(custom.schema, types, schemas), ...extension }
  }
  if (custom === undefined && found !== undefined) {
    builtInSchemas(found, apiVersion, kind, schemas, policy.enabled)
    schemas[found.typeName] = { ...(schemas[found.typeName] as MapValue), ...extension }
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
      "x-kubernetes-group-version-kind": kindOf(resource),
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

function nameOf({ group, version }: Resource): string {
  return group === "" ? `api/${version}` : `apis/${group}/${version}`
}

function kindOf({ group, version, kind }: Resource): MapValue {
  return { group, version, kind }
}

function schemaName({ group, version, kind }: Resource): string {
  return `${group === "" ? "core" : group.split(".").reverse().join(".")}.${version}.${kind}`
}

/** A short hash of the text (FNV-1a): clients keep documents by it. */
function hashOf(text: string): string {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return (hash >>> 0).toString(16).toUpperCase().padStart(8, "0")
}
