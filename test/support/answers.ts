// Answers of the conformance protocol: this file reads them without losing digits, and finds the differences between two of them.
// The vector runner uses it for recorded answers, and the fuzzer for the answers of two programs.

/** A parsed JSON answer. An integer beyond 2^53 is `{"$int": "digits"}`. */
export type Parsed = null | boolean | number | string | readonly Parsed[] | ParsedMap
export interface ParsedMap {
  readonly [key: string]: Parsed
}

/** A difference between two answers. */
export interface Difference {
  /** The general place: `live`, `panic`, `refused` with the gist of the error, … */
  readonly kind: string
  /** The complete description, for people. */
  readonly why: string
  /** The two values, if values differ. If only one side has a value, the other is an error text. */
  readonly want?: Parsed | undefined
  readonly got?: Parsed | undefined
}

export interface CompareOptions {
  /** Whether error texts must be equal too. Otherwise only the existence of an error counts. */
  readonly words?: boolean
}

/** Returns JSON text as a tree in which integers beyond 2^53 keep their digits. */
export function parseExact(text: string): Parsed {
  if (!LONG_DIGITS.test(text)) return JSON.parse(text) as Parsed
  return JSON.parse(text.replace(STRING_OR_NUMBER, keepDigits)) as Parsed
}
const LONG_DIGITS = /\d{16}/
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

function keepDigits(token: string): string {
  const isLong = token[0] !== '"' && /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token))
  return isLong ? `{"$int":"${token}"}` : token
}

/** Whether both trees are equal as JSON: the order of keys does not matter, the order of list items does, and 1 equals 1.0. */
function sameJson(a: Parsed | undefined, b: Parsed | undefined): boolean {
  if (a === b) return true
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false
  if (isList(a) || isList(b)) {
    if (!isList(a) || !isList(b) || a.length !== b.length) return false
    return a.every((item, i) => sameJson(item, b[i]))
  }
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every(key => Object.hasOwn(b, key) && sameJson(a[key], b[key]))
}

/**
 * Returns the difference between `got` and the reference's answer `want`, or null if `got` is correct.
 *
 * If the reference crashes, every answer except a crash is correct, and its state no longer counts.
 */
export function difference(want: ParsedMap, got: ParsedMap, options: CompareOptions = {}): Difference | null {
  if (Object.hasOwn(got, "panic")) return { kind: "panic", why: `panic: ${show(got.panic)}` }
  if (Object.hasOwn(want, "panic")) return null
  if (isList(want.steps)) return differentSteps(want, want.steps, got, options)
  const failed = Object.hasOwn(want, "error")
  if (failed !== Object.hasOwn(got, "error")) {
    if (failed) {
      const why = `accepted, but the reference says: ${show(want.error)}`
      return { kind: `accepted ${gist(want.error)}`, why, want: want.error }
    }
    return { kind: `refused ${gist(got.error)}`, why: `refused: ${show(got.error)}` }
  }
  if (failed && !sameStatus(want.error, got.error)) {
    return { kind: "status", why: `fails with ${show(got.error)}, not ${show(want.error)}` }
  }
  if (failed && options.words === true && !sameWords(want.error, got.error)) {
    return { kind: `words ${gist(want.error)}`, why: `says ${show(got.error)}, not ${show(want.error)}` }
  }
  for (const key of [...Object.keys(want), ...NEVER_EXTRA]) {
    if (key === "error" || key === "id") continue
    const value = Object.hasOwn(got, key) ? got[key] : undefined
    const wanted = Object.hasOwn(want, key) ? want[key] : undefined
    if (sameJson(wanted, value)) continue
    return { kind: key, why: `${key}: ${show(value)} is not ${show(wanted)}`, want: wanted, got: value }
  }
  return null
}
// An answer may have more members than the reference's, except these.
const NEVER_EXTRA = ["noop", "conflicts"]

function differentSteps(
  want: ParsedMap,
  wanted: readonly Parsed[],
  got: ParsedMap,
  options: CompareOptions,
): Difference | null {
  if (!isList(got.steps)) return { kind: "steps", why: `no steps: ${show(got.error)}` }
  if (wanted.length !== got.steps.length) {
    return { kind: "steps", why: `${got.steps.length} steps, not ${wanted.length}` }
  }
  for (let i = 0; i < wanted.length; i++) {
    const step = wanted[i]
    const other = got.steps[i]
    if (!isMap(step) || !isMap(other)) return { kind: "steps", why: `step ${i}: ${show(other)} is not ${show(step)}` }
    const found = difference(step, other, options)
    if (found !== null) return { ...found, why: `step ${i}: ${found.why}` }
    if (Object.hasOwn(step, "panic")) return null
  }
  if (sameJson(want.finalLive, got.finalLive)) return null
  if (isFailure(want.finalLive) && isFailure(got.finalLive)) return difference(want.finalLive, got.finalLive, options)
  return { kind: "finalLive", why: `finalLive: ${show(got.finalLive)} is not ${show(want.finalLive)}` }
}

// An error that is an API server's answer has a code and a reason. Unless it is an internal error, it is the client's fault, and
// then every word counts.
function sameStatus(want: Parsed | undefined, got: Parsed | undefined): boolean {
  if (!isMap(want) || !isMap(got)) return true
  return want.code === 500 ? got.code === 500 && sameJson(want.reason, got.reason) : sameJson(want, got)
}

function isFailure(value: Parsed | undefined): value is ParsedMap {
  return isMap(value) && typeof value.error === "string" && Object.keys(value).length === 1
}

// Compares texts without the parts that are random in the reference: the order of lines in a collected error, the order of
// members in a list, and printed pointers.
function sameWords(want: Parsed | undefined, got: Parsed | undefined): boolean {
  if (want === got) return true
  if (isMap(want) && isMap(got)) return hasSeveral(want) || hasSeveral(got) || sameWords(want.message, got.message)
  if (typeof want !== "string" || typeof got !== "string") return sameJson(want, got)
  return steadyWords(want) === steadyWords(got)
}

// Whether an error lists several problems. It is random which of them the reference finds in the objects of a story.
function hasSeveral({ message }: ParsedMap): boolean {
  return typeof message === "string" && message.includes("errors:\n")
}

/** Returns an error text without the parts that are random in the reference. */
export function steadyWords(text: string): string {
  return text
    .replace(/0x[0-9a-f]{6,}/g, "0xPOINTER")
    .split("\n")
    .map(line => line.replace(/(fields? (?:set|added|applied)[^:]*|union applied): (.*)$/, sortedNames))
    .sort()
    .join("\n")
}

function sortedNames(_: string, before: string, names: string): string {
  return `${before}: ${names.split(", ").sort().join(", ")}`
}

// Returns the gist of an error, without the names and numbers of the case.
function gist(error: Parsed | undefined): string {
  const last = String(error).split("\n").at(-1)?.split(": ").at(-1) ?? ""
  return last.replace(/"(?:[^"\\]|\\.)*"|\[[^\]]*\]|0x[0-9a-f]+|\d+/g, "#").slice(0, 60)
}

function show(value: Parsed | undefined): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing")
  return text.length > 400 ? `${text.slice(0, 400)}…` : text
}

export function isMap(value: Parsed | undefined): value is ParsedMap {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function isList(value: Parsed | undefined): value is readonly Parsed[] {
  return Array.isArray(value)
}
