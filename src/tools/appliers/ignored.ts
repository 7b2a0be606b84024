// Fields that a tool leaves to others, because its Application or Kustomization says so.
import { hasFrom } from "../../fieldpath/parts.js"
import { pathOf } from "../../fieldpath/path.js"
import type { FieldSet } from "../../fieldpath/set.js"
import { kindOf } from "../../schema/group-version-kind.js"
import { metaText } from "../../schema/metadata.js"
import { type Steps, type ValueChange, valueAtSteps, withChanges } from "../../value/change.js"
import { equalIfPresent } from "../../value/equal.js"
import { withKeys } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { parsePointer } from "../../value/pointer.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import { wildcardPattern } from "../../value/words.js"
import type { IgnoredFields } from "./origin.js"

/** Returns the JSON pointers of the fields of this object that the tool leaves to others. */
export function ignoredPointers(config: MapValue, rules: readonly IgnoredFields[] = []): readonly string[] {
  const { group, kind } = kindOf(config)
  const names = { group, kind, name: metaText(config, "name"), namespace: metaText(config, "namespace") }
  const fits = (rule: IgnoredFields): boolean =>
    (["group", "kind", "name", "namespace"] as const).every(key => matches(rule[key], names[key]))
  return rules.filter(fits).flatMap(({ pointers }) => pointers)
}

function matches(pattern: string | undefined, text: string): boolean {
  return pattern === undefined || pattern === text || (pattern.includes("*") && wildcardPattern(pattern).test(text))
}

/**
 * Returns the configuration with the live values of these fields, also of those that it omits. Fields that the live object lacks are left
 * out.
 */
export function withLiveValues(config: MapValue, live: MapValue, pointers: readonly string[]): MapValue {
  return pointers.reduce((result, pointer) => {
    const steps = parsePointer(pointer)
    if (valueAtSteps(live, stepsIn(live, steps)) === undefined) return withoutFields(result, [pointer])
    return withPartOf(live, result, steps) as MapValue
  }, config)
}

/** Returns the value with the part of `live` at these steps. Maps and lists on the way that are missing are added, lists as they are live. */
function withPartOf(live: Value, value: Value | undefined, [step, ...steps]: readonly string[]): Value {
  if (step === undefined) return live
  if (isList(live)) {
    if (value === undefined || !isList(value)) return live
    return value.map((item, i) => (i === Number(step) ? withPartOf(live[i] as Value, item, steps) : item))
  }
  const map = isMap(value) ? value : {}
  const part = isMap(live) ? own(live, step) : undefined
  return part === undefined ? map : withKeys(map, { [step]: withPartOf(part, own(map, step), steps) })
}

/**
 * Returns the configuration without the fields that another manager applies, and with the live values of the other fields, as far as an
 * apply would change them. `appliedByOthers` is the fields of other appliers.
 */
export function withoutForeign(
  config: MapValue,
  { live, next, appliedByOthers }: { live: MapValue; next: MapValue; appliedByOthers: FieldSet },
  pointers: readonly string[],
): MapValue {
  return changed(config, pointers, steps => {
    const value = valueAtSteps(live, stepsIn(live, steps))
    if (equalIfPresent(value, valueAtSteps(next, stepsIn(next, steps)))) return undefined
    const isForeign = steps.length > 0 && hasFrom(appliedByOthers, pathOf(...steps.map(String)))
    return { steps, value: isForeign ? undefined : value }
  })
}

/** Returns the object without these fields. */
export function withoutFields(object: MapValue, pointers: readonly string[]): MapValue {
  return changed(object, pointers, steps => ({ steps, value: undefined }))
}

function changed(
  object: MapValue,
  pointers: readonly string[],
  change: (steps: Steps) => ValueChange | undefined,
): MapValue {
  const changes = pointers.flatMap(pointer => change(stepsIn(object, parsePointer(pointer))) ?? [])
  return ((changes.length === 0 ? object : withChanges(object, changes)) ?? {}) as MapValue
}

/** Returns the steps with indexes as numbers where the value has a list. */
function stepsIn(value: Value, steps: Steps): Steps {
  const found: (string | number)[] = []
  let at: Value | undefined = value
  for (const step of steps) {
    const known: string | number = at !== undefined && isList(at) ? Number(step) : String(step)
    found.push(known)
    at = valueAtSteps(at, [known])
  }
  return found
}
