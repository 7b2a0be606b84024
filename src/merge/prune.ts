// Pruning removes fields that an applier applied last time and leaves out now, unless another manager owns them.
import { fieldElement } from "../fieldpath/element.js"
import type { Managers, VersionedSet } from "../fieldpath/managers.js"
import { FieldSet } from "../fieldpath/set.js"
import { withNamedFields, withNamedFieldsWithin } from "../typed/named-fields.js"
import { partWithin, type Reach, reachBeyond } from "../typed/reach.js"
import type { TypedValue } from "../typed/typed-value.js"
import { compareStrings } from "../value/compare.js"
import { isEmptyMap, put } from "../value/object.js"
import { isMap, type Value } from "../value/value.js"
import { during, sameInEveryVersion, Versions } from "./versions.js"

/**
 * Returns `merged` without the fields of `last` that have no owner in `managers`, which already contain the applier's new set. Fields that
 * other managers own, and fields that were never applied, stay. The result is at version `apiVersion`.
 *
 * `applied` is the set of all fields that the configuration specifies. It is null if the applier does not own all of them now, or if some
 * part is empty in the configuration but not in the object. Fields that it has always stay: they would be added back, along with
 * everything above them. So if it covers `last`, nothing is pruned, and otherwise only the places with other fields of `last` matter. That
 * holds only if the object is the same at the version of `last` and at those of all managers. Between
 * versions, fields may be renamed or lost, and conversions may fail.
 */
export function prune(
  versions: Versions,
  merged: TypedValue,
  managers: Managers,
  last: VersionedSet | undefined,
  apiVersion: string,
  applied: FieldSet | null,
): TypedValue {
  if (last === undefined || last.set.isEmpty()) return merged
  const what = "failed to convert merged object to last applied version"
  const before = during(what, () => versions.find(merged, last.apiVersion))
  if (before === undefined) return merged
  const oneObject = before === merged && versions.allSame(merged, managers)
  if (oneObject && applied !== null) {
    const dropped = last.set.difference(applied)
    if (dropped.isEmpty()) return merged
    const rest = last.apiVersion === apiVersion ? withoutTouchedKeys(merged, last.set) : null
    if (rest !== null && versions.allSame(rest, managers))
      return pruneWithin(merged, managers, last, reachBeyond(dropped, applied))
  }
  const without = before.removeItems(withNamedFields(before.type, last.set))
  if (oneObject && without === before) return merged
  const fieldsOf = rememberFields()
  const owned = during("failed add back owned items", () =>
    addBackOwned(versions, before, without, managers, last.apiVersion, fieldsOf),
  )
  const pruned = during("failed add back dangling items", () =>
    addBackDangling(versions, before, owned, last, fieldsOf),
  )
  return versions.get(pruned, apiVersion)
}

/**
 * Returns the object without the keys at its top that pruning looks into. If this is the same object in every version, so are the pruned
 * ones, which have more keys: a converter may need some keys, such as the apiVersion, to recognize a version. Returns null if the object is
 * not valid or not a granular map.
 */
function withoutTouchedKeys(object: TypedValue, set: FieldSet): TypedValue | null {
  const { type, value } = object
  if (!object.isValidated || !isMap(value) || isEmptyMap(value) || type.map?.atomic !== false) return null
  const rest: Record<string, Value> = {}
  for (const key in value) if (set.find(fieldElement(key)) === undefined) put(rest, key, value[key] as Value)
  return object.withEdits(isEmptyMap(rest) ? null : rest, false)
}

/**
 * Prunes an object that is the same in every version, by looking only into `reach`: the places with fields that the configuration leaves
 * out. Fields that the configuration specifies or that lead to them always stay, so everything else has no effect on these places.
 */
function pruneWithin(merged: TypedValue, managers: Managers, last: VersionedSet, reach: Reach): TypedValue {
  const { type, value } = merged
  const part = merged.withEdits(partWithin(type, value, reach), true)
  const owners = new Map<string, VersionedSet>()
  for (const [manager, { set, ...owner }] of managers) {
    owners.set(manager, { set: withNamedFieldsWithin(type, set, reach), ...owner })
  }
  const candidates = withNamedFieldsWithin(type, last.set, reach)
  const fieldsOf = rememberFields()
  const without = part.removeItems(candidates)
  const left = addBackOwned(new Versions(sameInEveryVersion), part, without, owners, last.apiVersion, fieldsOf)
  const gone = fieldsOf(part).difference(fieldsOf(left)).intersection(candidates)
  return gone.isEmpty() ? merged : merged.removeItems(gone)
}

/** Returns the fields of an object, including the declared ones that lead to them. */
type FieldsOf = (object: TypedValue) => FieldSet

/** Computes the fields of each object once, since those of the whole object are needed twice. */
function rememberFields(): FieldsOf {
  const known = new Map<TypedValue, FieldSet>()
  return object => {
    let fields = known.get(object)
    if (fields === undefined) known.set(object, (fields = withNamedFields(object.type, object.toFieldSet())))
    return fields
  }
}

/** Adds back the fields that any manager owns, at the version of each manager. */
function addBackOwned(
  versions: Versions,
  merged: TypedValue,
  pruned: TypedValue,
  managers: Managers,
  prunedVersion: string,
  fieldsOf: FieldsOf,
): TypedValue {
  const ownedAt = new Map<string, FieldSet>()
  for (const { apiVersion, set } of managers.values()) {
    ownedAt.set(apiVersion, (ownedAt.get(apiVersion) ?? FieldSet.empty).union(set))
  }
  // The pruned version comes first, since a conversion to another one may fail without its fields. Go: the order of the others is random,
  // and decides which conversions fail.
  const order = [...ownedAt.keys()].sort((a, b) =>
    a === prunedVersion ? -1 : b === prunedVersion ? 1 : compareStrings(a, b),
  )
  let whole = merged
  let left = pruned
  for (const apiVersion of order) {
    const owned = ownedAt.get(apiVersion) as FieldSet
    const wholeThere = during(`failed to convert merged object at version ${apiVersion}`, () =>
      versions.find(whole, apiVersion),
    )
    if (wholeThere === undefined) continue
    whole = wholeThere
    const leftThere = during(`failed to convert pruned object at version ${apiVersion}`, () =>
      versions.find(left, apiVersion),
    )
    if (leftThere === undefined) continue
    const kept = fieldsOf(leftThere).union(withNamedFields(whole.type, owned))
    left = whole.removeItems(fieldsOf(whole).difference(kept))
  }
  return left
}

/** Adds back fields that the applier had not applied, but that were removed along with a parent that it had applied. */
function addBackDangling(
  versions: Versions,
  merged: TypedValue,
  pruned: TypedValue,
  last: VersionedSet,
  fieldsOf: FieldsOf,
): TypedValue {
  const left = during("failed to convert pruned object to last applied version", () =>
    versions.find(pruned, last.apiVersion),
  )
  if (left === undefined) return merged
  const gone = fieldsOf(merged).difference(fieldsOf(left))
  return merged.removeItems(gone.intersection(withNamedFields(merged.type, last.set)))
}
