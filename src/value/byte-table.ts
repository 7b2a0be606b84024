import { maxCharacters, maxEntries, maxLength } from "./table.js"

/** The same size as the two generations of a `Table`. */
const maxKeys = 2 * maxEntries
const maxBytes = 2 * maxCharacters
/** A full table starts over after this many lookups of keys that it does not have. */
const patience = 8 * maxKeys
const bucketCount = 16_384
/** Bounds each search, even if an attacker picks keys with the same hash. */
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
 * Values by keys that are runs of bytes inside a larger array. The caller passes a hash of the key, which it computes while it looks for
 * the end of the run.
 *
 * The table has the bounds of a `Table`, but drops all its entries at once, and only after many misses. With the rule of `Table`, reading
 * field sets of more keys than fit took 3 to 5 times as long, since each round copied every key.
 */
export class ByteTable<V extends object> {
  private readonly buckets = new Array<Known<V> | undefined>(bucketCount).fill(undefined)
  private pool = new Uint8Array(1 << 12)
  private used = 0
  private count = 0
  private missed = 0

  /** Returns the value of the key `bytes[from..to)`. */
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

  /** Returns `value`, and keeps it if there is room. */
  add(bytes: Uint8Array, from: number, to: number, hash: number, value: V): V {
    const length = to - from
    if (length > maxLength || (this.isFullFor(length, hash) && !this.startOver())) return value
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

  /** Drops all entries, unless there were only a few misses so far. Returns whether it did. */
  private startOver(): boolean {
    if (++this.missed < patience) return false
    this.missed = 0
    this.buckets.fill(undefined)
    this.used = 0
    this.count = 0
    return true
  }
}
