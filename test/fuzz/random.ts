/** A reproducible source of random choices: the same seed, layer and case number always give the same choices. */
export class Random {
  // The state of sfc32, a small generator. Its period is far longer than the number of choices in a case.
  private a: number
  private b: number
  private c: number
  private counter = 1

  constructor(seed: number | string, stream: string, caseNumber: number) {
    this.a = hash(String(seed), 0x9e3779b9)
    this.b = hash(stream, this.a)
    this.c = hash(String(caseNumber), this.b)
    for (let i = 0; i < 12; i++) this.next()
  }

  private next(): number {
    const t = (((this.a + this.b) | 0) + this.counter) | 0
    this.counter = (this.counter + 1) | 0
    this.a = this.b ^ (this.b >>> 9)
    this.b = (this.c + (this.c << 3)) | 0
    this.c = (((this.c << 21) | (this.c >>> 11)) + t) | 0
    return t >>> 0
  }

  /** Returns an integer from 0 to `bound` - 1. */
  below(bound: number): number {
    return Math.floor((this.next() / 0x100000000) * bound)
  }

  /** Returns an integer from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1)
  }

  /** Returns true with this probability. */
  chance(probability: number): boolean {
    return this.next() < probability * 0x100000000
  }

  /** Returns one of the items. All are equally likely. Throws if the list is empty. */
  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError("nothing to pick from")
    return items[this.below(items.length)] as T
  }

  /** Returns one of the items of a table of [weight, item]. */
  weighted<T>(table: readonly (readonly [number, T])[]): T {
    let total = 0
    for (const [weight] of table) total += weight
    let left = this.below(total)
    for (const [weight, item] of table) {
      if (left < weight) return item
      left -= weight
    }
    throw new RangeError("the table has no weight")
  }

  /** Returns up to `count` different items, in a random order. */
  sample<T>(items: readonly T[], count: number): T[] {
    return this.shuffled(items).slice(0, count)
  }

  /** Returns the items in a random order. */
  shuffled<T>(items: readonly T[]): T[] {
    const out = items.slice()
    for (let i = out.length - 1; i > 0; i--) {
      const j = this.below(i + 1)
      const moved = out[i] as T
      out[i] = out[j] as T
      out[j] = moved
    }
    return out
  }
}

// FNV-1a over UTF-16 units, followed by murmur's mixer, so that consecutive numbers give very different states.
function hash(text: string, start: number): number {
  let h = start ^ 0x811c9dc5
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) | 0
}
