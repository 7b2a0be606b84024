// What may be special about a built-in kind. A kind is a literal of this type in the file of its family, in families/, and that file has
// everything else we know of it: the functions that the literal names, and the columns of its tables. The generic code finds the literal
// through the registry and does what its members say; it never compares the names of kinds.
import type { MapValue } from "../value/value.js"
import type { DefaultRules } from "./default-rule.js"
import type { TextCheck } from "./validation/field.js"
import type { KindCheck } from "./validation/validate.js"

/** What is special about a kind. Members are in the order in which a request meets them; an absent one means that nothing is special. */
export interface BuiltInKind {
  /** The group under whose name the objects are stored, if that is not the group of the kind. */
  readonly storedWithGroup?: string
  /** The object at another version of the kind; undefined if there is no such version. */
  readonly convert?: (object: MapValue, apiVersion: string) => MapValue | undefined

  /** Changes an object that was read, before its defaults are filled in. */
  readonly read?: (object: MapValue) => MapValue
  /** The defaults of the types that objects of this kind consist of, by the names of `kubernetesSchema()`. */
  readonly defaults?: DefaultRules
  /** Whether objects define kinds of their own. True of CustomResourceDefinitions alone. */
  readonly definesKinds?: boolean
  /** What the admission plugins of every cluster make of an object that takes the place of `live`, which is undefined for a new one. */
  readonly admit?: (object: MapValue, live: MapValue | undefined) => MapValue

  /** Whether a PUT may create an object. */
  readonly createdByPut?: boolean
  /** Whether the status of a new object is stored as it was sent, although updates reset it. */
  readonly keepsCreatedStatus?: boolean
  /** What a server adds to a new object, whose uid and name are known. */
  readonly created?: (object: MapValue) => MapValue
  /** The object with what no other object has: addresses and ports. `others` are the other objects that are stored. */
  readonly allocate?: (object: MapValue, others: readonly MapValue[]) => MapValue

  /** Whether an update has to say for which resourceVersion it was made. */
  readonly needsResourceVersion?: boolean
  /** Changes an object that takes the place of `live`, after the fields are reset that the request can't write. */
  readonly updated?: (object: MapValue, live: MapValue) => MapValue
  /** Whether objects have a generation, which grows with each change outside of metadata and status. */
  readonly countsGeneration?: boolean
  /** Whether the generation grows with changes of annotations, too. */
  readonly countsAnnotations?: boolean

  /** What names have to be like; DNS subdomains if absent. */
  readonly checkName?: TextCheck
  /** Whether finalizers need not be qualified names. */
  readonly anyFinalizer?: boolean
  /** Reports what is wrong with the values of an object, by the subresource that it was sent to; "" for the object itself. */
  readonly validate?: Readonly<Record<string, KindCheck>>

  /** How many seconds an object that is deleted has before it goes; `asked` is what the request says, if it says something. */
  readonly gracePeriod?: (object: MapValue, asked: number | undefined) => number
  /** Changes an object when it is marked for deletion. */
  readonly marked?: (object: MapValue) => MapValue
  /** Whether something else than finalizers of its metadata keeps an object that is to be deleted. */
  readonly isHeld?: (object: MapValue) => boolean
  /** The object once there is nothing in it any more. Only Namespaces have objects in them, which go before the Namespace does. */
  readonly emptied?: (object: MapValue) => MapValue
  /** Whether the answer to a delete has the object that is gone, rather than a Status. */
  readonly returnedWhenDeleted?: boolean

  /**
   * The fields by which lists can be filtered, besides name and namespace: their paths, and the text that stands for an absent value.
   */
  readonly selectableFields?: Readonly<Record<string, string>>
}

/** The kinds of a family by group and kind: `apps/Deployment`, `/Pod`. */
export type Family = Readonly<Record<string, BuiltInKind>>
