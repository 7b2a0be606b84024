// Accidents of v4.3.0, the release that normalizes unions. Requests with the policy `v4` are compared with its answers, so our
// answers to them have the same accidents:
//
// - An update of or to an object with duplicate list items is refused.
// - An object that is empty before and after becomes null, and two such objects can neither be merged nor compared.
import { formatIssues, type Issue, StructuredMergeError, UnionError } from "../../src/errors.js"
import { fieldElement } from "../../src/fieldpath/create-element.js"
import { formatElement } from "../../src/fieldpath/element.js"
import type { ApplyRequest, UpdateRequest, UpdateResult } from "../../src/merge/request.js"
import type { Updater } from "../../src/merge/updater.js"
import { type Converter, sameInEveryVersion } from "../../src/merge/versions.js"
import { ItemTable } from "../../src/typed/list-items.js"
import type { ListShape, MapShape, Type } from "../../src/typed/type.js"
import { TypedValue } from "../../src/typed/typed-value.js"
import { Issues } from "../../src/typed/walk.js"
import { type NormalizedUnions, normalizeUnions, normalizeUnionsApply } from "../../src/union/normalize.js"
import { normalizationPlan } from "../../src/union/plan.js"
import { type UnionPolicy, unionPolicies } from "../../src/union/policy.js"
import { isEmptyMap, own } from "../../src/value/object.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../../src/value/value.js"

/** Like `normalizeUnions`, but with the accidents if the policy has them. */
export function normalizeAsReleased(policy: UnionPolicy, old: TypedValue, next: TypedValue): NormalizedUnions {
  if (!hasAccidents(policy, next.type)) return normalizeUnions(old, next, { policy })
  refuseDuplicates(policy, old, next)
  return isLost(old, next) ? lostUnions(next) : normalizeUnions(old, next, { policy })
}

/** Like `normalizeUnionsApply`, but with the accidents if the policy has them. */
export function normalizeApplyAsReleased(
  policy: UnionPolicy,
  applied: TypedValue,
  target: TypedValue,
): NormalizedUnions {
  const lost = hasAccidents(policy, target.type) && isLost(applied, target)
  return lost ? lostUnions(target) : normalizeUnionsApply(applied, target, { policy })
}

/** An Updater that has the accidents if its policy has them. */
export class ReleasedUpdater {
  private readonly updater: Updater
  private readonly policy: UnionPolicy
  private readonly converter: Converter

  constructor(updater: Updater, policy: UnionPolicy, converter: Converter = sameInEveryVersion) {
    this.updater = updater
    this.policy = policy
    this.converter = converter
  }

  update(live: TypedValue, next: TypedValue, request: UpdateRequest): UpdateResult {
    if (!hasAccidents(this.policy, next.type)) return this.updater.update(live, next, request)
    refuseDuplicates(this.policy, live, next)
    if (!isLost(live, next)) return this.updater.update(live, next, request)
    if (lost.has(live)) throw neitherIsThere("failed to compare objects")
    return this.updater.update(live, lostObject(next.type), { ...request, unions: "off" })
  }

  apply(live: TypedValue, config: TypedValue, request: ApplyRequest): UpdateResult {
    if (!hasAccidents(this.policy, config.type) || !isLeaf(config.value)) {
      return this.updater.apply(live, config, request)
    }
    if (lost.has(live)) throw neitherIsThere("failed to merge config")
    const result = this.updater.apply(live, lostObject(config.type), request)
    if (live.value === null || !isLeaf(live.value)) return result
    return { ...result, object: this.pruned(lostObject(config.type), request), changed: true }
  }

  /** Pruning converts the object to the version of the last applied set and back. A lost object becomes null on the way. */
  private pruned(object: TypedValue, { manager, managers, apiVersion }: ApplyRequest): TypedValue {
    const last = managers.get(manager)
    if (last === undefined || last.set.isEmpty()) return object
    const there = this.converter.convert(object, last.apiVersion)
    return (there && this.converter.convert(there, apiVersion)) ?? object
  }
}

function hasAccidents(policy: UnionPolicy, type: Type): boolean {
  return policy === unionPolicies.v4 && normalizationPlan(policy, type) !== null
}

/** Whether both objects are scalars or empty, and so have nothing to walk. */
function isLost(old: TypedValue, next: TypedValue): boolean {
  return isLeaf(old.value) && isLeaf(next.value)
}

function isLeaf(value: Value): boolean {
  return isList(value) ? value.length === 0 : !isMap(value) || isEmptyMap(value)
}

const lost = new WeakSet<TypedValue>()

/** Returns a stand-in for a lost object: null, or nothing at all if two of them are merged or compared. */
function lostObject(type: Type): TypedValue {
  const object = TypedValue.unvalidated(null, type)
  lost.add(object)
  return object
}

function lostUnions({ type }: TypedValue): NormalizedUnions {
  return { object: lostObject(type), unions: [] }
}

function neitherIsThere(during: string): StructuredMergeError {
  return new StructuredMergeError("invalid-value", `${during}: at least one of lhs and rhs must be provided`)
}

/** Throws a UnionError if either object has duplicate items. Problems of its unions come first in the error. */
function refuseDuplicates(policy: UnionPolicy, old: TypedValue, next: TypedValue): void {
  const issues = new Issues()
  visit(issues, next.type, old.value, next.value)
  if (issues.count === 0) return
  const problems = problemsOf(() => normalizeUnions(old, next, { policy }))
  const bare = problems.map(({ message }) => ({ path: "", message }))
  const duplicates = issues.toArray()
  throw new UnionError([...problems, ...duplicates], formatIssues([...bare, ...duplicates]))
}

function problemsOf(settle: () => void): readonly Issue[] {
  try {
    settle()
    return []
  } catch (error) {
    if (!(error instanceof UnionError)) throw error
    return error.issues
  }
}

/** Reports duplicate items of lists that are not inside items of lists. */
function visit(issues: Issues, type: Type, old: Value | undefined, next: Value | undefined): void {
  const { map, list } = type
  if (isMap(next) || isMap(old)) {
    if (map !== null && !map.atomic) visitMap(issues, map, isMap(old) ? old : {}, isMap(next) ? next : {})
  } else if (list?.associative === true && !list.atomic) {
    if (isList(next)) noteDuplicates(issues, list, next)
    if (isList(old)) noteDuplicates(issues, list, old)
  }
}

function visitMap(issues: Issues, map: MapShape, old: MapValue, next: MapValue): void {
  for (const key of new Set([...Object.keys(next), ...Object.keys(old)])) {
    const before = issues.count
    visit(issues, map.fields.get(key)?.type ?? map.rest, own(old, key), own(next, key))
    if (issues.count > before) issues.prefix(fieldElement(key), before)
  }
}

function noteDuplicates(issues: Issues, list: ListShape, items: ListValue): void {
  const table = new ItemTable(list)
  for (const item of items) {
    const known = table.size
    const number = table.add(item)
    if (number >= 0 && number < known) issues.add(`duplicate entries for key ${formatElement(table.element(number))}`)
  }
}
