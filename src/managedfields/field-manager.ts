import { hasCode, type StructuredMergeError, type UnionError, withoutStack } from "../errors.js"

import type { Filter } from "../fieldpath/matcher.js"
import type { FieldSet } from "../fieldpath/set.js"
import { ConflictError } from "../merge/conflict.js"
import { during } from "../merge/versions.js"
import {
  formatApiVersion,
  formatKind,
  type GroupVersionKind,
  kindOf,
  type ObjectKind,
  parseKind,
  textAt,
} from "../schema/group-version-kind.js"
import { defaultUnionPolicy, type UnionPolicy, type UnionPolicyName, unionPolicy } from "../union/policy.js"
import type { UnionChange } from "../union/report.js"
import { seesUnions } from "../union/validate.js"
import { equalValues } from "../value/equal.js"
import { keepLayout } from "../value/layout.js"
import { Table } from "../value/table.js"
import { isMap, type MapValue, type Value } from "../value/value.js"
import { capManagers } from "./chain/cap-managers.js"
import type { Link, Outcome, UpdateCall } from "./chain/chain.js"
import { lastAppliedManager } from "./chain/last-applied-manager.js"
import { lastAppliedUpdater } from "./chain/last-applied-updater.js"
import { managedFieldsUpdater } from "./chain/managed-fields-updater.js"
import { managerInfo } from "./chain/manager-info.js"
import { skipNonApplied } from "./chain/skip-non-applied.js"
import { stripMetadata } from "./chain/strip-metadata.js"
import { filtersOf, StructuredMerge } from "./chain/structured-merge.js"
import { versionCheck } from "./chain/version-check.js"
import {
  isReset,
  type ManagedFieldsEntry,
  readManagedFields,
  withHollowEntries,
  withManagedFields,
  withoutManagedFields,
} from "./entries/entry.js"
import { decodeManagedFields, encodeManagedFields, type Managed, nobody } from "./entries/managed.js"
import { parseManagerId } from "./entries/manager-id.js"
import { differInTimesOnly } from "./entries/times-only.js"
import { extract } from "./extract.js"
import { ApplyConflictError, BadRequestError, InvalidError, isInvalid, MissingManagerError } from "./status.js"
import { ObjectTypes, type TypeFinder } from "./types/object-types.js"
import { type Hub, type ObjectConverter, VersionConverter } from "./types/version-converter.js"

/** Fields that are never owned, and everything below them, by version; or filters that say what may be. */
export type ResetFields = ReadonlyMap<string, FieldSet | Filter>

/** Where a request was sent to. */
export interface PreparedRequest extends ObjectKind {
  /** "" for the main resource. */
  readonly subresource: string
}

/** What a FieldManager needs to know of the kinds it manages; only the types have to be given. */
export interface FieldManagerOptions {
  /** Where types are found by apiVersion and kind. */
  readonly types: TypeFinder
  /**
   * The only kind to be managed, as at one endpoint of an API server: applying another is an error, and updates are tracked at
   * this version. Without it each request is at the version of the object it brings.
   */
  readonly kind?: ObjectKind
  /** Needed where the live object or its managers use other versions. Without it every version of an object is the same. */
  readonly converter?: ObjectConverter
  /** Conversions go by way of this version. Without it they are direct. */
  readonly hub?: Hub
  /**
   * May depend on the subresource ("" for the main resource) and the kind, as in an API server: there `status` is reset by one,
   * `spec` by the other. `kubernetesResetFields` has those of built-in kinds.
   */
  readonly resetFields?: ResetFields | ((subresource: string, kind: ObjectKind) => ResetFields | undefined)
  /** Fills in defaults: called with each object an apply has made, returns it or a copy with more in it. */
  readonly defaults?: (object: MapValue) => MapValue
  /**
   * What happens to an object on its way to be stored, after owners have been worked out: strategies and admission of an API server.
   * Called with the object a request has made, managedFields included, and the live one; returns what is stored. `resetToLive` does
   * what strategies do to fields that are reset.
   */
  readonly prepare?: (object: MapValue, live: MapValue | undefined, request: PreparedRequest) => MapValue
  /**
   * Whether a request that changes nothing but times of managedFields leaves these as they are, as an API server does. There it
   * is done by storage, after the FieldManager of an endpoint: so the default is true, but false where `kind` is given.
   */
  readonly keepTimes?: boolean
  /** What to do about unions, where a type has any, as that of a CRD may; `v4` if absent. `off` does what an API server does. */
  readonly unions?: UnionPolicyName | UnionPolicy
  /** False to settle unions alone, also where the policy refuses what is invalid then. The caller has to ask `validateUnions`. */
  readonly validateUnions?: boolean
  /** Gives the time that entries of managedFields are written with; the time of the machine if absent. */
  readonly clock?: () => Date
}

/** Who updates an object, and by which endpoint. */
export interface UpdateOptions {
  /** The name of the manager. "" stands for "unknown" in an update, and is refused in an apply, as by an API server. */
  readonly manager: string
  /** Such as `status` or `scale`. */
  readonly subresource?: string
}

/** Who applies to an object, by which endpoint, and whether by force. */
export interface ApplyOptions extends UpdateOptions {
  /** Take what others own, instead of a conflict. */
  readonly force?: boolean
}

/** What became of a request. */
export interface FieldManagerResult<T extends object = MapValue> {
  /** The object to be stored, with managedFields. Shares what is unchanged with the objects given. */
  readonly object: T
  /** Whether the object differs from the live one, in a value, in the order of a list, or in managedFields. */
  readonly changed: boolean
  /** Managers that were dropped with what they owned, since their version does not exist any more. */
  readonly dropped: readonly ManagedFieldsEntry[]
  /** What was done to unions: discriminators written, members cleared. The owners of these go by their identifiers. */
  readonly unions: readonly UnionChange[]
}

/** What `updateLeniently` returns. */
export interface LenientResult<T extends object = MapValue> extends FieldManagerResult<T> {
  /** Why the owners could not be worked out; absent where they were. */
  readonly error?: StructuredMergeError
}

/** What `tryApply` returns: the result, or the error that `apply` would throw. */
export type ApplyAttempt<T extends object = MapValue> =
  | ({
      /** The apply was made. */
      readonly ok: true
    } & FieldManagerResult<T>)
  | {
      /** The apply was refused; nothing is to be stored. */
      readonly ok: false
      /** What `apply` would throw. An ApplyConflictError has no stack. */
      readonly error: StructuredMergeError
    }

/**
 * Does to an object what an API server does: merges what is applied, tracks who owns what in `metadata.managedFields`, and
 * refuses conflicts. Holds no state but compiled types; one serves any number of objects, kinds and subresources.
 */
export class FieldManager {
  private readonly options: FieldManagerOptions
  private readonly types: ObjectTypes
  private readonly fixedKind: GroupVersionKind | undefined
  /** By kind and subresource. Chains take some kilobytes each. */
  private readonly chains = new Table<string, Link>(1_024)

  constructor(options: FieldManagerOptions) {
    this.options = options
    this.types = new ObjectTypes(options.types)
    this.fixedKind = options.kind === undefined ? undefined : parseKind(options.kind.apiVersion, options.kind.kind)
  }

  /**
   * Server-side apply: merges `config` into `live`, or into the empty object of its kind. The manager then owns what `config` specifies, and what it
   * owned before and has left out goes, unless somebody else owns it. An apply that changes nothing returns `live` itself.
   *
   * Throws an ApplyConflictError where others own what would change, an InvalidError where the policy for unions refuses the
   * result, a BadRequestError where `config` is of another version or has managedFields, a MissingManagerError where the manager has no
   * name, another StructuredMergeError where an
   * object does not fit its type. What else a callback throws, such as the converter, `defaults` or the clock, reaches the caller as it is.
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
  /** The same for a live object, whose type the result has. */
  apply<T extends object>(live: T | undefined, config: object, options: ApplyOptions): FieldManagerResult<T>
  apply<T extends object>(live: T | undefined, config: object, options: ApplyOptions): FieldManagerResult<T> {
    const result = this.applyUnlessInConflict(live, config, options)
    if (result instanceof ConflictError) throw new ApplyConflictError(result.conflicts, { cause: result })
    return result
  }

  private applyUnlessInConflict<T extends object>(
    live: T | undefined,
    config: object,
    options: ApplyOptions,
  ): FieldManagerResult<T> | ConflictError {
    const { manager, subresource = "", force = false } = options
    if (manager === "") throw new MissingManagerError()
    const next = objectOf(config)
    const before = live === undefined ? this.nothing(next) : objectOf(live)
    const entries = readManagedFields(before)
    const managed = during("failed to decode managed fields", () => decodeManagedFields(entries ?? []))
    const creates = live === undefined
    const call = { live: withHollowEntries(before), next, managed, manager, creates, missing: new Set<string>() }
    const chain = this.chain(kindOf(next), subresource)
    let outcome: Outcome
    try {
      outcome = orInvalid(next, () => chain.apply({ ...call, force }))
    } catch (error) {
      if (error instanceof ConflictError) return error
      throw error
    }
    return this.finish<T>(
      live,
      call,
      subresource,
      outcome,
      outcome.object === null || outcome.object === call.live ? before : outcome.object,
    )
  }

  /**
   * As `apply`, but returns the error where the object or the configuration is at fault. An ApplyConflictError then has no
   * stack, which would take longer to capture than the rest of the call.
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
  /** The same for a live object, whose type the result has. */
  tryApply<T extends object>(live: T | undefined, config: object, options: ApplyOptions): ApplyAttempt<T>
  tryApply<T extends object>(live: T | undefined, config: object, options: ApplyOptions): ApplyAttempt<T> {
    try {
      const result = this.applyUnlessInConflict(live, config, options)
      if (!(result instanceof ConflictError)) return { ok: true, ...result }
      const error = withoutStack(() => new ApplyConflictError(result.conflicts, { cause: result }))
      return { ok: false, error }
    } catch (error) {
      if (hasCode(error)) return { ok: false, error }
      throw error
    }
  }

  /**
   * Any other way to write: `next` takes the place of `live`, or is created. The manager then owns what it owned before and what
   * has changed. managedFields of `next` are taken for those of the live object where they can be read, as long as no
   * subresource is written; an empty list, or one with an empty entry, makes all ownership forgotten.
   *
   * Throws an InvalidError where the policy for unions refuses the result, another StructuredMergeError where an object does not
   * fit its type.
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
    const { manager, subresource = "" } = options
    const given = objectOf(next)
    const before = live === undefined ? this.nothing(given) : objectOf(live)
    const entries = readManagedFields(before)
    const managed = managedForUpdate(entries, subresource === "" ? readManagedFields(given) : undefined)
    const stripped = withoutManagedFields(given)
    const creates = live === undefined
    const call = {
      live: withHollowEntries(before),
      next: stripped,
      managed,
      manager,
      creates,
      missing: new Set<string>(),
    }
    const outcome = orInvalid(given, () => this.chain(kindOf(given), subresource).update(call))
    const made = outcome.object === stripped ? given : (outcome.object ?? given)
    return this.finish<T>(live, call, subresource, outcome, made)
  }

  /**
   * As `update`, but where the owners can't be worked out, `next` is returned with the managedFields of the live object, and the
   * error beside it. Throws only where `next` is no object, or an InvalidError: what is not valid must not be stored, whoever owns it.
   */
  updateLeniently<T extends object>(live: object | undefined, next: T, options: UpdateOptions): LenientResult<T> {
    try {
      return this.update(live, next, options)
    } catch (error) {
      if (!hasCode(error) || isInvalid(error) || !isMap(next as Value)) throw error
      const entries = live === undefined ? [] : (readManagedFields(live) ?? [])
      const object = this.store(
        live as MapValue | undefined,
        withManagedFields(next as MapValue, entries),
        options.subresource ?? "",
      )
      return Object.assign(new Result<T>(live, object, [], []), { error })
    }
  }

  /** What `manager` has applied to the object; see `extract`. */
  extract<T extends object = MapValue>(object: object, options: UpdateOptions): T | undefined {
    const { types, unions = defaultUnionPolicy } = this.options
    return extract<T>(object, { ...options, types, unions })
  }

  /** What there is before an object is created. */
  private nothing(next: MapValue): MapValue {
    const kind = this.fixedKind
    if (kind !== undefined) return this.types.emptyObject(formatApiVersion(kind), kind.kind)
    return this.types.emptyObject(textAt(next, "apiVersion"), textAt(next, "kind"))
  }

  private finish<T extends object>(
    live: object | undefined,
    call: UpdateCall,
    subresource: string,
    { managed, unions }: Outcome,
    object: MapValue,
  ): FieldManagerResult<T> {
    const entries = encodeManagedFields(managed)
    const dropped: ManagedFieldsEntry[] = []
    if (call.missing.size > 0) {
      for (const [id, { apiVersion }] of call.managed.fields) {
        if (!call.missing.has(apiVersion) || managed.fields.has(id)) continue
        dropped.push({ ...parseManagerId(id), apiVersion })
      }
    }
    const stored = this.store(live as MapValue | undefined, withManagedFields(object, entries), subresource)
    return new Result<T>(live, stored, dropped, unions)
  }

  /** What becomes of the object a request has made. */
  private store(live: MapValue | undefined, object: MapValue, subresource: string): MapValue {
    const { prepare, keepTimes = this.fixedKind === undefined } = this.options
    let stored = object
    if (prepare !== undefined) {
      const gvk = this.fixedKind ?? kindOf(object)
      stored = prepare(object, live, { apiVersion: formatApiVersion(gvk), kind: gvk.kind, subresource })
    }
    return keepTimes && live !== undefined && differInTimesOnly(live, stored) ? live : stored
  }

  private chain(requested: GroupVersionKind, subresource: string): Link {
    const kind = this.fixedKind ?? requested
    const id = `${formatKind(kind)} ${subresource}`
    const known = this.chains.get(id)
    if (known !== undefined) return known
    const chain = this.buildChain(kind, subresource)
    // A kind that no request was ever right about is not worth it.
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
    const converterFor = (missing: Set<string>) => new VersionConverter(types, missing, converter, hub)
    const reset =
      typeof resetFields === "function" ? resetFields(subresource, { apiVersion, kind: kind.kind }) : resetFields
    const merge = new StructuredMerge({
      types,
      converterFor,
      apiVersion,
      filters: filtersOf(reset),
      defaults,
      unions,
      validateUnions,
    })
    const tracked = managedFieldsUpdater(stripMetadata(merge), clock)
    const managers = skipNonApplied(capManagers(managerInfo(tracked, apiVersion, subresource)), types, hasUnions)
    return versionCheck(lastAppliedUpdater(lastAppliedManager(managers, types, converterFor, apiVersion)), kind)
  }
}

/** Runs a request that brought `object`. Throws an InvalidError where that has a UnionError. */
function orInvalid(object: MapValue, request: () => Outcome): Outcome {
  try {
    return request()
  } catch (error) {
    const invalid = unionErrorIn(error)
    throw invalid === undefined ? error : new InvalidError(object, invalid)
  }
}

/** The object given, as a map. What was read from a file, say, may be anything: throws a BadRequestError where it is no object. */
export function objectOf(given: unknown): MapValue {
  if (isMap(given as Value)) return given as MapValue
  throw new BadRequestError(
    `expected an object, got ${given === null ? "null" : Array.isArray(given) ? "a list" : typeof given}`,
  )
}

/** The UnionError that an error is or comes from. */
function unionErrorIn(error: unknown): UnionError | undefined {
  if (!hasCode(error, "union")) return undefined
  return "issues" in error ? (error as UnionError) : unionErrorIn(error.cause)
}

/** Who owns what before an update: what the request says, or else what the live object says; nobody where that can't be read. */
function managedForUpdate(
  live: readonly ManagedFieldsEntry[] | undefined,
  given: readonly ManagedFieldsEntry[] | undefined,
): Managed {
  if (isReset(given)) return nobody
  const managed = decodeOrNobody(given)
  return managed.fields.size > 0 ? managed : decodeOrNobody(live)
}

function decodeOrNobody(entries: readonly ManagedFieldsEntry[] | undefined): Managed {
  try {
    return entries === undefined ? nobody : decodeManagedFields(entries)
  } catch (error) {
    if (hasCode(error)) return nobody
    throw error
  }
}

class Result<T extends object> implements FieldManagerResult<T> {
  static {
    keepLayout(new Result(undefined, {}, [], []))
  }

  readonly object: T
  readonly changed: boolean
  readonly dropped: readonly ManagedFieldsEntry[]
  readonly unions: readonly UnionChange[]
  constructor(
    live: object | undefined,
    object: MapValue,
    dropped: readonly ManagedFieldsEntry[],
    unions: readonly UnionChange[],
  ) {
    this.object = object as object as T
    this.changed = live === undefined || (live !== object && !equalValues(live as MapValue, object))
    this.dropped = dropped
    this.unions = unions
  }
}
