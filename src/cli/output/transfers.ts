// The fields that managers gain and lose, for people.
import type { Place } from "../../tools/ownership/place.js"
import type { OwnershipChange } from "../../tools/ownership/transfers.js"
import { counted, listAnd } from "../../value/words.js"
import { labelled, printable } from "../terminal/layout.js"
import { shortPaths } from "./short-path.js"

/** The fields that owners gain and lose, after a label. */
export function ownershipRows(ownership: readonly OwnershipChange[], label: string, columns: number): string[] {
  const width = columns - label.length - between
  const names = ownership.map(({ owner }) => owner.manager)
  return labelled(
    label,
    ownership.map(change => {
      const isUnique = names.filter(name => name === change.owner.manager).length === 1
      return formatTransfer(change, width, isUnique ? "" : ` (${change.owner.operation})`)
    }),
    columns,
  )
}

/** The spaces between a label and its texts. */
const between = 2

function formatTransfer({ owner, gained, lost, keeps }: OwnershipChange, width: number, operation: string): string {
  const parts: string[] = []
  if (gained.length > 0) parts.push(`gains ${listPaths(gained, width)}`)
  const all = lost.length === 1 ? ", its only field" : ", everything that it owns"
  const rest = gained.length > 0 ? "" : ` and keeps ${counted(keeps, "field")}`
  if (lost.length > 0) parts.push(`loses ${listPaths(lost, width)}${keeps === 0 ? all : rest}`)
  return `${printable(owner.manager + operation)} ${parts.join("; ")}`
}

/** Lists the paths of these places. Omits a map if fields inside it are listed, and everything inside a listed item. */
export function listPaths(places: readonly Place[], width: number): string {
  const above = (steps: readonly string[]) => steps.slice(0, -1).map((_, i) => steps.slice(0, i + 1).join("\n"))
  const maps = new Set(places.flatMap(({ steps }) => above(steps)))
  const isField = ({ steps }: Place) => steps[steps.length - 1]?.startsWith("f:")
  const shown = places.filter(place => !(isField(place) && maps.has(place.steps.join("\n"))))
  const all = new Set(shown.map(({ steps }) => steps.join("\n")))
  const upper = shown.filter(({ steps }) => !above(steps).some(name => all.has(name)))
  const few = shortPaths(upper.slice(0, mostPaths), Math.floor(width / 2))
  const rest = upper.length - few.length
  return listAnd(rest > 0 ? [...few, counted(rest, "more field")] : few)
}

const mostPaths = 3
