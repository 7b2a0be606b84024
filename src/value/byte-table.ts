import { maxCharacters, maxEntries, maxLength } from "./table.js"

/** As much as a `Table` holds in its two generations. */
const maxKeys = 2 * maxEntries
const maxBytes = 2 * maxCharacters
/** After so many keys that a full table did not have it starts anew. */
const patience = 8 * maxKeys
const bucketCount = 16_384
/** Keys made to have one hash can't make a search longer than this. */
const maxInBucket = 8

// One key: its bytes are `pool[offset..offset+length)`.
interface Known<V> {
  readonly hash: number
  readonly offset: number
  readonly length: number
  readonly value: V
  readonly next: Known<V> | undefined
}

/**
 * Values by keys that are runs of bytes inside a larger array. The caller brings a hash of each, which it has by the time it knows
 * where the run ends.
 *
 * It is bounded as a `Table` is, but drops what it holds all at once, and only after many misses. With the rule of `Table`, reading
 * field sets of more keys than fit took 3 to 5 times as long: each key was copied on every time round.
 */
export class ByteTable<V extends object> {
  private readonly buckets = new Array<Known<V> | undefined>(bucketCount).fill(undefined)
  private pool = new Uint8Array(1 << 12)
  private used = 0
  private count = 0
  private missed = 0

  /** The value of the key `bytes[from..to)`. */
  get(bytes: Uint8Array, from: number, to: number, hash: number): V | undefined {
    const { pool } = this
    const length = to - from
    for (let known = this.buckets[hash & (bucketCount - 1)]; known !== undefined; known = known.next) {
      if (known.hash !== hash || known.length !== length) continue
      let i = 0
      const { offset } = known
      while (i < length && pool[offset + i] === bytes[from + i]) i++
      if (i === length) return known.value
    }
    return undefined
  }

  /** Keeps `value`, perhaps, and returns it. */
  add(bytes: Uint8Array, from: number, to: number, hash: number, value: V): V {
    const length = to - from
    if (length > maxLength || (this.isFullFor(length, hash) && !this.startAnew())) return value
    if (this.used + length > this.pool.length) {
      const larger = new Uint8Array(2 * this.pool.length)
      larger.set(this.pool)
      this.pool = larger
    }
    for (let i = 0; i < length; i++) this.pool[this.used + i] = bytes[from + i] as number
    const bucket = hash & (bucketCount - 1)
    this.buckets[bucket] = { hash, offset: this.used, length, value, next: this.buckets[bucket] }
    this.used += length
    this.count++
    return value
  }

  private isFullFor(length: number, hash: number): boolean {
    let others = 0
    for (let known = this.buckets[hash & (bucketCount - 1)]; known !== undefined; known = known.next) others++
    return others === maxInBucket || this.count === maxKeys || this.used + length > maxBytes
  }

  /** Drops everything, unless it has not missed much yet. */
  private startAnew(): boolean {
    if (++this.missed < patience) return false
    this.missed = 0
    this.buckets.fill(undefined)
    this.used = 0
    this.count = 0
    return true
  }
}
