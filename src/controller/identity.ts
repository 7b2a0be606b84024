// Finds out whether two requests may be about one object.
//
// Configurations name one object in different ways: without its namespace, with a namespace although its kind has none, at another
// version, or in another group that has the same objects. Only a live object or an answer says for sure in which namespace it is.
import { isClusterScopedKind, sharedGroup } from "../kubernetes/scope.js"
import { nameOf } from "../ownership/object-name.js"
import { kindOf, textAt } from "../schema/group-version-kind.js"
import type { MapValue } from "../value/value.js"
import { metadataOf } from "./memory.js"

/** An object, as far as a request says which one it means. */
export interface Target {
  /** Group, kind and name. Objects that differ only in version or namespace have the same. */
  readonly namesakes: string
  /** The namespace; "" if the kind has none or the request does not say. Then the object may be any of the namesakes. */
  readonly namespace: string
}

/**
 * The object that a configuration is about. `known` is that object, live or in an answer, if there is one. Throws a TypeError for a
 * configuration without a name.
 */
export function targetOf(config: MapValue, known?: object): Target {
  const { namespace = "", name } = nameOf(config)
  if (name === "") throw new TypeError("the configuration has no metadata.name")
  const kind = kindOf(config)
  const namesakes = `${sharedGroup(kind)}/${kind.kind}/${name}`
  if (isClusterScopedKind(kind)) return { namesakes, namespace: "" }
  return { namesakes, namespace: known === undefined ? namespace : (namespaceOf(known) ?? "") }
}

/** The namespace of the object, be it plain or an instance of a client's class; undefined if it has none. */
export function namespaceOf(object: object | undefined): string | undefined {
  const namespace = object === undefined ? "" : textAt(metadataOf(object), "namespace")
  return namespace === "" ? undefined : namespace
}

/** The target as a text. */
export function keyOf({ namesakes, namespace }: Target): string {
  return `${namespace}/${namesakes}`
}

/**
 * The keys under which answers about a live object may have been noted. The first is its own; the others are for requests that were sent
 * before it was known in which namespace the object is.
 */
export function keysOf(config: MapValue, live: MapValue): readonly [string, ...string[]] {
  const own = targetOf(config, live)
  return [keyOf(own), keyOf(targetOf(config)), keyOf({ ...own, namespace: "" })]
}

/** Does work on one object in the order in which it was asked for, and work on different objects side by side. */
export class Turns {
  /** The work that was asked for last and is not done yet, by namesakes and namespace. */
  private readonly last = new Map<string, Map<string, Promise<unknown>>>()

  /** Does the work once all earlier work is over that may be on the same object, whether or not that failed. */
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
