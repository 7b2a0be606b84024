// Reads unions whose members are items of a list: `+k8s:item(type: "Approved")=+k8s:zeroOrOneOfMember`, on a field or a named list type.

import type { UnionDef, UnionMember } from "../../schema/union.js"
import { formatValue } from "../../value/format.js"
import { addToGroup } from "../../value/groups.js"
import { flatFields, type JsonField } from "../types/fields.js"
import { type Marker, withoutStability } from "../types/markers.js"
import { markersOf, type Shapes } from "../types/shape.js"
import { listKeysOf } from "../types/topology.js"

const cardinalities = {
  "k8s:unionMember": "exactlyOne",
  "k8s:zeroOrOneOfMember": "atMostOne",
} as const satisfies Record<string, UnionDef["cardinality"]>

/** Returns the member marker in `+k8s:item(...)=`, with or without a level of stability; undefined for other markers. */
export function memberOfItem(marker: Marker): Marker | undefined {
  if (marker.name !== "k8s:item" || marker.payload === undefined) return undefined
  const member = withoutStability(marker.payload)
  return Object.hasOwn(cardinalities, member.name) ? member : undefined
}

/** Returns the unions of items of these fields. Unions that need a member come first; both groups are sorted by name. */
export function itemUnions(shapes: Shapes, fields: readonly JsonField[]): UnionDef[] {
  return fields.flatMap(field => {
    const all = markersOf(field.markers, field.followed)
    const found = all.flatMap(markers => markers.named("k8s:item")).filter(marker => memberOfItem(marker) !== undefined)
    if (found.length === 0) return []
    const keys = listKeysOf(all)
    if (field.followed.shape.kind !== "list" || keys === undefined) {
      shapes.findings.warn(field.place, `+k8s:item is for a +listType=map; only validation reads it here`)
      return []
    }
    for (const marker of found) checkKeys(shapes, field, keys, marker)
    return Object.keys(cardinalities).flatMap(tag => unionsWith(field, found, tag as keyof typeof cardinalities))
  })
}

function unionsWith(field: JsonField, found: readonly Marker[], tag: keyof typeof cardinalities): UnionDef[] {
  const unions = new Map<string, UnionMember[]>()
  for (const marker of found) {
    const member = memberOfItem(marker)
    if (member?.name !== tag) continue
    const name = String(member.args.get("union") ?? "")
    addToGroup(unions, name, { fieldName: field.name, item: Object.fromEntries(marker.args) })
  }
  return [...unions.keys()].sort().map(name => ({
    ...(name !== "" && { name }),
    fields: unions.get(name) as UnionMember[], // a key of it
    cardinality: cardinalities[tag],
  }))
}

/** Reports keys that the list does not have, missing keys, and values of another type. */
function checkKeys(shapes: Shapes, field: JsonField, keys: readonly string[], { args, line }: Marker): void {
  const { followed, place } = field
  const report = (message: string) => shapes.findings.error({ ...place, line }, `+k8s:item ${message}`)
  const unknown = [...args.keys()].filter(key => !keys.includes(key))
  const missing = keys.filter(key => !args.has(key))
  if (unknown.length > 0) report(`has ${unknown.join(", ")}, which is no key of the list: ${keys.join(", ")}`)
  if (missing.length > 0) report(`lacks keys of the list: ${missing.join(", ")}`)
  if (followed.shape.kind !== "list") return
  const items = shapes.follow(followed.shape.element, followed.shape.from, place).shape
  if (items.kind !== "struct") return
  for (const { name, followed } of flatFields(shapes, items)) {
    const value = args.get(name)
    const { shape } = followed
    if (value === undefined || shape.kind !== "scalar") continue
    const type = typeof value === "number" || typeof value === "bigint" ? "integer" : typeof value
    if (type !== shape.type) report(`can't be ${name}: ${formatValue(value)}, since that is of type ${shape.type}`)
  }
}
