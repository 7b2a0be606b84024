// The type of a configuration: some of an object's fields, plus those that server-side apply needs to identify the object and its items.
// This file has only types and leaves nothing at run time.
import type { ListKeys } from "./list-keys.js"

declare const listKeys: unique symbol

/** A list whose items are identified by these fields: `x-kubernetes-list-type: map`. Any array of such items can be assigned to it. */
export type KeyedList<Item, Keys extends string> = Item[] & {
  /** Does not exist at run time: carries the keys in the type. */
  readonly [listKeys]?: Keys
}

/** A list of objects that is replaced as a whole, or whose items are identified by their value. Any array can be assigned to it. */
export type UnkeyedList<Item> = KeyedList<Item, never>

/**
 * A configuration to apply to objects of this type, such as a `V1Deployment` of @kubernetes/client-node or a type printed by `smd types`.
 * It may have any of the type's fields; an undefined field is left out. It requires `apiVersion`, `kind` and the name, and, in each item of a keyed list, the keys without
 * a default. Fields have their JSON names, and times may be text.
 *
 * In types without `KeyedList`, keyed lists are recognized by the names that they have in Kubernetes: `containers`, `env`, `ports`.
 */
export type ApplyConfiguration<T extends object> = {
  /** The version of the fields. */
  readonly apiVersion: "apiVersion" extends keyof T ? Extract<T["apiVersion"], string> : string
  /** The kind of the object. */
  readonly kind: "kind" extends keyof T ? Extract<T["kind"], string> : string
  /** At least the name. */
  readonly metadata: {
    /** The name of the object. */
    readonly name: string
  } & ("metadata" extends keyof T ? PartOf<NonNullable<T["metadata"]>> : object)
} & Omit<PartOf<T>, "apiVersion" | "kind" | "metadata">

/** Any of the fields at every level, plus the keys of items in keyed lists. `Field` is the name of the field that has the type. */
export type PartOf<T, Field = undefined> = unknown extends T
  ? T
  : T extends Date
    ? Date | string
    : T extends readonly (infer Item)[]
      ? readonly (PartOf<Item> & KeysOfItem<Item, KeysOf<Field, T, Item>>)[]
      : T extends object
        ? {
            readonly [K in keyof T as K extends `_${infer Name}` ? Name : K]?: PartOf<NonNullable<T[K]>, K> | undefined
          }
        : T

/** The keys that identify the items of a list: those that its type names, or else those of the Kubernetes lists with this name. */
export type KeysOf<Field, List, Item, Row = ListKeys> = List extends {
  /** Does not exist at run time: carries the keys in the type. */
  readonly [listKeys]?: infer Keys
}
  ? Keys
  : Row extends readonly [Field, infer Mark, infer Keys]
    ? Mark extends keyof Item
      ? Keys
      : never
    : never

/** The keys of an item. A single key is required; of several keys, those are required that the type of the items requires. */
export type KeysOfItem<Item, Keys, First = Keys> = [Keys] extends [never]
  ? unknown
  : First extends Keys
    ? [Keys] extends [First]
      ? { readonly [K in Keys & keyof Item]-?: NonNullable<Item[K]> }
      : Pick<Item, Keys & keyof Item>
    : never

/** The metadata of an object, limited to the fields that are relevant to programs that apply. */
export interface ObjectMetadata {
  /** The name of the object. */
  name?: string
  /** Its namespace; absent for cluster-scoped objects. */
  namespace?: string
  /** The labels, which selectors match. */
  labels?: { [key: string]: string }
  /** Other notes about the object. */
  annotations?: { [key: string]: string }
  /** The controllers that have to act before the object is removed. */
  finalizers?: string[]
  /** The owners of the object. It is deleted along with them. */
  ownerReferences?: KeyedList<OwnerReference, "uid">
  /** Written by the server: identifies the object. */
  uid?: string
  /** Written by the server: differs after each change. */
  resourceVersion?: string
  /** Written by the server: counts changes to the desired state. */
  generation?: number
  /** Written by the server. */
  creationTimestamp?: string
  /** Written by the server when the object is deleted. */
  deletionTimestamp?: string
  /** Written by the server: the owners of fields. */
  managedFields?: UnkeyedList<object>
}

/** An owner of an object, which is deleted along with it. */
export interface OwnerReference {
  /** The version of the owner. */
  apiVersion: string
  /** The kind of the owner. */
  kind: string
  /** The name of the owner. */
  name: string
  /** Identifies the owner. */
  uid: string
  /** Whether the owner manages the object. */
  controller?: boolean
  /** Whether a foreground deletion of the owner waits until this object is deleted. */
  blockOwnerDeletion?: boolean
}
