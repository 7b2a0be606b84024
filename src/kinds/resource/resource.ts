// Resources, built in or custom, each at one version of its group.
import type { Parity } from "../../json/json.js"
import type { TypeFinder } from "../../managedfields/types/object-types.js"
import type { ObjectConverter } from "../../managedfields/types/version-converter.js"
import type { MapValue } from "../../value/value.js"
import type { BuiltInKind } from "../kind/kind.js"
import {
  methodNotAllowed,
  noSuchResource,
  notFound,
  type Problem,
  type RequestFailure,
  type Subject,
} from "../refusal/failure.js"

export type Verb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch"

/** `status`, `scale` and the like. */
export interface Subresource {
  readonly name: string
  readonly kind: string
  readonly apiVersion: string
  readonly verbs: readonly Verb[]
}

/** One version of a custom resource, according to its definition. */
export interface CustomVersion {
  /** The stored definition. */
  readonly definition: MapValue
  /** The entry of `spec.versions`. */
  readonly version: MapValue
  /** Its structural schema, or a schema that keeps everything if it has none. */
  readonly schema: MapValue
  /** Reads an object: fills in defaults, removes unknown fields and returns their paths. */
  readonly read: (object: MapValue) => { readonly object: MapValue; readonly unknown: readonly string[] }
  /** Reads an object from storage, by the schema of the version at which it was stored. */
  readonly readStored: (object: MapValue) => MapValue
  /** Reads an object that was converted to its version. It gets no defaults, since only the stored version's are filled in. */
  readonly readConverted: (object: MapValue) => MapValue
  /** Fills in the defaults. */
  readonly defaults: (object: MapValue) => MapValue
  /** Returns the problems of an object that is to be stored. */
  readonly validate: (object: MapValue, options: CustomValidation) => readonly Problem[]
  /** Returns the paths, in the schema, of CEL rules that `validate` does not run. */
  readonly unrunRules: () => readonly string[]
  /** Returns the reasons why unions of the definition have no effect, whatever the policy. */
  readonly unionProblems: () => readonly string[]
}

/** The circumstances under which an object is validated. */
interface CustomValidation {
  /** The stored object, if the request is an update: its own problems may stay. */
  readonly old?: MapValue | undefined
  /** The release whose words the problems have; v6 if absent. */
  readonly parity?: Parity | undefined
  /** `status` if the request can write only the status. */
  readonly subresource?: string | undefined
  /** Problems that are already known. Because of them, rules may not be run. */
  readonly others?: readonly { readonly reason: string }[]
}

/** Checks an object that replaces `old`, or a new one, and compiles its rules in CEL. */
export type CompilingCheck = (
  object: MapValue,
  old: MapValue | undefined,
) => { readonly errors: readonly Problem[]; readonly warnings: readonly string[] }

/** A resource as one version of its group serves it. */
export interface Resource {
  readonly group: string
  readonly version: string
  /** Group and version, as objects spell them. */
  readonly apiVersion: string
  readonly plural: string
  readonly singular: string
  readonly kind: string
  readonly listKind: string
  readonly namespaced: boolean
  readonly verbs: readonly Verb[]
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly subresources: readonly Subresource[]
  /** The apiVersion at which objects are stored. */
  readonly storageVersion: string
  /** Every apiVersion at which the resource is served, the storage version included. */
  readonly versions: readonly string[]
  /** Finds the types of objects. */
  readonly types: TypeFinder
  readonly converter: ObjectConverter
  /** Absent for built-in kinds. */
  readonly custom?: CustomVersion
  /** The kind's entry in the registry of built-in kinds. Absent for custom resources, and for kinds that need nothing special. */
  readonly builtIn?: BuiltInKind
  /** Finds the problems for which rules in CEL are compiled. Absent for most kinds, and if kinds can't be read from documents. */
  readonly compilingCheck?: CompilingCheck
  /** The warning in every answer about the resource, if it is deprecated. */
  readonly deprecation?: string
  /** Set if only the type of the kind is known. */
  readonly plain?: true
}

/** The resource or subresource of a request, and the name in its path; "" for the path of all objects. */
interface RequestPath {
  readonly resource: Resource
  readonly subresource: Subresource | undefined
  readonly name: string
}

/** Returns the refusal of a verb that is not served at the path. A kind that can only be created has no path with a name. */
export function unservedVerb({ resource, subresource, name }: RequestPath): RequestFailure {
  const hasPath = subresource !== undefined || name === "" || resource.verbs.includes("get")
  return hasPath ? methodNotAllowed() : noSuchResource()
}

/** Returns the refusal of a request that is not served; undefined if it is. If only the type of a kind is known, every request is served. */
export function unservedRequest(
  resource: Resource,
  wanted: string,
  verb: Verb,
  name: string,
): RequestFailure | undefined {
  const { verbs, custom, plain, subresources } = resource
  const subresource = subresources.find(each => each.name === wanted)
  if (subresource === undefined && wanted !== "" && !plain)
    return custom === undefined ? noSuchResource() : notFound(subjectOf(resource), name)
  if (verbs.length === 0 || (subresource ?? resource).verbs.includes(verb)) return undefined
  return unservedVerb({ resource, subresource, name: verb === "create" ? "" : name })
}

/** Whether the objects of the resource are in namespaces. That is unknown if only the type of the kind is known. */
export function isPlaced({ namespaced, plain }: Resource): boolean {
  return namespaced && plain !== true
}

/** Returns the resource as messages name it. */
export function subjectOf({ group, plural }: Resource): Subject {
  return { group, name: plural }
}

/** Returns the kind as messages about an object name it. */
export function kindSubject({ group, kind, builtIn }: Resource): Subject {
  return { group: builtIn?.storedWithGroup ?? group, name: kind }
}

/** Returns the name under which the objects of a resource are stored, which is the same for all its versions. */
export function storeKey({ group, plural, builtIn }: Pick<Resource, "group" | "plural" | "builtIn">): string {
  return `${builtIn?.storedWithGroup ?? group}/${plural}`
}
