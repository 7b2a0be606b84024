// What the server serves: a resource of one version of a group, built in or of a custom resource.
import type { TypeFinder } from "../../managedfields/types/object-types.js"
import type { ObjectConverter } from "../../managedfields/types/version-converter.js"
import type { MapValue } from "../../value/value.js"
import type { BuiltInKind } from "../kind/kind.js"
import type { Problem, Subject } from "../refusal/failure.js"

export type Verb = "create" | "delete" | "deletecollection" | "get" | "list" | "patch" | "update" | "watch"

/** `status`, `scale` and the like. */
export interface Subresource {
  readonly name: string
  readonly kind: string
  readonly apiVersion: string
  readonly verbs: readonly Verb[]
}

/** What the definition of a custom resource says of one version. */
export interface CustomVersion {
  /** The definition, as it is stored. */
  readonly definition: MapValue
  /** The entry of `spec.versions`. */
  readonly version: MapValue
  /** Its structural schema; one that keeps everything if it has none. */
  readonly schema: MapValue
  /** Reads an object: without unknown fields, whose paths are returned, and with defaults. */
  readonly read: (object: MapValue) => { readonly object: MapValue; readonly unknown: readonly string[] }
  /** Reads an object from storage, by the schema of the version at which objects are stored. */
  readonly readStored: (object: MapValue) => MapValue
  /** Fills in the defaults. */
  readonly defaults: (object: MapValue) => MapValue
  /** The problems of an object that is to be stored. */
  readonly validate: (object: MapValue, options: CustomValidation) => readonly Problem[]
  /** The places in the schema of the rules in CEL that `validate` does not run. */
  readonly unrunRules: () => readonly string[]
}

/** What an object is validated with. */
export interface CustomValidation {
  /** The stored object, for an update: problems that it has already may stay. */
  readonly old?: MapValue | undefined
  /** `status` where the request can write nothing but that. */
  readonly subresource?: string | undefined
  /** Problems that were found before: rules may not be run because of them. */
  readonly others?: readonly { readonly reason: string }[]
}

/** The problems of a definition. */
export interface DefinitionProblems {
  readonly errors: readonly Problem[]
  readonly warnings: readonly string[]
}

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
  /** Where types of objects are found. */
  readonly types: TypeFinder
  readonly converter: ObjectConverter
  /** Absent for built-in kinds. */
  readonly custom?: CustomVersion
  /** The kind's entry in the registry of built-in kinds. Absent for custom resources, and for kinds that need nothing special. */
  readonly builtIn?: BuiltInKind
  /** Checks definitions, where the kind is the one that defines kinds; absent where they can't be read. */
  readonly checkDefinition?: (definition: MapValue, old: MapValue | undefined) => DefinitionProblems
  /** Set if nothing is known of the kind but its type. */
  readonly plain?: true
}

/** As messages name the resource. */
export function subjectOf({ group, plural }: Resource): Subject {
  return { group, name: plural }
}

/** As messages about an object name its kind. */
export function kindSubject({ group, kind }: Resource): Subject {
  return { group, name: kind }
}

/** The name under which the objects of a resource are kept, at whatever version it is asked for. */
export function storeKey({ group, plural, builtIn }: Pick<Resource, "group" | "plural" | "builtIn">): string {
  return `${builtIn?.storedWithGroup ?? group}/${plural}`
}
