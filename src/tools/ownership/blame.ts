// Blame: the owners of each field and item of an object.
import { hasCode } from "../../errors.js"
import { uniteSets } from "../../fieldpath/builder.js"
import { formatFieldsV1Key } from "../../fieldpath/element.js"
import { Lookup } from "../../fieldpath/lookup.js"
import { parsePath } from "../../fieldpath/parse-path.js"
import { below } from "../../fieldpath/parts.js"
import { equalPaths, formatPath, formatQuotedPath, type Path } from "../../fieldpath/path.js"
import type { FieldSet } from "../../fieldpath/set.js"
import { BadRequestError } from "../../managedfields/chain/status.js"
import { withoutMetadata } from "../../managedfields/chain/strip-metadata.js"
import { DecodedSets } from "../../managedfields/entries/decoded-sets.js"
import { objectOf } from "../../managedfields/request.js"
import type { TypeFinder } from "../../managedfields/types/object-types.js"
import { listedIn } from "../../schema/object-list.js"
import {
  aListOfObjects,
  aString,
  aTypeFinder,
  type Expected,
  either,
  optional,
  requireArgument,
  requireOptions,
} from "../../value/argument.js"
import { textAt } from "../../value/fields.js"
import type { MapValue, Value } from "../../value/value.js"
import { fieldsOf, objectType } from "./fields.js"
import { type Finding, findingsAbout } from "./finding.js"
import { type ObjectName, objectName } from "./object-name.js"
import { type Owner, ownersAt, readShares, type Share } from "./owners.js"
import { type Place, pathsOf } from "./place.js"
import { TypedLookup } from "./typed-lookup.js"
import { isByHand } from "./writers.js"

/** The options of `blame`. */
export interface BlameOptions {
  /**
   * Finds the type of the object. Without it, or if it does not know the kind, `blame` infers lists and maps from the fields that are owned
   * in them: a list in which nobody owns an item then counts as atomic.
   */
  readonly types?: TypeFinder | undefined
}

/** A field or an item, and its owners. */
export interface BlamedField extends Place {
  /** The owners of exactly this path, in the order of managedFields; empty if nobody owns it. */
  readonly owners: readonly Owner[]
  /**
   * The value in the object; absent if the object has none, and for items and maps whose parts are listed as fields themselves. Shared with
   * the object.
   */
  readonly value?: Value
  /** Set if somebody owns the field but the object no longer has it. */
  readonly gone?: true
  /** Set if people changed the field by hand: each of its owners is a person, as `writerRole` judges. */
  readonly byHand?: true
}

/** The result of `at`. */
export interface BlamedPath extends BlamedField {
  /** The atomic list or map that contains the path. Its owners decide about the path. */
  readonly within?: BlamedField
}

/** The fields that one entry of managedFields owns. */
export interface ManagerFields {
  /** The owner of the fields. */
  readonly owner: Owner
  /** Its fields and items, each followed by those below it. */
  readonly fields: readonly Place[]
}

/** The owners of an object's fields. The properties are plain data that `JSON.stringify` can write. */
export class Blame {
  /** Distinguishes the results of this entry point. */
  readonly type = "blame"
  /** The version of this format, as in `ownership.schema.json`. */
  readonly version = 1
  /** The object. */
  readonly target: ObjectName
  /**
   * Every leaf, every list item, and everything else that somebody owns, each followed by what is below it. Nobody owns the fields that
   * identify the object, such as its name, so they are left out.
   */
  readonly fields: readonly BlamedField[]
  /** The owners whose fields are in another version than the object's. Their paths may mean something else in this object. */
  readonly ownersAtOtherVersions: readonly Owner[]
  /** Reasons to doubt the answer. */
  readonly findings: readonly Finding[]
  /** The paths of `fields`. */
  readonly #all: FieldSet
  /** The same paths, keyed by the `path` of their fields. */
  readonly #known = new Map<string, Path>()
  readonly #shares: readonly Share[]
  readonly #values: Lookup | TypedLookup

  /** @internal */
  constructor(source: MapValue, types: TypeFinder | undefined) {
    const sets = new DecodedSets()
    const shares = readShares(source, sets)
    const owned = uniteSets(shares.map(({ set }) => set))
    const type = types === undefined ? undefined : objectType(types, source)
    const present = fieldsOf(source, owned, type)
    const apiVersion = textAt(source, "apiVersion")
    const all = owned.union(withoutMetadata(present))
    const paths = pathsOf(all)
    this.#all = all
    this.#shares = shares
    this.#values = type === undefined ? new Lookup(source) : new TypedLookup(type, source)
    const others: Path[] = []
    for (const path of paths) {
      const text = formatPath(path)
      if (text === formatQuotedPath(path)) this.#known.set(text, path)
      else others.push(path)
    }
    for (const path of others) this.#known.set(this.#textOf(path), path)
    this.target = objectName(source)
    this.fields = paths.map(path => this.#fieldAt(path))
    this.ownersAtOtherVersions = shares.map(({ owner }) => owner).filter(owner => owner.apiVersion !== apiVersion)
    this.findings = findingsAbout(source, sets)
  }

  /**
   * Returns the owners of exactly this path. The path is a `Path`, text that `parsePath` reads, or the `path` of a field. Nobody owns the
   * contents of an atomic list; `within` is then the list. Throws a ParseError if the text is not a path.
   */
  at(path: Path | string): BlamedPath {
    requireArgument("path", path, aPath)
    const place = typeof path === "string" ? (this.#known.get(path) ?? parsePath(path)) : path
    const field = this.#fieldAt(place)
    const within = this.#leafAbove(place)
    return within === undefined ? field : { ...field, within }
  }

  /** Returns the fields of each entry of managedFields, in the order of the entries. */
  byManager(): ManagerFields[] {
    return this.#shares.map(({ owner, set }) => ({ owner, fields: pathsOf(set).map(path => this.#placeOf(path)) }))
  }

  /** Returns the fields that nobody owns. */
  unowned(): BlamedField[] {
    return this.fields.filter(({ owners }) => owners.length === 0)
  }

  #fieldAt(path: Path): BlamedField {
    const owners = ownersAt(this.#shares, path)
    const value = this.#values.valueAt(path)
    const isWhole = value !== undefined && below(this.#all, path).isEmpty()
    const isGone = owners.length > 0 && value === undefined
    return {
      ...this.#placeOf(path),
      owners,
      ...(isWhole && { value }),
      ...(isGone && { gone: true }),
      ...(isByHand(owners) && { byHand: true }),
    }
  }

  #placeOf(path: Path): Place {
    return { path: this.#textOf(path), steps: path.map(step => formatFieldsV1Key(step)) }
  }

  /** The text of the path. Names are quoted if the unquoted text would mean another path of the object. */
  #textOf(path: Path): string {
    const text = formatPath(path)
    const quoted = formatQuotedPath(path)
    if (text === quoted) return text
    const known = this.#known.get(text)
    if (known !== undefined) return equalPaths(known, path) ? text : quoted
    return this.#isOfAnother(text) ? quoted : text
  }

  /** Whether the object has a value at the path that `parsePath` reads from the text. */
  #isOfAnother(text: string): boolean {
    try {
      return this.#values.valueAt(parsePath(text)) !== undefined
    } catch (error) {
      if (hasCode(error)) return false
      throw error
    }
  }

  /** The leaf above the path, if there is one. */
  #leafAbove(path: Path): BlamedField | undefined {
    for (let length = path.length - 1; length > 0; length--) {
      const above = path.slice(0, length)
      if (this.#all.has(above) && below(this.#all, above).isEmpty()) return this.#fieldAt(above)
    }
    return undefined
  }
}

/**
 * Lists the owners of each field and item of an object, according to its managedFields. The values are shared with the object. Unreadable
 * parts of managedFields become findings. Throws a BadRequestError if `object` is not an object, or is a list of objects.
 *
 * @example
 * ```ts
 * import { kubernetesTypes } from "structured-merge-diff/kubernetes"
 * import { FieldManager } from "structured-merge-diff/managedfields"
 * import { blame } from "structured-merge-diff/ownership"
 *
 * const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" }, data: { color: "red" } }
 * const manager = new FieldManager({ types: kubernetesTypes })
 * const { object } = manager.apply(undefined, config, { manager: "gitops" })
 *
 * for (const { path, owners } of blame(object).fields) console.log(path, owners.map(owner => owner.manager).join())
 * // .data.color gitops
 * ```
 */
export function blame(object: object, options: BlameOptions = {}): Blame {
  requireOptions("options", options, { types: optional(aTypeFinder) })
  const one = objectOf(object)
  if (listedIn(one) !== undefined) {
    throw new BadRequestError(`expected one object, got a list, ${textAt(one, "kind")}; pass its items one by one`)
  }
  return new Blame(one, options.types)
}

const aPath: Expected = either(aString, aListOfObjects)
