// Columns of Tables, and the columns and cells that several kinds have in common.
import { metaText } from "../../schema/metadata.js"
import { valueAtSteps } from "../../value/change.js"
import { compareStrings } from "../../value/compare.js"
import { mapAt, mapsAt, textAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import type { MapValue, Value } from "../../value/value.js"
import { labelSelectorText } from "./label-selector.js"
import { specOf, statusOf } from "./spec-and-status.js"

/** A column of a Table. */
export interface Column {
  readonly name: string
  readonly type: string
  readonly format?: string
  readonly description?: string
  /** Columns with a priority above 0 are shown only where there is room, as with `-o wide`. */
  readonly priority?: number
  readonly cell: (object: MapValue, now: number) => Value
  /** A real server sends some cells without a definition of their column. */
  readonly isUndefined?: boolean
}

/** The columns of kinds, by group and kind. */
export type KindColumns = Readonly<Record<string, readonly Column[]>>

/** Makes a cell of an object. */
export type Cell = (object: MapValue, now: number) => Value

export const text = (name: string, cell: Cell): Column => ({ name, type: "string", cell })
export const integer = (name: string, cell: (object: MapValue) => number): Column => ({ name, type: "integer", cell })
export const flag = (name: string, cell: (object: MapValue) => boolean): Column => ({ name, type: "boolean", cell })
/** Returns a column that shows the text or number at a path such as `spec.driver`, or `absent`. */
export function field(name: string, path: string, absent = ""): Column {
  const steps = path.split(".")
  return text(name, object => {
    const value = valueAtSteps(object, steps)
    return typeof value === "number" || (typeof value === "string" && value !== "") ? value : absent
  })
}
/** Returns the column with a priority by which only wide tables show it. */
export const wide = (column: Column): Column => ({ ...column, priority: 1 })

export const nameColumn: Column = {
  ...text("Name", object => metaText(object, "name")),
  format: "name",
}

/** Shows how long ago the object was created, in the words of kubectl. */
export const ageColumn: Column = text("Age", (object, now) => ageOf(metaText(object, "creationTimestamp"), now))

/** Shows when the object was created. */
const createdColumn: Column = {
  name: "Created At",
  type: "date",
  cell: object => metaText(object, "creationTimestamp"),
}

/** The columns of kinds for which a server defines no columns. */
export const plainColumns: readonly Column[] = [nameColumn, createdColumn]

/** Returns the number at the key. Absent means 0, which Go leaves out. */
export function countAt(map: MapValue, key: string): number {
  const value = own(map, key)
  return typeof value === "number" ? value : 0
}

/** Returns the value at the key as text, or `absent`. */
export function shown(map: MapValue, key: string, absent = "<none>"): string {
  const value = own(map, key)
  return value === undefined || value === null || value === "" ? absent : String(value)
}

/** Joins the items with commas. Returns `absent` for an empty list. */
export const joined = (items: readonly Value[], absent = "<none>"): string => items.join(",") || absent

/** Joins at most `most` items, and adds how many more there are. */
export function atMost(most: number, items: readonly string[], absent: string, between = ","): string {
  const more = items.length > most ? ` + ${items.length - most} more...` : ""
  return (items.slice(0, most).join(between) || absent) + more
}

/** Returns the columns for the containers in the spec of a Pod that `podSpec` finds. */
export function containerColumns(podSpec: (object: MapValue) => MapValue): Column[] {
  const all = (key: string) => (object: MapValue) =>
    joined(
      mapsAt(podSpec(object), "containers").map(container => textAt(container, key)),
      "",
    )
  return [wide(text("Containers", all("name"))), wide(text("Images", all("image")))]
}

/** Returns a column that shows a selector: labels, or a label selector with expressions. */
export function selectorColumn(name: string, selector: (object: MapValue) => MapValue): Column {
  return text(name, object => labelSelectorText(selector(object)) || "<none>")
}

/** Returns a column that shows a number in the status. */
export const counted = (name: string, key: string): Column => integer(name, object => countAt(statusOf(object), key))

/** Returns a column that shows the number of replicas in the spec. */
export const desiredColumn = (): Column => integer("Desired", object => countAt(specOf(object), "replicas"))

/** Returns the sorted addresses of a load balancer. */
export function balancers(object: MapValue): string[] {
  const ingress = mapsAt(mapAt(statusOf(object), "loadBalancer"), "ingress")
  const addresses = ingress.map(each => textAt(each, "ip") || textAt(each, "hostname")).filter(each => each !== "")
  return [...new Set(addresses)].sort(compareStrings)
}

/** Returns how long ago a time was, in the words of kubectl; "<unknown>" for a text that is not a time. */
export function ageOf(time: string, now: number): string {
  return durationText((now - Date.parse(time)) / 1000)
}

/** Formats a time span in seconds as kubectl does: `42s`, `5m`, `3h12m`, `8d`. */
export function durationText(span: number): string {
  const seconds = Math.max(0, Math.floor(span))
  if (Number.isNaN(seconds)) return "<unknown>"
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  const days = Math.floor(hours / 24)
  const two = (whole: string, part: number, unit: string) => (part === 0 ? whole : `${whole}${part}${unit}`)
  if (seconds < 120) return `${seconds}s`
  if (minutes < 10) return two(`${minutes}m`, seconds % 60, "s")
  if (minutes < 180) return `${minutes}m`
  if (hours < 8) return two(`${hours}h`, minutes % 60, "m")
  if (hours < 48) return `${hours}h`
  if (hours < 192) return two(`${days}d`, hours % 24, "h")
  if (days < 730) return `${days}d`
  const years = Math.floor(days / 365)
  return days < 8 * 365 ? two(`${years}y`, days % 365, "d") : `${years}y`
}
