// Requests of the API server layer: patches of built-in objects.
import { emptyMap, isList, isMap, type Json, type JsonMap, mapOf } from "./json.js"
import { builtins } from "./kubernetes-objects.js"
import { apiVersionOf } from "./kubernetes-subjects.js"
import type { Random } from "./random.js"
import type { Request } from "./requests.js"

/** A strategic merge patch of a built-in object: a changed part of the object, with directives. */
export function strategicMergeRequest(random: Random): Request {
  const { group, version, kind, object } = random.pick(builtins)
  const { apiVersion: _, kind: __, ...live } = object as JsonMap
  return {
    op: "strategicMerge",
    apiVersion: apiVersionOf(group, version),
    kind,
    live,
    patch: mapPatch(random, live, 0.4),
  }
}

/** A JSON merge patch of a built-in object. */
export function mergePatchRequest(random: Random): Request {
  const { object } = random.pick(builtins)
  return { op: "mergePatch", live: object, patch: plainPatch(random, object as JsonMap) }
}

function plainPatch(random: Random, live: JsonMap): JsonMap {
  const out = emptyMap()
  for (const key of random.sample(Object.keys(live), 3)) {
    const value = live[key] as Json
    if (random.chance(0.15)) out[key] = null
    else if (random.chance(0.2)) out[key] = plainJson(random, 3)
    else out[key] = isMap(value) ? plainPatch(random, value) : random.chance(0.5) ? value : plainJson(random, 0)
  }
  if (random.chance(0.2)) out[random.pick(["new", "__proto__", "name"])] = plainJson(random, 3)
  return out
}

/** Returns a patch with about this share of the fields of a map. */
function mapPatch(random: Random, live: JsonMap, share: number): JsonMap {
  const out = emptyMap()
  for (const key of Object.keys(live)) {
    if (random.chance(share)) patchField(random, out, key, live[key] as Json)
  }
  if (random.chance(0.04)) out.other = plainJson(random, 2)
  if (random.chance(0.04)) out.$patch = random.pick(["replace", "delete", "replace", "merge"])
  if (random.chance(0.04)) {
    const extra = random.chance(0.3) ? [] : Object.keys(out)
    out.$retainKeys = [...new Set([...extra, ...random.sample(Object.keys(live), 2)])].sort()
  }
  return out
}

function patchField(random: Random, out: JsonMap, key: string, value: Json): void {
  if (random.chance(0.06)) out[key] = null
  else if (random.chance(0.02)) out[key] = plainJson(random, 2)
  else if (isMap(value)) out[key] = mapPatch(random, value, 0.5)
  else if (!isList(value)) out[key] = random.chance(0.5) ? value : plainJson(random, 0)
  else listPatch(random, out, key, value)
}

const keyNames = ["name", "containerPort", "port", "mountPath", "type", "uid", "ip", "topologyKey", "key"]

function keyFields(item: JsonMap): JsonMap {
  return mapOf(
    Object.fromEntries(keyNames.filter(name => item[name] !== undefined).map(name => [name, item[name] as Json])),
  )
}

function listPatch(random: Random, out: JsonMap, key: string, live: readonly Json[]): void {
  const items: Json[] = random.sample(live, random.below(3)).map(item => itemPatch(random, item))
  if (random.chance(0.4)) items.push(newItem(random, live))
  const maps = live.length > 0 && live.every(isMap)
  if (random.chance(0.15) && !maps) out[`$deleteFromPrimitiveList/${key}`] = random.sample(live, 2)
  else if (random.chance(0.08) && maps) items.push(mapOf({ $patch: random.pick(["replace", "replace", "merge"]) }))
  if (random.chance(0.4)) {
    const kept = items.filter(item => !isMap(item) || item.$patch === undefined)
    const rest = live.filter(item => !isMap(item) && random.chance(0.5))
    const known = maps
      ? [...kept, ...live.filter(() => random.chance(0.5))].map(item => keyFields(item as JsonMap))
      : rest
    const order = distinct(maps ? known : [...kept, ...rest])
    out[`$setElementOrder/${key}`] = random.chance(0.15) ? random.shuffled(order) : order
  }
  if (random.chance(0.85)) out[key] = items
}

function distinct(items: readonly Json[]): Json[] {
  const known = new Set<string>()
  return items.filter(item => known.size < known.add(JSON.stringify(item)).size)
}

function itemPatch(random: Random, item: Json): Json {
  if (!isMap(item)) return item
  if (random.chance(0.15)) return mapOf({ $patch: "delete", ...keyFields(item) })
  const patch = mapOf({ ...mapPatch(random, item, 0.3), ...keyFields(item) })
  if (random.chance(0.02)) delete patch.name
  return patch
}

function newItem(random: Random, live: readonly Json[]): Json {
  const like = live.length === 0 ? undefined : random.pick(live)
  if (!isMap(like)) return random.chance(0.95) ? random.pick(["new", "other"]) : plainJson(random, 0)
  const keys = keyFields(like)
  for (const name of Object.keys(keys)) {
    if (random.chance(0.8))
      keys[name] = typeof keys[name] === "number" ? random.between(1, 9) : random.pick(["new", "other"])
  }
  return keys
}

const pointers = [
  "",
  "/",
  "/metadata",
  "/metadata/labels",
  "/metadata/labels/tier",
  "/metadata/labels/a~1b",
  "/spec/other/deep",
]

/** A JSON patch of a built-in object, at pointers that exist and at some that do not. */
export function jsonPatchRequest(random: Random): Request {
  const { object } = random.pick(builtins)
  const places = placesIn(object as JsonMap)
  const place = () => {
    const found = random.chance(0.15) ? random.pick(pointers) : random.pick(places)
    if (random.chance(0.1)) return `${found}/${random.pick(["new", "-", "0", "-1", "99", "x/y", "01"])}`
    return random.chance(0.1)
      ? found.replace(/\/\d+$/, index => random.pick(["/-", "/-1", "/-9", `/${Number(index.slice(1)) + 1}`]))
      : found
  }
  const operations = Array.from({ length: random.between(1, 3) }, () => {
    const op = random.pick(["add", "remove", "replace", "move", "copy", "test", "test"])
    const path = place()
    const step: JsonMap = mapOf({ op: random.chance(0.98) ? op : "other", path })
    if (op === "move" || op === "copy") step.from = place()
    if (op === "add" || op === "replace" || op === "test") {
      step.value = random.chance(0.5) ? (valueAt(object, path) ?? null) : plainJson(random, 2)
    }
    if (random.chance(0.02)) delete step[random.pick(Object.keys(step))]
    return step
  })
  return { op: "jsonPatch", live: object, patch: operations }
}

function placesIn(value: Json, prefix = ""): string[] {
  if (isList(value)) return value.flatMap((item, i) => [`${prefix}/${i}`, ...placesIn(item, `${prefix}/${i}`)])
  if (!isMap(value)) return []
  return Object.keys(value).flatMap(key => {
    const place = `${prefix}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`
    return [place, ...placesIn(value[key] as Json, place)]
  })
}

function valueAt(value: Json, path: string): Json | undefined {
  let found: Json | undefined = value
  for (const token of path.split("/").slice(1)) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~")
    found = isList(found) ? found[Number(key)] : isMap(found) ? found[key] : undefined
  }
  return found
}

/** Returns any value, with numbers that all programs write alike. */
function plainJson(random: Random, depth: number): Json {
  const choice = random.below(depth > 0 ? 8 : 5)
  if (choice < 2) return random.pick(["a", "web", "", "1Gi", "http"])
  if (choice === 2) return random.pick([0, 1, 8080, -3, 1.5])
  if (choice === 3) return random.chance(0.5)
  if (choice === 4) return null
  const items = Array.from({ length: random.below(4) }, () => plainJson(random, depth - 1))
  if (choice < 6) return items
  return mapOf(Object.fromEntries(items.map(item => [random.pick(["name", "x", "__proto__", "labels", "n"]), item])))
}
