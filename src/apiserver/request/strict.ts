// What a strict reader has against the text of a body: fields that are there twice, and fields that the kind has not, in an API
// server's words. A server reads strictly unless `fieldValidation=Ignore`.
import { repeatedKeys } from "../../io/yaml.js"
import { formatGoJson, parseJson } from "../../json/json.js"
import { quoteGo } from "../../value/quote.js"
import type { Value } from "../../value/value.js"
import { type StrictReader, strictWithoutText, unknownField, yamlLine, yamlStart } from "../../write/strict.js"

/** How many problems of a JSON text are told. */
const mostProblems = 100

/** The problems of JSON. Of built-in kinds they come in the order of the text; of custom resources, duplicates come first. */
export function strictJson(text: string, isCustom: boolean): StrictReader {
  if (isCustom) return unknown => [...duplicateFields(text).map(duplicateField), ...unknown.map(unknownField)]
  return unknown => {
    const names: ReadonlySet<string> = new Set(unknown)
    const problems = new Set<string>()
    scan(text, (path, isDuplicate) => {
      if (names.has(path)) problems.add(unknownField(path))
      else if (isDuplicate) problems.add(duplicateField(path))
      return !names.has(path)
    })
    return [...problems].slice(0, mostProblems)
  }
}

/** The problems of YAML whose value is `value`. Repeated keys are one problem, with a line each. */
export function strictYaml(text: string, value: Value, isCustom: boolean): StrictReader {
  return unknown => {
    // The text that a server reads on is JSON made of the YAML, with keys in order.
    const others = isCustom ? strictWithoutText : strictJson(formatGoJson(value), false)
    return [...repeatedYaml(text), ...(unknown.length === 0 ? [] : others(unknown))]
  }
}

/** What a server says of the keys that YAML has more than once in a map: one problem for all of them, or none. */
export function repeatedYaml(text: string): readonly string[] {
  const lines = repeatedKeys(text).map(({ line, key }) => `${yamlLine}line ${line}: key ${key} already set in map`)
  return lines.length === 0 ? [] : [`${yamlStart}${lines.join("")}`]
}

/**
 * The paths of the fields that JSON text has more than once in a map, such as `spec.items[0].name`, each path once, in the order of
 * the text. The text has to be valid JSON.
 */
export function duplicateFields(text: string): readonly string[] {
  const found = new Set<string>()
  scan(text, (path, isDuplicate) => {
    if (isDuplicate) found.add(path)
    return true
  })
  return [...found].slice(0, mostProblems)
}

/** What a server says of a field that is there twice. */
export function duplicateField(path: string): string {
  return `duplicate field ${quoteGo(path)}`
}

/** A map or list that is open: the keys that were met, or how many items there were. */
interface Open {
  /** Its path, as far as its own fields go on from it. */
  readonly path: string
  /** The keys of a map; undefined for a list. */
  readonly keys: Set<string> | undefined
  /** Whether its fields are told of. */
  readonly told: boolean
  /** The path of the value that comes next. */
  next: string
  /** Whether a key of a map comes next, and not its value. */
  expectsKey: boolean
  /** Whether the fields of the value that comes next are told of. */
  tellsNext: boolean
  /** How many items a list had before the next. */
  index: number
}

const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g

/** Tells `meet` of every field, in the order of the text. It returns whether to tell of those below it too. */
function scan(text: string, meet: (path: string, isDuplicate: boolean) => boolean): void {
  const open: Open[] = []
  for (const [token] of text.matchAll(tokens)) {
    const around = open.at(-1)
    if (token === "{" || token === "[") open.push(opened(token, around))
    else if (token === "}" || token === "]") open.pop()
    else if (around === undefined) continue
    else if (token === ",") moveOn(around)
    else if (token === ":") around.expectsKey = false
    else if (around.expectsKey && around.keys !== undefined && around.told) {
      const key = token.includes("\\") ? String(parseJson(token)) : token.slice(1, -1)
      around.next = around.path === "" ? key : `${around.path}.${key}`
      around.tellsNext = meet(around.next, around.keys.has(key))
      around.keys.add(key)
    }
  }
}

function opened(token: string, around: Open | undefined): Open {
  const path = around?.next ?? ""
  const told = around?.tellsNext ?? true
  return token === "{"
    ? { path, keys: new Set(), told, next: path, expectsKey: true, tellsNext: told, index: 0 }
    : { path, keys: undefined, told, next: `${path}[0]`, expectsKey: false, tellsNext: told, index: 0 }
}

function moveOn(around: Open): void {
  if (around.keys !== undefined) around.expectsKey = true
  else around.next = `${around.path}[${++around.index}]`
}
