import { type UnionError, withoutStack } from "../errors.js"
import { ConflictError, isStructuredMergeError } from "../merge/conflict.js"
import { during } from "../merge/versions.js"
import {
  formatApiVersion,
  formatKind,
  type GroupVersionKind,
  kindOf,
  objectKindOf,
  parseKind,
} from "../schema/group-version-kind.js"
import { metaText } from "../schema/metadata.js"
import { defaultUnionPolicy, unionPolicy } from "../union/policy.js"
import { seesUnions } from "../union/validate.js"
import { aString, requireOptions } from "../value/argument.js"
import { Table } from "../value/table.js"
import { isMap, type MapValue, type Value } from "../value/value.js"
import { capManagers } from "./chain/cap-managers.js"
import type { ChainResult, Link, UpdateCall } from "./chain/chain.js"
import { lastAppliedManager } from "./chain/last-applied-manager.js"
import { lastAppliedUpdater } from "./chain/last-applied-updater.js"
import { managedFieldsUpdater } from "./chain/managed-fields-updater.js"
import { managerInfo } from "./chain/manager-info.js"
import { lastingFacts, type ObjectFacts } from "./chain/object-facts.js"
import { skipNonApplied } from "./chain/skip-non-applied.js"
import { ApplyConflictError, InvalidError, isInvalid, MissingManagerError } from "./chain/status.js"
import { stripMetadata } from "./chain/strip-metadata.js"
import { filtersOf, StructuredMerge } from "./chain/structured-merge.js"
import { versionCheck } from "./chain/version-check.js"
import {
  type ManagedFieldsEntry,
  readManagedFields,
  withHollowEntries,
  withManagedFields,
  withoutManagedFields,
} from "./entries/entry.js"
import { decodeEntries, encodeManagedFields, managedForUpdate } from "./entries/managed.js"
import { parseManagerId } from "./entries/manager-id.js"
import { differInTimesOnly } from "./entries/times-only.js"
import { extract } from "./extract.js"
import {
  type ApplyAttempt,
  type ApplyOptions,
  type FieldManagerOptions,
  type FieldManagerResult,
  type LenientResult,
  managerOptions,
  objectOf,
  Result,
  type UpdateOptions,
} from "./request.js"
import { ObjectTypes, typesUnder } from "./types/object-types.js"
import { VersionConverter } from "./types/version-converter.js"

/**
 * Handles requests to objects as an API server does: merges applied configurations, tracks owners in `metadata.managedFields`, and refuses
 * conflicts. Objects are never changed. A FieldManager keeps no state but compiled types, so one serves any number of objects, kinds and
 * subresources.
 */
export class FieldManager {
  private readonly options: FieldManagerOptions
  private readonly types: ObjectTypes
  private readonly fixedKind: GroupVersionKind | undefined
  /** Facts about the objects of requests; undefined if objects may change between requests. */
  private facts: ObjectFacts | undefined
  /** Whether an update takes a live object without a uid for a new one, as upstream's FieldManager does. An endpoint knows better. */
  private needsUid = true
  /** By kind and subresource. Each chain takes a few kilobytes. */
  private readonly chains = new Table<string, Link>(1_024)

  constructor(options: FieldManagerOptions) {
    requireOptions("options", options, managerOptions)
    if (options.kind !== undefined) requireOptions("options.kind", options.kind, { apiVersion: aString, kind: aString })
    this.options = options
    this.types = new ObjectTypes(typesUnder(options.types, options.unions))
    this.facts = options.immutable === true ? lastingFacts : undefined
    this.fixedKind = options.kind === undefined ? undefined : parseKind(options.kind.apiVersion, options.kind.kind)
  }

  /**
   * Returns a FieldManager that takes facts about objects from `facts` and adds them there. Its objects must not change as long as the facts
   * are in use.
   * @internal
   */
  static withFacts(options: FieldManagerOptions, facts: ObjectFacts | undefined): FieldManager {
    const manager = new FieldManager(options)
    manager.facts = facts
    return manager
  }

  /**
   * Returns the FieldManager of an endpoint: every live object exists there, even one that was written by hand and has no uid.
   * @internal
   */
  static ofEndpoint(options: FieldManagerOptions, facts: ObjectFacts | undefined): FieldManager {
    const manager = FieldManager.withFacts(options, facts)
    manager.needsUid = false
    return manager
  }

  /**
   * Server-side apply: merges `config` into `live`, or into the empty object of its kind. The manager then owns the fields that `config`
   * specifies. Fields that it applied before and leaves out now are removed, unless another manager owns them. An apply that changes
   * nothing returns `live` itself.
   *
   * Throws an ApplyConflictError if the apply would change fields of other managers, an InvalidError if the policy for unions refuses the
   * result, a BadRequestError if `config` is of another version or has managedFields, a MissingManagerError if the manager has no name, and
   * another StructuredMergeError if an object does not fit its type. Other errors from callbacks, such as the converter, `defaults` or the
   * clock, reach the caller unchanged.
   *
   * @example
   * ```ts
   * import { kubernetesTypes } from "structured-merge-diff/kubernetes"
   * import { FieldManager } from "structured-merge-diff/managedfields"
   *
   * const manager = new FieldManager({ types: kubernetesTypes })
   * const web = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" } }
   *
   * const { object } = manager.apply(undefined, { ...web, spec: { replicas: 3 } }, { manager: "gitops" })
   * console.log(object.spec.replicas)
   * // 3
   * ```
   */
  apply<T extends object>(live: undefined, config: T, options: ApplyOptions): FieldManagerResult<T>
  /** Overload for a live object: the result has its type. */
  apply<T extends object>(live: T | undefined, config: object, options: ApplyOptions): FieldManagerResult<T>
  apply<T extends object>(live: T | undefined, config: object, options: ApplyOptions): FieldManagerResult<T> {
    try {
      return this.merge(live, config, options)
    } catch (error) {
      throw error instanceof ConflictError ? new ApplyConflictError(error.conflicts, { cause: error }) : error
    }
  }

  /** Does the work of `apply`, but throws a ConflictError, which has no stack. */
  private merge<T extends object>(live: T | undefined, config: object, options: ApplyOptions): FieldManagerResult<T> {
    requireOptions("options", options)
    const { manager, subresource = "", force = false } = options
    if (manager === "") throw new MissingManagerError()
    const next = objectOf(config)
    const before = live === undefined ? this.nothing(next) : objectOf(live)
    const entries = readManagedFields(before)
    const managed = during("failed to decode managed fields", () =>
      decodeEntries(entries ?? [], this.facts?.sets, this.options),
    )
    const creates = live === undefined
    const known = this.facts?.of(before)
    const hollow = known?.hollow ?? withHollowEntries(before)
    const call = { live: hollow, next, managed, manager, force, creates, known }
    const chain = this.chain(kindOf(next), subresource)
    const result = orInvalid(next, () => chain.apply(call))
    const object = result.object === null || result.object === call.live ? before : result.object
    return this.finish<T>(live, call, subresource, result, object)
  }

  /**
   * Like `apply`, but returns errors of the package instead of throwing them; other errors from callbacks are still thrown. An
   * ApplyConflictError then has no stack, which would take longer to capture than the rest of the call.
   *
   * @example
   * ```ts
   * import { kubernetesTypes } from "structured-merge-diff/kubernetes"
   * import { FieldManager } from "structured-merge-diff/managedfields"
   *
   * const manager = new FieldManager({ types: kubernetesTypes })
   * const web = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" } }
   *
   * const { object } = manager.apply(undefined, { ...web, spec: { replicas: 3 } }, { manager: "gitops" })
   * const attempt = manager.tryApply(object, { ...web, spec: { replicas: 5 } }, { manager: "autoscaler" })
   * console.log(attempt.ok ? "applied" : attempt.error.message)
   * // Apply failed with 1 conflict: conflict with "gitops": .spec.replicas
   * ```
   */
  tryApply<T extends object>(live: undefined, config: T, options: ApplyOptions): ApplyAttempt<T>
  /** Overload for a live object: the result has its type. */
  tryApply<T extends object>(live: T | undefined, config: object, options: ApplyOptions): ApplyAttempt<T>
  tryApply<T extends object>(live: T | undefined, config: object, options: ApplyOptions): ApplyAttempt<T> {
    try {
      return { ok: true, ...this.merge(live, config, options) }
    } catch (error) {
      if (error instanceof ConflictError) {
        const { conflicts } = error
        return { ok: false, error: withoutStack(() => new ApplyConflictError(conflicts, { cause: error })) }
      }
      if (isStructuredMergeError(error)) return { ok: false, error }
      throw error
    }
  }

  /**
   * Any other way to write: `next` replaces `live`, or is created. The manager then owns the fields that it owned before and those that
   * changed. If the request is not for a subresource, readable managedFields of `next` replace those of the live object. An empty list, or
   * one with a single empty entry, makes the object forget all ownership.
   *
   * Throws an InvalidError if the policy for unions refuses the result, a BadRequestError if `live` or `next` is not an object, and another
   * StructuredMergeError if an object does not fit its type. Other errors from callbacks reach the caller unchanged.
   *
   * @example
   * ```ts
   * import { kubernetesTypes } from "structured-merge-diff/kubernetes"
   * import { FieldManager } from "structured-merge-diff/managedfields"
   *
   * const manager = new FieldManager({ types: kubernetesTypes })
   * const web = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" } }
   *
   * const created = manager.update(undefined, { ...web, spec: { replicas: 3 } }, { manager: "kubectl" })
   * const scaled = manager.update(created.object, { ...created.object, spec: { replicas: 5 } }, { manager: "autoscaler" })
   * console.log(scaled.changed, scaled.object.spec.replicas)
   * // true 5
   * ```
   */
  update<T extends object>(live: object | undefined, next: T, options: UpdateOptions): FieldManagerResult<T> {
    requireOptions("options", options)
    const { manager, subresource = "" } = options
    const given = objectOf(next)
    const before = live === undefined ? this.nothing(given) : objectOf(live)
    const entries = readManagedFields(before)
    const givenEntries = subresource === "" ? readManagedFields(given) : undefined
    const managed = managedForUpdate(entries, givenEntries, this.facts?.sets)
    const stripped = withoutManagedFields(given)
    const creates = live === undefined
    const known = this.facts?.of(before)
    const hollow = known?.hollow ?? withHollowEntries(before)
    const startsTracking = creates || (this.needsUid && metaText(before, "uid") === "")
    const call = { live: hollow, next: stripped, managed, manager, creates, startsTracking, known }
    const result = orInvalid(given, () => this.chain(kindOf(given), subresource).update(call))
    const object = result.object === stripped ? given : (result.object ?? given)
    return this.finish<T>(live, call, subresource, result, object)
  }

  /**
   * Like `update`, but if the owners can't be determined, returns `next` with the managedFields of the live object, along with the error.
   * Throws if `next` is not an object or a callback throws. Also throws an InvalidError, since an invalid object must not be stored,
   * whoever owns it.
   */
  updateLeniently<T extends object>(live: object | undefined, next: T, options: UpdateOptions): LenientResult<T> {
    try {
      return this.update(live, next, options)
    } catch (error) {
      if (!isStructuredMergeError(error) || isInvalid(error) || !isMap(next as Value)) throw error
      const entries = live === undefined ? [] : (readManagedFields(live) ?? [])
      const object = this.store(
        live as MapValue | undefined,
        withManagedFields(next as MapValue, entries),
        options.subresource ?? "",
        false,
      )
      return Object.assign(new Result<T>(live, object, false, object, [], []), { error })
    }
  }

  /** Returns the configuration that `manager` has applied to the object; see `extract`. */
  extract<T extends object = MapValue>(object: object, options: UpdateOptions): T | undefined {
    const { types, unions } = this.options
    return extract<T>(object, { ...options, types, ...(unions !== undefined && { unions }) })
  }

  /** Returns the empty object that replaces the live one when an object is created. */
  private nothing(next: MapValue): MapValue {
    const kind = this.fixedKind
    if (kind !== undefined) return this.types.emptyObject({ apiVersion: formatApiVersion(kind), kind: kind.kind })
    return this.types.emptyObject(objectKindOf(next))
  }

  private finish<T extends object>(
    live: object | undefined,
    call: UpdateCall,
    subresource: string,
    result: ChainResult,
    object: MapValue,
  ): FieldManagerResult<T> {
    const { managed, merged, missing, unions, typed } = result
    const entries = encodeManagedFields(managed, this.options)
    const dropped: ManagedFieldsEntry[] = []
    if (missing !== undefined && missing.size > 0) {
      for (const [id, { apiVersion }] of call.managed.fields) {
        if (!missing.has(apiVersion) || managed.fields.has(id)) continue
        dropped.push({ ...parseManagerId(id), apiVersion })
      }
    }
    const owned = withManagedFields(object, entries)
    const isMerged = typed?.value === result.object
    const differs = isMerged && result.differs === true
    const stored = this.store(live as MapValue | undefined, owned, subresource, differs)
    // A server changes the result of an endpoint before it stores it: it sets at least a resourceVersion.
    if (this.options.immutable === true && isMerged && stored === owned) this.facts?.note(stored, typed)
    return new Result<T>(live, stored, differs && stored === owned, merged ?? stored, dropped, unions)
  }

  /**
   * Returns the object to be stored, from the result of a request: applies `prepare` and `keepTimes`. `differs` promises that the object
   * differs from the live one in more than managedFields.
   */
  private store(live: MapValue | undefined, object: MapValue, subresource: string, differs: boolean): MapValue {
    const { prepare, keepTimes = this.fixedKind === undefined } = this.options
    let stored = object
    if (prepare !== undefined) {
      const gvk = this.fixedKind ?? kindOf(object)
      stored = prepare(object, live, { apiVersion: formatApiVersion(gvk), kind: gvk.kind, subresource })
    }
    if (stored === live || (differs && stored === object)) return stored
    return keepTimes && live !== undefined && differInTimesOnly(live, stored) ? live : stored
  }

  private chain(requested: GroupVersionKind, subresource: string): Link {
    const kind = this.fixedKind ?? requested
    const id = `${formatKind(kind)} ${subresource}`
    const known = this.chains.get(id)
    if (known !== undefined) return known
    const chain = this.buildChain(kind, subresource)
    // A kind whose type was never found is not kept: requests may name any number of such kinds.
    return this.types.isKnown(kind) ? this.chains.add(id, chain) : chain
  }

  private buildChain(kind: GroupVersionKind, subresource: string): Link {
    const { types } = this
    const { converter, hub, resetFields, defaults, clock = () => new Date() } = this.options
    const unions = unionPolicy(this.options.unions ?? defaultUnionPolicy)
    const validateUnions = this.options.validateUnions !== false && unions.invalidResult === "error"
    const hasUnions = () => {
      const type = types.find(kind)
      return type !== undefined && seesUnions(unions, type, validateUnions)
    }
    const apiVersion = formatApiVersion(kind)
    const newConverter = () => new VersionConverter(types, converter, hub)
    const reset =
      typeof resetFields === "function" ? resetFields(subresource, { apiVersion, kind: kind.kind }) : resetFields
    const merge = new StructuredMerge({
      types,
      newConverter,
      apiVersion,
      filters: filtersOf(reset),
      defaults,
      unions,
      validateUnions,
    })
    const tracked = managedFieldsUpdater(stripMetadata(merge), clock)
    const managers = skipNonApplied(capManagers(managerInfo(tracked, apiVersion, subresource)), types, hasUnions)
    return versionCheck(lastAppliedUpdater(lastAppliedManager(managers, types, newConverter, apiVersion)), kind)
  }
}

/** Runs a request with `object` in it. If that throws a UnionError, throws an InvalidError instead. */
function orInvalid(object: MapValue, request: () => ChainResult): ChainResult {
  try {
    return request()
  } catch (error) {
    const invalid = unionErrorIn(error)
    throw invalid === undefined ? error : new InvalidError(object, invalid)
  }
}

/** Returns `error` or its cause if that is a UnionError. */
function unionErrorIn(error: unknown): UnionError | undefined {
  if (!isStructuredMergeError(error) || error.code !== "union") return undefined
  return unionErrorIn(error.cause) ?? error
}
