// The few choices that the browser remembers. A page opened from a file, or with storage blocked, has no storage: its choices last until it is
// closed.

/** Returns the text that is stored under the key; undefined if none is, or if the page has no storage. */
export function stored(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined
  } catch {
    return undefined
  }
}

/** Stores the text. Returns whether the browser will remember it. */
export function store(key: string, text: string): boolean {
  try {
    localStorage.setItem(key, text)
    return true
  } catch {
    return false
  }
}
