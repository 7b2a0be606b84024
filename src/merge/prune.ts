// Pruning removes fields that an applier applied last time and leaves out now, unless another manager owns them.
import { fieldElement } from "../fieldpath/create-element.js"
import type { Managers, VersionedSet } from "../fieldpath/managers.js"
import { FieldSet } from "../fieldpath/set.js"
import { withNamedFields, withNamedFieldsWithin } from "../typed/named-fields.js"
import { partWithin, type Reach, reachBeyond, waysTo } from "../typed/reach.js"
import type { TypedValue } from "../typed/typed-value.js"
import { compareStrings } from "../value/compare.js"
import { isEmptyMap, put } from "../value/object.js"
import { isMap, type Value } from "../value/value.js"
import { during, sameInEveryVersion, Versions } from "./versions.js"

/** An object that an applier's configuration was merged into. */
export interface Unpruned {
  readonly versions: Versions
  readonly merged: TypedValue
  /** The managers, with the new set of the applier. */
  readonly managers: Managers
  /** The set that the applier had before. */
  readonly last: VersionedSet | undefined
  /** The version of the result. */
  readonly apiVersion: string
  /**
   * The set of all fields that the configuration specifies. It is null if the applier does not own all of them now, if a part with an empty
   * list in it is empty in the configuration, or if the configuration has an item of an associative list without fields.
   *
   * Go: a map or list with nothing but empty lists in it specifies nothing. If a part that is empty in the configuration is left like that
   * once its fields without owners are gone, it is removed.
   *
   * Go: an item of an associative list that is empty in the configuration, since its keys have defaults, is removed if nobody owns any of
   * its fields.
   */
  readonly applied: FieldSet | null
}

/**
 * Returns `merged` without the fields of `last` that have no owner in `managers`. Fields that other managers own, and fields that were
 * never applied, stay.
 *
 * The fields of `applied` always stay: they would be added back, along with everything above them. So if `applied` covers `last`, nothing
 * is pruned, and otherwise only the places with other fields of `last` matter. That holds only if the object is the same at the version of
 * `last` and at those of all managers. Between versions, fields may be renamed or lost, and conversions may fail.
 */
export function prune({ versions, merged, managers, last, apiVersion, applied }: Unpruned): TypedValue {
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
  const restoring = new Restoring(versions, before, managers, last)
  const owned = during("failed add back owned items", () => restoring.addOwned(without))
  const pruned = during("failed add back dangling items", () => restoring.addDangling(owned))
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
  const restoring = new Restoring(new Versions(sameInEveryVersion), part, owners, last)
  const left = restoring.addOwned(part.removeItems(candidates))
  // A map on the way seems to be gone if it has fields only outside of these places.
  const gone = restoring.goneFrom(left).intersection(candidates).difference(waysTo(reach))
  return gone.isEmpty() ? merged : merged.removeItems(gone)
}

/** Adds back what must stay of `whole`, an object at the version of `last`, after all fields of `last` were removed from it. */
class Restoring {
  /** The fields of objects, computed once, since those of `whole` are needed twice. */
  private readonly known = new Map<TypedValue, FieldSet>()

  constructor(
    private readonly versions: Versions,
    private readonly whole: TypedValue,
    private readonly managers: Managers,
    private readonly last: VersionedSet,
  ) {}

  /** Adds back the fields that any manager owns, at the version of each manager. */
  addOwned(pruned: TypedValue): TypedValue {
    const ownedAt = new Map<string, FieldSet>()
    for (const { apiVersion, set } of this.managers.values()) {
      ownedAt.set(apiVersion, (ownedAt.get(apiVersion) ?? FieldSet.empty).union(set))
    }
    // The pruned version comes first, since a conversion to another one may fail without its fields. Go: the order of the others is random,
    // and decides which conversions fail.
    const first = this.last.apiVersion
    const order = [...ownedAt.keys()].sort((a, b) => (a === first ? -1 : b === first ? 1 : compareStrings(a, b)))
    let { whole } = this
    let left = pruned
    for (const apiVersion of order) {
      const owned = ownedAt.get(apiVersion) as FieldSet
      const wholeThere = during(`failed to convert merged object at version ${apiVersion}`, () =>
        this.versions.find(whole, apiVersion),
      )
      if (wholeThere === undefined) continue
      whole = wholeThere
      const leftThere = during(`failed to convert pruned object at version ${apiVersion}`, () =>
        this.versions.find(left, apiVersion),
      )
      if (leftThere === undefined) continue
      const kept = this.fieldsOf(leftThere).union(withNamedFields(whole.type, owned))
      left = whole.removeItems(this.fieldsOf(whole).difference(kept))
    }
    return left
  }

  /** Adds back fields that the applier had not applied, but that were removed along with a parent that it had applied. */
  addDangling(pruned: TypedValue): TypedValue {
    const { whole, last } = this
    const left = during("failed to convert pruned object to last applied version", () =>
      this.versions.find(pruned, last.apiVersion),
    )
    if (left === undefined) return whole
    return whole.removeItems(this.goneFrom(left).intersection(withNamedFields(whole.type, last.set)))
  }

  /** Returns the fields of the whole object that `left` does not have. */
  goneFrom(left: TypedValue): FieldSet {
    return this.fieldsOf(this.whole).difference(this.fieldsOf(left))
  }

  /** Returns the fields of an object, including the declared ones that lead to them. */
  private fieldsOf(object: TypedValue): FieldSet {
    let fields = this.known.get(object)
    if (fields === undefined) {
      fields = withNamedFields(object.type, object.toFieldSet())
      this.known.set(object, fields)
    }
    return fields
  }
}
