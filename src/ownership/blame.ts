// Blame: who owns each field and item of an object.
import { hasCode } from "../errors.js"
import { formatFieldsV1Key } from "../fieldpath/element.js"
import { valueAt } from "../fieldpath/lookup.js"
import { parsePath } from "../fieldpath/parse-path.js"
import { equalPaths, formatPath, formatQuotedPath, type Path } from "../fieldpath/path.js"
import { FieldSet } from "../fieldpath/set.js"
import { withoutMetadata } from "../managedfields/chain/strip-metadata.js"
import { objectOf } from "../managedfields/request.js"
import type { TypeFinder } from "../managedfields/types/object-types.js"
import { textAt } from "../schema/group-version-kind.js"
import type { Type } from "../typed/type.js"
import {
  aListOfObjects,
  aString,
  type Expected,
  either,
  optional,
  requireArgument,
  requireOptions,
  types,
} from "../value/argument.js"
import type { MapValue, Value } from "../value/value.js"
import { fieldsOf, typeOf } from "./fields.js"
import { type Finding, findingsAbout } from "./finding.js"
import { nameOf, type ObjectName } from "./object-name.js"
import { below, type Owner, ownersAt, readShares, type Share } from "./owners.js"
import { type Place, pathsOf } from "./place.js"
import { typedValueAt } from "./typed-lookup.js"

/** The options of `blame`. */
export interface BlameOptions {
  /**
   * Where the type of the object is found. Without it, or if it does not know the kind, lists and maps are read by the fields that
   * somebody owns in them: a list in which nobody owns an item then counts as atomic.
   */
  readonly types?: TypeFinder | undefined
}

/** A field or an item, and who owns it. */
export interface BlamedField extends Place {
  /** Who owns exactly this, in the order of managedFields; empty if nobody does. */
  readonly owners: readonly Owner[]
  /**
   * What the object has there; absent if it has nothing, and for items and maps whose parts are fields of their own. Shared with
   * the object.
   */
  readonly value?: Value
  /** Set if somebody owns it, but the object does not have it (any more). */
  readonly gone?: true
}

/** What `at` finds. */
export interface BlamedPath extends BlamedField {
  /** The atomic list or map that the path leads into: whoever owns this decides about the path. */
  readonly within?: BlamedField
}

/** What one entry of managedFields owns. */
export interface ManagerFields {
  /** Who owns the fields. */
  readonly owner: Owner
  /** Its fields and items, each followed by what is below it. */
  readonly fields: readonly Place[]
}

/** Who owns what in an object. The properties are plain data; `JSON.stringify` writes them. */
export class Blame {
  /** Tells the results of this entry apart. */
  readonly type = "blame"
  /** The version of this format: the one of `ownership.schema.json`. */
  readonly version = 1
  /** Which object it is. */
  readonly target: ObjectName
  /**
   * Every leaf, every item of a list, and everything else that somebody owns; each followed by what is below it. The fields that
   * say which object it is, such as its name, belong to nobody and are left out.
   */
  readonly fields: readonly BlamedField[]
  /** The owners whose fields are in another version than the object: their paths may lead to something else here. */
  readonly ownersAtOtherVersions: readonly Owner[]
  /** What makes the answer doubtful. */
  readonly findings: readonly Finding[]
  /** The paths of `fields`. */
  readonly #all: FieldSet
  /** The same by the `path` of their fields. */
  readonly #known = new Map<string, Path>()
  readonly #shares: readonly Share[]
  readonly #source: MapValue
  readonly #type: Type | undefined

  /** @internal */
  constructor(source: MapValue, types: TypeFinder | undefined) {
    const shares = readShares(source)
    const owned = shares.reduce((all, { set }) => all.union(set), FieldSet.empty)
    const type = types === undefined ? undefined : typeOf(types, source)
    const present = fieldsOf(source, owned, type)
    const apiVersion = textAt(source, "apiVersion")
    const all = owned.union(withoutMetadata(present))
    const paths = pathsOf(all)
    this.#all = all
    this.#shares = shares
    this.#source = source
    this.#type = type
    const others: Path[] = []
    for (const path of paths) {
      const text = formatPath(path)
      if (text === formatQuotedPath(path)) this.#known.set(text, path)
      else others.push(path)
    }
    for (const path of others) this.#known.set(this.#textOf(path), path)
    this.target = nameOf(source)
    this.fields = paths.map(path => this.#fieldAt(path))
    this.ownersAtOtherVersions = shares.map(({ owner }) => owner).filter(owner => owner.apiVersion !== apiVersion)
    this.findings = findingsAbout(source)
  }

  /**
   * Who owns exactly this path, given as a path, as text that `parsePath` reads, or as the `path` of a field. Nobody owns what is
   * inside an atomic list; `within` is then the list. Throws a ParseError for text that is not a path.
   */
  at(path: Path | string): BlamedPath {
    requireArgument("path", path, aPath)
    const place = typeof path === "string" ? (this.#known.get(path) ?? parsePath(path)) : path
    const field = this.#fieldAt(place)
    const within = this.#leafAbove(place)
    return within === undefined ? field : { ...field, within }
  }

  /** What each entry of managedFields owns, in their order. */
  byManager(): ManagerFields[] {
    return this.#shares.map(({ owner, set }) => ({ owner, fields: pathsOf(set).map(path => this.#placeOf(path)) }))
  }

  /** Those of the fields that nobody owns. */
  nobodys(): BlamedField[] {
    return this.fields.filter(({ owners }) => owners.length === 0)
  }

  #fieldAt(path: Path): BlamedField {
    const owners = ownersAt(this.#shares, path)
    const value = this.#valueAt(path)
    const isWhole = value !== undefined && below(this.#all, path).isEmpty()
    const isGone = owners.length > 0 && value === undefined
    return { ...this.#placeOf(path), owners, ...(isWhole && { value }), ...(isGone && { gone: true }) }
  }

  #valueAt(path: Path): Value | undefined {
    return this.#type === undefined ? valueAt(this.#source, path) : typedValueAt(this.#type, this.#source, path)
  }

  #placeOf(path: Path): Place {
    return { path: this.#textOf(path), steps: path.map(formatFieldsV1Key) }
  }

  /** The text of the path; with names in quotes where the text would otherwise stand for another path of the object. */
  #textOf(path: Path): string {
    const text = formatPath(path)
    const quoted = formatQuotedPath(path)
    if (text === quoted) return text
    const known = this.#known.get(text)
    if (known !== undefined) return equalPaths(known, path) ? text : quoted
    return this.#isOfAnother(text) ? quoted : text
  }

  /** Whether the object has something at the path that `parsePath` reads from the text. */
  #isOfAnother(text: string): boolean {
    try {
      return this.#valueAt(parsePath(text)) !== undefined
    } catch (error) {
      if (hasCode(error)) return false
      throw error
    }
  }

  /** The field above the path that has nothing below it. */
  #leafAbove(path: Path): BlamedField | undefined {
    for (let length = path.length - 1; length > 0; length--) {
      const above = path.slice(0, length)
      if (this.#all.has(above) && below(this.#all, above).isEmpty()) return this.#fieldAt(above)
    }
    return undefined
  }
}

/**
 * Who owns each field and item of an object, according to its managedFields. The values are shared with the object. What can't
 * be read of managedFields is a finding. Throws a BadRequestError for what is not an object.
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
  requireOptions("options", options, { types: optional(types) })
  return new Blame(objectOf(object), options.types)
}

const aPath: Expected = either(aString, aListOfObjects)
