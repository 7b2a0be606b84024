// Finds the texts of hidden values inside other texts, such as messages that quote them.

import { addToGroup } from "../../value/groups.js"

/** A spelling of a hidden value. */
interface Spelling {
  readonly text: string
  /** The value that it stands for. */
  readonly id: string
  /** Whether it counts only as a whole word, because words may contain it by chance. */
  readonly isWord: boolean
  /** Whether it counts only in double quotes, because it is a number or a word of JSON. */
  readonly isQuoted: boolean
}

/** Shorter spellings occur everywhere by chance. */
const leastLength = 4

/** An index of spellings, by their first characters. */
export class SecretTexts {
  private readonly byStart = new Map<string, Spelling[]>()
  /** Marks the character codes, modulo 256, with which spellings begin, so that most characters of a text need no lookup. */
  private readonly firstCodes = new Uint8Array(256)
  private isSorted = true
  private readonly known = new Set<string>()

  /** Adds a spelling of the value `id`. Ignores spellings of fewer than `leastLength` characters. */
  add(text: string, id: string): void {
    if (text.length < leastLength || this.known.has(text)) return
    this.known.add(text)
    const start = text.slice(0, leastLength)
    const spelling: Spelling = {
      text,
      id,
      isWord: /^(?:[a-z]{1,11}|[a-z\d]{1,5})$/i.test(text),
      isQuoted: /^(?:-?\d+(?:\.\d+)?(?:e[-+]?\d+)?|true|false|null)$/i.test(text),
    }
    this.firstCodes[text.charCodeAt(0) & 255] = 1
    addToGroup(this.byStart, start, spelling)
    this.isSorted = false
  }

  /** Returns the text with each spelling replaced, the longest first. Returns the text itself if it contains none. */
  replace(text: string, markOf: (id: string) => string): string {
    if (this.byStart.size === 0 || text.length < leastLength) return text
    if (!this.isSorted) for (const known of this.byStart.values()) known.sort((a, b) => b.text.length - a.text.length)
    this.isSorted = true
    let out = ""
    let from = 0
    for (let i = 0; i + leastLength <= text.length; i++) {
      if (this.firstCodes[text.charCodeAt(i) & 255] === 0) continue
      const spelling = this.byStart.get(text.slice(i, i + leastLength))?.find(found => occursAt(found, text, i))
      if (spelling === undefined) continue
      out += text.slice(from, i) + markOf(spelling.id)
      from = i + spelling.text.length
      i = from - 1
    }
    return from === 0 ? text : out + text.slice(from)
  }
}

function occursAt({ text, isWord, isQuoted }: Spelling, whole: string, at: number): boolean {
  if (!whole.startsWith(text, at)) return false
  const [before, after] = [whole[at - 1] ?? "", whole[at + text.length] ?? ""]
  if (isQuoted) return before === '"' && after === '"'
  return !isWord || !(/[a-z\d]/i.test(before) || /[a-z\d]/i.test(after))
}
