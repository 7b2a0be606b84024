/** The changes that a fork copies at most, unless they are a small part of the map. */
const fewChanges = 64

/**
 * A map with cheap forks: entries from before a fork are shared, and each map has its own changes. Values are never undefined. A changed entry
 * comes last in the order of iteration.
 */
export class OverlayMap<V> {
  size = 0
  /** The shared entries. Never changed. */
  private base: ReadonlyMap<string, V> = new Map()
  /** The entries that differ from the base; undefined for those that were deleted. */
  private changes = new Map<string, V | undefined>()

  get(key: string): V | undefined {
    const changed = this.changes.get(key)
    if (changed !== undefined || this.base.size === 0) return changed
    return this.changes.has(key) ? undefined : this.base.get(key)
  }

  set(key: string, value: V): void {
    if (this.get(key) === undefined) this.size++
    this.changes.set(key, value)
  }

  delete(key: string): void {
    if (this.get(key) === undefined) return
    this.size--
    this.changes.delete(key)
    if (this.base.has(key)) this.changes.set(key, undefined)
  }

  *entries(): Generator<[string, V]> {
    for (const entry of this.base) if (!this.changes.has(entry[0])) yield entry
    for (const [key, value] of this.changes) if (value !== undefined) yield [key, value]
  }

  /** Returns a map with the same entries. Many changes become a part of the base first, which takes as long as making them did. */
  fork(): OverlayMap<V> {
    if (this.changes.size > Math.max(fewChanges, this.base.size / 8)) {
      this.base = new Map(this.entries())
      this.changes = new Map()
    }
    const fork = new OverlayMap<V>()
    fork.size = this.size
    fork.base = this.base
    fork.changes = new Map(this.changes)
    return fork
  }
}
