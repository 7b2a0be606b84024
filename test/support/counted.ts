/** A value that counts the reads of its parts: keys of maps, items of lists, and listings of keys. */
export class Counted<T extends object> {
  /** The value: a proxy whose parts are proxies too. Reading a part again returns the same object. */
  readonly value: T
  /** The number of reads. */
  reads = 0
  readonly #proxies = new WeakMap<object, object>()

  constructor(value: T) {
    this.value = this.#count(value)
  }

  #count<P>(part: P): P {
    if (typeof part !== "object" || part === null) return part
    const known = this.#proxies.get(part)
    if (known !== undefined) return known as P
    const proxy: object = new Proxy(part, {
      get: (target, key) => {
        this.reads++
        return this.#count(Reflect.get(target, key) as unknown)
      },
      ownKeys: target => {
        const keys = Reflect.ownKeys(target)
        this.reads += keys.length
        return keys
      },
    })
    this.#proxies.set(part, proxy)
    return proxy as P
  }
}
