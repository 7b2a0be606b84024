// Addresses that controllers give to Pods and nodes: always the lowest free one.

import { mapAt, mapsAt, textAt } from "../../value/fields.js"
import type { MapValue } from "../../value/value.js"

const status = (object: MapValue): MapValue => mapAt(object, "status")
const internalIP = (node: MapValue): string =>
  textAt(mapsAt(status(node), "addresses").find(each => each.type === "InternalIP") ?? {}, "address")

/** Returns the lowest address that none of these Pods has. Pods that have ended have none. */
export function freePodIP(pods: readonly MapValue[]): string {
  return lowest("10.244.", new Set(pods.filter(hasAddress).map(pod => textAt(status(pod), "podIP"))))
}

const hasAddress = (pod: MapValue): boolean => !["Succeeded", "Failed"].includes(textAt(status(pod), "phase"))

/** Returns the address of a node: its own, or the lowest that no node has. */
export function nodeIP(node: MapValue | undefined, nodes: readonly MapValue[]): string {
  return (node && internalIP(node)) || lowest("172.18.", new Set(nodes.map(internalIP)))
}

function lowest(prefix: string, taken: ReadonlySet<string>): string {
  for (let number = 2; ; number++) {
    const address = `${prefix}${number >> 8}.${number & 255}`
    if (!taken.has(address)) return address
  }
}
