// One request on the objects as they are: what an API server would do with it, short of admission, validation and what it writes
// into the metadata itself. Nothing is kept here from request to request but compiled types.
import { hasCode } from "../errors.js"
import { FieldSet } from "../fieldpath/set.js"
import { differInTimesOnly } from "../managedfields/entries/times-only.js"
import { FieldManager } from "../managedfields/field-manager.js"
import { type FieldManagerOptions, type LenientResult, objectOf } from "../managedfields/request.js"
import { type ApplyConflictError, type Status, statusOf } from "../managedfields/status.js"
import { resetToLive } from "../managedfields/subresources/reset.js"
import { ObjectTypes, typesUnder } from "../managedfields/types/object-types.js"
import { VersionConverter } from "../managedfields/types/version-converter.js"
import { nameOf, type ObjectName } from "../ownership/object-name.js"
import { readShares } from "../ownership/owners.js"
import { plannedConflict } from "../ownership/plan.js"
import { type Resolution, resolve } from "../ownership/resolve.js"
import {
  alreadyExists,
  badRequest,
  invalid,
  modified,
  notFound,
  RequestFailure,
  refusedPatch,
} from "../requests/failure.js"
import { jsonPatch } from "../requests/json-patch.js"
import { mergePatch } from "../requests/merge-patch.js"
import { metadataOf, metaText, withMetadata } from "../requests/metadata.js"
import { PatchError } from "../requests/patch-error.js"
import { formatKind, kindOf, parseKind, textAt } from "../schema/group-version-kind.js"
import type { UnionChange } from "../union/report.js"
import { equalValues } from "../value/equal.js"
import { own } from "../value/object.js"
import { isMap, type MapValue, type Value } from "../value/value.js"
import { keyOf, nameAt, type Objects, subjectOf } from "./objects.js"
import { madeBy, patchBetween } from "./recipe.js"
import type {
  ApplyRequest,
  CreateRequest,
  ManagerRequest,
  PatchRequest,
  Recipe,
  SchemaRequest,
  SimulationRequest,
  UpdateRequest,
} from "./request.js"
import type { Played } from "./step.js"

/** The types of objects, and what else an API server is told about their kinds; see FieldManagerOptions. */
export type SimulationSchema = Pick<
  FieldManagerOptions,
  "types" | "converter" | "hub" | "unions" | "resetFields" | "defaults"
>

/** When a request is made. */
export interface Moment {
  readonly time: Date
  /** The resourceVersion that an object gets which the request changes. */
  readonly resourceVersion: string
}

/** Plays requests at one schema. */
export class World {
  readonly schema: SimulationSchema
  private readonly options: FieldManagerOptions
  private readonly manager: FieldManager
  private readonly types: ObjectTypes
  private now = new Date(0)

  constructor(schema: SimulationSchema) {
    this.schema = { ...schema, types: typesUnder(schema.types, schema.unions) }
    const { resetFields } = schema
    this.types = new ObjectTypes(schema.types)
    this.options = {
      ...schema,
      clock: () => this.now,
      ...(resetFields !== undefined && {
        prepare: (object, live, { apiVersion, kind, subresource }) => {
          const reset = typeof resetFields === "function" ? resetFields(subresource, { apiVersion, kind }) : resetFields
          const fields = reset?.get(apiVersion)
          return fields instanceof FieldSet
            ? resetToLive(object, live && this.atVersion(live, apiVersion), fields)
            : object
        },
      }),
    }
    this.manager = new FieldManager(this.options)
  }

  /** What the request comes to. Throws a TypeError where it does not say which object is meant, and what its functions throw. */
  play(objects: Objects, request: SimulationRequest, moment: Moment): Played {
    this.now = moment.time
    const { types } = this.schema
    if ("changeSchema" in request) return { outcome: "changed", conflicts: [], unions: [], types }
    const target = targetOf(objects, request)
    const key = keyOf(target)
    const before = objects.get(key)
    const common = { key, target, before, types }
    try {
      const { object, ...made } = this.made(before, request, target)
      if (object === undefined) return { ...common, ...made, outcome: "deleted", conflicts: [] }
      const after = this.stored(object, before, target, moment)
      const outcome = before === undefined ? "created" : after === before ? "unchanged" : "changed"
      return { ...common, ...made, after, outcome, conflicts: [] }
    } catch (error) {
      return { ...common, after: before, unions: [], ...refusal(error, before) }
    }
  }

  private made(
    before: MapValue | undefined,
    request: Exclude<SimulationRequest, SchemaRequest>,
    target: ObjectName,
  ): Made {
    if ("create" in request) return this.created(before, request, target)
    if ("apply" in request) return this.applied(before, request, target)
    if (before === undefined) throw notFound(subjectOf(target), target.name)
    if ("delete" in request) return { object: undefined, unions: [] }
    return "patch" in request ? this.patched(before, request) : this.updated(before, request, target)
  }

  private created(before: MapValue | undefined, request: CreateRequest, target: ObjectName): Made {
    const object = named(objectOf(request.create), target)
    if (!isUnversioned(object)) {
      throw new RequestFailure(500, "resourceVersion should not be set on objects to be created")
    }
    if (before !== undefined) throw alreadyExists(subjectOf(target), target.name)
    return this.owned(undefined, object, request)
  }

  private applied(before: MapValue | undefined, request: ApplyRequest, target: ObjectName): Made {
    const { manager, subresource = "", force = false, onConflict } = request
    const config = named(objectOf(request.apply), target)
    if (before === undefined && subresource !== "") throw notFound(subjectOf(target), target.name)
    const who = { manager, subresource }
    if (onConflict === undefined) return this.manager.apply<MapValue>(before, config, { ...who, force })
    const resolution = resolve(before, config, { ...this.options, ...who, onConflict })
    const resolved = { apply: resolution.config, force: force || resolution.force }
    const { object, unions } = this.manager.apply<MapValue>(before, resolved.apply, { ...who, force: resolved.force })
    if (typeof onConflict === "string") return { object, unions, resolution }
    const { onConflict: _, ...rest } = request
    return { object, unions, resolution, recorded: { ...rest, ...resolved } }
  }

  private patched(before: MapValue, request: PatchRequest): Made {
    const patch = request.patch as Value
    const next = Array.isArray(patch) ? jsonPatch(before, patch) : mergePatch(before, patch as MapValue)
    if (!isMap(next)) throw badRequest("the patch does not leave an object")
    return this.owned(before, next, request)
  }

  private updated(before: MapValue, request: UpdateRequest, target: ObjectName): Made {
    const { update, ...rest } = request
    if (typeof update !== "function") return this.owned(before, objectOf(update), request)
    const next = objectOf(madeBy(update as Recipe<never>, before))
    const recorded = { ...rest, object: keyOf(target), patch: patchBetween(before, next) }
    return { ...this.owned(before, next, request), recorded }
  }

  /** What an update makes. An object that does not fit its type is refused; where the owners can't be worked out they stay. */
  private owned(before: MapValue | undefined, given: MapValue, { manager, subresource = "" }: ManagerRequest): Made {
    const next = this.schema.defaults?.(given) ?? given
    const { object, unions, error }: LenientResult = this.manager.updateLeniently(before, next, {
      manager,
      subresource,
    })
    if (error !== undefined && isMisfit(error)) throw error
    return { object, unions }
  }

  /** The object as it is stored: under its name, at the version it was created in, and with the next resourceVersion. */
  private stored(made: MapValue, before: MapValue | undefined, target: ObjectName, moment: Moment): MapValue {
    const { resourceVersion } = moment
    if (before === undefined) return withMetadata(made, { resourceVersion })
    const placed =
      metaText(made, "namespace") === ""
        ? withMetadata(made, { namespace: own(metadataOf(before), "namespace") })
        : made
    checkName(placed, target)
    const next = this.atVersion(placed, textAt(before, "apiVersion"))
    const current = metaText(before, "resourceVersion")
    if (!isUnversioned(next) && metaText(next, "resourceVersion") !== current)
      throw modified(subjectOf(target), target.name)
    const same = withMetadata(next, { resourceVersion: own(metadataOf(before), "resourceVersion") })
    if (equalValues(same, before) || differInTimesOnly(before, same)) return before
    return withMetadata(next, { resourceVersion })
  }

  private atVersion(object: MapValue, apiVersion: string): MapValue {
    const { converter, hub } = this.schema
    return new VersionConverter(this.types, new Set(), converter, hub).toVersion(object, apiVersion)
  }
}

interface Made {
  readonly object: MapValue | undefined
  readonly unions: readonly UnionChange[]
  readonly recorded?: SimulationRequest
  readonly resolution?: Resolution
}

function targetOf(objects: Objects, request: Exclude<SimulationRequest, SchemaRequest>): ObjectName {
  if ("create" in request) return nameOf(objectOf(request.create))
  if ("apply" in request) return nameOf(objectOf(request.apply))
  if ("update" in request && typeof request.update !== "function") return nameOf(objectOf(request.update))
  return nameAt(objects, "delete" in request ? request.delete : request.object)
}

/** The object, if it has a name. */
function named(object: MapValue, target: ObjectName): MapValue {
  if (target.name !== "") return object
  const message = "Required value: name or generateName is required"
  throw invalid({ group: parseKind(target.apiVersion, "").group, name: target.kind }, "", [
    { reason: "FieldValueRequired", message, field: "metadata.name" },
  ])
}

function isUnversioned(object: MapValue): boolean {
  return ["", "0"].includes(metaText(object, "resourceVersion"))
}

/** Throws a RequestFailure where the object says another name, namespace or kind than that of the request. */
function checkName(object: MapValue, target: ObjectName): void {
  const found = nameOf(object)
  if (keyOf(found) === keyOf(target)) return
  if (found.name !== target.name) {
    throw badRequest(`the name of the object (${found.name}) does not match the name on the URL (${target.name})`)
  }
  if (keyOf({ ...found, namespace: "" }) === keyOf({ ...target, namespace: "" })) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request")
  }
  throw badRequest(`${formatKind(kindOf(object))} can't take the place of ${target.kind}`)
}

/** Whether the object did not fit its type. */
function isMisfit(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) if ("issues" in at) return true
  return false
}

/** A refused request, as data. What is no answer of an API server is thrown again. */
function refusal(error: unknown, before: MapValue | undefined): Pick<Played, "outcome" | "error" | "conflicts"> {
  if (error instanceof PatchError) return refusal(refusedPatch(error), before)
  if (error instanceof RequestFailure)
    return { outcome: "error", error: error.status as unknown as Status, conflicts: [] }
  if (!hasCode(error)) throw error
  const status = statusOf(error)
  if (!hasCode(error, "conflict")) return { outcome: "error", error: status, conflicts: [] }
  const shares = before === undefined ? [] : readShares(before)
  const conflicts = (error as ApplyConflictError).conflicts.map(conflict => plannedConflict(conflict, shares))
  return { outcome: "conflict", error: status, conflicts }
}
