// The differences between two schemas, and their effect on the owners of fields. This file matches the kinds of both sides, type-pairs.ts
// compares their types, schema-changes.ts knows the effects, and schema-owners.ts finds the affected owners.
import { SchemaError } from "../../errors.js"
import { withoutManagedFields } from "../../managedfields/entries/entry.js"
import { objectOf } from "../../managedfields/request.js"
import { requireTypes } from "../../schema/check.js"
import { formatApiVersion, formatKind, type GroupVersionKind, parseKind } from "../../schema/group-version-kind.js"
import type { Schema } from "../../schema/schema.js"
import { isUntypedName } from "../../schema/untyped.js"
import { compileSchema, type Type } from "../../typed/type.js"
import { aListOfObjects, anObject, aString, optional, requireOptions } from "../../value/argument.js"
import { compareStrings } from "../../value/compare.js"
import { textAt } from "../../value/fields.js"
import { didYouMean } from "../../value/nearest.js"
import type { MapValue } from "../../value/value.js"
import { readShares, type Share } from "./owners.js"
import {
  type AffectedObjects,
  type OwnershipEffect,
  type SchemaChange,
  type SchemaPlace,
  schemaChangeRules,
} from "./schema-changes.js"
import { changesFor, fits, unionChangesFor } from "./schema-owners.js"
import { group, placesOf, type Root } from "./schema-places.js"
import { effectOf, type LocalChange, reachable, type TypePair, TypePairs } from "./type-pairs.js"

/** One side of a comparison: the result of `schemaFromCRD` or another converter, or just a schema. */
export interface ComparedSchema {
  /** The types. */
  readonly schema: Schema
  /**
   * The kinds, with the names of their types. If both sides have kinds, each version of a kind is compared with the same version on the
   * other side. Otherwise, types of the same name are compared.
   */
  readonly kinds?: readonly ComparedKind[] | undefined
}

/** A kind and its type in a schema. */
export interface ComparedKind extends GroupVersionKind {
  /** The name of its type in the schema. */
  readonly typeName: string
}

/** The options of `schemaDiff`. */
export interface SchemaDiffOptions {
  /** Live objects with their managedFields. The result counts the affected ones and their owners. */
  readonly objects?: readonly object[] | undefined
  /** The name of the only type to compare, which is also the type of all objects. Not for schemas with kinds. */
  readonly type?: string | undefined
}

/** The effect on the given objects. */
export interface ComparedObjects {
  /** The number of objects that were checked. */
  readonly checked: number
  /** The number of objects of kinds that were not compared. */
  readonly others: number
  /**
   * The number of objects that do not fit their new type. Nobody can apply to such an object. Updates leave its managedFields unchanged
   * until one of them has made the object fit.
   */
  readonly unfit: number
  /** The objects whose owners change, by any of the changes. */
  readonly affected: AffectedObjects
}

/** The differences between two schemas. */
export interface SchemaDiff {
  /** Distinguishes the results of this entry point. */
  readonly type: "schemaDiff"
  /** The version of this format, as in `ownership.schema.json`. */
  readonly version: 1
  /**
   * Whether owners change. With objects: whether they do in the given objects, `yes` or `no`. Without objects: whether they would in any
   * possible object.
   */
  readonly ownership: OwnershipEffect
  /** Changes that affect ownership come first; then the order is that of their first place. */
  readonly changes: readonly SchemaChange[]
  /** Absent without objects. */
  readonly objects?: ComparedObjects
}

/**
 * Compares two schemas in the aspects that matter to server-side apply: how lists and maps are merged, which keys identify items, and which
 * fields exist. Each change describes its effect on existing owners. Throws a SchemaError for a type that does not exist.
 *
 * @example
 * ```ts
 * import { parseSchema } from "structured-merge-diff"
 * import { schemaDiff } from "structured-merge-diff/ownership"
 *
 * const list = (elementRelationship: string) => ({
 *   types: [{ name: "spec", map: { fields: [{ name: "hosts", type: { list: { elementType: { scalar: "string" }, elementRelationship } } }] } }],
 * })
 * const { changes } = schemaDiff({ schema: parseSchema(list("atomic")) }, { schema: parseSchema(list("associative")) })
 * console.log(changes.map(({ code, ownership, places }) => [code, ownership, places[0]?.path].join(" ")).join())
 * // list-granular yes .hosts
 * ```
 */
export function schemaDiff(old: ComparedSchema, now: ComparedSchema, options: SchemaDiffOptions = {}): SchemaDiff {
  for (const [name, side] of Object.entries({ old, now })) {
    requireOptions(name, side, { schema: anObject, kinds: optional(aListOfObjects) })
    requireTypes(side.schema)
  }
  requireOptions("options", options, { objects: optional(aListOfObjects), type: optional(aString) })
  const roots = rootsOf(old, now, options.type)
  const found = group(placesOf(roots))
  const tally = options.objects && tallyOf(roots, options.objects)
  const changes = found
    .map(({ locals, places, more }): SchemaChange => {
      const { code, before, after } = locals[0] as LocalChange
      const { ownership, effect } = schemaChangeRules[code]
      const affected = tally && { affected: tally.of(locals) }
      return { code, ownership, before, after, effect, places, ...(more && { more }), ...affected }
    })
    .sort(byEffect)
  const ownership = tally === undefined ? worst(changes) : tally.all.objects > 0 ? "yes" : "no"
  return {
    type: "schemaDiff",
    version: 1,
    ownership,
    changes,
    ...(tally && {
      objects: { checked: tally.checked, others: tally.others, unfit: tally.unfit, affected: tally.all },
    }),
  }
}

const order: readonly OwnershipEffect[] = ["yes", "depends", "no"]

function worst(changes: readonly SchemaChange[]): OwnershipEffect {
  return order.find(effect => changes.some(({ ownership }) => ownership === effect)) ?? "no"
}

function byEffect(a: SchemaChange, b: SchemaChange): number {
  const [left, right] = [a.places[0] as SchemaPlace, b.places[0] as SchemaPlace]
  return (
    order.indexOf(a.ownership) - order.indexOf(b.ownership) ||
    compareStrings(left.type, right.type) ||
    compareStrings(left.path, right.path)
  )
}

function rootsOf(old: ComparedSchema, now: ComparedSchema, type: string | undefined): Root[] {
  const pairs = new TypePairs()
  const byKinds = [old, now].every(({ kinds = [] }) => kinds.length > 0)
  const [before, after] = [old, now].map(byKinds ? typesOfKinds : typesByName) as [NamedTypes, NamedTypes]
  const names = [...new Set([...after.keys(), ...before.keys()])]
  const roots = names.map(name => rootOf(pairs, name, before.get(name), after.get(name)))
  if (byKinds) return roots
  if (type === undefined) return outermost(pairs, roots, before, after)
  const found = roots.find(({ name }) => name === type)
  if (found === undefined) throw new SchemaError(`no type ${type}${didYouMean(type, names)}`)
  return [found]
}

type NamedTypes = ReadonlyMap<string, NamedType>

function typesOfKinds({ schema, kinds = [] }: ComparedSchema): NamedTypes {
  const compiled = compileSchema(schema)
  return new Map(
    kinds.map(kind => [`${formatApiVersion(kind)} ${kind.kind}`, { kind, type: compiled.type(kind.typeName) }]),
  )
}

function typesByName({ schema }: ComparedSchema): NamedTypes {
  const compiled = compileSchema(schema)
  const names = compiled.typeNames.filter(name => !isUntypedName(name))
  return new Map(names.map(name => [name, { type: compiled.type(name) }]))
}

interface NamedType {
  readonly type: Type
  readonly kind?: GroupVersionKind
}

function rootOf(pairs: TypePairs, name: string, old: NamedType | undefined, now: NamedType | undefined): Root {
  const kind = old?.kind ?? now?.kind
  const root = { name, ...(kind && { kind }) }
  if (old !== undefined && now !== undefined) return { ...root, pair: pairs.of(old.type, now.type) }
  if (now !== undefined) return { ...root, change: { code: "version-added", before: "absent", after: "there" } }
  return { ...root, change: { code: "version-removed", before: "there", after: "gone" } }
}

/** Returns the types that no other type refers to, and one of each cycle that nothing else refers to. */
function outermost(pairs: TypePairs, roots: readonly Root[], before: NamedTypes, after: NamedTypes): Root[] {
  const whole = roots.map(root => {
    const alone = (before.get(root.name) ?? after.get(root.name)) as NamedType
    return { root, pair: root.pair ?? pairs.of(alone.type, alone.type) }
  })
  const inner = new Set(whole.flatMap(({ pair }) => reachable([...pair.below.values()], pair)))
  const chosen = whole.filter(({ pair }) => !inner.has(pair))
  const covered = new Set(reachable(chosen.map(({ pair }) => pair)))
  for (const candidate of whole) {
    if (covered.has(candidate.pair)) continue
    chosen.push(candidate)
    for (const pair of reachable([candidate.pair])) covered.add(pair)
  }
  return chosen.map(({ root }) => root)
}

/** Counts the owners that each change affects. */
interface Tally extends Pick<ComparedObjects, "checked" | "others" | "unfit"> {
  readonly all: AffectedObjects
  of(changes: readonly LocalChange[]): AffectedObjects
}

/** One owner of one object, with the changes that affect it. */
interface Concerned {
  readonly object: number
  readonly manager: string
  readonly changes: ReadonlySet<LocalChange>
}

function tallyOf(roots: readonly Root[], objects: readonly object[]): Tally {
  const find = finder(roots)
  const withUnions = new Set(roots.flatMap(({ pair }) => (pair !== undefined && changesUnions(pair) ? pair : [])))
  const concerned: Concerned[] = []
  let [checked, unfit] = [0, 0]
  objects.forEach((given, i) => {
    const object = objectOf(given)
    const bare = withoutManagedFields(object)
    const root = find(object)
    const shares = readShares(object).flatMap(share => {
      const root = find(object, share.owner.apiVersion)
      return root === undefined ? [] : [{ ...share, root }]
    })
    if (root !== undefined || shares.length > 0) checked++
    if (root?.pair !== undefined && !fits(root.pair.new, bare)) unfit++
    const ofUnions = changesOfUnions(bare, shares, withUnions)
    for (const { id, owner, set, root } of shares) {
      const changes = root.pair && [...changesFor(root.pair, bare, set), ...(ofUnions.get(id) ?? [])]
      const gone = root.change !== undefined && effectOf(root.change) !== "no" ? [root.change] : []
      concerned.push({ object: i, manager: owner.manager, changes: new Set(changes ?? gone) })
    }
  })
  const affected = (some: readonly Concerned[]): AffectedObjects => ({
    objects: new Set(some.map(({ object }) => object)).size,
    owners: some.length,
    managers: [...new Set(some.map(({ manager }) => manager))].sort(compareStrings),
  })
  return {
    checked,
    others: objects.length - checked,
    unfit,
    all: affected(concerned.filter(({ changes }) => changes.size > 0)),
    of: changes => affected(concerned.filter(owner => changes.some(change => owner.changes.has(change)))),
  }
}

/** Finds the root that an object is compared as, at its own version or another one. */
function finder(roots: readonly Root[]): (object: MapValue, apiVersion?: string) => Root | undefined {
  const byKind = new Map(roots.flatMap(root => (root.kind === undefined ? [] : [[formatKind(root.kind), root]])))
  if (byKind.size === 0) return () => (roots.length === 1 ? roots[0] : undefined)
  return (object, apiVersion = textAt(object, "apiVersion")) =>
    byKind.get(formatKind(parseKind(apiVersion, textAt(object, "kind"))))
}

function changesUnions(pair: TypePair): boolean {
  return reachable([pair]).some(({ changes }) => changes.some(({ code }) => code === "union"))
}

/**
 * Returns the union changes that affect owners, by the owners' identifiers. If the owners have several versions, each version is examined
 * separately.
 */
function changesOfUnions(
  object: MapValue,
  shares: readonly (Share & { readonly root: Root })[],
  withUnions: ReadonlySet<TypePair>,
): ReadonlyMap<string, ReadonlySet<LocalChange>> {
  const found = new Map<string, ReadonlySet<LocalChange>>()
  for (const pair of new Set(shares.flatMap(({ root }) => root.pair ?? []))) {
    if (!withUnions.has(pair)) continue
    const managers = new Map(
      shares
        .filter(({ root }) => root.pair === pair)
        .map(({ id, owner, set }) => [id, { set, apiVersion: "", applied: owner.operation === "Apply" }]),
    )
    for (const [id, changes] of unionChangesFor(pair, object, managers)) found.set(id, changes)
  }
  return found
}
