// Scans bytes for the end of a JSON value, without parsing it.

export const lineFeed = 0x0a
export const carriageReturn = 0x0d
export const quote = 0x22
export const comma = 0x2c
export const colon = 0x3a
export const openList = 0x5b
export const backslash = 0x5c
export const closeList = 0x5d
export const openMap = 0x7b
export const closeMap = 0x7d
/** Whether a scan has to look at a byte outside of strings. */
const structural = new Uint8Array(256)
for (const byte of [lineFeed, quote, openList, closeList, openMap, closeMap]) structural[byte] = 1

/** The depth up to which brackets are remembered. Deeper ones are only counted, because the JSON reader refuses such values anyway. */
const knownDepth = 10_000

/** Why a scan stopped: at the end of the value, at a byte that can't be part of it, at the items of a List, or at the last byte. */
export type ScanResult = "end" | "broken" | "list" | undefined

/** Scans one value after the other, each in as many calls as its bytes need. */
export class ValueScanner {
  /** The offset of the byte after the last scan, and the number of line breaks in that scan. */
  at = 0
  lines = 0
  /** The open brackets of the value: their number and kinds. `inString` and `escaped` are its state in a string. */
  private depth = 0
  private readonly brackets = new Uint8Array(knownDepth)
  private inString = false
  private escaped = false
  private readonly beginsItems: (at: number) => boolean

  /** `beginsItems` returns whether the "[" at this offset, directly inside the value, opens the items of a List. */
  constructor(beginsItems: (at: number) => boolean) {
    this.beginsItems = beginsItems
  }

  /** Begins a value, or in the middle of a value that has this many open brackets. */
  begin(depth = 0): void {
    this.depth = depth
    this.inString = false
    this.escaped = false
  }

  /**
   * Looks for the end of the value in the bytes from `from` up to `stop`. `first` is the offset of the value if all of its bytes are
   * available; only then are brackets checked.
   */
  scan(bytes: Uint8Array, from: number, stop: number, first: number | undefined): ScanResult {
    const { brackets } = this
    let { depth, inString, escaped } = this
    let at = from
    let lines = 0
    let found: ScanResult
    while (at < stop && found === undefined) {
      let byte = bytes[at++] as number
      if (inString) {
        for (; ; byte = bytes[at++] as number) {
          if (escaped) escaped = false
          else if (byte === quote) {
            inString = false
            if (depth === 0) found = "end"
            break
          } else if (byte === backslash) escaped = true
          if (byte === lineFeed) {
            lines++
            found = "broken"
            break
          }
          if (at >= stop) break
        }
      } else if (structural[byte] === 1) {
        if (byte === quote) inString = true
        else if (byte === lineFeed) lines++
        else if (byte === closeMap || byte === closeList) {
          if (--depth === 0) found = "end"
        } else if (
          first !== undefined &&
          byte === openMap &&
          depth > 0 &&
          !mayBegin(bytes[beforeSpace(bytes, at - 1, first)], brackets[depth - 1])
        )
          found = "broken"
        else if (first !== undefined && byte === openList && depth === 1 && this.beginsItems(at - 1)) found = "list"
        else {
          if (depth < knownDepth) brackets[depth] = byte
          depth++
        }
      }
    }
    this.at = at
    this.depth = depth
    this.lines = lines
    this.inString = inString
    this.escaped = escaped
    return found
  }
}

/** Whether a map may begin after this byte inside this bracket: in a list at its beginning or after a comma, in a map after a colon. */
function mayBegin(before: number | undefined, bracket: number | undefined): boolean {
  if (bracket === undefined) return true
  return bracket === openMap ? before === colon : before === openList || before === comma
}

/** Returns the offset of the last byte before `at` that is not white space, or `first`. */
export function beforeSpace(bytes: Uint8Array, at: number, first: number): number {
  let before = at - 1
  while (before > first && (bytes[before] as number) <= 0x20) before--
  return before
}
