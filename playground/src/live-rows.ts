// A live object as lines of YAML with their owners.
import { isList, isMap, type MapValue, parseFieldsV1Key } from "structured-merge-diff"
import { formatYaml, parseYamlWithPositions } from "structured-merge-diff/io"
import type { TypeFinder } from "structured-merge-diff/managedfields"
import { blame, type Owner } from "structured-merge-diff/ownership"
import { stepsTo } from "../../src/fieldpath/lookup.js"

/** One line of the object. */
export interface LiveRow {
  readonly text: string
  /**
   * The owners of the fields that begin on the line, or of the leaf that continues on it. Empty if nobody owns the field itself, as for most
   * maps and lists.
   */
  readonly owners: readonly Owner[]
  /** The paths of the fields that begin on the line. */
  readonly paths: readonly string[]
}

/** A field and its owners. */
export interface OwnedField {
  readonly path: string
  readonly owners: readonly Owner[]
  /** Whether the field is not in the object, for example because it was removed. */
  readonly gone: boolean
}

/** An object with its owners, by line and by field. */
export interface OwnedObject {
  readonly rows: readonly LiveRow[]
  /** The fields that have owners. */
  readonly fields: readonly OwnedField[]
  /** All owners, in the order of managedFields. */
  readonly owners: readonly Owner[]
  /** Reasons to doubt the owners. */
  readonly findings: readonly string[]
}

/** Returns the object's lines and fields with their owners. */
export function ownedObject(object: MapValue, types: TypeFinder): OwnedObject {
  const found = blame(object, { types })
  const shown = withoutManagedFields(object)
  const text = formatYaml(shown).replace(/\n$/, "")
  const [document] = parseYamlWithPositions(text)
  const rows = text.split("\n").map(line => ({ text: line, owners: [] as Owner[], paths: [] as string[] }))
  for (const { path, steps, owners, value } of found.fields) {
    const way = stepsTo(
      shown,
      steps.map(step => parseFieldsV1Key(step)).filter(element => element !== undefined),
    )
    const place = way && document?.placeOf(way)
    if (place === undefined) continue
    const first = (place.key ?? place.value).start.line
    const last = value === undefined ? first : lastLine(place.value)
    rows[first - 1]?.paths.push(path)
    for (let line = first; line <= last; line++) {
      const row = rows[line - 1]
      for (const owner of owners) if (row?.owners.includes(owner) === false) row.owners.push(owner)
    }
  }
  return {
    rows,
    fields: found.fields
      .filter(({ owners }) => owners.length > 0)
      .map(({ path, owners, gone = false }) => ({ path, owners, gone })),
    owners: found.byManager().map(({ owner }) => owner),
    findings: found.findings.map(({ message }) => message),
  }
}

/** Returns the last line of a value. A block scalar ends at the start of the line after it. */
function lastLine({ end }: { readonly end: { readonly line: number; readonly column: number } }): number {
  return end.column === 1 ? end.line - 1 : end.line
}

function withoutManagedFields(object: MapValue): MapValue {
  const { metadata } = object
  if (!isMap(metadata) || !isList(metadata.managedFields)) return object
  const { managedFields: _, ...rest } = metadata
  return { ...object, metadata: rest }
}
