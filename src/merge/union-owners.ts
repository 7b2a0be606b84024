// The owners of a field of a union, which managers may own at versions with other field names.
import type { Managers } from "../fieldpath/managers.js"
import { below } from "../fieldpath/parts.js"
import type { Path } from "../fieldpath/path.js"
import { Entry, FieldSet, leafEntry } from "../fieldpath/set.js"
import type { TypedValue } from "../typed/typed-value.js"
import type { Versions } from "./versions.js"

/** An object, the owners of its fields, and the manager that applies or updates. */
export interface OwnedObject {
  readonly versions: Versions
  readonly object: TypedValue
  readonly apiVersion: string
  /** The manager that applies or updates: the actor. */
  readonly actor: string
  readonly managers: Managers
}

/**
 * Returns the fields that each manager owns at and below `path`, in the field names of its own version. Contains only members that have no
 * other member above them.
 */
export function ownersOf(path: Path, owned: OwnedObject): Map<string, FieldSet> {
  const owners = new Map<string, FieldSet>()
  const known = new Map<string, FieldSet | null>()
  for (const [manager, { set, apiVersion }] of owned.managers) {
    let fields = known.get(apiVersion)
    if (fields === undefined) {
      fields = fieldsAt(path, owned, apiVersion)
      known.set(apiVersion, fields)
    }
    const share = fields === null ? ownedBelow(set, path) : uppermost(set.intersection(fields))
    if (!share.isEmpty()) owners.set(manager, share)
  }
  return owners
}

/** Returns the fields at and below `path` in the field names of another version, or null if that version has the same fields. */
export function fieldsAt(path: Path, { versions, object, apiVersion }: OwnedObject, other: string): FieldSet | null {
  if (other === apiVersion) return null
  const converted = versions.find(object, other) // converted before, so it does not fail
  if (converted === object || converted === undefined) return null
  const without = versions.find(object.removeItems(FieldSet.of([path])), other)
  return without === undefined ? FieldSet.empty : converted.compare(without).removed
}

/** Returns the paths of a field in the version of a manager, which may have another name for it. */
export function pathsFor(manager: string, path: Path, owned: OwnedObject): Iterable<Path> {
  const { apiVersion = "" } = owned.managers.get(manager) ?? {}
  return fieldsAt(path, owned, apiVersion) ?? [path]
}

function ownedBelow(set: FieldSet, path: Path): FieldSet {
  if (set.has(path)) return FieldSet.of([path])
  return path.reduceRight(
    (under, element) => (under.isEmpty() ? under : new FieldSet([new Entry(element, false, under)])),
    uppermost(below(set, path)),
  )
}

/** Returns the members that have no member above them. */
function uppermost(set: FieldSet): FieldSet {
  return new FieldSet(
    set.entries.map(({ element, member, children }) =>
      member || children === null ? leafEntry(element) : new Entry(element, false, uppermost(children)),
    ),
  )
}
