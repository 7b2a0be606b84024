// Finds co-owners that keep a server from accepting an apply: they hold a member of a one-of, and the applier sets another.
//
// The applier omits the member, but the object keeps what others own, and a server refuses both members together. No list of one-ofs is needed:
// the apply is tried again on a copy of the object, on which the applier alone owns the fields that it omits near the fault.

import { fieldElement, indexElement } from "../../fieldpath/create-element.js"
import type { PathElement } from "../../fieldpath/element.js"
import { Lookup } from "../../fieldpath/lookup.js"
import { setOwner } from "../../fieldpath/managers.js"
import { below } from "../../fieldpath/parts.js"
import { formatPath, type Path } from "../../fieldpath/path.js"
import { FieldSet } from "../../fieldpath/set.js"
import type { Status } from "../../managedfields/chain/status.js"
import { readManagedFields, withManagedFields } from "../../managedfields/entries/entry.js"
import { decodeEntries, encodeManagedFields } from "../../managedfields/entries/managed.js"
import { managedFieldsPatch } from "../../managedfields/entries/patch.js"
import { metaText } from "../../schema/metadata.js"
import { elementOfItem } from "../../typed/list-items.js"
import type { Type } from "../../typed/type.js"
import type { Steps } from "../../value/change.js"
import { textAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import { listAnd } from "../../value/words.js"
import { objectType } from "./fields.js"
import type { Finding } from "./finding.js"
import type { Share } from "./owners.js"
import { fieldOf, stepsInConfig } from "./refusal.js"
import { isRefused, type Trial, tryApply } from "./request.js"
import { byId, setOf } from "./transfers.js"

/** The most fields that are tried near the faults of one apply. */
const mostFields = 20

/** Returns a finding if co-owners are the only reason for which a server refuses the apply; empty otherwise. */
export function wedgedBy(trial: Trial): Finding[] {
  const { given: live, result, config, request } = trial
  if (live === undefined || live !== trial.live || !isRefused(result) || result.refused === undefined) return []
  const type = objectType(request.types, config)
  if (type === undefined) return []
  const faults = ((result.failure.status as unknown as Status).details?.causes ?? []).map(cause => {
    return pathIn(config, type, stepsInConfig(fieldOf(cause), result.refused as MapValue, config, type))
  })
  for (const structs of [faults, faults.map(path => path.slice(0, -1))]) {
    const kept = keptBelow(
      trial,
      structs.filter(path => path.length > 0),
    )
    if (kept.length === 0 || kept.length > mostFields) continue
    const all = isAcceptedWithout(trial, live, kept) ? kept : undefined
    const needed = all?.reduce((left, path) => {
      const others = left.filter(other => other !== path)
      return others.length > 0 && isAcceptedWithout(trial, live, others) ? others : left
    }, all)
    if (needed !== undefined) return [finding(trial, live, needed)]
  }
  return []
}

/** Returns the path to a part of the configuration. */
function pathIn(config: MapValue, root: Type, steps: Steps): Path {
  const path: PathElement[] = []
  let [at, type]: [Value | undefined, Type | undefined] = [config, root]
  for (const step of steps) {
    if (typeof step === "number") {
      const item: Value | undefined = isList(at ?? null) ? (at as readonly Value[])[step] : undefined
      const element = type?.list && item !== undefined ? elementOfItem(type.list, item) : null
      path.push(element ?? indexElement(step))
      ;[at, type] = [item, type?.list?.item]
    } else {
      path.push(fieldElement(step))
      ;[at, type] = [isMap(at) ? own(at as MapValue, step) : undefined, typeBelow(type, step)]
    }
  }
  return path
}

function typeBelow(type: Type | undefined, key: string): Type | undefined {
  return type?.map?.fields.get(key)?.type ?? type?.map?.rest
}

/** Returns the fields directly below these paths that others own at the version of the configuration, and that it omits. */
function keptBelow(trial: Trial, structs: readonly Path[]): Path[] {
  const configured = new Lookup(trial.config)
  const found = new Map<string, Path>()
  for (const { set } of coOwners(trial)) {
    for (const struct of structs) {
      for (const { element } of below(set, struct).entries) {
        const path = [...struct, element]
        if (element.kind === "field" && configured.valueAt(path) === undefined) found.set(formatPath(path), path)
      }
    }
  }
  return [...found.values()]
}

function coOwners({ shares, applier, config }: Trial): Share[] {
  return shares.filter(({ id, owner }) => id !== applier && owner.apiVersion === textAt(config, "apiVersion"))
}

/** Whether a server accepts the apply once the applier alone owns these fields, so that it can remove them. */
function isAcceptedWithout(trial: Trial, live: MapValue, paths: readonly Path[]): boolean {
  const { result, refusal } = tryApply(handedOver(trial, live, paths), trial.config, trial.request)
  return !isRefused(result) && (refusal === null || trial.refusal !== null)
}

/** Returns the live object, with these fields and everything below them handed over from their owners to the applier. */
function handedOver(trial: Trial, live: MapValue, paths: readonly Path[]): MapValue {
  const managed = decodeEntries(readManagedFields(live) ?? [])
  const fields = new Map(managed.fields)
  const apiVersion = textAt(trial.config, "apiVersion")
  let mine = fields.get(trial.applier)?.set ?? FieldSet.empty
  for (const { id } of coOwners(trial)) {
    const owned = managed.fields.get(id)
    if (owned === undefined) continue
    const lost = atAndBelow(owned.set, paths)
    setOwner(fields, id, { ...owned, set: owned.set.difference(lost) })
    mine = mine.union(lost)
  }
  setOwner(fields, trial.applier, { set: mine, apiVersion, applied: true })
  return withManagedFields(live, encodeManagedFields({ ...managed, fields }))
}

function atAndBelow(set: FieldSet, paths: readonly Path[]): FieldSet {
  return set.difference(set.recursiveDifference(FieldSet.of(paths)))
}

function finding(trial: Trial, live: MapValue, paths: readonly Path[]): Finding {
  const { manager } = trial.request
  const keepers = coOwners(trial).filter(({ set }) => !atAndBelow(set, paths).isEmpty())
  const names = [...new Set(keepers.map(({ owner }) => owner.manager))]
  const fields = listAnd(paths.map(path => formatPath(path)))
  const mine = setOf(byId(trial.shares), trial.applier)
  const isShared = keepers.every(({ set }) => atAndBelow(set, paths).difference(mine).isEmpty())
  const pathWords = paths.map(path => `--path '${formatPath(path)}'`).join(" ")
  const command = isShared
    ? `smd managers release ${names.map(name => `--manager ${name}`).join(" ")} ${pathWords}`
    : `smd managers transfer ${names.map(name => `--from ${name}`).join(" ")} --to ${manager} ${pathWords}`
  const pronoun = paths.length === 1 ? "it" : "them"
  const message =
    `${listAnd(names)} ${names.length === 1 ? "owns" : "own"} ${fields}, which ${manager} omits, so the object keeps ` +
    `${pronoun}, and a server refuses ${pronoun} together with what ${manager} applies. Let ${manager} remove ` +
    `${pronoun}: ${command}. Then apply again.`
  const entries = readManagedFields(handedOver(trial, live, paths)) ?? []
  return {
    code: "wedged-by-co-owner",
    message,
    patch: managedFieldsPatch(entries, metaText(live, "resourceVersion"), "test"),
  }
}
