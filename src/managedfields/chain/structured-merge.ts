// The innermost link: turns objects into typed values and lets the engine merge them.

import { withoutStack } from "../../errors.js"
import { excludeFilter, type Filter } from "../../fieldpath/matcher.js"
import { pathOf } from "../../fieldpath/path.js"
import { FieldSet } from "../../fieldpath/set.js"
import { ConflictError } from "../../merge/conflict.js"
import type { UpdateResult } from "../../merge/request.js"
import { Updater } from "../../merge/updater.js"
import { during } from "../../merge/versions.js"
import { formatApiVersion, formatKind, kindOf } from "../../schema/group-version-kind.js"
import { metaText } from "../../schema/metadata.js"
import type { Comparison } from "../../typed/comparison.js"
import type { TypedValue } from "../../typed/typed-value.js"
import { leavesNewObjects } from "../../union/normalize.js"
import type { UnionPolicy } from "../../union/policy.js"
import { requireValidUnions } from "../../union/validate.js"
import { aMap, type Expected, requireArgument } from "../../value/argument.js"
import type { MapValue } from "../../value/value.js"
import { readManagedFields } from "../entries/entry.js"
import type { Managed } from "../entries/managed.js"
import type { ObjectTypes } from "../types/object-types.js"
import type { VersionConverter } from "../types/version-converter.js"
import type { ApplyCall, ChainResult, Link, UpdateCall } from "./chain.js"
import { BadRequestError } from "./status.js"

export interface MergeSetup {
  readonly types: ObjectTypes
  readonly newConverter: () => VersionConverter
  readonly apiVersion: string
  /** Filters for the fields that may be owned, by version. */
  readonly filters: ReadonlyMap<string, Filter>
  /** Fills in the defaults of an object that an apply made. */
  readonly defaults: ((object: MapValue, live?: MapValue) => MapValue) | undefined
  readonly unions: UnionPolicy
  /** Whether a result with invalid unions is refused. */
  readonly validateUnions: boolean
}

const allowDuplicates = { allowDuplicates: true }

export class StructuredMerge implements Link {
  private readonly setup: MergeSetup

  constructor(setup: MergeSetup) {
    this.setup = setup
  }

  /** Throws a BadRequestError if the configuration is not at the version of this link, or has managedFields. */
  apply(call: ApplyCall): ChainResult {
    const { types, apiVersion, newConverter, defaults, validateUnions } = this.setup
    const { live, next, manager, managed, force } = call
    const patchVersion = formatApiVersion(kindOf(next))
    if (patchVersion !== apiVersion) {
      const versions = `Specified patch version: ${patchVersion}, expected: ${apiVersion}`
      throw new BadRequestError(`Incorrect version specified in apply patch. ${versions}`)
    }
    if (readManagedFields(next) !== undefined) throw new BadRequestError("metadata.managedFields must be nil")
    const converter = newConverter()
    const versioned = during(
      () => `failed to convert live object (${objectLabel(live)}) to proper version`,
      () => converter.toVersion(live, apiVersion),
    )
    const config = during(
      () => `failed to create typed patch object (${objectLabel(next)})`,
      () => types.toTyped(next),
    )
    const typed = during(
      () => `failed to create typed live object (${objectLabel(versioned)})`,
      () => this.liveTyped(call, versioned),
    )
    const request = { manager, apiVersion, managers: managed.fields, force }
    const result = this.updater(converter).applyUnlessInConflict(typed, config, request)
    if (!("managers" in result)) throw withoutStack(() => new ConflictError(result))
    const object = result.object.value as MapValue
    const known = call.creates === true || versioned !== live ? undefined : live
    const defaulted = result.changed && defaults !== undefined ? defaults(object, known) : object
    if (validateUnions) {
      const stored = defaulted === object ? result.object : types.toTyped(defaulted, allowDuplicates)
      this.requireValid(call, typed, stored)
    }
    const { changed } = result
    return {
      object: changed ? defaulted : null,
      merged: changed ? object : undefined,
      typed: changed ? result.object : undefined,
      differs: versioned === live,
      ...ownersOf(managed, result, converter),
    }
  }

  update(call: UpdateCall): ChainResult {
    const { types, apiVersion, newConverter, validateUnions } = this.setup
    const { live, next, manager, managed, creates, unions = this.setup.unions } = call
    const converter = newConverter()
    const after = during(
      () => `failed to convert new object (${objectLabel(next)}) to proper version (${apiVersion})`,
      () => converter.toVersion(next, apiVersion),
    )
    const before = during(
      () => `failed to convert live object (${objectLabel(live)}) to proper version`,
      () => converter.toVersion(live, apiVersion),
    )
    const afterTyped = during(
      () => `failed to convert new object (${objectLabel(after)}) to smd typed`,
      () => types.toTyped(after, allowDuplicates),
    )
    const beforeTyped = during(
      () => `failed to convert live object (${objectLabel(before)}) to smd typed`,
      () => this.liveTyped(call, before),
    )
    const result = during(
      () => `failed to update ManagedFields (${objectLabel(after)})`,
      () =>
        this.updater(converter).update(beforeTyped, afterTyped, {
          manager,
          apiVersion,
          managers: managed.fields,
          unions: creates === true && leavesNewObjects(this.setup.unions) ? "off" : unions,
        }),
    )
    if (validateUnions && unions !== "off") this.requireValid(call, beforeTyped, result.object)
    const { value } = result.object
    const object = value === after ? next : (value as MapValue)
    return {
      object,
      merged: undefined,
      typed: result.object,
      differs: before === live && after === next && changesMore(result.comparison),
      ...ownersOf(managed, result, converter),
    }
  }

  /** Returns the live object, already converted to the version of this link, as a typed value. */
  private liveTyped({ live, known }: UpdateCall, versioned: MapValue): TypedValue {
    const { types } = this.setup
    const validate = () => types.toTyped(versioned, allowDuplicates)
    return known === undefined || versioned !== live ? validate() : known.as(types.find(kindOf(live)), validate)
  }

  private updater(converter: VersionConverter): Updater {
    const { filters, unions } = this.setup
    return new Updater({ converter, ignoreFilters: filters, unions, validateUnions: false })
  }

  /** Validates unions as an Updater does, but after defaults are filled in. */
  private requireValid({ creates }: UpdateCall, live: TypedValue, next: TypedValue): void {
    requireValidUnions(this.setup.unions, creates === true ? undefined : live, next)
  }
}

/** Whether fields besides managedFields change. An update never has those. */
function changesMore(comparison: Comparison | undefined): boolean {
  if (comparison === undefined || comparison.isSame()) return false
  const { modified, added, removed } = comparison
  return !(modified.isEmpty() && added.isEmpty() && removed.recursiveDifference(managedFields).isEmpty())
}
const managedFields = FieldSet.of([pathOf("metadata", "managedFields")])

/** Returns the parts of a result that an apply and an update have in common. */
function ownersOf(
  managed: Managed,
  result: UpdateResult,
  { missing }: VersionConverter,
): Pick<ChainResult, "managed" | "missing" | "unions"> {
  return { managed: { ...managed, fields: result.managers }, missing, unions: result.unions }
}

/** Returns the object's name in messages: `default/web; apps/v1, Kind=Deployment`. */
export function objectLabel(object: MapValue): string {
  return `${metaText(object, "namespace")}/${metaText(object, "name")}; ${formatKind(kindOf(object))}`
}

/** Returns the filters for reset fields. A set becomes a filter that excludes it, with everything below. */
export function filtersOf(
  resetFields: ReadonlyMap<string, FieldSet | Filter> | undefined,
): ReadonlyMap<string, Filter> {
  const filters = new Map<string, Filter>()
  if (resetFields !== undefined) requireArgument("resetFields", resetFields, aMap)
  for (const [version, reset] of resetFields ?? []) {
    requireArgument(`resetFields of ${version}`, reset, fieldsOrFilter)
    filters.set(version, reset instanceof FieldSet ? excludeFilter(reset) : reset)
  }
  return filters
}

const fieldsOrFilter: Expected = {
  name: "a FieldSet of this copy of the package or a Filter",
  fits: value => value instanceof FieldSet || typeof (value as Partial<Filter> | null)?.filter === "function",
}
