// Tables that outlive a call, so that values which come up again and again are made once: path elements by their texts, types by their
// kinds. All tables but byte-table.ts drop unused entries by the same rule. No table grows beyond a few megabytes.

/** The number of entries that a generation of a table may have. */
export const maxEntries = 16_384
/** The number of characters that the keys of a generation may have in total. Texts that values derive from keys are not counted. */
export const maxCharacters: number = 1 << 19
/** Longer keys are not kept at all. Names that Kubernetes accepts are far shorter. */
export const maxLength = 1_024

/**
 * Values by key, except those whose keys are too long to keep. Once the young generation is full, it becomes the old one and an empty one
 * takes its place. A lookup that finds an entry in the old generation moves it to the young one. So memory is bounded, and entries in use
 * survive, however many others pass through.
 */
export class Table<K extends string | number | boolean, V extends object> {
  private readonly maxEntries: number
  private young = new Map<K, V>()
  private old = new Map<K, V>()
  /** The number of characters that the keys of `young` have in total. */
  private characters = 0

  constructor(entries: number = maxEntries) {
    this.maxEntries = entries
  }

  get(key: K): V | undefined {
    const known = this.young.get(key)
    if (known !== undefined) return known
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
 * Returns a copy of `text` for a table to keep, since a slice of a document would keep the whole document in memory. Texts that were keys
 * of an object need no copy: engines copy those themselves.
 */
export function detached(text: string): string {
  // Engines copy shorter slices anyway, and tables do not keep longer texts.
  return text.length < 13 || text.length > maxLength ? text : (JSON.parse(JSON.stringify(text)) as string)
}
