// Makes a request smaller while its answers still differ. Schemas and sets in JSON are taken apart like the
// rest of the request, so that their parts can go one by one.
import {
  emptyMap,
  isList,
  isMap,
  type Json,
  type JsonMap,
  jsonText,
  mapOf,
  NumberText,
  parseJson,
  yamlSafeJsonText,
} from "./json.js"
import type { Request } from "./requests.js"

/** Returns the index of the first request line that still shows the difference, or -1. */
export type StillDiffers = (lines: readonly string[]) => Promise<number>

/** Returns the smallest request line found within these seconds. */
export async function shrink(request: Request, stillDiffers: StillDiffers, seconds = 60): Promise<string> {
  const end = performance.now() + seconds * 1000
  let current = await takenApart(request, stillDiffers)
  let from = 0
  let failed = 0
  while (performance.now() < end) {
    const all = reductions(current)
    if (failed >= all.length) break
    from %= all.length
    const batch = all.slice(from, from + BATCH).map(reduce => reduce())
    const found = await stillDiffers(batch.map(requestLine))
    if (found < 0) {
      from += batch.length
      failed += batch.length
    } else {
      current = batch[found] as JsonMap
      from += found
      failed = 0
    }
  }
  return requestLine(current)
}
const BATCH = 40

/** Writes the request on one line. A schema that was taken apart becomes text again. */
function requestLine(request: Json): string {
  if (!isMap(request)) return jsonText(request)
  const out = mapOf(request)
  if (isMap(out.schema)) out.schema = yamlSafeJsonText(out.schema)
  if (isList(out.steps)) {
    out.steps = out.steps.map(step =>
      isMap(step) && isMap(step.schema) ? mapOf({ ...step, schema: yamlSafeJsonText(step.schema) }) : step,
    )
  }
  return jsonText(out)
}

// Some differences depend on the spelling of a text. Such a text stays unchanged.
async function takenApart(request: Request, stillDiffers: StillDiffers): Promise<JsonMap> {
  const schemaOnly = opened(mapOf(request), key => key === "schema") as JsonMap
  const all = opened(schemaOnly, key => key !== "json" && !key.endsWith("YAML")) as JsonMap
  const choices = [all, schemaOnly]
  const found = await stillDiffers(choices.map(requestLine))
  return choices[found] ?? mapOf(request)
}

function opened(value: Json, opens: (key: string) => boolean): Json {
  if (isList(value)) return value.map(item => opened(item, opens))
  if (!isMap(value)) return value
  const out = emptyMap()
  for (const [key, item] of Object.entries(value)) {
    out[key] = typeof item === "string" && item.startsWith("{") && opens(key) ? openedText(item) : opened(item, opens)
  }
  return out
}

function openedText(text: string): Json {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}

type Reduction<T extends Json> = () => T

// The request stays well-formed: values may change their kind, but fields of the protocol never do.
function reductions(request: JsonMap): Reduction<JsonMap>[] {
  const out: Reduction<JsonMap>[] = []
  const keys = Object.keys(request).filter(key => !KEPT.has(key))
  if (isList(request.steps)) out.push(...ofSteps(request, request.steps))
  for (const key of keys) if (!PARTS.has(key)) out.push(() => withoutKey(request, key))
  for (const key of keys) if (key !== "steps") out.push(...ofField(request, key))
  return out
}
const KEPT = new Set([
  "op",
  "manager",
  "apiVersion",
  "converter",
  "unions",
  "type",
  "typesByVersion",
  "acceptedVersions",
  "fieldNames",
  "unknownFields",
  "refusesVersions",
])
// The fields that a request or a step must have.
const PARTS = new Set(["steps", "object", "objectYAML", "versions", "schema", "a", "b", "path", "paths"])

function ofSteps(request: JsonMap, steps: readonly Json[]): Reduction<JsonMap>[] {
  const put = (next: Json): JsonMap => mapOf({ ...request, steps: next })
  const out: Reduction<JsonMap>[] = ofList(steps).map(reduce => () => put(reduce()))
  steps.forEach((step, i) => {
    if (!isMap(step)) return
    for (const key of Object.keys(step)) {
      if (KEPT.has(key)) continue
      out.push(...ofField(step, key).map(reduce => () => put(replaceItem(steps, i, reduce()))))
    }
  })
  return out
}

function ofField(holder: JsonMap, key: string): Reduction<JsonMap>[] {
  const value = holder[key] as Json
  const put = (next: Json): JsonMap => mapOf({ ...holder, [key]: next })
  return ofValue(key, value).map(reduce => () => put(reduce()))
}

function ofValue(key: string, value: Json): Reduction<Json>[] {
  if (typeof value === "string" && key.endsWith("YAML")) return ofLines(value)
  if (LISTS.has(key) && isList(value)) return ofList(value)
  return ofNode(value, key === "schema" || MAPS.has(key) ? "map" : "any")
}
const LISTS = new Set(["path", "paths", "versions"])
const MAPS = new Set(["filter", "ignoredFields", "ignoreFilter"])

/** The values that may replace a map: any, or only maps, if the protocol or a schema requires one. */
type Replacement = "any" | "map"

// Returns smaller values to try instead of this one, beginning with those that drop most.
function ofNode(value: Json, replacement: Replacement): Reduction<Json>[] {
  if (isList(value)) {
    return [
      ...ofList(value),
      ...value.flatMap((item, i) => ofChild(item, replacement, next => replaceItem(value, i, next))),
    ]
  }
  if (isMap(value)) return ofMap(value, replacement)
  if (replacement === "map") return []
  if (typeof value === "string") return ofText(value)
  if (value instanceof NumberText || (typeof value === "number" && value !== 0 && value !== 1)) return [() => 1]
  return []
}

function ofList(list: readonly Json[]): Reduction<Json>[] {
  const out: Reduction<Json>[] = []
  for (let size = list.length; size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < list.length; at += size) {
      const [start, end] = [at, at + size]
      out.push(() => [...list.slice(0, start), ...list.slice(end)])
    }
  }
  return out
}

// A map loses keys, becomes empty, or becomes one of its own values.
function ofMap(map: JsonMap, replacement: Replacement): Reduction<Json>[] {
  const out: Reduction<Json>[] = []
  const entries = Object.entries(map)
  if (replacement === "any" && entries.length > 1) out.push(emptyMap)
  for (const [key] of entries) out.push(() => withoutKey(map, key))
  for (const [, item] of entries) if (replacement === "any" || isMap(item)) out.push(() => item)
  for (const [key, item] of entries) out.push(...ofChild(item, replacement, next => mapOf({ ...map, [key]: next })))
  return out
}

function ofText(text: string): Reduction<Json>[] {
  const out: Reduction<Json>[] = []
  if (text.length > 1) out.push(() => "a")
  for (let size = text.length >> 1; size >= 1; size >>= 1) {
    if (text.length / size > 64) break
    for (let at = 0; at < text.length; at += size) {
      const [start, end] = [at, at + size]
      out.push(() => text.slice(0, start) + text.slice(end))
    }
  }
  return out
}

// YAML loses whole lines only: half a line would be malformed in a different way.
function ofLines(text: string): Reduction<Json>[] {
  return ofList(text.split("\n")).map(reduce => () => (reduce() as readonly string[]).join("\n"))
}

function ofChild(child: Json, replacement: Replacement, put: (next: Json) => Json): Reduction<Json>[] {
  return ofNode(child, replacement).map(reduce => () => put(reduce()))
}

function withoutKey(map: JsonMap, key: string): JsonMap {
  const out = mapOf(map)
  delete out[key]
  return out
}

function replaceItem(list: readonly Json[], at: number, item: Json): Json {
  return list.map((other, i) => (i === at ? item : other))
}
