// The configuration that a tool sends: the user's, with the tool's additions.
import { kindOf } from "../../schema/group-version-kind.js"
import { metadataOf, metaText, withMetadata } from "../../schema/metadata.js"
import { base64 } from "../../value/bytes.js"
import { mapAt, textAt, withKeys } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import type { DryRun } from "../../write/dry-run.js"
import type { ApplierOrigin } from "./origin.js"
import type { ApplierProfile, SkipRule } from "./profile.js"

/** Returns the configuration as the tool sends it. */
export function sentConfiguration(
  config: MapValue,
  live: MapValue | undefined,
  { configuration = {} }: ApplierProfile,
  dryRun: DryRun,
  origin: ApplierOrigin | undefined,
): MapValue {
  const { goTypes, labels, annotations } = configuration
  const shaped = goTypes ? throughGoTypes(config, dryRun) : config
  const values = valuesOf(shaped, origin)
  const labelled = withMarks(shaped, live, "labels", labels, values)
  return withMarks(labelled, live, "annotations", annotations, values)
}

/** Returns the values of the placeholders; undefined if they are unknown. */
function valuesOf(config: MapValue, origin: ApplierOrigin | undefined): Readonly<Record<string, string>> | undefined {
  if (origin === undefined) return undefined
  const { group, kind } = kindOf(config)
  const place = metaText(config, "namespace")
  const { name, namespace = place } = origin
  const { release = name, targetNamespace: target = namespace } = origin
  return { name, namespace, release, target, id: `${name}:${group}/${kind}:${place}/${metaText(config, "name")}` }
}

/** Returns the configuration with these labels or annotations. An unknown value is taken from the live object, if that has one. */
function withMarks(
  config: MapValue,
  live: MapValue | undefined,
  key: "labels" | "annotations",
  marks: Readonly<Record<string, string>> = {},
  values: Readonly<Record<string, string>> | undefined,
): MapValue {
  const there = live === undefined ? {} : mapAt(metadataOf(live), key)
  const set: Record<string, Value> = {}
  for (const [name, template] of Object.entries(marks)) {
    const value = filled(template, values) ?? own(there, name)
    if (value !== undefined) set[name] = value
  }
  const configured = mapAt(metadataOf(config), key)
  return Object.keys(set).length === 0 ? config : withMetadata(config, { [key]: withKeys(configured, set) })
}

function filled(template: string, values: Readonly<Record<string, string>> | undefined): string | undefined {
  if (values === undefined) return template.includes("{") ? undefined : template
  return fillPlaceholders(template, key => values[key])
}

/** Returns the text with values for placeholders such as `{name}`. Those without a value stay. */
export function fillPlaceholders(text: string, valueFor: (key: string) => string | undefined): string {
  return text.replaceAll(/\{(\w+)\}/g, (all, key: string) => valueFor(key) ?? all)
}

/**
 * Returns the object as Go reads and writes it, without status. Ports of containers and Services get their protocol, and `stringData`
 * becomes `data`. RBAC's roles stay unchanged, because of a bug in that step.
 */
function throughGoTypes(config: MapValue, dryRun: DryRun): MapValue {
  const { custom, plain } = dryRun.endpoint.resource
  const { group, kind } = kindOf(config)
  if (custom !== undefined || plain || (group === "rbac.authorization.k8s.io" && kind.endsWith("Role"))) return config
  const { object } = dryRun.endpoint.shape(withProtocols(withData(config)))
  return kind === "CustomResourceDefinition" ? object : withKeys(object, { status: undefined })
}

/** The place of the Pods' spec in each kind. */
const podSpecs: Readonly<Record<string, readonly string[]>> = {
  Pod: ["spec"],
  Deployment: ["spec", "template", "spec"],
  StatefulSet: ["spec", "template", "spec"],
  DaemonSet: ["spec", "template", "spec"],
  ReplicaSet: ["spec", "template", "spec"],
  Job: ["spec", "template", "spec"],
  CronJob: ["spec", "jobTemplate", "spec", "template", "spec"],
}

function withProtocols(config: MapValue): MapValue {
  const { kind } = kindOf(config)
  if (kind === "Service") return changedAt(config, ["spec", "ports"], port => withTargetPort(withProtocol(port)))
  const steps = podSpecs[kind]
  return steps === undefined
    ? config
    : changedAt(config, [...steps, "containers"], container =>
        isMap(container) ? changedAt(container, ["ports"], withProtocol) : container,
      )
}

function withProtocol(port: Value): Value {
  return isMap(port) && textAt(port, "protocol") === "" ? withKeys(port, { protocol: "TCP" }) : port
}

/** In Go, a target port is a struct, which is always written. A server replaces 0 by the port. */
function withTargetPort(port: Value): Value {
  return isMap(port) && own(port, "targetPort") === undefined ? withKeys(port, { targetPort: 0 }) : port
}

/** Returns the map with each item of the list at these steps changed; the map itself if it has no such list. */
function changedAt(map: MapValue, [step = "", ...steps]: readonly string[], change: (item: Value) => Value): MapValue {
  const value = own(map, step)
  if (steps.length === 0)
    return value !== undefined && isList(value) ? withKeys(map, { [step]: value.map(change) }) : map
  return value !== undefined && isMap(value) ? withKeys(map, { [step]: changedAt(value, steps, change) }) : map
}

function withData(config: MapValue): MapValue {
  const texts = mapAt(config, "stringData")
  if (kindOf(config).kind !== "Secret" || Object.keys(texts).length === 0) return config
  const data: Record<string, Value> = {}
  for (const [key, text] of Object.entries(texts))
    data[key] = typeof text === "string" ? base64(new TextEncoder().encode(text)) : text
  return withKeys(config, { data: withKeys(mapAt(config, "data"), data), stringData: undefined })
}

/** Returns the reason why the tool leaves the object alone; undefined if it does not. */
export function skipReason(
  config: MapValue,
  live: MapValue | undefined,
  rules: readonly SkipRule[],
): string | undefined {
  for (const { marked, on = "either", existing = false } of rules) {
    if (existing && live === undefined) continue
    const found = markOf(config, marked) ?? (on === "either" && live !== undefined ? markOf(live, marked) : undefined)
    if (found !== undefined) return found
  }
  return undefined
}

/** Returns the first of these labels or annotations that the object has, as text; undefined if it has none. */
export function markOf(object: MapValue, marks: Readonly<Record<string, string>>): string | undefined {
  const metadata = metadataOf(object)
  for (const [key, value] of Object.entries(marks)) {
    for (const kind of ["labels", "annotations"]) {
      const text = textAt(mapAt(metadata, kind), key)
      if (text !== "" && (value === "*" || text.toLowerCase() === value.toLowerCase())) return `${key}: ${text}`
    }
  }
  return undefined
}
