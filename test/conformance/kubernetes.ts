// The operations of the conformance protocol on whole Kubernetes objects, and on the documents that define their types.
import type { Filter } from "../../src/fieldpath/matcher.js"
import type { FieldSet } from "../../src/fieldpath/set.js"
import { kubernetesSchema, kubernetesTypeName, kubernetesTypes } from "../../src/kubernetes/index.js"
import {
  deducedTypes,
  extract,
  FieldManager,
  type FieldManagerOptions,
  type ObjectConverter,
  statusOf,
  type TypeFinder,
  upgradeManagedFields,
} from "../../src/managedfields/index.js"
import { formatOf } from "../../src/openapi/document.js"
import { schemaFromCRD, schemaFromOpenAPIv2, schemaFromOpenAPIv3, TypeConverter } from "../../src/openapi/index.js"
import type { Schema } from "../../src/schema/schema.js"
import { own, put } from "../../src/value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../src/value/value.js"
import type { Operation } from "./operations.js"
import { currentParity } from "./parity.js"
import { type Answer, Request, RequestError, readSet } from "./request.js"

export const kubernetesOperations: Readonly<Record<string, Operation>> = {
  openapiSchema: request => ({ types: typesAnswer(schemaOf(request)) }),
  fieldManager: request => {
    const story = new ManagedStory(request)
    return { steps: request.list("steps").map(step => story.take(new Request(step))) }
  },
  extract: request => {
    const object = objectAt(request, "object")
    const options = {
      types: typesOf(request),
      manager: request.text("manager"),
      subresource: request.text("subresource"),
      unions: "off",
    } as const
    return { object: extract(object, options) ?? null }
  },
  upgradeManagedFields: request => {
    const upgraded = upgradeManagedFields(objectAt(request, "object"), {
      csaManagers: request.list("csaManagers").map(String),
      ssaManager: request.text("ssaManager"),
      subresource: request.text("subresource"),
      parity: currentParity(),
    })
    const metadata = own(upgraded, "metadata")
    return { managedFields: (isMap(metadata) ? own(metadata, "managedFields") : undefined) ?? null }
  },
}

/** Built-in kinds that start from nothing. */
const builtinTypes: TypeFinder = {
  find(apiVersion, kind) {
    const typeName = kubernetesTypeName(apiVersion, kind)
    return typeName === undefined ? undefined : { schema: kubernetesSchema(), typeName }
  },
}

function typesOf(request: Request): TypeFinder {
  if (request.flag("kubernetes")) return request.flag("emptyObjects") ? kubernetesTypes : builtinTypes
  if (request.flag("deduced")) return deducedTypes
  const types = new TypeConverter([{ document: documentOf(request) }], optionsOf(request))
  // If a document can't be converted, the request fails, even if it asks for other kinds.
  for (const { group, version, kind } of types.kinds()) types.find(group === "" ? version : `${group}/${version}`, kind)
  return types
}

function documentOf(request: Request): Value {
  const document = request.get("crd") ?? request.get("openapi")
  if (document === undefined) throw new RequestError("the request does not say where types come from")
  return document
}

function optionsOf(request: Request) {
  return { preserveUnknownFields: request.flag("preserveUnknownFields"), unionMode: "upstream" } as const
}

function schemaOf(request: Request): Schema {
  const document = documentOf(request)
  const convert = {
    CustomResourceDefinition: schemaFromCRD,
    "OpenAPI v2": schemaFromOpenAPIv2,
    "OpenAPI v3": schemaFromOpenAPIv3,
  }
  const format = request.get("crd") === undefined ? formatOf(document) : "CustomResourceDefinition"
  return convert[format ?? "OpenAPI v3"](document, optionsOf(request)).schema
}

function typesAnswer(schema: Schema): Answer {
  const types: Record<string, Value> = {}
  for (const { name, ...atom } of schema.types) put(types, name, atom as unknown as Value)
  return types
}

export function objectAt(request: Request, name: string): MapValue {
  const object = request.value(name)
  if (!isMap(object)) throw new RequestError(`${name} must be an object`)
  return object
}

/** One object of the API, changed step by step. The clock stands still, so that answers do not depend on time. */
export class ManagedStory {
  /** The options of the story's FieldManager. */
  readonly options: FieldManagerOptions
  /** The current object. */
  live: MapValue
  private readonly manager: FieldManager
  private readonly subresource: string

  /** `typedAs` maps the name of a kind to the kind that defines its type. */
  constructor(request: Request, typedAs: (kind: string) => string = kind => kind) {
    const gvk = new Request(request.get("gvk") ?? {})
    const group = gvk.text("group")
    const apiVersion = group === "" ? gvk.text("version") : `${group}/${gvk.text("version")}`
    const kind = { apiVersion, kind: gvk.text("kind") }
    const versions = request.get("versions")
    this.subresource = request.text("subresource")
    const known = typesOf(request)
    const types: TypeFinder = { find: (apiVersion, kind) => known.find(apiVersion, typedAs(kind)) }
    const empty = { ...types.find(apiVersion, kind.kind)?.emptyObject, ...kind }
    this.live = request.get("live") === undefined ? empty : objectAt(request, "live")
    this.options = {
      types,
      kind,
      ...(isList(versions) && { converter: changeAmong(versions), hub: apiVersion }),
      ...resetFieldsOf(request),
      unions: "off",
      clock: () => now,
      // The other tests of FieldManagers don't set this. Here, answers also check that the FieldManager remembers correctly.
      immutable: true,
      parity: currentParity(),
    }
    this.manager = new FieldManager(this.options)
  }

  /** Runs one step and returns the object after it. A step that fails does not change the object. */
  take(step: Request): Answer {
    try {
      this.live = this.run(step)
      return { object: withoutTimes(this.live) }
    } catch (error) {
      if (!(error instanceof Error) || !("code" in error)) throw error
      const { code, reason = "", message, details } = statusOf(error)
      const causes = (details?.causes ?? []).map(cause => ({ ...cause }))
      return { object: withoutTimes(this.live), error: { code, reason, message, causes } }
    }
  }

  /** Returns the manager of a step and the endpoint that the step goes to. */
  writer(step: Request): { readonly manager: string; readonly subresource: string } {
    const subresource = step.get("subresource") === undefined ? this.subresource : step.text("subresource")
    // The chain reads a missing name as "unknown". The request handler around it refuses an apply without a name, as our FieldManager does.
    return { manager: step.text("manager") || "unknown", subresource }
  }

  private run(step: Request): MapValue {
    const op = step.text("op")
    const object = objectAt(step, "object")
    const options = this.writer(step)
    switch (op) {
      case "apply":
      case "forceApply":
        return this.manager.apply(this.live, object, { ...options, force: op === "forceApply" }).object
      case "update":
        return this.manager.update(this.live, object, options).object
      case "updateNoErrors":
        return this.manager.updateLeniently(this.live, object, options).object
      default:
        throw new RequestError(`unknown step "${op}"`)
    }
  }
}

const now = new Date()

/** A converter that changes only the apiVersion of an object, to one of these. */
function changeAmong(versions: readonly Value[]): ObjectConverter {
  return {
    convert: (object, apiVersion) => (versions.includes(apiVersion) ? { ...object, apiVersion } : undefined),
  }
}

function resetFieldsOf(request: Request): Pick<FieldManagerOptions, "resetFields"> {
  if (request.get("resetFields") === undefined) return {}
  const sets = request
    .entries("resetFields")
    .map(([version, set]): [string, FieldSet | Filter] => [version, readSet(set)])
  return { resetFields: new Map(sets) }
}

function withoutTimes(object: MapValue): MapValue {
  const metadata = own(object, "metadata")
  const entries = isMap(metadata) ? own(metadata, "managedFields") : undefined
  if (!isMap(metadata) || !isList(entries)) return object
  const timeless = entries.map(entry =>
    isMap(entry) && own(entry, "time") !== undefined ? { ...entry, time: "T" } : entry,
  )
  return { ...object, metadata: { ...metadata, managedFields: timeless } }
}
