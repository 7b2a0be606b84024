// The objects of a server, as controllers and expressions see them.

import { formatTime } from "../../managedfields/entries/time.js"
import { metadataOf, metaText } from "../../schema/metadata.js"
import { mapAt, mapsAt, textAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import type { MapValue } from "../../value/value.js"
import type { ServerTime } from "../reproducible/clock.js"
import type { Store } from "../storage/store.js"
import { freePodIP, nodeIP } from "./addresses.js"
import type { ClusterView } from "./functions/request.js"
import type { Variables } from "./template.js"

/** The state of a server. */
export interface SeenServer {
  readonly store: Store
  readonly time: ServerTime
  /** Returns the object of a kind that the server serves, at any version. */
  readonly find: ClusterView["find"]
}

/** Returns the view of a server that its controllers have. */
export function viewOf({ store, time, find }: SeenServer): ClusterView {
  return {
    get now() {
      return time.now()
    },
    find,
    list: (key, namespace) => store.list(key, namespace),
    get: (key, namespace, name) => store.get(key, namespace, name),
    ownedBy: (owner, key) => {
      const uid = metaText(owner, "uid")
      const owned = store.dependentsOf(uid).flatMap(({ resource, namespace, name }) => {
        const object = resource === key ? store.get(resource, namespace, name) : undefined
        return object !== undefined && own(controllerOf(object) ?? {}, "uid") === uid ? [object] : []
      })
      const rank = (object: MapValue) => `${metaText(object, "creationTimestamp")} ${metaText(object, "name")}`
      return owned.sort((a, b) => (rank(a) < rank(b) ? -1 : 1))
    },
  }
}

/** Returns the variables of expressions about an object. */
export function variablesOf(object: MapValue, { store, time }: SeenServer): Variables {
  return {
    object,
    now: () => formatTime(time.now()),
    podIP: () => freePodIP(store.list("/pods")),
    hostIP: () => {
      const isNode = textAt(object, "kind") === "Node"
      const node = isNode ? object : store.get("/nodes", "", textAt(mapAt(object, "spec"), "nodeName"))
      return nodeIP(node, store.list("/nodes"))
    },
  }
}

/** Returns the reference to the controller of an object. */
export function controllerOf(object: MapValue): MapValue | undefined {
  return mapsAt(metadataOf(object), "ownerReferences").find(each => each.controller === true)
}
