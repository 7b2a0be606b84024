// Checks managedFields entry by entry: finds unreadable entries, entries at versions that no longer exist, and entries that own next to
// nothing.
import type { KeyElement, PathElement } from "../../fieldpath/element.js"
import { below } from "../../fieldpath/parts.js"
import { formatPath, type Path } from "../../fieldpath/path.js"
import type { FieldSet } from "../../fieldpath/set.js"
import { removedIn } from "../../kubernetes/removed-versions.js"
import { ancientChanges } from "../../managedfields/chain/cap-managers.js"
import { type ManagedFieldsEntry, readEntries } from "../../managedfields/entries/entry.js"
import { fieldsOrProblem } from "../../managedfields/entries/managed.js"
import type { TypeFinder } from "../../managedfields/types/object-types.js"
import { isApiVersion, kindOf } from "../../schema/group-version-kind.js"
import { textAt } from "../../value/fields.js"
import type { ListValue, MapValue } from "../../value/value.js"
import { counted } from "../../value/words.js"
import { finding, type LintCode, type LintFinding } from "./finding.js"

/** An entry of managedFields, decoded. */
export interface OwnedFields {
  /** The 0-based position of the entry. */
  readonly index: number
  readonly entry: ManagedFieldsEntry
  readonly set: FieldSet
}

const listAt = ".metadata.managedFields"

/** Returns a finding about one entry. `part` is a field of the entry, such as `.apiVersion`. */
export function aboutEntry(
  code: LintCode,
  { index, entry }: Pick<OwnedFields, "index" | "entry">,
  message: string,
  remedy: string,
  part = "",
): LintFinding {
  return { ...finding(code, `${listAt}[${index}]${part}`, message, remedy), manager: entry.manager ?? "" }
}

/** Returns the manager of an entry, as messages name it. */
export function entryLabel({ manager = "", operation = "", subresource = "" }: ManagedFieldsEntry): string {
  const through = subresource === "" ? "" : ` of ${subresource}`
  return `${manager === "" ? "a manager without a name" : manager} (${operation}${through})`
}

const mend = "fix the entry, or clear all owners by an update with managedFields: [{}]"

export function noList(): LintFinding {
  const message = "is not a list of entries, so the object can't be read"
  return finding("managed-fields-unreadable", listAt, message, "fetch the object again")
}

/** Reports each malformed entry of a list. An API server can't read any request with such a list. */
export function unreadableList(list: ListValue): LintFinding[] {
  return list.flatMap((item, index) => {
    if (readEntries([item]) !== undefined) return []
    const message = "is not an entry (a map of texts, with a time in RFC 3339), so nobody counts as an owner"
    return [finding("managed-fields-unreadable", `${listAt}[${index}]`, message, mend)]
  })
}

/** Decodes the entries. Each one that can't be decoded becomes a finding. */
export function readOwners(found: LintFinding[], entries: readonly ManagedFieldsEntry[]): OwnedFields[] {
  const owners: OwnedFields[] = []
  for (let index = 0; index < entries.length; index++) {
    const entry = entries[index] as ManagedFieldsEntry
    const { apiVersion = "" } = entry
    const set = isApiVersion(apiVersion) ? fieldsOrProblem(entry, index) : `${apiVersion} is not a group and version`
    if (typeof set !== "string") owners.push({ index, entry, set })
    else if (!isEmptyEntry(entry, entries)) {
      const message = `can't be read: ${set}; an apply is refused, and the next update forgets all owners`
      found.push(aboutEntry("managed-fields-unreadable", { index, entry }, message, mend))
    }
  }
  return owners
}

/** Whether it is the single empty entry that clears all owners. */
function isEmptyEntry(entry: ManagedFieldsEntry, { length }: readonly ManagedFieldsEntry[]): boolean {
  return length === 1 && Object.keys(entry).length === 0
}

/** Reports entries at versions that the kind does not have, according to `types` or because Kubernetes has removed them. */
export function lintVersions(
  found: LintFinding[],
  live: MapValue,
  owners: readonly OwnedFields[],
  types: TypeFinder | undefined,
): void {
  const current = textAt(live, "apiVersion")
  const kind = textAt(live, "kind")
  for (const owner of owners) {
    const { apiVersion = "" } = owner.entry
    if (apiVersion === current) continue
    const release = removedIn(apiVersion, kind)
    const isKnown = types?.find(current, kind) !== undefined
    if (release === undefined && (!isKnown || types?.find(apiVersion, kind) !== undefined)) continue
    const since = release === undefined ? "has no such version" : `has no such version since Kubernetes ${release}`
    const [code, effect]: [LintCode, string] =
      release === undefined && isCustom(live, types)
        ? ["version-gone-blocks", "every apply is refused, and updates no longer change owners"]
        : ["version-gone", "the next write drops the entry, and its fields have no owner"]
    const message = `${entryLabel(owner.entry)} owns fields at ${apiVersion}, and ${kind} ${since}: ${effect}`
    const remedy = `move its fields to a version that exists (smd managers to-version ${current} --all-managers), or remove the entry (smd managers drop-version ${apiVersion})`
    found.push(aboutEntry(code, owner, message, remedy, ".apiVersion"))
  }
}

/** Whether the kind comes from a CustomResourceDefinition. Only built-in kinds have an empty object, from which an API server starts. */
function isCustom(live: MapValue, types: TypeFinder | undefined): boolean {
  const emptyObject = types?.find(textAt(live, "apiVersion"), textAt(live, "kind"))?.emptyObject
  return emptyObject === undefined && kindOf(live).group.includes(".")
}

export function lintAncientChanges(found: LintFinding[], owners: readonly OwnedFields[]): void {
  for (const owner of owners) {
    if (owner.entry.manager !== ancientChanges || owner.entry.operation !== "Update") continue
    const fields = counted(owner.set.leaves().size, "field")
    const message = `more than ten managers have updated the object, so the owners of ${fields} are lost: they stay even if an applier leaves them out`
    const remedy =
      "find the program that keeps changing its manager name, such as by a version in it, and transfer the fields: smd managers transfer"
    found.push(aboutEntry("ancient-changes", owner, message, remedy))
  }
}

/**
 * Reports a manager that owns only the keys of items while others own the rest of these items. Fields without owners don't count, because
 * they may be defaults.
 */
export function lintKeysOnly(found: LintFinding[], owners: readonly OwnedFields[]): void {
  for (const owner of owners) {
    if (owner.set.isEmpty() || !hasKeysOnly(owner.set, null)) continue
    const items: Path[] = []
    collectItems(owner.set, [], items)
    const item = items.find(path => owners.some(({ set }) => hasMoreThanKeys(set, path)))
    if (item === undefined) continue
    const others = items.length === 1 ? "" : ` and ${counted(items.length - 1, "other item")}`
    const message = `${entryLabel(owner.entry)} owns only the keys of ${formatPath(item)}${others}: if the owners of its other fields leave it out, the bare item stays`
    const own = owner.entry.operation === "Apply" ? "leave the item out of its configuration" : "release the keys"
    found.push(aboutEntry("keys-only", owner, message, `${own}: smd managers release`))
  }
}

/** Whether all leaves are keys of items. `item` is the item that contains the fields of this set. */
function hasKeysOnly({ entries }: FieldSet, item: KeyElement | null): boolean {
  for (const { element, children } of entries) {
    if (children !== null) {
      if (!hasKeysOnly(children, element.kind === "key" ? element : null)) return false
    } else if (item === null || !isKeyOf(item, element)) return false
  }
  return true
}

export function isKeyOf(item: KeyElement, element: PathElement): boolean {
  return element.kind === "field" && item.fields.some(({ name }) => name === element.name)
}

function collectItems({ entries }: FieldSet, path: Path, items: Path[]): void {
  for (const { element, children } of entries) {
    if (children === null) continue
    const below = [...path, element]
    if (element.kind === "key") items.push(below)
    collectItems(children, below, items)
  }
}

function hasMoreThanKeys(set: FieldSet, path: Path): boolean {
  const item = path.at(-1) as KeyElement // `collectItems` found it
  const fields = below(set, path)
  return fields.entries.some(({ element }) => !isKeyOf(item, element))
}
