// The requests that controllers send, and the cluster that they see.

import type { MapValue, Value } from "../../../value/value.js"

/** A request of a controller. Its object names itself, by kind, namespace and name. */
export type ControllerRequest =
  /** An object without a namespace goes to this one if its kind needs one. */
  | { readonly verb: "create"; readonly object: MapValue; readonly namespace?: string }
  /** Replaces the object, unless it has changed since. */
  | { readonly verb: "update"; readonly object: MapValue; readonly subresource?: string }
  | {
      readonly verb: "patch"
      readonly object: MapValue
      readonly patch: Value
      readonly subresource?: string
      readonly type?: "strategic" | "merge" | "apply" | undefined
    }
  /** `isForced` leaves a Pod no time to end. */
  | { readonly verb: "delete"; readonly object: MapValue; readonly isForced?: boolean }
  | { readonly verb: "scale"; readonly object: MapValue; readonly replicas: number }
  | { readonly verb: "bind"; readonly object: MapValue; readonly node: string }

/** A decision of a controller about an object: a request, or the time after which it wants to look again. */
export type Step =
  | (ControllerRequest & {
      /** Returns the requests to send if this one is refused. */
      readonly otherwise?: (message: string) => readonly Step[]
    })
  | { readonly again: number }

/** The objects of a cluster, at the versions at which they are stored. Keys are those of the store: `apps/deployments`, `/pods`. */
export interface ClusterView {
  readonly now: Date
  readonly list: (key: string, namespace?: string) => readonly MapValue[]
  readonly get: (key: string, namespace: string, name: string) => MapValue | undefined
  /** Returns the objects whose controller is this one, sorted by creation and name. */
  readonly ownedBy: (owner: MapValue, key: string) => readonly MapValue[]
  /** Returns the object that this reference names, in a namespace. */
  readonly find: (apiVersion: string, kind: string, namespace: string, name: string) => MapValue | undefined
}

/** A function that stages call. It decides on the next step, and is called again after each change of the object or of those that it watches. */
export type ControllerFunction = (object: MapValue, cluster: ClusterView) => readonly Step[]
