// Finds duplicate fields and unknown fields in the text of a body, and reports them in an API server's words. A server checks both unless
// `fieldValidation=Ignore`.
import type { RepeatedKey } from "../../io/yaml.js"
import { formatGoJson, parseJson } from "../../json/json.js"
import { quoteGo } from "../../value/quote.js"
import { isList, isMap, type Value } from "../../value/value.js"
import { type StrictReader, strictWithoutText, unknownField, yamlLine, yamlStart } from "../../write/strict.js"

/** The maximal number of problems reported for a JSON text. */
const maxProblems = 100

/**
 * Returns a reader that reports problems of JSON: in the order of the text for built-in kinds, and duplicates first for custom resources.
 * `value` is the parsed text.
 */
export function strictJson(text: string, value: Value, isCustom: boolean): StrictReader {
  if (isCustom) return unknown => [...duplicateFields(text).map(duplicateField), ...unknown.map(unknownField)]
  return unknown => {
    if (unknown.length === 0 && countKeyEnds(text) === countKeys(value)) return []
    const names: ReadonlySet<string> = new Set(unknown)
    const problems = new Set<string>()
    scan(text, (path, isDuplicate) => {
      if (names.has(path)) problems.add(unknownField(path))
      else if (isDuplicate) problems.add(duplicateField(path))
      return !names.has(path)
    })
    return [...problems].slice(0, maxProblems)
  }
}

/** Returns a reader that reports problems of YAML; `value` is the parsed text. All repeated keys together are one problem, with a line each. */
export function strictYaml(repeatedKeys: readonly RepeatedKey[], value: Value, isCustom: boolean): StrictReader {
  return unknown => {
    // A server converts YAML to JSON with sorted keys, and then checks the JSON.
    const others = isCustom ? strictWithoutText : strictJson(formatGoJson(value), value, false)
    return [...repeatedYaml(repeatedKeys), ...(unknown.length === 0 ? [] : others(unknown))]
  }
}

/** Returns a server's message about duplicate keys in YAML maps: one for all keys, or an empty list. */
export function repeatedYaml(repeatedKeys: readonly RepeatedKey[]): readonly string[] {
  const lines = repeatedKeys.map(({ line, key }) => `${yamlLine}line ${line}: key ${key} already set in map`)
  return lines.length === 0 ? [] : [`${yamlStart}${lines.join("")}`]
}

/**
 * Counts the colons after quotes in JSON text: at least one for each key, and more only if a string begins with a colon or has an escaped
 * quote before one. If the parsed value has as many keys, no key is a duplicate, and the far slower scan is not needed.
 */
function countKeyEnds(text: string): number {
  let count = 0
  for (let colon = text.indexOf(":"); colon >= 0; colon = text.indexOf(":", colon + 1)) {
    let before = colon - 1
    while (text.charCodeAt(before) <= 0x20) before--
    if (text[before] === '"') count++
  }
  return count
}

function countKeys(value: Value): number {
  let count = 0
  if (isList(value)) for (const item of value) count += countKeys(item)
  else if (isMap(value)) for (const key in value) count += 1 + countKeys(value[key] as Value)
  return count
}

/**
 * Returns the paths of duplicate fields in JSON text, such as `spec.items[0].name`, each path once, in the order of the text. The text
 * must be valid JSON.
 */
export function duplicateFields(text: string): readonly string[] {
  const paths = new Set<string>()
  scan(text, (path, isDuplicate) => {
    if (isDuplicate) paths.add(path)
    return true
  })
  return [...paths].slice(0, maxProblems)
}

/** Returns a server's message about a duplicate field. */
export function duplicateField(path: string): string {
  return `duplicate field ${quoteGo(path)}`
}

/** A map or list that the scan is inside of. */
interface OpenContainer {
  /** The path of the map or list. */
  readonly path: string
  /** The keys of a map so far; undefined for a list. */
  readonly keys: Set<string> | undefined
  /** Whether the scan reports its fields. */
  readonly reported: boolean
  /** The path of the next value. */
  next: string
  /** Whether the next token of a map is a key rather than a value. */
  expectsKey: boolean
  /** Whether the scan reports the fields of the next value. */
  reportsNext: boolean
  /** The index of the next item of a list. */
  index: number
}

const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g

/** Calls `visit` for every field in the order of the text. `visit` returns whether to visit the fields below. */
function scan(text: string, visit: (path: string, isDuplicate: boolean) => boolean): void {
  const open: OpenContainer[] = []
  for (const [token] of text.matchAll(tokens)) {
    const parent = open.at(-1)
    if (token === "{" || token === "[") open.push(openContainer(token, parent))
    else if (token === "}" || token === "]") open.pop()
    else if (parent === undefined) continue
    else if (token === ",") startNext(parent)
    else if (token === ":") parent.expectsKey = false
    else if (parent.expectsKey && parent.keys !== undefined && parent.reported) {
      const key = token.includes("\\") ? String(parseJson(token)) : token.slice(1, -1)
      parent.next = parent.path === "" ? key : `${parent.path}.${key}`
      parent.reportsNext = visit(parent.next, parent.keys.has(key))
      parent.keys.add(key)
    }
  }
}

function openContainer(token: string, parent: OpenContainer | undefined): OpenContainer {
  const path = parent?.next ?? ""
  const reported = parent?.reportsNext ?? true
  return token === "{"
    ? { path, keys: new Set(), reported, next: path, expectsKey: true, reportsNext: reported, index: 0 }
    : { path, keys: undefined, reported, next: `${path}[0]`, expectsKey: false, reportsNext: reported, index: 0 }
}

function startNext(parent: OpenContainer): void {
  if (parent.keys !== undefined) parent.expectsKey = true
  else parent.next = `${parent.path}[${++parent.index}]`
}
