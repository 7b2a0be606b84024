// The owners of a Kubernetes object in the engine's terms: decodes entries of managedFields and encodes them again.
import { hasCode, ParseError } from "../../errors.js"
import { type DecodedFields, decodeFields, encodeFields } from "../../fieldpath/fieldsv1/object.js"
import type { Managers, VersionedSet } from "../../fieldpath/managers.js"
import { FieldSet } from "../../fieldpath/set.js"
import { formatGoJson, isV7, type ParityOptions } from "../../json/json.js"
import { aList, requireArgument } from "../../value/argument.js"
import { compareStrings } from "../../value/compare.js"
import { quoteGo } from "../../value/quote.js"
import { isMap, type Value } from "../../value/value.js"
import type { DecodedSets } from "./decoded-sets.js"
import { entryOf, isReset, type ManagedFieldsEntry } from "./entry.js"
import { managerId, parseManagerId } from "./manager-id.js"
import { compareTimes } from "./time.js"

/** The decoded managedFields of an object. Managers are keyed by their identifiers; see manager-id.ts. */
export interface Managed {
  /** The fields of each manager, by identifier. */
  readonly fields: Managers
  /** The time of each manager's last change, by identifier. May contain managers that no longer own anything. */
  readonly times: ReadonlyMap<string, string>
  /**
   * The decoded entries. Unchanged ones need not be encoded again.
   * @internal
   */
  readonly sources?: ReadonlyMap<string, Source> | undefined
}

interface Source {
  readonly entry: ManagedFieldsEntry
  readonly set: FieldSet
  /** Whether the entry's fieldsV1 is exactly what the encoder would write. */
  readonly canonical: boolean
  /** The same for the parity `v7`. */
  readonly canonicalV7: boolean
}

export const nobody: Managed = { fields: new Map(), times: new Map(), sources: new Map() }

/**
 * Decodes entries of managedFields. If a manager has several entries, the last one wins. Throws a ParseError with upstream's message if an
 * entry is malformed; the parity chooses its words.
 */
export function decodeManagedFields(entries: readonly ManagedFieldsEntry[], options?: ParityOptions): Managed {
  requireArgument("entries", entries, aList)
  return decodeEntries(entries, undefined, isV7(options) ? options : undefined)
}

/** Like `decodeManagedFields`, but takes sets from `sets` and adds them there; absent if the entries may change later. */
export function decodeEntries(
  entries: readonly ManagedFieldsEntry[],
  sets?: DecodedSets,
  options?: ParityOptions,
): Managed {
  const fields = new Map<string, VersionedSet>()
  const times = new Map<string, string>()
  const sources = new Map<string, Source>()
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i] as ManagedFieldsEntry
    checkEntry(entry, i)
    const id = managerId(entry)
    const { set, canonical, canonicalV7 } = decodeSet(entry, sets, options)
    fields.set(id, { set, apiVersion: entry.apiVersion ?? "", applied: entry.operation === "Apply" })
    if (entry.time === undefined) times.delete(id)
    else times.set(id, entry.time)
    sources.set(id, { entry, set, canonical, canonicalV7 })
  }
  return { fields, times, sources }
}

/** Returns the owners before an update: from the request, else from the live object, or nobody if they can't be read. */
export function managedForUpdate(
  live: readonly ManagedFieldsEntry[] | undefined,
  given: readonly ManagedFieldsEntry[] | undefined,
  sets: DecodedSets | undefined,
): Managed {
  if (isReset(given)) return nobody
  const managed = decodeOrNobody(given, sets)
  return managed.fields.size > 0 ? managed : decodeOrNobody(live, sets)
}

function decodeOrNobody(entries: readonly ManagedFieldsEntry[] | undefined, sets: DecodedSets | undefined): Managed {
  try {
    return entries === undefined ? nobody : decodeEntries(entries, sets)
  } catch (error) {
    if (hasCode(error)) return nobody
    throw error
  }
}

/**
 * Returns the reason why entry number `index` of managedFields can't be decoded, which makes an apply fail; undefined if it can be decoded.
 */
export function problemOfEntry(entry: ManagedFieldsEntry, index: number, sets?: DecodedSets): string | undefined {
  const fields = fieldsOrProblem(entry, index, sets)
  return typeof fields === "string" ? fields : undefined
}

/** Returns the fields of entry number `index` of managedFields, or the reason why it can't be decoded. */
export function fieldsOrProblem(entry: ManagedFieldsEntry, index: number, sets?: DecodedSets): FieldSet | string {
  try {
    checkEntry(entry, index)
    return decodeSet(entry, sets).set
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    return error.cause instanceof ParseError ? error.cause.message : error.message
  }
}

function checkEntry(entry: ManagedFieldsEntry, index: number): void {
  if (!isMap(entry as Value)) throw new ParseError(`managed fields entry ${index} is not an object`)
  const { operation, apiVersion, fieldsType } = entry
  if (operation !== "Apply" && operation !== "Update") throw new ParseError("operation must be `Apply` or `Update`")
  if (!apiVersion) throw new ParseError("apiVersion must not be empty")
  if (!fieldsType) throw new ParseError(`missing fieldsType in managed fields entry ${index}`)
  if (fieldsType !== "FieldsV1") {
    throw new ParseError(`invalid fieldsType ${quoteGo(fieldsType)} in managed fields entry ${index}`)
  }
}

function decodeSet(entry: ManagedFieldsEntry, sets: DecodedSets | undefined, options?: ParityOptions): DecodedFields {
  const { fieldsV1 } = entry
  if (fieldsV1 === undefined) return { set: FieldSet.empty, canonical: false, canonicalV7: false }
  try {
    return sets === undefined ? decodeFields(fieldsV1, options) : sets.decode(fieldsV1, options)
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    const message = `error decoding versioned set from ${printEntry(entry)}: error decoding set: ${error.message}`
    throw new ParseError(message, { cause: error })
  }
}

/** Returns the entry as Go prints the struct. */
function printEntry(entry: ManagedFieldsEntry): string {
  const { manager = "", operation = "", apiVersion = "", time, fieldsType = "", fieldsV1, subresource = "" } = entry
  const when = time === undefined ? "<nil>" : `${time.slice(0, 10)} ${time.slice(11, 19)} +0000 UTC`
  const fields = fieldsV1 === undefined ? "<nil>" : formatGoJson(fieldsV1)
  return `{${manager} ${operation} ${apiVersion} ${when} ${fieldsType} ${fields} ${subresource}}`
}

/**
 * Returns the entries of managedFields in the order of the API server: appliers first, then by time, name, version and subresource. Decoded
 * parts that have not changed are shared: the whole entry, or its fieldsV1. The parity chooses the bytes of the keys in fieldsV1.
 */
export function encodeManagedFields(managed: Managed, options?: ParityOptions): readonly ManagedFieldsEntry[] {
  const parity: ParityOptions = { parity: isV7(options) ? "v7" : "v6" }
  const entries: ManagedFieldsEntry[] = []
  for (const [id, owner] of managed.fields) {
    entries.push(encodeEntry(id, owner, managed.times.get(id), managed.sources?.get(id), parity))
  }
  // `push` leaves room for 16 more entries. The copy has no spare room, since objects are kept for long.
  return entries.sort(compareEntries).slice()
}

/** Returns the entries without their times, sorted as if they had none. */
export function withoutTimes(entries: readonly ManagedFieldsEntry[]): readonly ManagedFieldsEntry[] {
  return entries.map(({ time: _, ...entry }) => entry).sort(compareEntries)
}

function encodeEntry(
  id: string,
  owner: VersionedSet,
  time: string | undefined,
  source: Source | undefined,
  options: ParityOptions,
): ManagedFieldsEntry {
  const canonical = options.parity === "v7" ? source?.canonicalV7 : source?.canonical
  const sameSet =
    canonical === true && source !== undefined && (source.set === owner.set || source.set.equals(owner.set))
  const entry = source?.entry
  if (entry !== undefined && sameSet && entry.time === time && entry.apiVersion === owner.apiVersion) return entry
  const { manager, operation, subresource } = entry ?? parseManagerId(id) ?? {}
  const fieldsV1 = sameSet ? (entry?.fieldsV1 as Value) : encodeFields(owner.set, options)
  return entryOf({
    manager,
    operation: owner.applied ? "Apply" : operation,
    apiVersion: owner.apiVersion,
    time,
    fieldsType: "FieldsV1",
    fieldsV1,
    subresource,
  })
}

function compareEntries(a: ManagedFieldsEntry, b: ManagedFieldsEntry): number {
  return (
    compareStrings(a.operation ?? "", b.operation ?? "") ||
    compareTimes(a.time, b.time) ||
    compareStrings(a.manager ?? "", b.manager ?? "") ||
    compareStrings(a.apiVersion ?? "", b.apiVersion ?? "") ||
    compareStrings(a.subresource ?? "", b.subresource ?? "")
  )
}
