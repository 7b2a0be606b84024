// How tests name objects: by their own apiVersion, kind and metadata.

import { SchemaError } from "../../errors.js"
import type { Resource } from "../../kinds/resource/resource.js"
import type { ResourceTable } from "../../kinds/resource/table.js"
import { metaText } from "../../schema/metadata.js"
import { requireOptions } from "../../value/argument.js"
import { textAt } from "../../value/fields.js"
import { didYouMean } from "../../value/nearest.js"
import type { MapValue } from "../../value/value.js"

/** An object, or as much of it as names it: apiVersion, kind, and name in the metadata. */
export interface ObjectHeader {
  /** Group and version: `apps/v1`. */
  readonly apiVersion?: string | undefined
  /** The kind: `Deployment`. */
  readonly kind?: string | undefined
  /** The name and the namespace. */
  readonly metadata?:
    | {
        /** The name. */
        readonly name?: string | undefined
        /** The namespace; if absent, `default` for a kind that has namespaces. */
        readonly namespace?: string | undefined
      }
    | undefined
}

/** The metadata that a server gives to each object. */
export interface StoredMetadata {
  /** The name. */
  readonly name: string
  /** Distinguishes the object from earlier and later ones of the same name. */
  readonly uid: string
  /** Changes with each write of the object. */
  readonly resourceVersion: string
}

/**
 * An object as the server returns it. `T` is the type of the object that was given, such as a `V1Deployment` of @kubernetes/client-node. The
 * object has its JSON form: times are texts. If `T` has only the fields that name an object, all other fields are `unknown`.
 */
export type Stored<T extends object = object> = T & {
  /** Group and version. */
  readonly apiVersion: string
  /** The kind. */
  readonly kind: string
  /** The metadata. */
  readonly metadata: StoredMetadata
} & (keyof T extends keyof ObjectHeader ? { readonly [field: string]: unknown } : object)

/** The address of an object or a kind. */
export interface Address {
  readonly resource: Resource
  /** "" for an object without a namespace. */
  readonly namespace: string
  readonly name: string
}

/** Finds the resource of an object. Throws a TypeError if it names no kind, and a SchemaError if its kind is not served. */
export function addressOf(table: ResourceTable, argument: string, object: object): Address {
  requireOptions(argument, object)
  const header = object as MapValue
  const [apiVersion, kind] = [textAt(header, "apiVersion"), textAt(header, "kind")]
  if (apiVersion === "" || kind === "") throw new TypeError(`${argument}: expected an object with apiVersion and kind`)
  const resource = servedKind(table, apiVersion, kind)
  const namespace = resource.namespaced ? metaText(header, "namespace") || "default" : ""
  return { resource, namespace, name: metaText(header, "name") }
}

/** Returns the resource that serves a kind. Throws a SchemaError if the server does not serve it. */
export function servedKind(table: ResourceTable, apiVersion: string, kind: string): Resource {
  const resource = table.findKind(apiVersion, kind)
  if (resource !== undefined) return resource
  const kinds = table.all.filter(each => each.apiVersion === apiVersion).map(each => each.kind)
  const missing = `no resource serves ${apiVersion} ${kind}: load its CustomResourceDefinition first`
  throw new SchemaError(missing + didYouMean(kind, kinds))
}
