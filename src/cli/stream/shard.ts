// Divides a fleet into parts. The part of an object does not depend on the place or the order in which it is read.
import { parseKind } from "../../schema/group-version-kind.js"
import type { Identity } from "./identity.js"

/** One of `count` parts. `index` counts from 0. */
export interface Shard {
  readonly index: number
  readonly count: number
}

/**
 * Whether the object belongs to the shard. Its index is the FNV-1a hash (32 bits) of the UTF-8 bytes of `group/kind/namespace/name`,
 * modulo `count`. Anything that the object lacks is empty. The version does not count, so that an object stays in its shard when it is
 * read in another version.
 */
export function isInShard({ apiVersion, kind, namespace, name }: Identity, { index, count }: Shard): boolean {
  const { group } = parseKind(apiVersion, kind)
  return hash(`${group}/${kind}/${namespace}/${name}`) % count === index
}

function hash(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit >= 0x80) return hashBytes(Buffer.from(text))
    hash = Math.imul(hash ^ unit, 0x01000193)
  }
  return hash >>> 0
}

function hashBytes(bytes: Uint8Array): number {
  let hash = 0x811c9dc5
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash >>> 0
}
