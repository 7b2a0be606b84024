// Events. Two groups serve the same stored objects, but name some of the fields differently.
import { textAt, withKeys } from "../../value/fields.js"
import { own } from "../../value/object.js"
import type { MapValue, Value } from "../../value/value.js"
import { ageOf, countAt, type KindColumns, nameColumn, text, wide } from "../kind/column.js"
import type { BuiltInKind, Family } from "../kind/kind.js"
import type { Field } from "../validation/field.js"
import { labelKey } from "../validation/names.js"
import { goStruct } from "../validation/struct-layout.js"

const event: BuiltInKind = { convert: withEventNames, createdByPut: true }

export const events: Family = {
  "/Event": {
    ...event,
    validate: { "": checkOldEvent },
    selectableFields: {
      "involvedObject.kind": "",
      "involvedObject.namespace": "",
      "involvedObject.name": "",
      "involvedObject.uid": "",
      "involvedObject.apiVersion": "",
      "involvedObject.resourceVersion": "",
      "involvedObject.fieldPath": "",
      reason: "",
      reportingComponent: "",
      source: "",
      type: "",
    },
  },
  "events.k8s.io/Event": {
    ...event,
    storedWithGroup: "",
    validate: { "": checkEvent },
    selectableFields: {
      "regarding.kind": "",
      "regarding.namespace": "",
      "regarding.name": "",
      "regarding.uid": "",
      "regarding.apiVersion": "",
      "regarding.resourceVersion": "",
      "regarding.fieldPath": "",
      reason: "",
      reportingController: "",
      type: "",
    },
  },
}

export function eventColumns(): KindColumns {
  const columns = [
    text("Last Seen", lastSeen),
    text("Type", event => textAt(event, "type")),
    text("Reason", event => textAt(event, "reason")),
    text("Object", eventObject),
    wide(text("Subobject", event => textAt(involved(event), "fieldPath"))),
    wide(text("Source", eventSource)),
    text("Message", event => textOrEmpty(either(event, "message", "note")).trim()),
    wide(text("First Seen", firstSeen)),
    wide(text("Count", eventCount)),
    wide(nameColumn),
  ]
  return { "/Event": columns, "events.k8s.io/Event": columns }
}

/** Returns a field that the groups name differently. The name in v1 comes first. */
const either = (object: MapValue, ...keys: readonly string[]): Value =>
  keys.map(key => own(object, key)).find(value => value !== undefined && value !== null) ?? {}
const involved = (event: MapValue): MapValue => either(event, "involvedObject", "regarding") as MapValue
const textOrEmpty = (value: Value): string => (typeof value === "string" ? value : "")

function firstSeen(event: MapValue, now: number): string {
  return ageOf(textOrEmpty(either(event, "firstTimestamp", "deprecatedFirstTimestamp", "eventTime")), now)
}

function lastSeen(event: MapValue, now: number): string {
  const series = own(event, "series") as MapValue | undefined | null
  if (series) return ageOf(textAt(series, "lastObservedTime"), now)
  const last = textOrEmpty(either(event, "lastTimestamp", "deprecatedLastTimestamp"))
  return last === "" ? firstSeen(event, now) : ageOf(last, now)
}

function eventObject(event: MapValue): string {
  const name = textAt(involved(event), "name")
  const kind = textAt(involved(event), "kind").toLowerCase()
  return name === "" ? kind : `${kind}/${name}`
}

function eventSource(event: MapValue): string {
  const source = either(event, "source", "deprecatedSource") as MapValue
  const component =
    textAt(source, "component") || textOrEmpty(either(event, "reportingComponent", "reportingController"))
  const host = textAt(source, "host") || textAt(event, "reportingInstance")
  return host === "" ? component : `${component}, ${host}`
}

function eventCount(event: MapValue): number {
  const series = own(event, "series") as MapValue | undefined | null
  if (series) return countAt(series, "count")
  return countAt(event, "count") || countAt(event, "deprecatedCount") || 1
}

/** Names of fields in `v1`, and in `events.k8s.io/v1`. */
const eventNames = [
  ["count", "deprecatedCount"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["involvedObject", "regarding"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["message", "note"],
  ["reportingComponent", "reportingController"],
  ["source", "deprecatedSource"],
] as const

/** Renames the fields of an Event for the other version. Returns undefined for a version that is not served. */
function withEventNames(event: MapValue, apiVersion: string): MapValue | undefined {
  const isNew = apiVersion === "events.k8s.io/v1"
  if (!isNew && apiVersion !== "v1") return undefined
  const changes: Record<string, Value | undefined> = { apiVersion }
  for (const [older, newer] of eventNames) {
    const [from, to] = isNew ? [older, newer] : [newer, older]
    changes[to] = own(event, from)
    changes[from] = undefined
  }
  // The newer version omits these fields if they are empty; v1 writes them.
  if (isNew && changes.reportingController === "") changes.reportingController = undefined
  if (isNew && own(event, "reportingInstance") === "") changes.reportingInstance = undefined
  return withKeys(event, changes)
}

/** Checks an Event of `v1`. */
function checkOldEvent(event: Field): void {
  checkParts(event, event.at("involvedObject"), event.at("reportingComponent"), event.at("message"))
}

/** Checks an Event of `events.k8s.io/v1`. Messages name the fields as in `v1`. */
function checkEvent(event: Field, before: Field | undefined): void {
  const named = (of: Field) => (older: string, newer: string) => event.at(older).holding(of.at(newer).value)
  const now = named(event)
  const controller = event.at("reportingController")
  checkParts(event, now("involvedObject", "regarding"), controller, now("message", "note"))
  if (before === undefined) checkNewEvent(event, now)
  else checkEventUpdate(event, before)
}

function checkParts(event: Field, object: Field, controller: Field, message: Field): void {
  const namespace = event.at("metadata", "namespace").text
  const own = object.at("namespace")
  const isWrong = () => own.invalid("does not match event.namespace", own.text)
  if (!event.at("eventTime").isSet) {
    if (own.text === "" ? !["", "default"].includes(namespace) : own.text !== namespace) isWrong()
    return
  }
  if (own.text === "" && !["default", "kube-system"].includes(namespace)) isWrong()
  controller.requireText()
  controller.check(labelKey)
  for (const key of ["reportingInstance", "action", "reason"]) {
    const field = event.at(key)
    field.requireText()
    if (field.text.length > 128) field.invalid("can have at most 128 characters", "")
  }
  if (message.text.length > 1024) message.invalid("can have at most 1024 characters", "")
}

function checkNewEvent(event: Field, now: (older: string, newer: string) => Field): void {
  checkSeries(event.at("series"))
  if (!event.at("eventTime").isSet) event.at("eventTime").required()
  const type = event.at("type")
  if (!["Normal", "Warning"].includes(type.text)) type.invalid(`has invalid value: ${type.text}`, "")
  for (const [older, newer] of eventNames) {
    const field = now(older, newer)
    const isUsed = older === "source" ? field.size > 0 : field.isSet && field.value !== 0
    if (newer.startsWith("deprecated") && isUsed) field.invalid("needs to be unset", "")
  }
}

function checkSeries(series: Field): void {
  if (!series.isSet) return
  if (series.at("count").number < 2) series.at("count").invalid("should be at least 2", "")
  if (!series.at("lastObservedTime").isSet) series.at("lastObservedTime").required()
}

/** The fields of an Event that stay, in the order of their checks, and the types that messages show. */
const fixed: readonly (readonly [older: string, newer: string, type?: string])[] = [
  ["involvedObject", "regarding", "ObjectReference"],
  ["reason", "reason"],
  ["message", "note"],
  ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"],
  ["type", "type"],
  ["eventTime", "eventTime"],
  ["action", "action"],
  ["related", "related", "ObjectReference"],
  ["reportingController", "reportingController"],
  ["reportingInstance", "reportingInstance"],
]

function checkEventUpdate(event: Field, before: Field): void {
  if (!event.at("series").equals(before.at("series"))) checkSeries(event.at("series"))
  for (const [older, newer, type] of fixed) {
    const { value } = event.at(newer)
    const struct = type === undefined ? undefined : goStruct(value, type)
    event.at(older).holding(value).immutable(before.at(newer), struct)
  }
}
