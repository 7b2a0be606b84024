// Plays one request on the current objects: `DryRun` computes what an API server would do, and the result replaces the object.
// Between requests, a World keeps only compiled types.
import { hasCode } from "../../../errors.js"
import { type Kinds, kindsOf } from "../../../kinds/kinds.js"
import { alreadyExists, noSuchResource, RequestFailure } from "../../../kinds/refusal/failure.js"
import { isPlaced, subjectOf } from "../../../kinds/resource/resource.js"
import { type ApplyConflictError, type Status, statusOf } from "../../../managedfields/chain/status.js"
import { type FieldManagerOptions, managerOptions, objectOf } from "../../../managedfields/request.js"
import { typesUnder } from "../../../managedfields/types/object-types.js"
import { type ObjectKind, objectKindOf } from "../../../schema/group-version-kind.js"
import { metaText, withMetadata } from "../../../schema/metadata.js"
import { anObject, aString, optional, requireOptions } from "../../../value/argument.js"
import { textAt } from "../../../value/fields.js"
import type { ListValue, MapValue, Value } from "../../../value/value.js"
import type { Admission } from "../../../write/attributes.js"
import {
  DryRun,
  type DryRunOptions,
  type DryRunOutcome,
  type LiveObject,
  type TriedWrite,
} from "../../../write/dry-run.js"
import { patchedTo, withPatch } from "../../../write/patch.js"
import { allocated } from "../../../write/strategy.js"
import { changesNothing } from "../../../write/write.js"
import { applierProfile } from "../../appliers/read-profile.js"
import { applyWithTool } from "../../appliers/run.js"
import { rulesNotRun, unionsLeftOut } from "../../ownership/finding.js"
import { type ObjectName, objectName } from "../../ownership/object-name.js"
import { readShares } from "../../ownership/owners.js"
import { plannedConflict } from "../../ownership/plan.js"
import { resolve } from "../../ownership/resolve.js"
import { deepFreeze, frozenCopy, withoutUndefined } from "./frozen-copy.js"
import { bodyOf, keyOf, type Objects, resolveRef } from "./objects.js"
import { applyRecipe, patchBetween } from "./recipe.js"
import {
  type ObjectRequest,
  type Recipe,
  type SimulatedApply,
  type SimulatedPatch,
  type SimulationRequest,
  subresourceOf,
} from "./request.js"
import type { StepData } from "./step.js"

/** The types of objects, and the other options of their kinds; see FieldManagerOptions. */
export interface SimulationSchema
  extends Pick<FieldManagerOptions, "types" | "converter" | "hub" | "unions" | "resetFields" | "defaults"> {
  /**
   * The admission of the cluster, from `loadAdmission`. It also reads the objects of the simulation, so a policy counts as soon as a manager
   * has created it. Absent for a cluster whose policies, webhooks, limits, quotas and classes count for nothing.
   */
  readonly admission?: Admission | undefined
}

/** The time of a request. */
export interface Moment {
  readonly time: Date
  /** The resourceVersion of an object that the request changes. */
  readonly resourceVersion: string
}

/** Returns the names of the objects of earlier requests by their keys. Some of the objects may be deleted. */
type EarlierObjects = () => ReadonlyMap<string, ObjectName>

type RequestResult = Pick<
  StepData,
  "key" | "target" | "after" | "outcome" | "error" | "conflicts" | "unions" | "admitted" | "warnings"
>

/** Plays requests at one schema. */
export class World {
  readonly schema: SimulationSchema
  private readonly kinds: Kinds
  private readonly options: DryRunOptions & { readonly namespace: string }
  /** Dry runs by kind and subresource; undefined for kinds that are not served. */
  private readonly runs = new Map<string, DryRun | undefined>()
  /** The objects that requests have stored at this schema. They need no decoding and defaulting again. */
  private readonly storedObjects = new WeakSet<MapValue>()
  /** The request being played. A function of the request may play another request in a fork meanwhile. */
  private current: CurrentRequest = { time: new Date(0), resourceVersion: "", before: undefined, objects: new Map() }

  constructor(schema: SimulationSchema) {
    requireOptions("schema", schema, { ...managerOptions, admission: optional(anObject) })
    const { types, unions, defaults, converter, admission } = schema
    /** Copies a value that a function of the user returned, as the user may still change parts of it. */
    const copyResult = <T extends MapValue | undefined>(result: T, input: MapValue): T =>
      result === input ? result : frozenCopy(result, this.current.before)
    this.kinds = kindsOf(types)
    const offered = typesUnder(types, unions)
    this.schema = { ...schema, types: offered === types ? types : this.kinds.typedBy(offered) }
    this.options = {
      ...schema,
      ...(defaults !== undefined && { defaults: object => copyResult(defaults(object), object) }),
      ...(converter !== undefined && {
        converter: { convert: (object, apiVersion) => copyResult(converter.convert(object, apiVersion), object) },
      }),
      ...(admission !== undefined && { admission: admission.with(() => this.current.objects.values()) }),
      clock: () => this.current.time,
      identity: () => ({ uid: uidOf(this.current), now: this.current.time }),
      nameSuffix: () => this.current.resourceVersion.slice(-5).padStart(5, "0"),
      fieldValidation: "Strict",
      namespace: admission?.namespace ?? "default",
      immutable: true, // objects of the simulation are frozen
    }
  }

  /** Returns the object as a server stores it, with the defaults of its kind; unchanged if a server could not read it. */
  stored(object: MapValue): MapValue {
    const run = this.runOf(objectKindOf(object))
    const read = run?.live(object).read
    if (run === undefined || read === undefined || read instanceof RequestFailure) return object
    try {
      const { namespace } = this.placed(objectName(read))
      return deepFreeze(this.inStoredForm(run, withMetadata(read, { namespace }), object))
    } catch (error) {
      // Only a webhook could convert the object.
      if (error instanceof RequestFailure) return deepFreeze(read)
      throw error
    }
  }

  /**
   * Plays a request and returns its result. Throws a TypeError if the request does not identify an object, and a StructuredMergeError for
   * values that contain themselves or nest too deeply. Errors that functions of the request throw pass through.
   */
  play(objects: Objects, given: SimulationRequest, moment: Moment, earlier: EarlierObjects): StepData {
    const { types } = this.schema
    if ("changeSchema" in given) {
      return { outcome: "changed", conflicts: [], unions: [], findings: [], request: frozenRequest(given), types }
    }
    requireOptions("request", given, { manager: "delete" in given ? optional(aString) : aString })
    const target = this.placed(this.targetOf(objects, given, earlier))
    const before = objects.get(keyOf(target))
    const outer = this.current
    this.current = { ...moment, before, objects }
    try {
      const run = this.runOf(target, subresourceOf(given))
      const live = run && this.live(run)
      const plain = plainRequest(given, target, live === undefined ? before : (run?.requested(live) ?? before))
      const resource = "delete" in given ? undefined : run?.endpoint.resource
      const findings = [...rulesNotRun(resource), ...unionsLeftOut(resource, this.schema.unions)]
      return { before, types, findings, ...this.resolveAndWrite(objects, plain, target) }
    } finally {
      this.current = outer
    }
  }

  /** Returns the name of the object that the request is for. A request that only refers to an object is sent at a served version. */
  private targetOf(objects: Objects, request: ObjectRequest, earlier: EarlierObjects): ObjectName {
    const body = bodyOf(request)
    const isScale = subresourceOf(request) === "scale" && textAt(body ?? {}, "kind") === "Scale"
    if (body !== undefined && !isScale) return objectName(body)
    const ref = "delete" in request ? request.delete : "object" in request ? request.object : undefined
    const target =
      body === undefined
        ? resolveRef(objects, ref, earlier)
        : resolveRef(this.withScale(objects), ref ?? { ...objectName(body), ...anyKind })
    return this.runOf(target) === undefined ? { ...target, apiVersion: this.kinds.preferredVersion(target) } : target
  }

  /** Returns the objects that have a Scale. */
  private withScale(objects: Objects): Objects {
    return new Map([...objects].filter(([, object]) => this.runOf(objectKindOf(object), "scale")?.writesScale))
  }

  /** Returns the name with the namespace in which a server looks for the object. */
  private placed(target: ObjectName): ObjectName {
    const resource = this.runOf(target)?.endpoint.resource
    const isComplete = resource === undefined || target.namespace !== undefined || !isPlaced(resource)
    return isComplete ? target : { ...target, namespace: this.options.namespace }
  }

  private resolveAndWrite(
    objects: Objects,
    { request, next }: PlainRequest,
    target: ObjectName,
  ): RequestResult & Pick<StepData, "request" | "resolution"> {
    try {
      if (!("apply" in request) || request.onConflict === undefined) {
        return { request, ...this.write(objects, request, target, next) }
      }
      const { onConflict, apply, force = false, ...rest } = request
      const resolution = resolve(this.current.before, objectOf(apply), { ...this.options, ...rest, onConflict })
      const resolved = { ...rest, apply: resolution.config, force: force || resolution.force }
      const recorded = typeof onConflict === "function" ? resolved : request
      return { request: recorded, resolution, ...this.write(objects, resolved, target) }
    } catch (error) {
      const isFailure = error instanceof RequestFailure
      if (!isFailure && !hasCode(error)) throw error
      const refused = this.refusal(target, isFailure ? { failure: error } : { error })
      return { request: withoutFunctions(request), ...refused }
    }
  }

  /** Computes a request without functions, and the object that it stores. */
  private write(objects: Objects, request: ObjectRequest, target: ObjectName, next?: MapValue): RequestResult {
    const { before } = this.current
    const run = this.runOf(target, subresourceOf(request))
    if (run === undefined) return this.refusal(target, { failure: noSuchResource() })
    const tried = this.tryWrite(run, request, target, next)
    const { warnings } = tried
    if (!tried.ok) return { ...this.refusal(target, tried), warnings }
    const { object, unions, admitted } = tried
    const named = target.name === "" ? { ...target, name: metaText(object, "name") } : target
    const key = keyOf(named)
    if ("create" in request && objects.has(key)) {
      return this.refusal(target, { failure: alreadyExists(subjectOf(run.endpoint.resource), named.name) })
    }
    if (tried.gone) return { key, target: named, after: undefined, outcome: "deleted", conflicts: [], unions, warnings }
    const isStored = tried.changed || before !== undefined
    const after = isStored ? this.toStore(objects, run, tried) : undefined
    const outcome = after === before ? "unchanged" : before === undefined ? "created" : "changed"
    const effects = { unions, warnings, ...(admitted && { admitted }) }
    return { key, target: named, after, outcome, conflicts: [], ...effects }
  }

  private tryWrite(run: DryRun, request: ObjectRequest, target: ObjectName, next: MapValue | undefined): DryRunOutcome {
    const live = this.live(run)
    if ("delete" in request) return run.delete(live, target)
    if ("create" in request) return run.create(objectOf(request.create), request)
    if ("apply" in request) {
      const { manager, force = false, as } = request
      const config = objectOf(request.apply)
      if (as !== undefined)
        return applyWithTool(run, this.current.before, config, { profile: applierProfile(as), manager, force })
      return run.apply(live, config, { manager, force })
    }
    if ("update" in request) {
      const object = objectOf(request.update)
      const isRead = live !== undefined && metaText(object, "resourceVersion") === ""
      return isRead ? run.update(live, object, request) : run.replace(live, object, request)
    }
    const patch = request.patch as MapValue | ListValue
    const patched = (given: MapValue) => next ?? frozenCopy(withPatch(given, patch), given)
    return run.patch(live, target, given => patchedTo(patched(given), given), request)
  }

  /** Returns the live object as the endpoint reads it. Objects that requests have stored are read already. */
  private live(run: DryRun): LiveObject | undefined {
    const { before } = this.current
    if (before === undefined) return undefined
    const isRead = this.storedObjects.has(before) && textAt(before, "apiVersion") === run.endpoint.resource.apiVersion
    return isRead ? { given: before, read: before } : run.live(before)
  }

  /** Returns the object to store, with the next resourceVersion. */
  private toStore(objects: Objects, run: DryRun, { object, changed }: TriedWrite): MapValue {
    const { before } = this.current
    const isSameKind = (other: MapValue) =>
      keyOf({ ...objectName(other), name: "" }) === keyOf({ ...objectName(object), name: "" })
    const next = allocated(run.endpoint.resource, object, () => [...objects.values()].filter(isSameKind))
    if (before === undefined) return this.withNextVersion(this.inStoredForm(run, next, next))
    if (!changed && next === object) return before
    const stored = this.inStoredForm(run, next, before)
    return changesNothing(stored, before) ? before : this.withNextVersion(stored)
  }

  /**
   * Returns the object at the version at which a server stores its kind. If only the type of the kind is known, this is the version at which
   * the object was created, which `before` has.
   */
  private inStoredForm({ endpoint }: DryRun, object: MapValue, before: MapValue): MapValue {
    if (!endpoint.resource.plain) return endpoint.toStorage(object)
    const apiVersion = textAt(before, "apiVersion")
    return this.runOf({ ...objectKindOf(object), apiVersion })?.endpoint.view(object) ?? object
  }

  private withNextVersion(object: MapValue): MapValue {
    const { resourceVersion } = this.current
    const stored = deepFreeze(withMetadata(object, { resourceVersion }))
    this.storedObjects.add(stored)
    return stored
  }

  /** Returns the result of a refused request. */
  private refusal(
    target: ObjectName,
    { failure, error }: { failure?: RequestFailure; error?: unknown },
  ): RequestResult {
    const { before } = this.current
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
      const resource = this.kinds.servedByDefault({ apiVersion, kind })
      this.runs.set(id, resource && new DryRun(resource, subresource, this.options))
    }
    return this.runs.get(id)
  }
}

/** A Scale has the name of its object, but not the kind. */
const anyKind = { apiVersion: undefined, kind: undefined }

/** The request being played. */
interface CurrentRequest extends Moment {
  /** The live object before the request. */
  readonly before: MapValue | undefined
  /** All live objects. */
  readonly objects: Objects
}

/** A request without recipes. */
interface PlainRequest {
  readonly request: ObjectRequest
  /** The object that a recipe returned. */
  readonly next?: MapValue
}

/** Returns the request with frozen copies of its values. Calls the recipe of an update and records its changes as a JSON patch. */
function plainRequest(given: ObjectRequest, target: ObjectName, before: MapValue | undefined): PlainRequest {
  if (!("update" in given) || typeof given.update !== "function") return { request: frozenRequest(given, before) }
  const { update, ...rest } = frozenRequest(given)
  const request = (patch: MapValue[]): SimulatedPatch => deepFreeze({ ...rest, object: keyOf(target), patch })
  if (before === undefined) return { request: request([]) }
  const next = frozenCopy(objectOf(applyRecipe(update as Recipe<never>, before)), before)
  return { request: request(patchBetween(before, next)), next }
}

/** Returns the request with frozen copies of its values. Functions stay. */
function frozenRequest<T extends SimulationRequest>(request: T, live?: MapValue): T {
  const entries = Object.entries(withoutUndefined(request)).map(([key, value]) => [
    key,
    frozenCopy(value as Value, live),
  ])
  return Object.freeze(Object.fromEntries(entries)) as T
}

/** Returns the request without a function that resolves conflicts. */
function withoutFunctions(request: ObjectRequest): ObjectRequest {
  const { onConflict, ...data } = request as SimulatedApply
  return typeof onConflict === "function" ? Object.freeze(data) : request
}

/** Returns the uid of an object that a request creates. It differs in each step. */
function uidOf({ resourceVersion }: Moment): string {
  return `00000000-0000-4000-8000-${resourceVersion.slice(-12).padStart(12, "0")}`
}
