// The changes that an apply makes to an object, field by field, each with its reason.
//
// Three objects are compared: the object before, the result of merge and pruning, and the object that would be stored. Changes after merge
// and pruning are defaults. The other changes are due to the configuration, to fields that it no longer has, or to a union. An item that is
// added or removed gets one row, plus a row for each part of it that has another reason.
import { fieldElement } from "../../fieldpath/create-element.js"
import { below } from "../../fieldpath/parts.js"
import { comparePaths, formatPath, type Path, pathOf } from "../../fieldpath/path.js"
import { FieldSet } from "../../fieldpath/set.js"
import { lastAppliedAnnotation } from "../../managedfields/chain/last-applied.js"
import { beforeFirstApply } from "../../managedfields/chain/skip-non-applied.js"
import { withoutManagedFields } from "../../managedfields/entries/entry.js"
import { managerId } from "../../managedfields/entries/manager-id.js"
import { ObjectTypes } from "../../managedfields/types/object-types.js"
import { metadataOf, withMetadata } from "../../schema/metadata.js"
import { compareTyped } from "../../typed/compare.js"
import { Comparison } from "../../typed/comparison.js"
import type { Type } from "../../typed/type.js"
import { textAt } from "../../value/fields.js"
import { own, put } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import { type PlannedUnion, unionCauses } from "./causes.js"
import { fieldsOf } from "./fields.js"
import { pairKeyChanges } from "./key-changes.js"
import { reorderedLists } from "./order.js"
import { ownersFrom, type Share } from "./owners.js"
import { placeOf, uppermostPaths } from "./place.js"
import type { Because, PlannedChange, Row } from "./planned-change.js"
import type { AcceptedApply, Trial } from "./request.js"
import { byId, setOf } from "./transfers.js"
import { TypedLookup } from "./typed-lookup.js"

/** Returns the changes that the apply makes, in the order of their paths. */
export function changesOf(trial: Trial, result: AcceptedApply): PlannedChange[] {
  const type = new ObjectTypes(trial.request.types).typeOf(trial.config)
  const finder = new ChangeFinder(trial, result, type)
  const rows = [...finder.changed(), ...finder.reordered(), ...finder.stays()]
  pairKeyChanges(rows, path => finder.appliedValues(path))
  return rows.sort((a, b) => comparePaths(a.path, b.path)).map(row => finder.toChange(row))
}

class ChangeFinder {
  private readonly before: MapValue
  private readonly after: MapValue
  private readonly type: Type
  private readonly lookups: readonly [TypedLookup, TypedLookup]
  /** All differences, and those that arose after merge and pruning. */
  private readonly whole: Comparison
  private readonly defaulted: FieldSet
  /** The differences that admission made; they are in `defaulted` too. */
  private readonly admitted: FieldSet
  private readonly unions: ReturnType<typeof unionCauses>
  /** The fields that the applier owned before, and those it owns afterwards. */
  private readonly last: FieldSet
  private readonly applied: FieldSet
  private readonly othersBefore: readonly Share[]
  private readonly othersAfter: readonly Share[]
  private readonly contested: FieldSet

  constructor(trial: Trial, result: AcceptedApply, type: Type) {
    const { base, applier, shares, conflicts } = trial
    const merged = withoutManagedFields(result.merged)
    this.before = base
    this.after = result.changed ? withSystemFieldsOf(base, withoutManagedFields(result.object)) : base
    this.type = type
    this.lookups = [new TypedLookup(type, this.before), new TypedLookup(type, this.after)]
    this.whole = compare(type, base, this.after)
    this.defaulted = everything(compare(type, merged, this.after))
    const { before = merged, after = before } = result.admitted ?? {}
    this.admitted = everything(compare(type, withoutManagedFields(before), withoutManagedFields(after)))
    this.unions = unionCauses(result.unions)
    this.last = setOf(byId(shares), applier)
    this.applied = setOf(byId(result.shares), applier)
    const known = trial.live === undefined || shares.length > 0
    this.othersBefore = known ? shares.filter(({ id }) => id !== applier) : [untracked(trial, type)]
    this.othersAfter = result.shares.filter(({ id }) => id !== applier)
    this.contested = FieldSet.of(conflicts.map(({ path }) => path))
  }

  /** Rows for added, changed and removed fields. */
  changed(): Row[] {
    const { added, modified, removed } = this.whole
    const repeated = added.intersection(removed)
    const rest = (set: FieldSet): FieldSet => set.recursiveDifference(repeated)
    const dropped = this.last.difference(this.applied)
    return [
      ...uppermostPaths(repeated).map((path): Row => ({ path, action: "change", because: "duplicates" })),
      ...this.rows("add", rest(added), () => "configured"),
      ...this.rows("change", rest(modified), path => (this.isAtomic(path) ? "atomic" : "configured"), dropped),
      ...this.rows("remove", rest(removed), path => (this.isBelowApplied(path) ? "configured" : "no-longer-applied")),
    ]
  }

  /** Rows for lists whose common items change their order. */
  reordered(): Row[] {
    const lists = reorderedLists(this.type, this.before, this.after)
    return lists.map(path => ({ path, action: "change", because: "order" }))
  }

  /** Rows for fields that the applier owned and no longer applies, but that stay in the object. */
  stays(): Row[] {
    const rows: Row[] = []
    for (const path of uppermostPaths(this.last.difference(this.applied))) {
      if (this.values(path)[1] === undefined || !below(this.applied, path).isEmpty()) continue
      const isOwned = ownersFrom(this.othersAfter, path).length > 0
      const because = isOwned ? "owned-by-others" : this.defaulted.has(path) ? "defaulted" : "kept"
      if (!this.whole.modified.has(path)) rows.push({ path, action: "stay", because })
    }
    return rows
  }

  toChange({ path, action, because, union, counterpart }: Row): PlannedChange {
    const [from, to] = because === "duplicates" ? this.repeated(path) : this.values(path)
    const mayBeContested = action !== "stay" && because !== "order" // nobody owns the order of items
    const isContested = mayBeContested && (this.contested.has(path) || !below(this.contested, path).isEmpty())
    return {
      ...placeOf(path),
      action,
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
      because,
      owners: ownersFrom(action === "stay" ? this.othersAfter : this.othersBefore, path),
      ...(isContested && { contested: true }),
      ...(counterpart !== undefined && { counterpart: formatPath(counterpart) }),
      ...(union !== undefined && { union }),
    }
  }

  /** Returns the values before and after. */
  values(path: Path): readonly [Value | undefined, Value | undefined] {
    return [this.lookups[0].valueAt(path), this.lookups[1].valueAt(path)]
  }

  /**
   * Returns the values before and after. Maps are reduced to the fields that the applier owns, because defaults may depend on the keys of
   * an item.
   */
  appliedValues(path: Path): readonly [Value | undefined, Value | undefined] {
    const [from, to] = this.values(path)
    return [ownedPart(from, below(this.last, path)), ownedPart(to, below(this.applied, path))]
  }

  /** Returns the values before and after. If the object has an item several times, the value is a list of all its copies. */
  private repeated(path: Path): readonly [Value | undefined, Value | undefined] {
    const all = (lookup: TypedLookup): Value | undefined => {
      const items = lookup.valuesAt(path)
      return items.length > 1 ? items : items[0]
    }
    return [all(this.lookups[0]), all(this.lookups[1])]
  }

  /**
   * Makes rows for each reason: defaults, unions, and for the rest the reason that `cause` returns. A default that replaces a value that
   * the applier dropped is a reset.
   */
  private rows(
    action: Row["action"],
    set: FieldSet,
    cause: (path: Path) => Because,
    dropped: FieldSet = FieldSet.empty,
  ): Row[] {
    const rows: Row[] = []
    let rest = set
    const take = (part: FieldSet, because: Because, union?: PlannedUnion): void => {
      const taken = rest.intersection(part)
      for (const path of uppermostPaths(taken)) {
        rows.push({ path, action, because, ...(union !== undefined && { union }) })
      }
      rest = rest.difference(taken)
    }
    if (action !== "remove" || this.last.intersection(annotation).isEmpty()) take(annotation, "last-applied")
    if (action === "add") {
      // The row of an added item or map includes the defaults in it.
      const inAdded = rest.intersection(this.defaulted.difference(this.admitted))
      rest = rest.difference(inAdded.difference(inAdded.recursiveDifference(rest.difference(this.defaulted))))
    }
    take(this.admitted, "admission")
    take(this.defaulted.intersection(dropped), "reset-to-default")
    take(this.defaulted, "defaulted")
    for (const { path, union } of this.unions) take(atAndBelow(rest, path), "union", union)
    for (const path of uppermostPaths(rest)) rows.push({ path, action, because: cause(path) })
    return rows
  }

  /** Whether a list or map is replaced as a whole. Only atomic lists and maps are in `modified` themselves. */
  private isAtomic(path: Path): boolean {
    const [from, to] = this.values(path)
    return (isList(from) && isList(to)) || (isMap(from) && isMap(to))
  }

  /** Whether the applier owns something above the path and nothing below that, as when it replaced a map with null. */
  private isBelowApplied(path: Path): boolean {
    for (let length = path.length - 1; length > 0; length--) {
      const above = path.slice(0, length)
      if (this.applied.has(above)) return below(this.applied, above).isEmpty()
    }
    return false
  }
}

/**
 * Returns the object `after` with the system metadata of `before`. Servers update these fields on every change, so they are not worth a
 * row.
 */
function withSystemFieldsOf(before: MapValue, after: MapValue): MapValue {
  const { uid, creationTimestamp, generation, resourceVersion } = metadataOf(before)
  return withMetadata(after, { uid, creationTimestamp, generation, resourceVersion })
}

function ownedPart(value: Value | undefined, owned: FieldSet): Value | undefined {
  if (value === undefined || !isMap(value) || owned.isEmpty()) return value
  const fields: Record<string, Value> = {}
  for (const key in value) if (owned.find(fieldElement(key)) !== undefined) put(fields, key, own(value, key) as Value)
  return fields
}

/** Returns the share of the owner that the first apply adds to an object without owners: the whole object. */
function untracked({ base, config }: Trial, type: Type): Share {
  const owner = { manager: beforeFirstApply, operation: "Update", apiVersion: textAt(config, "apiVersion") }
  return { id: managerId(owner), owner, set: fieldsOf(base, FieldSet.empty, type) }
}

const annotation = FieldSet.of([pathOf("metadata", "annotations", lastAppliedAnnotation)])
const nothing = new Comparison(FieldSet.empty, FieldSet.empty, FieldSet.empty)

/**
 * Returns the differences between two objects. The result of `prepare` may not fit the type; the comparison then covers the parts that do.
 */
function compare(type: Type, before: MapValue, after: MapValue): Comparison {
  return before === after ? nothing : compareTyped(type, before, after, false, false).comparison
}

function everything({ added, modified, removed }: Comparison): FieldSet {
  return added.union(modified).union(removed)
}

function atAndBelow(set: FieldSet, path: Path): FieldSet {
  return set.difference(set.recursiveDifference(FieldSet.of([path])))
}
