import { compareStrings } from "../../value/compare.js"
import { own, put } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import { defaultOf, isTrue, objectFields, propertyOf, refusesNull, restOf, schemaAt } from "../structural/schema.js"

/** A custom resource without the fields that its schema does not declare. */
export interface Pruned {
  readonly object: MapValue
  /** The sorted paths of the removed fields, such as `spec.items[0].colour`. */
  readonly unknown: readonly string[]
}

/**
 * Removes the fields of a custom resource that its structural schema does not declare, except where the schema preserves them. `apiVersion`,
 * `kind` and `metadata` stay unchanged, in embedded resources too. The result shares unchanged parts with the input.
 */
export function prune(object: MapValue, schema: MapValue): Pruned {
  const unknown: string[] = []
  const root = { ...schema, "x-kubernetes-embedded-resource": true }
  const pruned = pruneValue(object, root, "", unknown, false)
  return { object: pruned as MapValue, unknown: unknown.sort(compareStrings) }
}

/** Returns the default of a schema, without fields that the schema does not declare; undefined if it has no default. */
export function prunedDefault(schema: MapValue): Value | undefined {
  const value = defaultOf(schema)
  return value === undefined ? undefined : pruneValue(value, schema, "", [], false)
}

/** `preserves` means that the map or list keeps unknown fields because the value that contains it does. */
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
    const fieldPath = path === "" ? key : `${path}.${key}`
    const property = propertyOf(schema, key)
    const isKnown = property !== undefined || rest !== undefined
    if (embedded && objectFields.has(key)) put(out, key, value)
    else if (isKnown) {
      const next = pruneValue(value, property ?? (isMap(rest) ? rest : undefined), fieldPath, unknown, false)
      if (next !== value) changed = true
      put(out, key, next)
    } else if (keeps) put(out, key, value)
    else {
      unknown.push(fieldPath)
      changed = true
    }
  }
  return changed ? out : map
}

/** Removes the nulls of maps that the schema does not allow, except those that a default replaces. */
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
    const isRemoved = before === null && refusesNull(inner) && inner !== undefined && defaultOf(inner) === undefined
    if (!isRemoved) put(out, key, withoutNulls(before, inner))
    if (isRemoved || own(out, key) !== before) changed = true
  }
  return changed ? out : value
}
