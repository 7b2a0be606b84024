// What is kept from call to call, so that what repeats without end is made once: path elements by their texts, types by their
// kinds. All such tables drop what is not in use by the same rule, and none grows beyond a few megabytes.

/** How many entries a generation of a table has at the most. */
const maxEntries = 16_384
/** How many characters the keys of a generation have at the most. Texts made of them are kept along with them. */
const maxCharacters = 1 << 19
/** Longer keys are not kept at all. Names that Kubernetes accepts are far shorter. */
const maxLength = 1_024

/**
 * Values by key, none longer than is worth keeping. A full table becomes the old generation beside a new one, and what is found
 * in the old one moves to the new one: memory is bounded, and what is in use survives whatever passes through.
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

  /** Keeps `value`, perhaps, and returns it. */
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
 * A copy of `text`, for what a table keeps: a slice of a document would keep all of the document in memory. Keys of objects need
 * none, as engines copy these themselves.
 */
export function detached(text: string): string {
  // Shorter slices are copies in any case, longer texts are not kept.
  return text.length < 13 || text.length > maxLength ? text : (JSON.parse(JSON.stringify(text)) as string)
}
