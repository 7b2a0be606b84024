// Markers: lines of comments that begin with a plus sign.
//
//   +listType=map, or +listType:=map, which controller-gen also accepts
//   +k8s:unionMember(union: "target", memberName: "Bucket")
//   +k8s:alpha(since: "1.37")=+k8s:unionMember
//
// All generators of Kubernetes read markers from the comment that ends on the line above a declaration.
import type { CommentLine } from "../source/go-file.js"
import { unquote } from "../source/literals.js"

/** A value or argument. Numbers and booleans are written without quotes. An integer outside the safe range is a bigint. */
type MarkerValue = string | number | bigint | boolean

/** A marker. */
export interface Marker {
  /** The name without the plus sign: `k8s:unionMember`. */
  readonly name: string
  /** The arguments in parentheses by name; an argument without a name has the name "". */
  readonly args: ReadonlyMap<string, MarkerValue>
  /** The text after the equals sign, trimmed; undefined if there is nothing. */
  readonly text: string | undefined
  /** `text` as a value of declarative validation: unquoted, and without a trailing comment. */
  readonly value: MarkerValue | undefined
  /** The marker in `value`, if `value` is a marker. */
  readonly payload: Marker | undefined
  readonly line: number
}

/** The markers of a comment. Markers within `+k8s:alpha(...)=` and `+k8s:beta(...)=` are treated like others. */
export class Markers {
  readonly all: readonly Marker[]
  /** The markers as they are written. */
  readonly written: readonly Marker[]
  /** The lines that look like a marker with arguments but do not parse. */
  readonly malformed: readonly CommentLine[]

  constructor(lines: readonly CommentLine[]) {
    const written: Marker[] = []
    const malformed: CommentLine[] = []
    for (const line of lines) {
      const text = line.text.trim()
      if (!text.startsWith("+")) continue
      const marker = parseMarker(text, line.line)
      if (marker === undefined) malformed.push(line)
      else if (marker.name !== "") written.push(marker)
    }
    this.written = written
    this.all = written.map(withoutStability)
    this.malformed = malformed
  }

  /** Returns all markers with these names, in the order of the source. */
  named(...names: readonly string[]): Marker[] {
    return this.all.filter(({ name }) => names.includes(name))
  }

  has(...names: readonly string[]): boolean {
    return this.all.some(({ name }) => names.includes(name))
  }

  /** Returns the text of the first marker with one of these names; "" if it has no text, undefined without such a marker. */
  text(...names: readonly string[]): string | undefined {
    const found = this.all.find(({ name }) => names.includes(name))
    return found === undefined ? undefined : markerText(found)
  }
}

/** Returns the word after the equals sign of a marker. controller-gen also accepts quotes. */
export function markerText({ name, text = "", value }: Marker): string {
  if (name.startsWith("k8s:")) return String(value ?? "")
  return /^(".*"|`.*`)$/.test(text) ? unquote(text) : text
}

const stability = new Set(["k8s:alpha", "k8s:beta"])

/** Returns the marker within `+k8s:alpha(...)=` and `+k8s:beta(...)=`, or the marker itself. */
export function withoutStability(marker: Marker): Marker {
  return stability.has(marker.name) && marker.payload !== undefined ? withoutStability(marker.payload) : marker
}

/** Returns the markers that these markers apply to each value of a list or map, or to each key. */
export function markersOfEach(markers: readonly Marker[], each: "k8s:eachVal" | "k8s:eachKey"): Marker[] {
  return markers.flatMap(({ name, payload }) =>
    name === each && payload !== undefined ? withoutStability(payload) : [],
  )
}

/** Matches the name of a marker. In `+listType:=set` the colon is a part of the equals sign. */
const marker = /^\+((?!k8s:)[\w:.-]*?(?=:=)|[\w:.-]*)/
const argument = /^\s*(?:([A-Za-z_][\w.-]*)\s*:\s*)?("(?:[^"\\]|\\.)*"|`[^`]*`|[^\s,()"`]+)\s*(,|$)/

/** The maximum nesting of markers. */
const maxNesting = 100

/** Parses the marker on a line, from its plus sign on; undefined if its arguments do not parse. */
function parseMarker(text: string, line: number, depth = 0): Marker | undefined {
  if (depth > maxNesting) return undefined
  const [whole = "", name = ""] = marker.exec(text) ?? []
  const args = new Map<string, MarkerValue>()
  let rest = text.slice(whole.length)
  if (rest.startsWith("(")) {
    const end = endOfArguments(rest)
    if (end < 0 || !readArguments(rest.slice(1, end), args)) return undefined
    rest = rest.slice(end + 1)
  }
  rest = rest.trim().replace(/^:=/, "=")
  // The options of +unionMember may follow without a value: +unionMember,optional
  const said = rest.startsWith("=") ? rest.slice(1).trim() : rest.startsWith(",") ? rest : undefined
  const payload = said?.startsWith("+") ? parseMarker(said, line, depth + 1) : undefined
  if (said?.startsWith("+k8s:") && payload === undefined) return undefined
  const value = said === undefined || payload !== undefined ? undefined : scalarOf(withoutRemark(said))
  return { name, args, text: said, value, payload, line }
}

/** Returns the index of the parenthesis that closes the one at the start of `text`; -1 if it is not closed. */
function endOfArguments(text: string): number {
  let quote = ""
  for (let at = 1; at < text.length; at++) {
    const character = text.charAt(at)
    if (quote !== "") {
      if (character === "\\" && quote === '"') at++
      else if (character === quote) quote = ""
    } else if (character === '"' || character === "`") quote = character
    else if (character === ")") return at
  }
  return -1
}

function readArguments(text: string, args: Map<string, MarkerValue>): boolean {
  let rest = text.trim()
  while (rest !== "") {
    const found = argument.exec(rest)
    if (found === null) return false
    const [whole, name = "", value = ""] = found
    args.set(name, scalarOf(value))
    rest = rest.slice(whole.length)
  }
  return true
}

function withoutRemark(text: string): string {
  return /^("(?:[^"\\]|\\.)*"|`[^`]*`)/.exec(text)?.[1] ?? text.replace(/\s+#.*$/, "")
}

function scalarOf(text: string): MarkerValue {
  if (/^("(?:[^"\\]|\\.)*"|`[^`]*`)$/.test(text)) return unquote(text)
  if (text === "true" || text === "false") return text === "true"
  // The generators accept only this spelling of integers.
  if (!/^(0|-?[1-9]\d*)$/.test(text)) return text
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : BigInt(text)
}
