// The type of what is applied: some of an object's fields, with what server-side apply needs to know which object and which items
// are meant. Types alone, nothing of this is left at run time.
import type { ListKeys } from "./list-keys.js"

declare const listKeys: unique symbol

/** A list of items that are told apart by these fields: `x-kubernetes-list-type: map`. Any array of such items is one. */
export type KeyedList<Item, Keys extends string> = Item[] & { readonly [listKeys]?: Keys }

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
  readonly apiVersion: TextOf<T, "apiVersion">
  readonly kind: TextOf<T, "kind">
  readonly metadata: { readonly name: string } & MetadataOf<T>
} & Omit<Partly<T>, "apiVersion" | "kind" | "metadata">

type TextOf<T, K extends string> = T extends { readonly [key in K]?: infer Text extends string } ? Text : string
type MetadataOf<T> = T extends { readonly metadata?: infer M extends object } ? Partly<M> : object

/** Any of the fields, at every level. */
type Partly<T> = unknown extends T
  ? T
  : T extends Date
    ? Date | string
    : T extends readonly (infer Item)[]
      ? readonly Partly<Item>[]
      : T extends object
        ? { readonly [K in keyof T as JsonName<K>]?: PartlyIn<K, NonNullable<T[K]>> }
        : T

/** The same for a field: in lists, items have their keys. */
type PartlyIn<Field, T> = T extends readonly (infer Item)[]
  ? readonly (Partly<Item> & Keyed<Item, KeysOf<Field, T, Item>>)[]
  : Partly<T>

type KeysOf<Field, List, Item> = List extends { readonly [listKeys]?: infer Keys }
  ? Keys
  : Field extends keyof ListKeys
    ? ListKeys[Field] extends infer Rows
      ? { [Mark in keyof Rows]: Mark extends keyof Item ? Rows[Mark] : never }[keyof Rows]
      : never
    : never

/** A single key is required. Of several, those that the type of the items requires. */
type Keyed<Item, Keys> =
  IsUnion<Keys> extends true
    ? Pick<Item, Keys & keyof Item>
    : { readonly [K in Keys & keyof Item]-?: NonNullable<Item[K]> }
type IsUnion<T, All = T> = [T] extends [never] ? false : T extends All ? ([All] extends [T] ? false : true) : never

/** The name in JSON of a property that @kubernetes/client-node had to give another: `_from` is `from`. */
type JsonName<K> = K extends `_${infer Name}` ? Name : K

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
  ownerReferences?: KeyedList<
    { apiVersion: string; kind: string; name: string; uid: string; controller?: boolean; blockOwnerDeletion?: boolean },
    "uid"
  >
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
