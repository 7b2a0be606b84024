// Fills the defaults of built-in kinds in, and writes their quantities as Kubernetes does.
import { kubernetesSchema } from "../../kubernetes/types.js"
import type { Atom, StructField, TypeDef, TypeRef } from "../../schema/schema.js"
import { copyMap, own, put } from "../../value/object.js"
import { formatQuantity } from "../../value/quantity.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import { builtInKinds } from "../families/registry.js"
import { applyRule, type DefaultRule, type Fields, hasSameFields, isEmpty } from "../kind/default-rule.js"

let definitions: ReadonlyMap<string, TypeDef> | undefined
let rules: ReadonlyMap<string, readonly DefaultRule[]> | undefined

/**
 * The object with the defaults that an API server fills into objects of this type of `kubernetesSchema()`, and with its quantities
 * in their usual form. Complete for Deployment, StatefulSet, DaemonSet, ReplicaSet, Pod, Job, CronJob, Service, ConfigMap, Secret,
 * HorizontalPodAutoscaler and Ingress, but for what admission and allocation add; other kinds get the defaults of the types that
 * they share with these. Shares what does not change with the input. Throws a RangeError for a quantity that is none.
 */
export function withBuiltInDefaults(object: MapValue, typeName: string): MapValue {
  return walk(object, { namedType: typeName }) as MapValue
}

function walk(value: Value, reference: TypeRef): Value {
  const name = reference.namedType
  if (name === "io.k8s.apimachinery.pkg.api.resource.Quantity") return quantity(value)
  definitions ??= new Map(kubernetesSchema().types.map(type => [type.name, type]))
  const atom: Atom | undefined = name === undefined ? reference : definitions.get(name)
  if (isList(value)) {
    const items = atom?.list?.elementType
    if (items === undefined) return value
    const next = value.map(item => walk(item, items))
    return next.every((item, i) => item === value[i]) ? value : next
  }
  return isMap(value) && atom?.map !== undefined ? walkMap(value, atom.map, name ?? "") : value
}

function quantity(value: Value): Value {
  return value === null ? value : formatQuantity(value)
}

function walkMap(map: MapValue, { fields = [], elementType }: NonNullable<Atom["map"]>, name: string): MapValue {
  const out = copyMap(map)
  rules ??= new Map(builtInKinds().flatMap(({ defaults = {} }) => Object.entries(defaults)))
  for (const rule of rules.get(name) ?? []) applyRule(out, rule)
  for (const field of fields) walkField(out, field)
  if (elementType !== undefined && fields.length === 0) {
    for (const key of Object.keys(out)) put(out, key, walk(own(out, key) as Value, elementType))
  }
  return hasSameFields(out, map) ? map : out
}

/** Descends into a field, after giving it the default that the schema says. */
function walkField(out: Fields, { name, type, default: value }: StructField): void {
  if (typeof value === "string" || typeof value === "number") {
    if (value !== "" && value !== 0 && isEmpty(own(out, name))) put(out, name, value)
  }
  const found = own(out, name)
  if (found !== undefined) put(out, name, walk(found, type))
}
