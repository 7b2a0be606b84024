// Finds out whether two requests may be about the same object.
//
// Configurations can name the same object in different ways: without its namespace, with a namespace although its kind is cluster-scoped,
// at another version, or in another group that shares the objects. Only a live object or a response shows the namespace with certainty.
import { isClusterScopedKind, sharedGroup } from "../../kubernetes/scope.js"
import { kindOf } from "../../schema/group-version-kind.js"
import { textAt } from "../../value/fields.js"
import type { MapValue } from "../../value/value.js"
import { objectName } from "../ownership/object-name.js"
import { metadataOf } from "./memory.js"

/** An object, identified as far as a request does. */
export interface Target {
  /** Group, kind and name. Objects that differ only in version or namespace have the same value. */
  readonly namesakes: string
  /**
   * The namespace; "" if the kind is cluster-scoped or the request does not name one. In the latter case the object may be any of the
   * namesakes.
   */
  readonly namespace: string
}

/**
 * Returns the object that a configuration is about. `known` is that object, live or from a response, if there is one. Throws a TypeError
 * for a configuration without a name.
 */
export function targetOf(config: MapValue, known?: object): Target {
  const { namespace = "", name } = objectName(config)
  if (name === "") throw new TypeError("the configuration has no metadata.name")
  const kind = kindOf(config)
  const namesakes = `${sharedGroup(kind)}/${kind.kind}/${name}`
  if (isClusterScopedKind(kind)) return { namesakes, namespace: "" }
  return { namesakes, namespace: known === undefined ? namespace : (namespaceOf(known) ?? "") }
}

/** Returns the namespace of the object, which may be plain or an instance of a client's class; undefined if it has none. */
export function namespaceOf(object: object | undefined): string | undefined {
  const namespace = object === undefined ? "" : textAt(metadataOf(object), "namespace")
  return namespace === "" ? undefined : namespace
}

/** Returns the target as a text. */
export function keyOf({ namesakes, namespace }: Target): string {
  return `${namespace}/${namesakes}`
}

/**
 * Returns the keys under which responses for a live object may be stored. The first is the object's own key. The others belong to requests
 * that were sent before its namespace was known.
 */
export function keysOf(config: MapValue, live: MapValue): readonly [string, ...string[]] {
  const own = targetOf(config, live)
  return [keyOf(own), keyOf(targetOf(config)), keyOf({ ...own, namespace: "" })]
}

/** Runs work on one object in the order of the calls, and work on different objects in parallel. */
export class Turns {
  /** The latest unfinished work, by namesakes and namespace. */
  private readonly last = new Map<string, Map<string, Promise<unknown>>>()

  /** Runs the work after all earlier work that may be on the same object, whether or not that failed. */
  async take<T>({ namesakes, namespace }: Target, work: () => Promise<T>): Promise<T> {
    const all = this.last.get(namesakes) ?? new Map<string, Promise<unknown>>()
    this.last.set(namesakes, all)
    const earlier = namespace === "" ? [...all.values()] : [all.get(namespace), all.get("")]
    const done = Promise.allSettled(earlier).then(work)
    all.set(namespace, done)
    try {
      return await done
    } finally {
      if (all.get(namespace) === done && all.delete(namespace) && all.size === 0) this.last.delete(namesakes)
    }
  }
}
