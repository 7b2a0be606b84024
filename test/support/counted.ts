/** A value that counts how often any part of it is read: keys of maps, items of lists, and each time that their keys are listed. */
export class Counted<T extends object> {
  /** The value: a proxy, whose parts are proxies too. Each part stays the same object however often it is read. */
  readonly value: T
  /** How many reads there were. */
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
