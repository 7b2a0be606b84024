// The form of a built-in object after an API server has read it into its Go struct and written it again. Fields that the struct lacks, nulls,
// and zeros that Go omits are removed. Struct fields that Go never omits are added: in the schema, these have an empty default.
import type { FoundKind } from "../../managedfields/types/object-types.js"
import type { Atom, Schema, StructField, TypeDef, TypeRef } from "../../schema/schema.js"
import { copyMap, isEmptyMap, own, put } from "../../value/object.js"
import { oncePer } from "../../value/once-per.js"
import { isList, isMap, type MapValue, type Side, type Value } from "../../value/value.js"
import { disabledFields } from "./disabled-fields.js"
import { zerosOf } from "./go-zeros.js"

/** An object in its stored form, and the paths of the removed fields that its type does not have. */
export interface Shaped {
  readonly object: MapValue
  readonly unknown: readonly string[]
}

/**
 * Returns the object as a server would write it after reading it. The result shares unchanged parts with the input. `done` is an object that
 * has this form already: parts that are identical to parts of `done` are skipped. Lists that Go writes as null if they are absent stay empty
 * if they are, and fields of disabled features stay, until the object is `stored`.
 */
export function goShape(object: MapValue, found: FoundKind, done?: MapValue, stored = false): Shaped {
  const shaper = new Shaper(found.schema, stored)
  const shaped = shaper.value(object, { namedType: found.typeName }, "", done)
  const empty = found.emptyObject
  const filled = empty === undefined ? shaped : withMissing(shaped as MapValue, empty)
  return { object: filled as MapValue, unknown: shaper.unknown }
}

const definitionsOf = oncePer(
  (schema: Schema): ReadonlyMap<string, TypeDef> => new Map((schema.types ?? []).map(type => [type.name, type])),
)

/** The fields of a struct. */
interface Struct {
  readonly byName: ReadonlyMap<string, StructField>
  /** The fields that Go never omits, with their zero values as defaults. */
  readonly zeros: readonly StructField[]
}

const structOf = oncePer((fields: readonly StructField[]): Struct => {
  const zeros = fields.filter(
    // Times are structs in Go, but not in JSON.
    ({ type, default: zero }) => zero !== undefined && isZero(zero) && !isTime(type),
  )
  return { byName: new Map(fields.map(field => [field.name, field])), zeros }
})

const noFields: ReadonlySet<string> = new Set()

class Shaper {
  readonly unknown: string[] = []
  private readonly types: ReadonlyMap<string, TypeDef>
  private readonly stored: boolean

  constructor(schema: Schema, stored: boolean) {
    this.types = definitionsOf(schema)
    this.stored = stored
  }

  value(value: Value, ref: TypeRef, path: string, done: Side): Value {
    if (value === done) return value
    const atom = this.atomOf(ref)
    if (isMap(value) && atom?.map) {
      const { fields = [], elementType } = atom.map
      return elementType === undefined || fields.length > 0
        ? this.struct(value, fields, elementType, path, ref.namedType ?? "", done)
        : this.dictionary(value, elementType, path)
    }
    const { elementType } = atom?.list ?? {}
    if (!isList(value) || elementType === undefined) return value
    const doneItems = done !== undefined && isList(done) ? done : []
    let changed = false
    const items = value.map((item, index) => {
      const next = this.value(item, elementType, `${path}[${index}]`, doneItems[index])
      changed ||= next !== item
      return next
    })
    return changed ? items : value
  }

  private struct(
    map: MapValue,
    fields: readonly StructField[],
    rest: TypeRef | undefined,
    path: string,
    typeName: string,
    done: Side,
  ): MapValue {
    const doneFields = done !== undefined && isMap(done) ? done : undefined
    let out: Record<string, Value> | undefined
    const { dropped, nulls } = zerosOf(typeName)
    const disabled = this.stored ? disabledFields(typeName) : noFields
    const { byName, zeros } = structOf(fields)
    for (const key in map) {
      const value = own(map, key) as Value
      const doneValue = doneFields && own(doneFields, key)
      if (value === doneValue && typeof value === "object") continue
      const field = byName.get(key)
      const type = field?.type ?? rest
      const here = path === "" ? key : `${path}.${key}`
      if (type === undefined) this.unknown.push(here)
      const isLeftOut =
        type === undefined || value === null || (isScalarZero(value) && dropped.has(key)) || disabled.has(key)
      const staysEmpty = !this.stored && isList(value) && value.length === 0 && nulls.includes(key)
      const next = isLeftOut ? undefined : staysEmpty ? value : this.field(value, type, here, doneValue)
      if (next === value) continue
      out ??= copyMap(map)
      if (next === undefined) delete out[key]
      else put(out, key, next)
    }
    for (const { name, type, default: zero = null } of zeros) {
      if (dropped.has(name) || own(out ?? map, name) !== undefined) continue
      out ??= copyMap(map)
      put(out, name, isMap(zero) ? this.value(zero, type, name, undefined) : zero)
    }
    for (const name of nulls) {
      if (own(out ?? map, name) !== undefined) continue
      out ??= copyMap(map)
      put(out, name, null)
    }
    return out ?? map
  }

  /** Returns the value of a field; undefined for an empty list or dictionary, which Go omits. */
  private field(value: Value, type: TypeRef, path: string, done: Side): Value | undefined {
    if (isList(value) && value.length === 0) return undefined
    if (!isMap(value) || !isEmptyMap(value)) return this.value(value, type, path, done)
    // In the schema, every struct has a name, even one without fields; a dictionary has none.
    const isDictionary = type.namedType === undefined && type.map?.elementType !== undefined
    return isDictionary ? undefined : this.value(value, type, path, done)
  }

  private atomOf(ref: TypeRef): Atom | undefined {
    return ref.namedType === undefined ? ref : this.types.get(ref.namedType)
  }

  private dictionary(map: MapValue, type: TypeRef, path: string): MapValue {
    let out: Record<string, Value> | undefined
    for (const key in map) {
      const value = own(map, key) as Value
      const next = value === null ? ofNull(type) : this.value(value, type, `${path}.${key}`, undefined)
      if (next === value) continue
      out ??= copyMap(map)
      put(out, key, next)
    }
    return out ?? map
  }
}

/** Returns the value that Go reads null into if null is the value of a key in a map. */
function ofNull({ scalar, namedType }: TypeRef): Value {
  if (namedType === "io.k8s.apimachinery.pkg.api.resource.Quantity") return "0"
  return scalar === "string" ? "" : null
}

function isZero(value: Value): boolean {
  return isScalarZero(value) || (isMap(value) && isEmptyMap(value))
}

function isScalarZero(value: Value): boolean {
  return value === "" || value === 0 || value === false
}

function isTime({ namedType = "" }: TypeRef): boolean {
  return namedType.endsWith(".Time") || namedType.endsWith(".MicroTime")
}

/** Adds the fields of the kind's empty object that the object lacks, such as lists that are written as null. */
function withMissing(object: MapValue, empty: MapValue): MapValue {
  let out: Record<string, Value> | undefined
  for (const key in empty) {
    if (key === "metadata") continue
    const zero = own(empty, key) as Value
    const value = own(object, key)
    const next = value === undefined ? zero : isMap(value) && isMap(zero) ? withMissing(value, zero) : value
    if (next === value) continue
    out ??= copyMap(object)
    put(out, key, next)
  }
  return out ?? object
}
