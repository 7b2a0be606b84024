// Tables that outlive a call, so that what comes up again and again is made once: path elements by their texts, types by their
// kinds. All of them but byte-table.ts drop what is no longer in use by the same rule, and none grows beyond a few
// megabytes.

/** How many entries a generation of a table may have. */
export const maxEntries = 16_384
/** How many characters the keys of a generation may have together. Texts that values derive from them are not counted. */
export const maxCharacters: number = 1 << 19
/** Longer keys are not kept at all. Names that Kubernetes accepts are far shorter. */
export const maxLength = 1_024

/**
 * Values by key, without those whose keys are too long to keep. A full table becomes the old generation beside a new, empty one,
 * and an entry that is found in the old one moves to the new one. So memory is bounded, and entries in use survive however many
 * others pass through.
 */
export class Table<K extends string | number | boolean, V extends object> {
  private readonly maxEntries: number
  private young = new Map<K, V>()
  private old = new Map<K, V>()
  /** How many characters the keys of `young` have together. */
  private characters = 0

  constructor(entries: number = maxEntries) {
    this.maxEntries = entries
  }

  get(key: K): V | undefined {
    const found = this.young.get(key)
    if (found !== undefined) return found
    const survivor = this.old.get(key)
    return survivor === undefined ? undefined : this.add(key, survivor)
  }

  /** Keeps `value`, unless its key is too long, and returns it. */
  add(key: K, value: V): V {
    const length = typeof key === "string" ? key.length : 0
    if (length > maxLength) return value
    if (this.young.size >= this.maxEntries || this.characters + length > maxCharacters) {
      this.old = this.young
      this.young = new Map()
      this.characters = 0
    }
    this.young.set(key, value)
    this.characters += length
    return value
  }
}

/**
 * A copy of `text` for a table to keep, because a slice of a document would keep the whole document in memory. Texts that were
 * keys of an object need no copy: engines copy those themselves.
 */
export function detached(text: string): string {
  // Engines copy shorter slices in any case, and longer texts are not kept.
  return text.length < 13 || text.length > maxLength ? text : (JSON.parse(JSON.stringify(text)) as string)
}
