// The random values of a server: uids, and the ends of generated names.
import { randomSuffix } from "../../kinds/defaults/generated-name.js"

/** Makes random values, the same ones for the same seed. Without a seed, they come from the machine. */
export class RandomValues {
  private state: number | undefined

  constructor(seed: number | undefined) {
    this.state = seed
  }

  /** Returns a source that continues with the same values as this one. */
  fork(): RandomValues {
    return new RandomValues(this.state)
  }

  /** Returns a UUID of version 4. */
  uid(): string {
    if (this.state === undefined) return crypto.randomUUID()
    const words = [this.next(), this.next(), this.next(), this.next()]
    const digits = words.map(word => word.toString(16).padStart(8, "0")).join("")
    const variant = "89ab"[(words[2] ?? 0) & 3]
    const parts = [digits.slice(0, 8), digits.slice(8, 12), `4${digits.slice(13, 16)}`]
    return [...parts, `${variant}${digits.slice(17, 20)}`, digits.slice(20)].join("-")
  }

  /** Returns the end of a generated name. */
  suffix(): string {
    return this.state === undefined ? randomSuffix() : randomSuffix(() => this.next())
  }

  /** Returns a number from 0 to 1, without 1. */
  fraction(): number {
    return this.state === undefined ? Math.random() : this.next() / 2 ** 32
  }

  /** Returns the next 32 bits of splitmix32, a generator whose state is a counter. */
  private next(): number {
    this.state = ((this.state ?? 0) + 0x9e3779b9) | 0
    let bits = this.state
    bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad)
    bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97)
    return (bits ^ (bits >>> 15)) >>> 0
  }
}
