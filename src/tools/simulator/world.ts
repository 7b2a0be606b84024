// One request on the objects as they are. `DryRun` says what an API server would do with it; here the result takes the place of the object.
// Nothing is kept from request to request but compiled types.
import { hasCode } from "../../errors.js"
import { type Kinds, kindsOf } from "../../kinds/kinds.js"
import { subjectOf } from "../../kinds/resource/resource.js"
import { type ApplyConflictError, type Status, statusOf } from "../../managedfields/chain/status.js"
import { type FieldManagerOptions, managerOptions, objectOf } from "../../managedfields/request.js"
import { typesUnder } from "../../managedfields/types/object-types.js"
import { alreadyExists, noSuchResource, RequestFailure } from "../../requests/failure.js"
import { metaText, withMetadata } from "../../requests/metadata.js"
import { type ObjectKind, objectKindOf, textAt } from "../../schema/group-version-kind.js"
import { aString, optional, requireOptions } from "../../value/argument.js"
import type { ListValue, MapValue, Value } from "../../value/value.js"
import {
  DryRun,
  type DryRunOptions,
  type DryRunOutcome,
  type LiveObject,
  type TriedWrite,
} from "../../write/dry-run.js"
import { patchedTo, withPatch } from "../../write/patch.js"
import { allocated } from "../../write/strategy.js"
import { changesNothing } from "../../write/write.js"
import { rulesNotRun } from "../ownership/finding.js"
import { nameOf, type ObjectName } from "../ownership/object-name.js"
import { readShares } from "../ownership/owners.js"
import { plannedConflict } from "../ownership/plan.js"
import { resolve } from "../ownership/resolve.js"
import { frozen, kept, withoutUndefined } from "./kept.js"
import { keyOf, nameAt, type Objects } from "./objects.js"
import { madeBy, patchBetween } from "./recipe.js"
import type { Recipe, SimulatedApply, SimulatedPatch, SimulatedSchemaChange, SimulationRequest } from "./request.js"
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

/** A request for one object. */
type ObjectRequest = Exclude<SimulationRequest, SimulatedSchemaChange>

/** What comes of a request. */
type Answer = Pick<Played, "key" | "target" | "after" | "outcome" | "error" | "conflicts" | "unions">

/** Plays requests at one schema. */
export class World {
  readonly schema: SimulationSchema
  private readonly kinds: Kinds
  private readonly options: DryRunOptions
  /** By kind and subresource; undefined for kinds that are not served. */
  private readonly runs = new Map<string, DryRun | undefined>()
  /** The objects that requests have made at this schema. */
  private readonly made = new WeakSet<MapValue>()
  /** The request that is played. While it is, a function of it may play another one in a fork. */
  private playing: Playing = { time: new Date(0), resourceVersion: "", before: undefined }

  constructor(schema: SimulationSchema) {
    requireOptions("schema", schema, managerOptions)
    const { types, unions, defaults, converter } = schema
    /** A function of the user has made this value, so the user may still have parts of it. */
    const keep = <T extends MapValue | undefined>(made: T, from: MapValue): T =>
      made === from ? made : kept(made, this.playing.before)
    this.kinds = kindsOf(types)
    this.schema = { ...schema, types: typesUnder(types, unions) }
    this.options = {
      ...schema,
      ...(defaults !== undefined && { defaults: object => keep(defaults(object), object) }),
      ...(converter !== undefined && {
        converter: { convert: (object, apiVersion) => keep(converter.convert(object, apiVersion), object) },
      }),
      clock: () => this.playing.time,
      identity: () => ({ uid: uidOf(this.playing), now: this.playing.time }),
      nameSuffix: () => this.playing.resourceVersion.slice(-5).padStart(5, "0"),
      fieldValidation: "Strict",
    }
  }

  /** The object as a server gives it to clients: with the defaults of its kind. Returns it unchanged if no server could read it. */
  read(object: MapValue): MapValue {
    const read = this.runOf(objectKindOf(object), "")?.live(object).read
    return read === undefined || read instanceof RequestFailure ? object : frozen(read)
  }

  /**
   * Plays a request and tells its outcome. Throws a TypeError if nothing says which object is meant, a StructuredMergeError for values that
   * contain themselves or nest too deeply, and whatever the functions of the request throw.
   */
  play(objects: Objects, given: SimulationRequest, moment: Moment, asked: Asked): Played {
    const { types } = this.schema
    if ("changeSchema" in given) {
      return { outcome: "changed", conflicts: [], unions: [], findings: [], request: keptRequest(given), types }
    }
    requireOptions("request", given, { manager: "delete" in given ? optional(aString) : aString })
    const target = targetOf(objects, given, asked)
    const before = objects.get(keyOf(target))
    const plain = plainRequest(given, target, before)
    const outer = this.playing
    this.playing = { ...moment, before }
    try {
      const { resource } = this.runOf(target)?.endpoint ?? {}
      const findings = "delete" in given ? [] : rulesNotRun(resource)
      return { before, types, findings, ...this.answered(objects, plain, target) }
    } finally {
      this.playing = outer
    }
  }

  private answered(
    objects: Objects,
    { request, next }: PlainRequest,
    target: ObjectName,
  ): Answer & Pick<Played, "request" | "resolution"> {
    try {
      if (!("apply" in request) || request.onConflict === undefined) {
        return { request, ...this.written(objects, request, target, next) }
      }
      const { onConflict, apply, force = false, ...rest } = request
      const resolution = resolve(this.playing.before, objectOf(apply), { ...this.options, ...rest, onConflict })
      const resolved = { ...rest, apply: resolution.config, force: force || resolution.force }
      const recorded = typeof onConflict === "function" ? resolved : request
      return { request: recorded, resolution, ...this.written(objects, resolved, target) }
    } catch (error) {
      if (!hasCode(error)) throw error
      return { request: asData(request), ...this.refused(target, { error }) }
    }
  }

  /** Tries a request without functions, and puts the result in the place of the object. */
  private written(objects: Objects, request: ObjectRequest, target: ObjectName, next?: MapValue): Answer {
    const { before } = this.playing
    const run = this.runOf(target, "subresource" in request ? request.subresource : undefined)
    if (run === undefined) return this.refused(target, { failure: noSuchResource() })
    const tried = this.tried(run, request, target, next)
    if (!tried.ok) return this.refused(target, tried)
    const { object, unions } = tried
    const named = target.name === "" ? { ...target, name: metaText(object, "name") } : target
    const key = keyOf(named)
    if ("create" in request && objects.has(key)) {
      return this.refused(target, { failure: alreadyExists(subjectOf(run.endpoint.resource), named.name) })
    }
    if (tried.gone) return { key, target: named, after: undefined, outcome: "deleted", conflicts: [], unions }
    const after = this.stored(objects, run, tried)
    const outcome = before === undefined ? "created" : after === before ? "unchanged" : "changed"
    return { key, target: named, after, outcome, conflicts: [], unions }
  }

  private tried(run: DryRun, request: ObjectRequest, target: ObjectName, next: MapValue | undefined): DryRunOutcome {
    const live = this.live(run)
    if ("delete" in request) return run.delete(live, target)
    if ("create" in request) return run.create(objectOf(request.create), request)
    if ("apply" in request) {
      const { manager, force = false } = request
      return run.apply(live, objectOf(request.apply), { manager, force })
    }
    if ("update" in request) {
      const object = objectOf(request.update)
      const isRead = live !== undefined && metaText(object, "resourceVersion") === ""
      return isRead ? run.update(live, object, request) : run.replace(live, object, request)
    }
    const patch = request.patch as MapValue | ListValue
    const patched = (given: MapValue) => next ?? kept(withPatch(given, patch), given)
    const { manager, subresource = "" } = request
    const ofObject = subresource === "scale" ? this.runOf(target, "") : undefined
    if (ofObject === undefined || !ofObject.hasScale) {
      return run.patch(live, target, given => patchedTo(patched(given)), request)
    }
    const who = { manager, subresource }
    return ofObject.scale(
      this.live(ofObject),
      target,
      {
        next: (scale, scales) => scales.updateLeniently(scale, patched(scale) as MapValue, who).object,
        applies: false,
      },
      request,
    )
  }

  /** The object that is played on, as the endpoint reads it. Objects that requests have made are read already. */
  private live(run: DryRun): LiveObject | undefined {
    const { before } = this.playing
    if (before === undefined) return undefined
    const isRead = this.made.has(before) && textAt(before, "apiVersion") === run.endpoint.resource.apiVersion
    return isRead ? { given: before, read: before } : run.live(before)
  }

  /** The object as it is stored: at the version in which it was created, and with the next resourceVersion. */
  private stored(objects: Objects, { endpoint }: DryRun, { object, changed }: TriedWrite): MapValue {
    const { before } = this.playing
    const isSameKind = (other: MapValue) =>
      keyOf({ ...nameOf(other), name: "" }) === keyOf({ ...nameOf(object), name: "" })
    const made = allocated(endpoint.resource, object, () => [...objects.values()].filter(isSameKind))
    if (before === undefined) return this.versioned(made)
    if (!changed && made === object) return before
    const version = textAt(before, "apiVersion")
    const created = this.runOf({ ...objectKindOf(made), apiVersion: version }, "")
    const stored =
      textAt(made, "apiVersion") === version ? made : (created?.endpoint.view(endpoint.toStorage(made)) ?? made)
    return changesNothing(stored, before) ? before : this.versioned(stored)
  }

  private versioned(object: MapValue): MapValue {
    const { resourceVersion } = this.playing
    const stored = frozen(withMetadata(object, { resourceVersion }))
    this.made.add(stored)
    return stored
  }

  /** The answer to a request that is refused, as data. */
  private refused(target: ObjectName, { failure, error }: { failure?: RequestFailure; error?: unknown }): Answer {
    const { before } = this.playing
    const answer = { key: keyOf(target), target, after: before, unions: [] }
    const status = failure === undefined ? statusOf(error as Error) : (failure.status as unknown as Status)
    if (!hasCode(error, "conflict")) return { ...answer, outcome: "error", error: status, conflicts: [] }
    const shares = before === undefined ? [] : readShares(before)
    const conflicts = (error as ApplyConflictError).conflicts.map(conflict => plannedConflict(conflict, shares))
    return { ...answer, outcome: "conflict", error: status, conflicts }
  }

  private runOf({ apiVersion, kind }: ObjectKind, subresource = ""): DryRun | undefined {
    const id = `${apiVersion} ${kind} ${subresource}`
    if (!this.runs.has(id)) {
      const resource = this.kinds.resource({ apiVersion, kind })
      this.runs.set(id, resource && new DryRun(resource, subresource, this.options))
    }
    return this.runs.get(id)
  }
}

/** The request that is played. */
interface Playing extends Moment {
  /** The object that it is for, as it was. */
  readonly before: MapValue | undefined
}

/** A request without recipes. */
interface PlainRequest {
  readonly request: ObjectRequest
  /** The object that a recipe has made. */
  readonly next?: MapValue
}

/** The request with values that are kept. Calls the recipe of an update, whose result is recorded as a JSON patch. */
function plainRequest(given: ObjectRequest, target: ObjectName, before: MapValue | undefined): PlainRequest {
  if (!("update" in given) || typeof given.update !== "function") return { request: keptRequest(given, before) }
  const { update, ...rest } = keptRequest(given)
  const request = (patch: MapValue[]): SimulatedPatch => frozen({ ...rest, object: keyOf(target), patch })
  if (before === undefined) return { request: request([]) }
  const next = kept(objectOf(madeBy(update as Recipe<never>, before)), before)
  return { request: request(patchBetween(before, next)), next }
}

/** The request with values that are kept; functions stay. */
function keptRequest<T extends SimulationRequest>(request: T, live?: MapValue): T {
  const entries = Object.entries(withoutUndefined(request)).map(([key, value]) => [key, kept(value as Value, live)])
  return Object.freeze(Object.fromEntries(entries)) as T
}

/** The request without a function that decides conflicts. */
function asData(request: ObjectRequest): ObjectRequest {
  const { onConflict, ...data } = request as SimulatedApply
  return typeof onConflict === "function" ? Object.freeze(data) : request
}

function targetOf(objects: Objects, request: ObjectRequest, asked: Asked): ObjectName {
  if ("create" in request) return nameOf(objectOf(request.create))
  if ("apply" in request) return nameOf(objectOf(request.apply))
  if ("update" in request && typeof request.update !== "function") return nameOf(objectOf(request.update))
  return nameAt(objects, "delete" in request ? request.delete : request.object, asked)
}

/** The uid of an object that a request creates: another one for each step. */
function uidOf({ resourceVersion }: Moment): string {
  return `00000000-0000-4000-8000-${resourceVersion.slice(-12).padStart(12, "0")}`
}
