import { compareStrings } from "../../value/compare.js"
import { own, put } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import { defaultOf, isTrue, objectFields, propertyOf, refusesNull, restOf, schemaAt } from "../structural/schema.js"

/** A custom resource without the fields that its schema does not declare. */
export interface Pruned {
  readonly object: MapValue
  /** The paths of the fields that are gone, such as `spec.items[0].colour`, sorted. */
  readonly unknown: readonly string[]
}

/**
 * The custom resource without the fields that its structural schema does not declare, except where the schema preserves them.
 * `apiVersion`, `kind` and `metadata` stay as they are, in embedded resources too. Shares what does not change with the input.
 */
export function prune(object: MapValue, schema: MapValue): Pruned {
  const unknown: string[] = []
  const root = { ...schema, "x-kubernetes-embedded-resource": true }
  const pruned = pruneValue(object, root, "", unknown, false)
  return { object: pruned as MapValue, unknown: unknown.sort(compareStrings) }
}

/** The default of a schema without the fields that the schema does not declare; undefined if there is none. */
export function prunedDefault(schema: MapValue): Value | undefined {
  const value = defaultOf(schema)
  return value === undefined ? undefined : pruneValue(value, schema, "", [], false)
}

/** `preserves` says that the map or list keeps unknown fields because what it is in does. */
function pruneValue(
  value: Value,
  schema: MapValue | undefined,
  path: string,
  unknown: string[],
  preserves: boolean,
): Value {
  const keeps = preserves || (schema !== undefined && isTrue(schema, "x-kubernetes-preserve-unknown-fields"))
  if (isList(value)) {
    const items = schema === undefined ? undefined : schemaAt(schema, "items")
    if (keeps && items === undefined) return value
    const next = value.map((item, i) => pruneValue(item, items, `${path}[${i}]`, unknown, keeps))
    return next.every((item, i) => item === value[i]) ? value : next
  }
  return isMap(value) ? pruneMap(value, schema ?? {}, path, unknown, keeps) : value
}

function pruneMap(map: MapValue, schema: MapValue, path: string, unknown: string[], keeps: boolean): MapValue {
  const embedded = isTrue(schema, "x-kubernetes-embedded-resource")
  const rest = own(schema, "additionalProperties") ?? undefined
  const out: Record<string, Value> = {}
  let changed = false
  for (const key in map) {
    const value = map[key] as Value
    const place = path === "" ? key : `${path}.${key}`
    const property = propertyOf(schema, key)
    const isKnown = property !== undefined || rest !== undefined
    if (embedded && objectFields.has(key)) put(out, key, value)
    else if (isKnown) {
      const next = pruneValue(value, property ?? (isMap(rest) ? rest : undefined), place, unknown, false)
      if (next !== value) changed = true
      put(out, key, next)
    } else if (keeps) put(out, key, value)
    else {
      unknown.push(place)
      changed = true
    }
  }
  return changed ? out : map
}

/** The value without the nulls of maps that their schema does not allow, unless a default comes in their place. */
export function withoutNulls(value: Value, schema: MapValue | undefined): Value {
  if (isList(value)) {
    const items = schema === undefined ? undefined : schemaAt(schema, "items")
    const next = value.map(item => withoutNulls(item, items))
    return next.every((item, i) => item === value[i]) ? value : next
  }
  if (!isMap(value)) return value
  const out: Record<string, Value> = {}
  let changed = false
  for (const key in value) {
    const before = value[key] as Value
    const inner = schema === undefined ? undefined : (propertyOf(schema, key) ?? restOf(schema))
    const goes = before === null && refusesNull(inner) && inner !== undefined && defaultOf(inner) === undefined
    if (!goes) put(out, key, withoutNulls(before, inner))
    if (goes || own(out, key) !== before) changed = true
  }
  return changed ? out : value
}
