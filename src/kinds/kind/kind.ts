// The type of a built-in kind: everything in which an API server treats it differently from other kinds.
//
// Each kind is an object literal in the file of its family, in families/. The same file holds the functions that the literal names, and
// the columns of the kind's tables; the longer ones are in a folder with the name of the file. Generic code finds a kind in the registry and
// follows its members; it never compares names of kinds.
import type { MapValue } from "../../value/value.js"
import type { TextCheck } from "../validation/field.js"
import type { KindChecks } from "../validation/validate.js"
import type { DefaultRules } from "./default-rule.js"

/** A built-in kind. Its members are in the order in which requests meet them; leave out those that need nothing special. */
export interface BuiltInKind {
  /** The group under whose name objects are stored. Defaults to the group of the kind. */
  readonly storedWithGroup?: string
  /** Converts an object to another version of the kind. Returns undefined if the server does not serve that version. */
  readonly convert?: (object: MapValue, apiVersion: string) => MapValue | undefined

  /** Changes an object after it is read and before it gets its defaults. */
  readonly read?: (object: MapValue) => MapValue
  /** The defaults of the types that the kind consists of, by their names in `kubernetesSchema()`. */
  readonly defaults?: DefaultRules
  /** Whether objects define other kinds, as CustomResourceDefinitions do. */
  readonly definesKinds?: boolean
  /** Whether validation compiles expressions in CEL. The registry leaves that check out: it is in the reader of kinds. */
  readonly compilesExpressions?: boolean
  /** Applies the admission plugins that every cluster runs. `live` is the stored object, or undefined if the request creates one. */
  readonly admit?: (object: MapValue, live: MapValue | undefined) => MapValue

  /** Whether a PUT may create an object. */
  readonly createdByPut?: boolean
  /** Whether a new object keeps the status that it was sent with. Updates reset the status even so. */
  readonly keepsCreatedStatus?: boolean
  /** Completes a new object. It has its name and uid by then. `now` is the time of the request. */
  readonly created?: (object: MapValue, now: Date) => MapValue
  /** Answers a review, which is never stored. Returns it with its status. */
  readonly review?: (object: MapValue) => MapValue
  /** Allocates addresses and ports, which must differ from those of `others`, the other stored objects. */
  readonly allocate?: (object: MapValue, others: readonly MapValue[]) => MapValue

  /** Whether an update must name the resourceVersion that it was made for. */
  readonly needsResourceVersion?: boolean
  /** Changes an object that replaces `live` by a request to a subresource ("" for none), after the fields that the request can't write were reset. */
  readonly updated?: (object: MapValue, live: MapValue, subresource: string) => MapValue
  /** Whether objects have a generation, which grows with each change outside of metadata and status. */
  readonly countsGeneration?: boolean
  /** The part of the metadata with whose changes the generation also grows. */
  readonly alsoCounts?: "annotations" | "labels"

  /** Checks names. Defaults to the rule for DNS subdomains. */
  readonly checkName?: TextCheck
  /** Whether the names of finalizers may be unqualified. */
  readonly anyFinalizer?: boolean
  /** Reports problems of an object. */
  readonly validate?: KindChecks

  /** An annotation for a field of a server's own type: Tables and PartialObjectMetadata lack it. */
  readonly hiddenAnnotation?: string

  /** Since when the kind is deprecated, and the kind to use instead, in the words of a server. */
  readonly deprecation?: string
  /** Returns a server's warnings about an object that it stores. `live` is the stored object, or undefined if the object is new. */
  readonly warnings?: (object: MapValue, live: MapValue | undefined) => readonly string[]

  /** Returns how many seconds a deleted object stays. `requested` is the grace period in the request, if there is one. */
  readonly gracePeriod?: (object: MapValue, requested: number | undefined) => number
  /** The names of objects that can't be deleted. */
  readonly permanent?: readonly string[]
  /** Whether a delete without a propagation policy takes the object from the owners of its dependents instead of deleting them. */
  readonly orphansDependents?: boolean
  /** The warning about a delete without a propagation policy. */
  readonly deleteWarning?: string
  /** Changes an object when it is marked for deletion. */
  readonly marked?: (object: MapValue) => MapValue
  /** Whether something other than `metadata.finalizers` prevents the removal of a deleted object. */
  readonly isHeld?: (object: MapValue) => boolean
  /** Changes a deleted object once it contains no other objects. Only Namespaces contain objects, which are deleted first. */
  readonly emptied?: (object: MapValue) => MapValue
  /** Whether a delete answers with the deleted object. For other kinds, it answers with a Status. */
  readonly returnedWhenDeleted?: boolean

  /** The paths of fields that field selectors may name, besides name and namespace. Each has the text that stands for an absent value. */
  readonly selectableFields?: Readonly<Record<string, string>>
}

/** The kinds of a family by group and kind: `apps/Deployment`, `/Pod`. */
export type Family = Readonly<Record<string, BuiltInKind>>
