// Fills in the defaults of built-in kinds, and writes their quantities as Kubernetes does.
import { kubernetesSchema } from "../../kubernetes/types.js"
import type { Atom, StructField, TypeDef, TypeRef } from "../../schema/schema.js"
import { copyMap, own, put } from "../../value/object.js"
import { oncePer } from "../../value/once-per.js"
import { formatQuantity } from "../../value/quantity.js"
import { isList, isMap, type MapValue, type Side, type Value } from "../../value/value.js"
import { builtInKinds } from "../families/registry.js"
import { applyRule, type DefaultRule, type Fields, hasSameFields, isEmpty } from "../kind/default-rule.js"

let definitions: ReadonlyMap<string, TypeDef> | undefined
let rules: ReadonlyMap<string, readonly DefaultRule[]> | undefined

/**
 * Fills in the defaults that an API server gives to objects of this type of `kubernetesSchema()`, and puts quantities into their usual form.
 * The defaults are complete for Deployment, StatefulSet, DaemonSet, ReplicaSet, Pod, Job, CronJob, Service, ConfigMap, Secret,
 * HorizontalPodAutoscaler and Ingress, except for those that admission and allocation add. Other kinds get the defaults of the types that they
 * share with these. The result shares unchanged parts with the input. `done` is an object of the type that has its defaults: parts that are
 * identical to parts of `done` are skipped. Throws a RangeError for a text that is not a quantity.
 */
export function withBuiltInDefaults(object: MapValue, typeName: string, done?: MapValue): MapValue {
  return fillIn(object, { namedType: typeName }, done) as MapValue
}

function fillIn(value: Value, reference: TypeRef, done: Side): Value {
  if (value === done) return value
  const name = reference.namedType
  if (name === "io.k8s.apimachinery.pkg.api.resource.Quantity") return quantity(value)
  definitions ??= new Map(kubernetesSchema().types.map(type => [type.name, type]))
  const atom: Atom | undefined = name === undefined ? reference : definitions.get(name)
  if (isList(value)) {
    const items = atom?.list?.elementType
    if (items === undefined) return value
    const doneItems = done !== undefined && isList(done) ? done : []
    const next = value.map((item, i) => fillIn(item, items, doneItems[i]))
    return next.every((item, i) => item === value[i]) ? value : next
  }
  return isMap(value) && atom?.map !== undefined ? fillInMap(value, atom.map, name ?? "", done) : value
}

function quantity(value: Value): Value {
  return value === null ? value : formatQuantity(value)
}

function fillInMap(
  map: MapValue,
  { fields = noFields, elementType }: NonNullable<Atom["map"]>,
  name: string,
  done: Side,
): MapValue {
  const doneFields = done !== undefined && isMap(done) ? done : undefined
  const { types, defaults } = structOf(fields)
  rules ??= new Map(builtInKinds().flatMap(({ defaults = {} }) => Object.entries(defaults)))
  const ofType = rules.get(name)
  let out: Fields | undefined = ofType && copyMap(map)
  for (const rule of ofType ?? []) applyRule(out as Fields, rule)
  for (const [key, value] of defaults) {
    const given = own(out ?? map, key)
    // Go: numbers with defaults are pointers, so 0 is a value.
    if (isEmpty(given) && given !== 0) put((out ??= copyMap(map)), key, value)
  }
  const others = fields.length === 0 ? elementType : undefined
  for (const key of Object.keys(out ?? map)) {
    const type = types.get(key) ?? others
    if (type === undefined) continue
    const value = own(out ?? map, key) as Value
    const next = fillIn(value, type, doneFields && own(doneFields, key))
    if (next !== value) put((out ??= copyMap(map)), key, next)
  }
  return out === undefined || hasSameFields(out, map) ? map : out
}

const noFields: readonly StructField[] = []

/** The fields of a struct. */
interface Struct {
  readonly types: ReadonlyMap<string, TypeRef>
  /** The defaults in the schema. */
  readonly defaults: readonly (readonly [name: string, value: Value])[]
}

const structOf = oncePer((fields: readonly StructField[]): Struct => {
  const isDefault = (value: unknown) =>
    (typeof value === "string" || typeof value === "number") && value !== "" && value !== 0
  const defaults = fields.flatMap(({ name, default: value }) =>
    value !== undefined && isDefault(value) ? [[name, value] as const] : [],
  )
  return { types: new Map(fields.map(({ name, type }) => [name, type])), defaults }
})
