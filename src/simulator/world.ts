// One request on the objects as they are: what an API server would do with it, short of admission, validation and what it writes
// into the metadata itself. Nothing is kept here from request to request but compiled types.
import { hasCode } from "../errors.js"
import { FieldSet } from "../fieldpath/set.js"
import { kindsOf } from "../kinds/kinds.js"
import { type ApplyConflictError, type Status, statusOf } from "../managedfields/chain/status.js"
import { differInTimesOnly } from "../managedfields/entries/times-only.js"
import { FieldManager } from "../managedfields/field-manager.js"
import { type FieldManagerOptions, type LenientResult, managerOptions, objectOf } from "../managedfields/request.js"
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
import { formatKind, kindOf, objectKindOf, parseKind, textAt } from "../schema/group-version-kind.js"
import type { UnionChange } from "../union/report.js"
import { requireOptions } from "../value/argument.js"
import { equalValues } from "../value/equal.js"
import { own } from "../value/object.js"
import { isMap, type MapValue, type Value } from "../value/value.js"
import { Endpoint, endpointOptions } from "../write/endpoint.js"
import { mergeScale } from "../write/scale.js"
import { frozen, kept, withoutUndefined } from "./kept.js"
import { keyOf, nameAt, type Objects, subjectOf } from "./objects.js"
import { madeBy, patchBetween } from "./recipe.js"
import type {
  ManagerRequest,
  Recipe,
  SimulatedApply,
  SimulatedCreate,
  SimulatedPatch,
  SimulatedSchemaChange,
  SimulationRequest,
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

/** Gives the objects that earlier requests were for, by their keys: not all of them need be there. */
type Asked = () => ReadonlyMap<string, ObjectName>

/** Plays requests at one schema. */
export class World {
  readonly schema: SimulationSchema
  private readonly options: FieldManagerOptions
  private readonly manager: FieldManager
  private readonly types: ObjectTypes
  /** The request that is played. While it is, a function of it may play another one in a fork. */
  private playing: Playing = { time: new Date(0), before: undefined, recorded: { changeSchema: "" } }

  constructor(schema: SimulationSchema) {
    requireOptions("schema", schema, managerOptions)
    const { resetFields, defaults, converter } = schema
    /** A function of the user has made this value, so the user may still have parts of it. */
    const keep = <T extends MapValue | undefined>(made: T, from: MapValue): T =>
      made === from ? made : kept(made, this.playing.before)
    this.schema = {
      ...schema,
      types: typesUnder(schema.types, schema.unions),
      ...(defaults !== undefined && { defaults: object => keep(defaults(object), object) }),
      ...(converter !== undefined && {
        converter: { convert: (object, apiVersion) => keep(converter.convert(object, apiVersion), object) },
      }),
    }
    this.types = new ObjectTypes(this.schema.types)
    this.options = {
      ...this.schema,
      clock: () => this.playing.time,
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

  /**
   * Plays a request and tells its outcome. Throws a TypeError if nothing says which object is meant, a StructuredMergeError for values that
   * contain themselves or nest too deeply, and whatever the functions of the request throw.
   */
  play(objects: Objects, given: SimulationRequest, moment: Moment, asked: Asked): Played {
    const { types } = this.schema
    if ("changeSchema" in given) {
      return { outcome: "changed", conflicts: [], unions: [], request: keptRequest(given), types }
    }
    const target = targetOf(objects, given, asked)
    const key = keyOf(target)
    const before = objects.get(key)
    const { request, recorded } = plain(given, key, before)
    const playing: Playing = { time: moment.time, before, recorded }
    const outer = this.playing
    this.playing = playing
    try {
      const played = this.outcomeOf(before, request, target, moment)
      return { key, target, before, types, request: playing.recorded, ...played }
    } finally {
      this.playing = outer
    }
  }

  private outcomeOf(
    before: MapValue | undefined,
    request: Exclude<SimulationRequest, SimulatedSchemaChange>,
    target: ObjectName,
    moment: Moment,
  ): Pick<Played, "after" | "outcome" | "error" | "conflicts" | "unions" | "resolution"> {
    try {
      const { object, ...made } = this.made(before, request, target)
      if (object === undefined) return { ...made, outcome: "deleted", conflicts: [] }
      const after = frozen(this.stored(object, before, target, moment))
      const outcome = before === undefined ? "created" : after === before ? "unchanged" : "changed"
      return { ...made, after, outcome, conflicts: [] }
    } catch (error) {
      return { after: before, unions: [], ...refusal(error, before) }
    }
  }

  private made(
    before: MapValue | undefined,
    request: Exclude<SimulationRequest, SimulatedSchemaChange>,
    target: ObjectName,
  ): Made {
    if ("create" in request) return this.created(before, request, target)
    if ("apply" in request) return this.applied(before, request, target)
    if (before === undefined) throw notFound(subjectOf(target), target.name)
    if ("delete" in request) return { object: undefined, unions: [] }
    return "patch" in request ? this.patched(before, request) : this.owned(before, objectOf(request.update), request)
  }

  private created(before: MapValue | undefined, request: SimulatedCreate, target: ObjectName): Made {
    const object = named(objectOf(request.create), target)
    if (!isUnversioned(object)) {
      throw new RequestFailure(500, "resourceVersion should not be set on objects to be created")
    }
    if (before !== undefined) throw alreadyExists(subjectOf(target), target.name)
    return this.owned(undefined, object, request)
  }

  private applied(before: MapValue | undefined, request: SimulatedApply, target: ObjectName): Made {
    const { manager, subresource = "", force = false, onConflict } = request
    const config = named(objectOf(request.apply), target)
    if (before === undefined && subresource !== "") throw notFound(subjectOf(target), target.name)
    const who = { manager, subresource }
    if (onConflict === undefined) return this.manager.apply<MapValue>(before, config, { ...who, force })
    const resolution = resolve(before, config, { ...this.options, ...who, onConflict })
    const resolved = { apply: resolution.config, force: force || resolution.force }
    if (typeof onConflict === "function") {
      const { onConflict: _, ...rest } = request
      this.playing.recorded = { ...rest, ...resolved }
    }
    const { object, unions } = this.manager.apply<MapValue>(before, resolved.apply, { ...who, force: resolved.force })
    return { object, unions, resolution }
  }

  private patched(before: MapValue, request: SimulatedPatch): Made {
    const { subresource, manager } = request
    const patch = request.patch as Value
    const patched = (live: MapValue): MapValue => {
      const next = Array.isArray(patch) ? jsonPatch(live, patch) : mergePatch(live, patch as MapValue)
      if (!isMap(next)) throw badRequest("the patch does not leave an object")
      return next
    }
    const resource = subresource === "scale" ? kindsOf(this.schema.types).resource(objectKindOf(before)) : undefined
    if (resource?.subresources.some(({ name }) => name === subresource) !== true) {
      return this.owned(before, kept(patched(before), before), request)
    }
    const endpoint = new Endpoint(resource, "", endpointOptions(this.options))
    const next = (scale: MapValue, scales: FieldManager) =>
      scales.updateLeniently(scale, patched(scale), { manager, subresource: "scale" }).object
    const { object, unions } = mergeScale(
      { endpoint, live: before, name: metaText(before, "name") },
      { manager, force: false },
      { next, applies: false },
    )
    return { object: kept(object, before), unions }
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
  readonly resolution?: Resolution
}

/** The request that is played. */
interface Playing {
  readonly time: Date
  /** The object that it is for, as it was. */
  readonly before: MapValue | undefined
  /** The request as data. */
  recorded: SimulationRequest
}

interface PlainRequest {
  /** The request to play: an update has the object that its recipe has made. */
  readonly request: Exclude<SimulationRequest, SimulatedSchemaChange>
  /** The request as data. */
  readonly recorded: SimulationRequest
}

/** The request with values that are kept. Calls the recipe of an update. */
function plain(
  given: Exclude<SimulationRequest, SimulatedSchemaChange>,
  key: string,
  before: MapValue | undefined,
): PlainRequest {
  if ("update" in given && typeof given.update === "function") {
    const { update, ...rest } = keptRequest(given)
    const next = before === undefined ? {} : kept(objectOf(madeBy(update as Recipe<never>, before)), before)
    const patch = before === undefined ? [] : patchBetween(before, next)
    return { request: { ...rest, update: next }, recorded: frozen({ ...rest, object: key, patch }) }
  }
  const request = keptRequest(given, before)
  if (!("onConflict" in request) || typeof request.onConflict !== "function") return { request, recorded: request }
  const { onConflict: _, ...recorded } = request
  return { request, recorded: Object.freeze(recorded) }
}

/** The request with values that are kept; functions stay. */
function keptRequest<T extends SimulationRequest>(request: T, live?: MapValue): T {
  const entries = Object.entries(withoutUndefined(request)).map(([key, value]) => [key, kept(value as Value, live)])
  return Object.freeze(Object.fromEntries(entries)) as T
}

function targetOf(
  objects: Objects,
  request: Exclude<SimulationRequest, SimulatedSchemaChange>,
  asked: Asked,
): ObjectName {
  if ("create" in request) return nameOf(objectOf(request.create))
  if ("apply" in request) return nameOf(objectOf(request.apply))
  if ("update" in request && typeof request.update !== "function") return nameOf(objectOf(request.update))
  return nameAt(objects, "delete" in request ? request.delete : request.object, asked)
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
