import { equalPaths, type Path } from "../../fieldpath/path.js"
import { lookupKey } from "../../typed/list-items.js"

interface Entry<T> {
  readonly path: Path
  value: T
}

/** A map with paths as keys, in insertion order. Equal paths are one key, however they are printed. */
export class PathMap<T> {
  private readonly inOrder = new Set<Entry<T>>()
  /** Keyed by a text that is the same for equal paths and rarely the same for different ones. */
  private readonly byText = new Map<string, Entry<T>[]>()

  /** The number of paths. */
  get size(): number {
    return this.inOrder.size
  }

  paths(): Path[] {
    return Array.from(this.inOrder, ({ path }) => path)
  }

  values(): T[] {
    return Array.from(this.inOrder, ({ value }) => value)
  }

  get(path: Path): T | undefined {
    return this.find(path)?.value
  }

  has(path: Path): boolean {
    return this.find(path) !== undefined
  }

  set(path: Path, value: T): void {
    const known = this.find(path)
    if (known !== undefined) {
      known.value = value
      return
    }
    const entry = { path, value }
    const text = lookupText(path)
    this.byText.set(text, [...(this.byText.get(text) ?? []), entry])
    this.inOrder.add(entry)
  }

  /** Deletes the path. Returns its value, or undefined if the map did not have it. */
  delete(path: Path): T | undefined {
    const known = this.find(path)
    if (known === undefined) return undefined
    const text = lookupText(path)
    this.byText.set(text, this.byText.get(text)?.filter(entry => entry !== known) ?? [])
    this.inOrder.delete(known)
    return known.value
  }

  private find(path: Path): Entry<T> | undefined {
    return this.byText.get(lookupText(path))?.find(entry => equalPaths(entry.path, path))
  }
}

function lookupText(path: Path): string {
  const parts = path.map(element => (element.kind === "field" ? element.name : lookupKey(element)))
  return JSON.stringify(parts)
}
