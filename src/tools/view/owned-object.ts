// A live object as lines of YAML with their owners.
import { parseFieldsV1Key } from "../../fieldpath/fieldsv1/key.js"
import { Lookup } from "../../fieldpath/lookup.js"
import { withoutManagedFields } from "../../managedfields/entries/entry.js"
import { objectOf } from "../../managedfields/request.js"
import type { TypeFinder } from "../../managedfields/types/object-types.js"
import { aTypeFinder, optional, requireOptions } from "../../value/argument.js"
import type { MapValue, Value } from "../../value/value.js"
import { type BlamedField, blame, type ManagerFields } from "../ownership/blame.js"
import type { ObjectName } from "../ownership/object-name.js"
import type { Owner } from "../ownership/owners.js"
import { isSecret, PlaceWalk } from "../secrets/places.js"
import { YamlLines } from "./yaml-lines.js"

/** One line of the object. */
export interface OwnedLine {
  /** The text, without its line break. */
  readonly text: string
  /**
   * The owners of the fields that begin on the line, or of the leaf that continues on it. Empty if nobody owns the field itself, as for most
   * maps and lists.
   */
  readonly owners: readonly Owner[]
  /** The fields that begin on the line, or the leaf that continues on it. */
  readonly fields: readonly BlamedField[]
}

/** An object with its owners, by line and by field. */
export interface OwnedObject {
  /** The name of the object. */
  readonly target: ObjectName
  /** The object as YAML, without its managedFields. */
  readonly lines: readonly OwnedLine[]
  /** The fields that have owners, also those that the object no longer has. */
  readonly fields: readonly BlamedField[]
  /** All owners with their fields, in the order of managedFields. */
  readonly managers: readonly ManagerFields[]
  /** Reasons to doubt the owners. */
  readonly findings: readonly string[]
}

/** The options of `ownedObject`. */
export interface OwnedObjectOptions {
  /** Finds the type of the object. Without it, lists and maps are inferred from the owners' fields, as by `blame`. */
  readonly types?: TypeFinder | undefined
  /** Whether the lines show the values of Secrets. If not, each is "(hidden)". */
  readonly showSecrets?: boolean | undefined
}

/**
 * Returns the object's lines and fields with their owners. Takes time in proportion to the size of the object. Throws a BadRequestError if
 * `object` is not an object.
 */
export function ownedObject(object: object, options: OwnedObjectOptions = {}): OwnedObject {
  requireOptions("options", options, { types: optional(aTypeFinder) })
  const source = objectOf(object)
  const found = blame(source, { types: options.types })
  const shown = withoutManagedFields(source)
  const yaml = new YamlLines(options.showSecrets === true ? shown : withHiddenValues(shown, source))
  const lookup = new Lookup(shown)
  const lines = yaml.lines.map(text => ({ text, owners: [] as Owner[], fields: [] as BlamedField[] }))
  for (const field of found.fields) {
    const steps = lookup.stepsTo(field.steps.flatMap(step => parseFieldsV1Key(step) ?? []))
    const span = steps && yaml.spanOf(steps)
    if (span === undefined) continue
    const last = field.value === undefined ? span.first : span.last
    for (let i = span.first; i <= last; i++) {
      const line = lines[i]
      line?.fields.push(field)
      for (const owner of field.owners) if (line?.owners.includes(owner) === false) line.owners.push(owner)
    }
  }
  return {
    target: found.target,
    lines,
    fields: found.fields.filter(({ owners }) => owners.length > 0),
    managers: found.byManager(),
    findings: found.findings.map(({ message }) => message),
  }
}

/** Returns data about the object, such as the object itself or its conflicts, without the values of a Secret. Shares what does not change. */
export function withHiddenValues<T>(data: T, object: MapValue): T {
  if (!isSecret(object)) return data
  const hidden = { hidden: () => hiddenValue, text: (text: string) => text }
  return new PlaceWalk([], hidden, true).replace(data as Value) as T
}

/** The text in the place of a hidden value. */
const hiddenValue = "(hidden)"
