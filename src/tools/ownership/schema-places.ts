// The places where the changes of a schema appear: the paths to each, starting at the compared kinds and types.

import type { GroupVersionKind } from "../../schema/group-version-kind.js"
import { addToGroup } from "../../value/groups.js"
import type { SchemaPlace } from "./schema-changes.js"
import { isEcho, type LocalChange, reachable, type SchemaStep, type TypePair } from "./type-pairs.js"

/** A kind or a named type. A root without a pair exists on one side only; `change` says which. */
export interface Root {
  readonly name: string
  readonly kind?: GroupVersionKind
  readonly pair?: TypePair
  readonly change?: LocalChange
}

/** A change and the places where it appears. */
export interface PlacedChange {
  readonly locals: LocalChange[]
  readonly places: SchemaPlace[]
  more: boolean
}

const mostPlaces = 20

/** Returns every change with its places, those with few steps first. A pair is not entered again below itself. */
export function placesOf(roots: readonly Root[]): PlacedChange[] {
  const found = new Map<LocalChange, PlacedChange>()
  const visits = new Map<TypePair, number>()
  const leading = leadingToChanges(roots.flatMap(({ pair }) => pair ?? []))
  const add = (change: LocalChange, type: string, above: readonly SchemaStep[]) => {
    const steps = change.step === undefined ? above : [...above, change.step]
    const placed = found.get(change) ?? { locals: [change], places: [], more: false }
    found.set(change, placed)
    if (placed.places.length < mostPlaces) placed.places.push({ type, path: steps.map(formatStep).join(""), steps })
    else placed.more = true
  }
  const queue: Visit[] = []
  for (const { name, pair, change } of roots) {
    if (change !== undefined) add(change, name, [])
    if (pair !== undefined) queue.push({ pair, type: name, steps: [], above: undefined })
  }
  for (const visit of queue) {
    const { pair, type, steps } = visit
    const count = visits.get(pair) ?? 0
    if (!leading.has(pair) || count > mostPlaces || isAbove(pair, visit.above)) continue
    visits.set(pair, count + 1)
    for (const change of pair.changes) if (!isEcho(change, pair, visit.above?.pair)) add(change, type, steps)
    for (const [step, below] of pair.below) queue.push({ pair: below, type, steps: [...steps, step], above: visit })
  }
  return [...found.values()]
}

interface Visit {
  readonly pair: TypePair
  readonly type: string
  readonly steps: readonly SchemaStep[]
  readonly above: Visit | undefined
}

function isAbove(pair: TypePair, visit: Visit | undefined): boolean {
  for (let at = visit; at !== undefined; at = at.above) if (at.pair === pair) return true
  return false
}

/** Returns the pairs that have changes, themselves or below them. */
function leadingToChanges(roots: readonly TypePair[]): ReadonlySet<TypePair> {
  const parents = new Map<TypePair, TypePair[]>()
  const all = reachable(roots)
  for (const pair of all) {
    for (const child of pair.below.values()) addToGroup(parents, child, pair)
  }
  const leading = new Set(all.filter(({ changes }) => changes.length > 0))
  for (const pair of leading) for (const parent of parents.get(pair) ?? []) leading.add(parent)
  return leading
}

function formatStep(step: SchemaStep): string {
  return step.startsWith("f:") ? `.${step.slice(2)}` : step
}

/** Combines equal changes at equal paths, such as the change of a type that each version defines separately. */
export function group(changes: readonly PlacedChange[]): PlacedChange[] {
  const groups = new Map<string, PlacedChange>()
  for (const change of changes) {
    const [{ code, before, after } = {} as LocalChange] = change.locals
    const key = JSON.stringify([code, before, after, change.places[0]?.steps])
    const known = groups.get(key)
    if (known === undefined) {
      groups.set(key, change)
      continue
    }
    known.locals.push(...change.locals)
    const room = mostPlaces - known.places.length
    known.places.push(...change.places.slice(0, room))
    known.more ||= change.more || change.places.length > room
  }
  return [...groups.values()]
}
