// Converts the markers for merging lists, maps and structs to extensions of OpenAPI.

import type { MapValue, Value } from "../../value/value.js"
import { listAnd } from "../../value/words.js"
import type { Findings, GoTypesPlace } from "../source/errors.js"
import { flatFields, type JsonField } from "./fields.js"
import { type Markers, markerText } from "./markers.js"
import type { Shapes } from "./shape.js"

const listTypes = ["atomic", "set", "map"]
const mapTypes = ["atomic", "granular"]

/** Returns the extensions of a field. `all` has its markers and the markers of its named types. */
export function extensionsOf(shapes: Shapes, field: JsonField, all: readonly Markers[]): MapValue {
  const { findings } = shapes
  const { place } = field
  const { kind } = field.followed.shape
  const unknown = kind === "outside" || kind === "known"
  const list = said(findings, all, ["listType", "k8s:listType"], place)
  const map = said(findings, all, ["mapType"], place)
  const struct = said(findings, [field.markers], ["structType"], place)
  const extensions: Record<string, Value> = {}
  if (holds(findings, place, "+listType", list, listTypes, kind === "list" ? undefined : "a list")) {
    extensions["x-kubernetes-list-type"] = list as string // it has a value
  }
  if (
    holds(
      findings,
      place,
      "+mapType",
      map,
      mapTypes,
      unknown || kind === "map" || kind === "struct" ? undefined : "a map",
    )
  ) {
    extensions["x-kubernetes-map-type"] = map as string
  }
  if (holds(findings, place, "+structType", struct, mapTypes, unknown || kind === "struct" ? undefined : "a struct")) {
    extensions["x-kubernetes-map-type"] = struct as string
  }
  const keys = keysOf(all)
  if (list === "map") {
    checkKeys(shapes, field, keys)
    extensions["x-kubernetes-list-map-keys"] = keys
  } else if (keys.length > 0 && !all.some(found => found.text("k8s:unique") === "map")) {
    findings.error(place, "+listMapKey means nothing without +listType=map")
  }
  return { ...extensions, ...patchExtensions(field.markers) }
}

/** Returns the extension of a struct type. */
export function structExtension(findings: Findings, markers: Markers, place: GoTypesPlace): MapValue {
  const type = said(findings, [markers], ["structType", "mapType"], place)
  return holds(findings, place, "+structType", type, mapTypes, undefined)
    ? { "x-kubernetes-map-type": type as string }
    : {}
}

/** Returns the value of the nearest of these markers. The two spellings of a marker must agree. */
function said(
  findings: Findings,
  all: readonly Markers[],
  names: readonly string[],
  place: GoTypesPlace,
): string | undefined {
  const nearest = all.find(markers => markers.has(...names))
  const values = [...new Set(nearest?.named(...names).map(markerText))]
  if (values.length > 1) findings.error(place, `+${names[0]} says ${listAnd(values)}`)
  return values[0]
}

/**
 * Whether a marker has an effect on its type. Reports an invalid value, and warns if the marker has no effect, as some of
 * Kubernetes' own markers don't.
 */
function holds(
  findings: Findings,
  place: GoTypesPlace,
  marker: string,
  value: string | undefined,
  allowed: readonly string[],
  expected: string | undefined,
): boolean {
  if (value === undefined) return false
  if (!allowed.includes(value)) {
    findings.error(place, `${marker} is one of ${allowed.join(", ")}, not ${JSON.stringify(value)}`)
  }
  if (expected !== undefined) findings.warn(place, `${marker} is for ${expected}; it has no effect here`)
  return expected === undefined
}

/** Returns the keys of a list whose items are merged by keys; undefined if the markers declare another list type. */
export function listKeysOf(all: readonly Markers[]): readonly string[] | undefined {
  const nearest = all.find(markers => markers.has("listType", "k8s:listType"))
  return nearest?.text("listType", "k8s:listType") === "map" ? keysOf(all) : undefined
}

/** Returns the keys of the nearest markers. */
function keysOf(all: readonly Markers[]): string[] {
  const keys = ["listMapKey", "k8s:listMapKey"]
  const nearest = all.find(markers => markers.has("listType", "k8s:listType", ...keys))
  return [...new Set(nearest?.named(...keys).map(markerText))]
}

/** Checks that the keys of a list are scalar fields of its items. */
function checkKeys(shapes: Shapes, { followed: { shape }, place }: JsonField, keys: readonly string[]): void {
  if (keys.length === 0) shapes.findings.error(place, "+listType=map needs a +listMapKey")
  if (shape.kind !== "list") return
  const items = shapes.follow(shape.element, shape.from, place).shape
  if (items.kind === "outside" || items.kind === "none") return
  if (items.kind !== "struct") {
    shapes.findings.error(place, "the items of a +listType=map have to be structs")
    return
  }
  const fields = flatFields(shapes, items)
  for (const key of keys) {
    const found = fields.find(({ name }) => name === key)
    if (found === undefined) shapes.findings.error(place, `+listMapKey ${key} is not a field of the items`)
    else if (!isKey(found)) shapes.findings.error(place, `+listMapKey ${key} is not a scalar`)
  }
}

function isKey({ followed: { shape } }: JsonField): boolean {
  return shape.kind === "scalar" || shape.kind === "known" || shape.kind === "outside"
}

function patchExtensions(markers: Markers): MapValue {
  const strategy = markers.text("patchStrategy")
  const key = markers.text("patchMergeKey")
  return {
    ...(strategy !== undefined && { "x-kubernetes-patch-strategy": strategy }),
    ...(key !== undefined && { "x-kubernetes-patch-merge-key": key }),
  }
}
