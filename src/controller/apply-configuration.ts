// The type of what is applied: some of an object's fields, with what server-side apply needs to know which object and which items
// are meant. Types alone, nothing of this is left at run time.
import type { ListKeys } from "./list-keys.js"

declare const listKeys: unique symbol

/** A list of items that are told apart by these fields: `x-kubernetes-list-type: map`. Any array of such items is one. */
export type KeyedList<Item, Keys extends string> = Item[] & {
  /** Nothing at run time: carries the keys in the type. */
  readonly [listKeys]?: Keys
}

/** A list of objects that is replaced whole, or whose items are told apart by their value. Any array is one. */
export type UnkeyedList<Item> = KeyedList<Item, never>

/**
 * What may be applied of objects of this type, such as a `V1Deployment` of @kubernetes/client-node or a type that `smd types` printed:
 * any of its fields, but `apiVersion`, `kind` and the name, and in each item of a keyed list the keys that have no default. Fields have
 * their names in JSON, times may be text.
 *
 * Which lists of types without `KeyedList` are keyed is known by the names that Kubernetes gives its own: `containers`, `env`, `ports`.
 */
export type ApplyConfiguration<T extends object> = {
  /** The version that the fields are of. */
  readonly apiVersion: "apiVersion" extends keyof T ? Extract<T["apiVersion"], string> : string
  /** The kind of the object. */
  readonly kind: "kind" extends keyof T ? Extract<T["kind"], string> : string
  /** At least the name. */
  readonly metadata: {
    /** The name of the object. */
    readonly name: string
  } & ("metadata" extends keyof T ? PartOf<NonNullable<T["metadata"]>> : object)
} & Omit<PartOf<T>, "apiVersion" | "kind" | "metadata">

/** Any of the fields at every level, the keys of items of keyed lists beside. `Field` is the name under which an object has it. */
export type PartOf<T, Field = undefined> = unknown extends T
  ? T
  : T extends Date
    ? Date | string
    : T extends readonly (infer Item)[]
      ? readonly (PartOf<Item> & KeysOfItem<Item, KeysOf<Field, T, Item>>)[]
      : T extends object
        ? { readonly [K in keyof T as K extends `_${infer Name}` ? Name : K]?: PartOf<NonNullable<T[K]>, K> }
        : T

/** The keys by which items of a list are told apart: those that the list says, or else those of Kubernetes' lists of this name. */
export type KeysOf<Field, List, Item, Row = ListKeys> = List extends {
  /** Nothing at run time: carries the keys in the type. */
  readonly [listKeys]?: infer Keys
}
  ? Keys
  : Row extends readonly [Field, infer Mark, infer Keys]
    ? Mark extends keyof Item
      ? Keys
      : never
    : never

/** An item as far as it is known by these keys: a single one is required, of several those that the type of the items requires. */
export type KeysOfItem<Item, Keys, First = Keys> = [Keys] extends [never]
  ? unknown
  : First extends Keys
    ? [Keys] extends [First]
      ? { readonly [K in Keys & keyof Item]-?: NonNullable<Item[K]> }
      : Pick<Item, Keys & keyof Item>
    : never

/** The metadata of an object, as far as programs that apply have to do with it. */
export interface ObjectMetadata {
  /** The name of the object. */
  name?: string
  /** Its namespace; absent for what has none. */
  namespace?: string
  /** What it is chosen by. */
  labels?: { [key: string]: string }
  /** What else is noted about it. */
  annotations?: { [key: string]: string }
  /** Who has something to do before it goes. */
  finalizers?: string[]
  /** The objects that it goes with. */
  ownerReferences?: KeyedList<OwnerReference, "uid">
  /** Written by the server: tells it from all other objects. */
  uid?: string
  /** Written by the server: another one after each change. */
  resourceVersion?: string
  /** Written by the server: counts changes of what is wished for. */
  generation?: number
  /** Written by the server. */
  creationTimestamp?: string
  /** Written by the server when the object is deleted. */
  deletionTimestamp?: string
  /** Written by the server: who owns what. */
  managedFields?: UnkeyedList<object>
}

/** An object that another one goes with. */
export interface OwnerReference {
  /** The version of the owner. */
  apiVersion: string
  /** The kind of the owner. */
  kind: string
  /** The name of the owner. */
  name: string
  /** What tells the owner from all other objects. */
  uid: string
  /** Whether the owner manages the object. */
  controller?: boolean
  /** Whether the owner can't go before the object does, where it is deleted so. */
  blockOwnerDeletion?: boolean
}
