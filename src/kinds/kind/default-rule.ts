// Rules for defaults that an API server sets in Go code and that no OpenAPI document contains. Each family has the rules of its kinds, by type;
// defaults/with-defaults.ts applies them.
import { copyMap, own, put } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"

/** Values for fields of a type. */
interface FieldDefaults {
  /** The field whose map the rule changes. Without it, the rule changes the value of the type itself. */
  readonly in?: string
  /** When the rule applies: fields and the value, or values, that they must have. Undefined means that the field must be absent or empty. */
  readonly when?: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Values of fields that are absent or null. */
  readonly set?: Readonly<Record<string, Value>>
  /** Values of fields that are absent, null or empty: "", 0 or a list without items. */
  readonly fill?: Readonly<Record<string, Value>>
}

/** The fields of a copy of a map, which may be changed. */
export type Fields = Record<string, Value>

/** A rule: values for fields, or a function that computes them from other fields. */
export type DefaultRule = FieldDefaults | ((out: Fields) => void)

/** Rules by the name of the type in `kubernetesSchema()`. They apply in order, each to the result of the one before. */
export type DefaultRules = Readonly<Record<string, readonly DefaultRule[]>>

/** Applies a rule to a copy of a value of the type. */
export function applyRule(out: Fields, rule: DefaultRule): void {
  if (typeof rule === "function") rule(out)
  else if (rule.in === undefined) fillIn(out, rule)
  else change(out, rule.in, map => fillIn(map, rule))
}

function fillIn(out: Fields, { when = {}, set = {}, fill = {} }: FieldDefaults): void {
  for (const [name, wanted] of Object.entries(when)) {
    const value = own(out, name)
    if (wanted === undefined ? !isAbsent(value) && value !== "" : ![wanted].flat().includes(value as string)) return
  }
  for (const [name, value] of Object.entries(set)) if (isAbsent(own(out, name))) put(out, name, value)
  for (const [name, value] of Object.entries(fill)) if (isEmpty(own(out, name))) put(out, name, value)
}

export function isAbsent(value: Value | undefined): boolean {
  return value === undefined || value === null
}

/** Whether the value is absent or null, or empty: "", 0 or a list without items. */
export function isEmpty(value: Value | undefined): boolean {
  return isAbsent(value) || value === "" || value === 0 || (isList(value) && value.length === 0)
}

/** Edits a copy of the map at `name`, which may be absent, and stores the copy if it differs. */
export function change(out: Fields, name: string, edit: (map: Fields) => void): void {
  const value = own(out, name)
  const before = isMap(value) ? value : {}
  const map = copyMap(before)
  edit(map)
  if (!hasSameFields(map, before)) put(out, name, map)
}

/** Edits copies of the items that are maps, and stores the new list if one of them differs. */
export function changeItems(out: Fields, name: string, edit: (item: Fields) => void): void {
  const before = own(out, name)
  if (!isList(before)) return
  const items = before.map(item => {
    if (!isMap(item)) return item
    const changed = copyMap(item)
    edit(changed)
    return hasSameFields(changed, item) ? item : changed
  })
  if (items.some((item, i) => item !== before[i])) put(out, name, items)
}

/** Whether both maps have the same fields, with the same objects in them. */
export function hasSameFields(a: MapValue, b: MapValue): boolean {
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every(key => own(a, key) === own(b, key))
}
