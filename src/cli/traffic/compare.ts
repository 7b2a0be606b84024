// Compares two recordings of one program: what it asked and wrote differently.
//
// Requests about different objects, or by different managers, may come in any order. The writes of one manager to one object are compared in their order;
// repeated equal writes count as one there, and as several in the numbers of requests.

import { FieldSet } from "../../fieldpath/set.js"
import { formatGoJson } from "../../json/json.js"
import type { TypeFinder } from "../../managedfields/types/object-types.js"
import { type FieldChange, fieldChanges } from "../../tools/ownership/field-changes.js"
import { objectType } from "../../tools/ownership/fields.js"
import { placeOf, uppermostPaths } from "../../tools/ownership/place.js"
import { toFieldSet } from "../../typed/to-field-set.js"
import { compareStrings } from "../../value/compare.js"
import { mapAt, mapsAt, textAt } from "../../value/fields.js"
import { groupBy } from "../../value/groups.js"
import { isMap, type Value } from "../../value/value.js"
import type { Exchange, ExchangeVerb } from "./exchange.js"
import { NormalForm, resourceTitle } from "./normal-form.js"

/** How often a kind of request was sent in each recording. */
interface RequestCounts {
  readonly verb: ExchangeVerb
  /** `deployments.apps/status`. */
  readonly resource: string
  readonly manager: string
  readonly before: number
  readonly after: number
}

/** A write whose body differs, or that only one recording has. */
export interface BodyDifference {
  readonly verb: ExchangeVerb
  /** `deployments.apps shop/web`. */
  readonly object: string
  readonly manager: string
  /** The lines of the requests; absent if the recording has no such write. */
  readonly before?: number
  readonly after?: number
  /** The fields that differ; empty if only one recording has the write. */
  readonly changes: readonly FieldChange[]
}

/** Fields that a manager writes to objects of a resource in only one of the recordings. */
interface WrittenFields {
  readonly resource: string
  readonly manager: string
  readonly gained: readonly string[]
  readonly lost: readonly string[]
}

/** Applies that are forced in only one of the recordings. */
interface ForceDifference {
  readonly object: string
  readonly manager: string
  /** Whether the second recording is the one that forces. */
  readonly forces: boolean
  readonly line: number
}

/** Refusals of a write, if their numbers differ. */
interface RefusalCounts {
  readonly verb: ExchangeVerb
  readonly object: string
  readonly manager: string
  readonly code: number
  /** The conflicts of an apply, or else the reason. */
  readonly why: string
  readonly before: number
  readonly after: number
}

export interface RecordingDifference {
  readonly requests: readonly RequestCounts[]
  readonly bodies: readonly BodyDifference[]
  readonly fields: readonly WrittenFields[]
  readonly forces: readonly ForceDifference[]
  readonly refusals: readonly RefusalCounts[]
}

/** A write in normal form. */
interface Write {
  readonly exchange: Exchange
  readonly object: string
  /** With apiVersion and kind, which patches lack. */
  readonly body: Value
  readonly text: string
}

/** Returns the differences between two recordings. `types` finds the types of bodies. */
export function compareRecordings(
  before: readonly Exchange[],
  after: readonly Exchange[],
  types: TypeFinder,
): RecordingDifference {
  const sides = [sideOf(before), sideOf(after)] as const
  return {
    requests: countRequests(sides),
    bodies: compareBodies(sides, types),
    fields: compareFields(sides, types),
    forces: compareForces(sides),
    refusals: countRefusals(sides),
  }
}

interface Side {
  readonly exchanges: readonly Exchange[]
  readonly form: NormalForm
  /** The writes with a body that the server accepted or refused, but not dry runs. */
  readonly writes: readonly Write[]
}
type Sides = readonly [before: Side, after: Side]

function sideOf(exchanges: readonly Exchange[]): Side {
  const form = new NormalForm(exchanges)
  const writes = exchanges.flatMap(exchange => {
    const body = ["create", "update", "patch", "apply"].includes(exchange.verb) ? form.body(exchange) : undefined
    if (body === undefined) return []
    const object = form.object(exchange)
    return [{ exchange, object, body: withKind(body, exchange.answer), text: formatGoJson(body) }]
  })
  return { exchanges, form, writes }
}

/** Returns the body with the kind of the response, by which its type is found. */
function withKind(body: Value, answer: Value | undefined): Value {
  if (!isMap(body) || answer === undefined || !isMap(answer) || textAt(answer, "kind") === "Status") return body
  return { apiVersion: textAt(answer, "apiVersion"), kind: textAt(answer, "kind"), ...body }
}

function countRequests(sides: Sides): RequestCounts[] {
  const keyOf = (exchange: Exchange) => [resourceTitle(exchange), exchange.verb, exchange.manager]
  return countsOf(sides.map(({ exchanges }) => exchanges.map(keyOf))).map(
    ({ key: [resource, verb, manager], before, after }) => {
      return { verb: verb as ExchangeVerb, resource: resource as string, manager: manager as string, before, after }
    },
  )
}

function countRefusals(sides: Sides): RefusalCounts[] {
  const keysOf = ({ exchanges, form }: Side) =>
    exchanges.flatMap(exchange => {
      const { verb, manager, code, answer } = exchange
      if (code < 400 || ["get", "list", "watch"].includes(verb)) return []
      return [[form.object(exchange), verb, manager, String(code), whyOf(answer)]]
    })
  return countsOf(sides.map(keysOf)).map(({ key: [object, verb, manager, code, why], before, after }) => {
    return {
      verb: verb as ExchangeVerb,
      object: object as string,
      manager: manager as string,
      code: Number(code),
      why: why as string,
      before,
      after,
    }
  })
}

/** Returns the fields and managers of an apply's conflicts, or the reason of another refusal. */
function whyOf(answer: Value | undefined): string {
  if (answer === undefined || !isMap(answer)) return ""
  const conflicts = mapsAt(mapAt(answer, "details"), "causes").filter(
    cause => textAt(cause, "reason") === "FieldManagerConflict",
  )
  const texts = conflicts.map(cause => `${textAt(cause, "field")} (${textAt(cause, "message")})`)
  return texts.length > 0 ? texts.sort(compareStrings).join(", ") : textAt(answer, "reason")
}

/** Counts equal keys on both sides. Returns those whose numbers differ, sorted. */
function countsOf(sides: readonly (readonly (readonly string[])[])[]) {
  const counts = new Map<string, { readonly key: readonly string[]; before: number; after: number }>()
  sides.forEach((keys, side) => {
    for (const key of keys) {
      const id = key.join("\0")
      const found = counts.get(id) ?? { key, before: 0, after: 0 }
      counts.set(id, found)
      if (side === 0) found.before++
      else found.after++
    }
  })
  const different = [...counts].filter(([, { before, after }]) => before !== after)
  return different.sort(([a], [b]) => compareStrings(a, b)).map(([, count]) => count)
}

function compareBodies(sides: Sides, types: TypeFinder): BodyDifference[] {
  const [before, after] = sides.map(({ writes }) => groupBy(writes, keyOf)) as [
    Map<string, Write[]>,
    Map<string, Write[]>,
  ]
  const keys = [...new Set([...before.keys(), ...after.keys()])].sort(compareStrings)
  return keys.flatMap(key => {
    const pairs = unequalPairs(withoutRepeats(before.get(key) ?? []), withoutRepeats(after.get(key) ?? []))
    return pairs.map(([old, now]) => {
      const { exchange, object } = (old ?? now) as Write
      return {
        verb: exchange.verb,
        object,
        manager: exchange.manager,
        ...(old !== undefined && { before: old.exchange.line }),
        ...(now !== undefined && { after: now.exchange.line }),
        changes: old === undefined || now === undefined ? [] : changesOf(old.body, now.body, types),
      }
    })
  })
}

function keyOf({ exchange, object }: Write): string {
  return [object, exchange.manager, exchange.verb].join("\0")
}

/** Leaves out each write that is equal to the one before it. Writes to objects with generated names come from no common sequence, so they are sorted. */
function withoutRepeats(writes: readonly Write[]): readonly Write[] {
  const [first] = writes
  const isCommon = first?.object.endsWith("*") === true
  const sorted = isCommon ? writes.toSorted((a, b) => compareStrings(a.text, b.text)) : writes
  return sorted.filter((write, i) => write.text !== sorted[i - 1]?.text)
}

type Pair = readonly [before: Write | undefined, after: Write | undefined]

/**
 * Returns the writes that are not in a longest common subsequence of both. Those between the same common writes are paired in their order: they take
 * each other's place.
 */
function unequalPairs(before: readonly Write[], after: readonly Write[]): Pair[] {
  const pairs: Pair[] = []
  let [i, j] = [0, 0]
  for (const [x, y] of [...commonPlaces(before, after), [before.length, after.length] as const]) {
    for (; i < x || j < y; i++, j++) pairs.push([i < x ? before[i] : undefined, j < y ? after[j] : undefined])
    ;[i, j] = [x + 1, y + 1]
  }
  return pairs
}

/** The most pairs of writes for which a longest common subsequence is sought: it takes 4 bytes for each. */
const mostPairs = 4_000_000

/** Returns the places of a longest common subsequence. In long sequences, only writes at the same place are common. */
function commonPlaces(before: readonly Write[], after: readonly Write[]): (readonly [number, number])[] {
  const isSame = (i: number, j: number) => before[i]?.text === after[j]?.text
  if (before.length * after.length > mostPairs) {
    return before.flatMap((_, i) => (isSame(i, i) ? [[i, i] as const] : []))
  }
  const lengths = before.map(() => new Uint32Array(after.length + 1))
  lengths.push(new Uint32Array(after.length + 1))
  const at = (i: number, j: number) => lengths[i]?.[j] ?? 0
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const length = isSame(i, j) ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
      ;(lengths[i] as Uint32Array)[j] = length
    }
  }
  const places: (readonly [number, number])[] = []
  for (let i = 0, j = 0; i < before.length && j < after.length; ) {
    if (isSame(i, j)) places.push([i++, j++])
    else if (at(i + 1, j) >= at(i, j + 1)) i++
    else j++
  }
  return places
}

/** Returns the fields that differ between two bodies. Other bodies, such as JSON patches, differ as a whole. */
function changesOf(before: Value, after: Value, types: TypeFinder): readonly FieldChange[] {
  if (isMap(before) && isMap(after)) return fieldChanges(types, before, after)
  return [{ path: ".", steps: [], action: "change", from: before, to: after }]
}

function compareFields(sides: Sides, types: TypeFinder): WrittenFields[] {
  const [before, after] = sides.map(({ writes }) => {
    const groups = groupBy(writes, ({ exchange }) => `${resourceTitle(exchange)}\0${exchange.manager}`)
    return new Map(Array.from(groups, ([key, group]) => [key, fieldsOf(group, types)]))
  }) as [Map<string, FieldSet>, Map<string, FieldSet>]
  return [...before].flatMap(([key, old]) => {
    const now = after.get(key)
    // A resource that one side does not write shows in the numbers of requests.
    if (now === undefined) return []
    const [resource = "", manager = ""] = key.split("\0")
    const paths = (set: FieldSet) => uppermostPaths(set).map(path => placeOf(path).path)
    const [gained, lost] = [paths(now.difference(old)), paths(old.difference(now))]
    return gained.length + lost.length === 0 ? [] : [{ resource, manager, gained, lost }]
  })
}

function fieldsOf(writes: readonly Write[], types: TypeFinder): FieldSet {
  let all = FieldSet.empty
  for (const { body } of new Map(writes.map(write => [write.text, write])).values()) {
    const type = isMap(body) ? objectType(types, body) : undefined
    if (type !== undefined) all = all.union(toFieldSet(type, body).set)
  }
  return all
}

function compareForces(sides: Sides): ForceDifference[] {
  const [before, after] = sides.map(({ exchanges, form }) => {
    const applies = exchanges.filter(({ verb }) => verb === "apply")
    return groupBy(applies, exchange => `${form.object(exchange)}\0${exchange.manager}`)
  }) as [Map<string, Exchange[]>, Map<string, Exchange[]>]
  return [...before].flatMap(([key, old]) => {
    const [was, is] = [old.find(isForced), after.get(key)?.find(isForced)]
    const line = (is ?? was)?.line
    if (line === undefined || !after.has(key) || (was === undefined) === (is === undefined)) return []
    const [object = "", manager = ""] = key.split("\0")
    return [{ object, manager, forces: is !== undefined, line }]
  })
}

function isForced({ query }: Exchange): boolean {
  return query.get("force") === "true"
}
