// The laws of `plan` and `blame`, on random stories of the fuzzer: each request is compared with its result in the engine.

import { hasCode } from "../../../src/errors.js"
import { fieldElement } from "../../../src/fieldpath/create-element.js"
import { formatPath, type Path } from "../../../src/fieldpath/path.js"
import { FieldSet } from "../../../src/fieldpath/set.js"
import { formatJson, parseJson } from "../../../src/json/json.js"
import { withManagedFields } from "../../../src/managedfields/entries/entry.js"
import { decodeFields, FieldManager, managerId, readManagedFields } from "../../../src/managedfields/index.js"
import { resetToLive } from "../../../src/managedfields/subresources/reset.js"
import { ObjectTypes } from "../../../src/managedfields/types/object-types.js"
import { isApiVersion, type ObjectKind, objectKindOf } from "../../../src/schema/group-version-kind.js"
import { metadataOf, metaText, withMetadata } from "../../../src/schema/metadata.js"
import { objectType } from "../../../src/tools/ownership/fields.js"
import { blame, type OwnershipRequest, type Plan, plan } from "../../../src/tools/ownership/index.js"
import { objectName } from "../../../src/tools/ownership/object-name.js"
import { typedValueAt } from "../../../src/tools/ownership/typed-lookup.js"
import { toFieldSet } from "../../../src/typed/to-field-set.js"
import { textAt } from "../../../src/value/fields.js"
import { own } from "../../../src/value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../../src/value/value.js"
import { changesNothing } from "../../../src/write/write.js"
import { ManagedStory } from "../../conformance/kubernetes.js"
import { Request } from "../../conformance/request.js"
import { type Json, jsonText } from "../../fuzz/json.js"
import { fieldManagerStory } from "../../fuzz/kubernetes-stories.js"
import { Random } from "../../fuzz/random.js"
import { deepFreeze } from "../../support/deep-freeze.js"
import { schemaErrors } from "./schema.js"

type Report = (problem: string) => void

/** The number of cases, and the violations. */
export interface Verdict {
  readonly outcomes: Record<string, number>
  readonly becauses: Record<string, number>
  readonly broken: string[]
}

/** Checks the laws on `count` stories, beginning with number `first`. */
export function checkLaws(seed: number, first: number, count: number): Verdict {
  const verdict: Verdict = { outcomes: {}, becauses: {}, broken: [] }
  for (let number = first; number < first + count; number++) {
    const request = plainStory(new Random(seed, "ownership", number))
    checkStory(request, problem => verdict.broken.push(`story ${number} of seed ${seed}, ${problem}`), verdict)
  }
  return verdict
}

function checkStory(request: Request, report: Report, verdict: Verdict): void {
  const story = startOf(request)
  if (story === undefined) return
  request.list("steps").forEach((given, index) => {
    const step = new Request(given)
    const fail = (problem: string) => report(`step ${index}: ${problem}`)
    if (step.text("op").toLowerCase().endsWith("apply") && isMap(step.get("object"))) {
      const made = checkPlan(story, step, fail)
      if (made !== undefined) count(verdict, made)
    }
    story.take(step)
  })
  checkBlame(story.live, problem => report(`at the end: ${problem}`))
}

/**
 * A story of the fuzzer whose kinds have other names. Only their types are known, so the FieldManager decides the result of a plan. For the
 * kinds themselves a server decides, and server-laws.ts compares these plans.
 */
export function plainStory(random: Random): Request {
  const text = jsonText(fieldManagerStory(random) as unknown as Json)
  return new Request(deepFreeze(parseJson(text.replace(/(\\?"kind\\?": ?\\?")([A-Z])/g, "$1Plain$2"))) as Value)
}

/** The kind that lends its type to a kind of `plainStory`. */
export function typedAs(kind: string): string {
  return kind.replace(/^Plain/, "")
}

/** The story; undefined if its types can't be read. */
function startOf(request: Request): ManagedStory | undefined {
  try {
    return new ManagedStory(request, typedAs)
  } catch (error) {
    if (!hasCode(error)) throw error
    return undefined
  }
}

function count({ outcomes, becauses }: Verdict, { outcome, changes }: Plan): void {
  outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  for (const { because } of changes) becauses[because] = (becauses[because] ?? 0) + 1
}

/** Checks that the plan of an apply predicts its result, and that a plan of the result has nothing to do. */
function checkPlan(story: ManagedStory, step: Request, fail: Report): Plan | undefined {
  const config = step.get("object") as MapValue
  const apply = { ...story.writer(step), force: step.text("op") === "forceApply" }
  const request = { ...story.options, ...apply }
  const live =
    objectName(story.live).name === "" && readManagedFields(story.live) === undefined ? undefined : story.live
  const attempt = new FieldManager(story.options).tryApply<MapValue>(live, config, apply)
  if (live !== undefined && isAboutAnother(live, config, request)) {
    if (!(thrownBy(() => plan(live, config, request)) instanceof TypeError)) fail("plan takes another object")
    return undefined
  }
  const made = planned(live, config, request)
  if (!(made instanceof Error) && schemaErrors(made) !== "") fail(`the schema says: ${schemaErrors(made)}`)
  if (made instanceof Error) {
    if (attempt.ok || attempt.error.message !== made.message) fail(`plan throws: ${made.stack}`)
    return undefined
  }
  const refused = refusedBeforeMerge(live, request) ?? (attempt.ok ? refusedAfterMerge(live, config) : undefined)
  if (refused !== undefined) {
    if (made.refusal?.message.includes(refused) !== true)
      fail(`plan is ${made.outcome}, where a server says ${refused}`)
    return made
  }
  if (!attempt.ok) {
    const { code, message } = attempt.error
    if (code !== "conflict") {
      if (made.refusal?.message !== message) fail(`plan is ${made.outcome}, where an apply throws ${message}`)
    } else checkConflict(live, made, message, request, fail)
    return made
  }
  const stored = storedByServer(live, attempt.object, request)
  if (formatJson(stored) !== formatJson(made.object))
    fail(`the object is not that of apply: ${formatJson(stored)} ${formatJson(made.object)}`)
  const outcome = live === undefined ? "create" : stored === live ? "unchanged" : "change"
  if (outcome !== made.outcome) fail(`the outcome is ${made.outcome}, not ${outcome}: ${made.refusal?.message}`)
  if (!isDistinct(request, live ?? config) || !isDistinct(request, made.object)) return made
  checkChanges(made, live, made.object, fail)
  checkAgain(live, made, config, request, fail)
  return made
}

/** Whether the configuration or the endpoint names another object than the live one, which misuses `plan`. */
function isAboutAnother(live: MapValue, config: MapValue, { kind = objectKindOf(config) }: OwnershipRequest): boolean {
  const differs = (a: string, b: string) => a !== "" && b !== "" && a !== b
  const group = (of: string) => (of !== "" && isApiVersion(of) ? `group ${of.replace(/[^/]*$/, "")}` : "")
  const given = objectKindOf(live)
  return (
    ["name", "namespace"].some(key => differs(metaText(config, key), metaText(live, key))) ||
    differs(kind.kind, given.kind) ||
    differs(group(kind.apiVersion), group(given.apiVersion))
  )
}

function thrownBy(call: () => unknown): unknown {
  try {
    call()
    return undefined
  } catch (error) {
    return error
  }
}

/** The refusals of a server that come before a FieldManager: it does not serve the kind, or the apply is to a part of a missing object. */
function refusedBeforeMerge(
  live: MapValue | undefined,
  { types, kind = { apiVersion: "", kind: "" }, subresource = "" }: OwnershipRequest,
): string | undefined {
  if (types.find(kind.apiVersion, kind.kind) === undefined) return "could not find the requested resource"
  return live === undefined && subresource !== "" ? "not found" : undefined
}

/** The refusals of a configuration that is about another object than the stored one, or about another state of it. */
function refusedAfterMerge(live: MapValue | undefined, config: MapValue): string | undefined {
  if (live === undefined) return metaText(config, "uid") === "" ? undefined : "uid mismatch"
  if (!["", metaText(live, "namespace")].includes(metaText(config, "namespace"))) return "the namespace of the provided"
  const given = metaText(config, "resourceVersion")
  if (["", "0", metaText(live, "resourceVersion")].includes(given)) return undefined
  return /^\d+$/.test(given) ? "the object has been modified" : "strconv.ParseUint"
}

/**
 * The object that a server stores for the result of a FieldManager: the endpoint resets its fields, and requests can't write the server's
 * metadata.
 */
function storedByServer(live: MapValue | undefined, made: MapValue, request: OwnershipRequest): MapValue {
  const { resetFields, kind, subresource = "" } = request
  const sets = typeof resetFields === "function" ? resetFields(subresource, kind as ObjectKind) : resetFields
  const reset = sets?.get(textAt(made, "apiVersion"))
  const object = reset instanceof FieldSet ? resetToLive(made, live, reset) : made
  const deletion = ["deletionTimestamp", "deletionGracePeriodSeconds"]
  const before = live === undefined ? {} : metadataOf(live)
  const keys =
    live === undefined
      ? ["uid", "creationTimestamp", "selfLink", ...deletion]
      : ["creationTimestamp", "resourceVersion", "generation", ...deletion.filter(key => Object.hasOwn(before, key))]
  if (live !== undefined && metaText(object, "uid") === "") keys.push("uid")
  const kept = withMetadata(object, Object.fromEntries(keys.map(key => [key, own(before, key)])))
  const namespace = live === undefined ? "" : metaText(live, "namespace")
  const next = namespace === "" ? kept : withMetadata(kept, { namespace })
  return live !== undefined && changesNothing(next, live) ? live : next
}

/**
 * Checks that a plan of the result has nothing to do. The engine, like upstream, has these exceptions:
 *
 * - if nobody owns anything afterwards, the next apply tracks the object as `before-first-apply`;
 * - if pruning removes a part of the configuration (see `prunesOwn`), the next apply adds it again, or takes it;
 * - numbers that no float can hold lose digits when managedFields with them are written again;
 * - a configuration with the annotation of client-side apply differs from the annotation once kubectl has updated it;
 * - a server removes the `selfLink` only from new objects.
 */
function checkAgain(
  live: MapValue | undefined,
  made: Plan,
  config: MapValue,
  request: OwnershipRequest,
  fail: Report,
): void {
  const again = planned(made.object, config, request)
  if (!(again instanceof Error)) {
    const isUntracked = (readManagedFields(made.object) ?? []).length === 0
    const isRewritten = again.changes.length === 0 && rewritten.test(formatJson(made.object))
    const isLinked = live === undefined && metaText(config, "selfLink") !== ""
    if (again.outcome === "unchanged" || isUntracked || isRewritten || isLinked) return
  }
  if (prunesOwn(live, config, request) || prunesOwn(made.object, config, request)) return
  if (again instanceof Error) fail(`a plan of the result throws: ${again.message}`)
  else fail(`a plan of the result is ${again.outcome}: ${formatJson(again as unknown as Value)}`)
}

/** A value or key of an item beyond 2^53 in managedFields, as JSON spells it in a string; or the annotation. */
const rewritten = /"v:-?\d{17}|"k:\{(?:\\.|[^"\\])*:-?\d{17}|last-applied-configuration/

/**
 * Whether pruning removes a part of the configuration: the object has the part after an apply with nothing to prune, but not after
 * this one. This happens to items whose keys nobody owns, to metadata if its manager owned a part of it, and to
 * empty values. An apply that can't be pruned counts too.
 */
function prunesOwn(live: MapValue | undefined, config: MapValue, request: OwnershipRequest): boolean {
  if (live === undefined) return false
  const force = { ...request, force: true }
  const pruned = planned(live, config, force)
  const whole = planned(withoutApplier(live, request), config, force)
  const type = objectType(request.types, config)
  if (whole instanceof Error || isUnmerged(whole) || type === undefined) return false
  if (pruned instanceof Error || isUnmerged(pruned)) return true
  const has = (object: MapValue, path: Path): boolean => (typedValueAt(type, object, path) ?? null) !== null
  const set = [...toFieldSet(type, config).set]
  const items = [...set.filter(path => path[path.length - 1]?.kind === "key"), []]
  const hollow = items.flatMap(path => emptyParts(typedValueAt(type, config, path), path))
  return [...set, ...hollow].some(path => has(whole.object, path) && !has(pruned.object, path))
}

/** Whether the configuration could not be merged or pruned. */
function isUnmerged({ refusal }: Plan): boolean {
  return refusal?.step === "merge"
}

/** The empty lists and maps at and below the path, except those in items of lists. Sets do not have empty lists. */
function emptyParts(value: Value | undefined, path: Path): readonly Path[] {
  if (isList(value)) return value.length === 0 ? [path] : []
  if (!isMap(value)) return []
  const keys = Object.keys(value)
  if (keys.length === 0) return [path]
  return keys.flatMap(key => emptyParts(own(value, key), [...path, fieldElement(key)]))
}

/** The object as if the applier had never applied. */
function withoutApplier(live: MapValue, { manager, subresource = "" }: OwnershipRequest): MapValue {
  const id = managerId({ manager, operation: "Apply", subresource })
  const left = (readManagedFields(live) ?? []).filter(entry => managerId(entry) !== id)
  return withManagedFields(live, left)
}

/** Whether all items have keys of their own. The engine also takes other objects, but then one path stands for several items. */
function isDistinct({ types }: OwnershipRequest, object: MapValue): boolean {
  try {
    new ObjectTypes(types).toTyped(object)
    return true
  } catch (error) {
    if (!hasCode(error)) throw error
    return false
  }
}

function planned(live: MapValue | undefined, config: MapValue, request: OwnershipRequest): Plan | Error {
  try {
    return plan(live, config, request)
  } catch (error) {
    if (!hasCode(error)) throw error
    return error as Error
  }
}

function checkConflict(
  live: MapValue | undefined,
  made: Plan,
  message: string,
  request: OwnershipRequest,
  fail: Report,
): void {
  if (made.outcome !== "conflict" || made.object !== live) fail(`the outcome of a conflict is ${made.outcome}`)
  if (made.status?.message !== message) fail(`the status is ${made.status?.message}, not ${message}`)
  if (made.forced !== undefined && isDistinct(request, live ?? {}) && isDistinct(request, made.forced))
    checkChanges(made, live, made.forced, fail)
  if (made.conflicts.length !== made.status?.details?.causes.length) fail("not every cause is a conflict")
  if (made.forced !== undefined && made.taken.flatMap(({ fields }) => fields).length !== made.conflicts.length) {
    fail("what force takes is not what is in conflict")
  }
}

/** Checks that a row exists exactly for each change of the object, and that managers change as the row says. */
function checkChanges({ changes, ownership }: Plan, live: MapValue | undefined, after: MapValue, fail: Report): void {
  const before = live ?? {}
  const same = live !== undefined && formatJson(content(before)) === formatJson(content(after))
  const rows = changes.filter(({ action }) => action !== "stay")
  if (same ? rows.length > 0 : live !== undefined && rows.length === 0)
    fail(`${rows.length} rows, ${formatJson(content(before))} -> ${formatJson(content(after))}`)
  for (const row of rows) {
    const [from, to] = [row.from !== undefined, row.to !== undefined]
    const fits = row.action === "add" ? !from && to : row.action === "remove" ? from && !to : from && to
    if (!fits) fail(`an odd row: ${formatJson(row as unknown as Value)}`)
  }
  const managers = formatJson(entries(before)) === formatJson(entries(after))
  if (managers && ownership.length > 0)
    fail(`ownership changes where no manager does: ${formatJson(ownership as unknown as Value)}`)
}

/** Checks that `at` of a path returns exactly the entries whose set has it. */
function checkBlame(object: MapValue, fail: Report): void {
  const managed = readManagedFields(object) ?? []
  if (managed.some(({ fieldsV1 }) => !canBeRead(fieldsV1))) return
  const sets = managed.map(({ fieldsV1 }) => decodeFields(fieldsV1).set)
  const found = blame(object)
  if (schemaErrors(found) !== "") fail(`the schema says: ${schemaErrors(found)}`)
  for (const path of sets.reduce((all, set) => all.union(set), FieldSet.empty)) {
    const owners = managed
      .filter((_, i) => sets[i]?.has(path))
      .map(({ manager = "", operation = "" }) => `${manager} ${operation}`)
    const named = found.at(path).owners.map(({ manager, operation }) => `${manager} ${operation}`)
    if (owners.join() !== named.join()) fail(`owners of ${formatPath(path)} are ${owners}, not ${named}`)
  }
  for (const field of found.fields) {
    if (formatJson(found.at(field.path) as unknown as Value) !== formatJson(field as unknown as Value))
      fail(`${field.path} is another field`)
  }
}

function canBeRead(fieldsV1: Value | undefined): boolean {
  try {
    decodeFields(fieldsV1)
    return true
  } catch {
    return false
  }
}

function entries(object: MapValue): Value {
  return (readManagedFields(object) ?? []) as unknown as Value
}

function content({ metadata, ...rest }: MapValue): MapValue {
  if (!isMap(metadata)) return metadata === undefined ? rest : { ...rest, metadata }
  const { managedFields: _, uid: __, ...others } = metadata
  return { ...rest, metadata: others }
}
