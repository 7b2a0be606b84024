// One request that writes an object, from the decoded request to the object to store.
//
// The methods of Write stand in the order of an API server's steps: an object is read (decode.ts) and given defaults, merged by the FieldManager,
// which works out its owners, matched with the address of the request, passed through admission, prepared by the strategy of its
// kind (strategy.ts), and validated (admission.ts). Nothing here knows of HTTP or storage. The test API server stores what an accepted
// request made; plan, the simulator and the Applier only look at it.

import { withGeneratedName } from "../kinds/defaults/generated-name.js"
import { badRequest, conflict, invalid, modified, notFound, RequestFailure } from "../kinds/refusal/failure.js"
import { type Resource, subjectOf } from "../kinds/resource/resource.js"
import { statusOf } from "../managedfields/chain/status.js"
import type { ManagedFieldsEntry } from "../managedfields/entries/entry.js"
import { differInTimesOnly } from "../managedfields/entries/times-only.js"
import type { LenientResult } from "../managedfields/request.js"
import { isStructuredMergeError, type SmdError } from "../merge/conflict.js"
import { metadataOf, metaText, withMetadata } from "../schema/metadata.js"
import type { Type } from "../typed/type.js"
import type { UnionChange } from "../union/report.js"
import { equalValues } from "../value/equal.js"
import { own } from "../value/object.js"
import { isMap, type MapValue, type Value } from "../value/value.js"
import { type AdmissionContext, type AdmissionRequest, admit, check, requestTo } from "./admission.js"
import { checkTypes, reportStrictly, strictError } from "./decode.js"
import type { Endpoint } from "./endpoint.js"
import type { WriteOptions } from "./options.js"
import { mergeScale, type ScaleChange } from "./scale.js"
import {
  beforeCreate,
  beforeUpdate,
  canCreateByPut,
  type Identity,
  needsResourceVersion,
  wipeSystemFields,
} from "./strategy.js"
import type { StrictReader } from "./strict.js"

/** Hooks, and what a server writes into a new object. */
export interface WriteContext extends AdmissionContext {
  /** The uid and the creation time of a new object. A dry run that has to give the same answer each time leaves them out. */
  readonly identity?: () => Identity
  /** What a name that is generated ends with; random if absent. */
  readonly nameSuffix?: () => string
}

/** The object that a request is for. */
export interface Target {
  readonly endpoint: Endpoint
  /** "" for objects that are in no namespace. */
  readonly namespace: string
  /** "" if the request creates an object whose name it does not say. */
  readonly name: string
  /** The stored object at the version of the endpoint; undefined if there is none. */
  readonly live: MapValue | undefined
}

/** The step that refused a request. */
export type WriteStep = "read" | "merge" | "place" | "admission" | "strategy" | "validation"

/** An object to store, and how it came about. */
export interface Accepted {
  readonly ok: true
  /** The object to store, at the version of the endpoint. Shares unchanged parts with the live object. */
  readonly object: MapValue
  /** Whether the request creates the object. */
  readonly created: boolean
  /** The object that merge and pruning made, before defaults; `object` if the request is not an apply. */
  readonly merged: MapValue
  /** The managers that were dropped because their version does not exist any more. */
  readonly dropped: readonly ManagedFieldsEntry[]
  /** The changes made to unions. */
  readonly unions: readonly UnionChange[]
}

/** A refused request. */
export interface Refused {
  readonly ok: false
  readonly step: WriteStep
  /** The server's answer. */
  readonly failure: RequestFailure
  /** The error of the engine that led to it, such as an ApplyConflictError; absent if the server found the reason itself. */
  readonly error?: SmdError
  /** The object that was refused by the steps after the merge. */
  readonly refused?: MapValue
}

export type WriteOutcome = Accepted | Refused

/** The object that a patch made, and the words in which it is refused if it does not fit its type. */
export interface Patched {
  readonly value: Value
  /** Lists the problems of the patch for a strict reader. */
  readonly strictly: StrictReader
  /** Makes the refusal. `why` says what is wrong: fields that `type` does not have, or else a value of another type. */
  readonly refusal: (why: string, type: Type | undefined) => RequestFailure
}

/** Writes one object once. Throws only what hooks throw that are not refusals. */
export class Write {
  private readonly context: WriteContext
  private readonly target: Target
  private readonly options: WriteOptions
  private step: WriteStep = "read"
  private merged: MapValue | undefined
  private latest: MapValue | undefined
  private dropped: readonly ManagedFieldsEntry[] = []
  private unions: readonly UnionChange[] = []

  constructor(context: WriteContext, target: Target, options: WriteOptions) {
    this.context = context
    this.target = target
    this.options = options
  }

  /** Creates an object that was decoded. */
  create(object: MapValue): WriteOutcome {
    return this.outcome(() => {
      if (!["", "0"].includes(metaText(object, "resourceVersion"))) {
        throw new RequestFailure(500, "resourceVersion should not be set on objects to be created")
      }
      return this.created(this.mergeUpdate(this.inNamespace(wipeSystemFields(object))))
    })
  }

  /** Replaces the live object with one that was decoded, or creates it if the kind allows that. */
  update(object: MapValue): WriteOutcome {
    return this.outcome(() => {
      const { endpoint, live } = this.target
      const uid = metaText(object, "uid")
      if (uid !== "" && live !== undefined && uid !== metaText(live, "uid")) {
        const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metaText(live, "uid")}`
        throw conflict(subjectOf(endpoint.resource), this.target.name, why)
      }
      if (live === undefined && (endpoint.subresource !== "" || !canCreateByPut(endpoint.resource)))
        throw this.missing()
      return this.placed(this.mergeUpdate(object))
    })
  }

  /** Patches the live object: `change` makes the next one from it. */
  patch(change: (live: MapValue) => Patched): WriteOutcome {
    return this.outcome(() => {
      const { endpoint, live } = this.target
      if (live === undefined) throw this.missing()
      const { value, strictly, refusal } = change(live)
      if (!isMap(value)) throw badRequest("the patch does not leave an object")
      const { object, unknown } = endpoint.read(value)
      if (endpoint.resource.builtIn?.definesKinds === true) this.context.noteRead(object, unknown)
      checkTypes(endpoint, object, why => refusal(why, endpoint.type))
      const refuse = (problems: string) => refusal(strictError(problems), undefined)
      reportStrictly(this.context, () => strictly(unknown), this.options, refuse)
      return this.placed(this.mergeUpdate(object))
    })
  }

  /** Server-side apply. Creates the object if there is none. `repeated` lists the keys that the text of `config` repeats. */
  apply(config: MapValue, repeated: () => readonly string[] = () => []): WriteOutcome {
    return this.outcome(() => {
      if (this.target.live === undefined && this.target.endpoint.subresource !== "") throw this.missing()
      const merged = this.mergeApply(config)
      const refuse = (problems: string) => badRequest(`error strict decoding patch: ${problems}`)
      reportStrictly(this.context, repeated, this.options, refuse)
      return this.placed(merged)
    })
  }

  /** Writes to the `scale` subresource. The object of the outcome is the Scale's parent; `scaleOf` makes the Scale. */
  scale(change: ScaleChange): WriteOutcome {
    return this.outcome(() => {
      const { endpoint, live, name } = this.target
      if (live === undefined) throw this.missing()
      this.step = "merge"
      const { object, unions } = mergeScale({ endpoint, live, name }, this.options, change)
      this.noteUnions(unions)
      return this.placed(object)
    })
  }

  /** The FieldManager works out the owners of an object that was created, replaced or patched. */
  private mergeUpdate(next: MapValue): MapValue {
    const { endpoint, live } = this.target
    const { manager } = this.options
    this.step = "merge"
    const made: LenientResult = endpoint.manager.updateLeniently(live, next, {
      manager,
      subresource: endpoint.subresource,
    })
    this.dropped = made.dropped
    this.noteUnions(made.unions)
    return made.object
  }

  /** The FieldManager merges what is applied, and gives the result its defaults. */
  private mergeApply(config: MapValue): MapValue {
    const { endpoint, live } = this.target
    const { manager, force } = this.options
    this.step = "merge"
    const attempt = endpoint.manager.tryApply(live, config, { manager, force, subresource: endpoint.subresource })
    if (!attempt.ok) throw attempt.error
    this.merged = attempt.merged
    this.dropped = attempt.dropped
    this.noteUnions(attempt.unions)
    return attempt.object
  }

  private noteUnions(unions: readonly UnionChange[]): void {
    this.unions = [...this.unions, ...unions]
    this.context.unions.addChanges(unions, this.options.manager).forEach(this.context.warn)
  }

  /** Matches the object with the address of the request, and goes on to create or to update. */
  private placed(made: MapValue): MapValue {
    const { endpoint, live, name } = this.target
    this.step = "place"
    const uid = metaText(made, "uid")
    if (live === undefined && uid !== "") {
      const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`
      throw conflict(subjectOf(endpoint.resource), name, why)
    }
    const placed = this.inNamespace(made)
    const givenName = metaText(placed, "name")
    if (givenName !== "" && givenName !== name) {
      throw badRequest(`the name of the object (${givenName}) does not match the name on the URL (${name})`)
    }
    return live === undefined ? this.created(wipeSystemFields(placed)) : this.updated(placed, live)
  }

  /** Returns the object with the namespace of the request, unless it says another. */
  private inNamespace(object: MapValue): MapValue {
    const { namespaced } = this.target.endpoint.resource
    const given = metaText(object, "namespace")
    const expected = namespaced ? this.target.namespace : ""
    if (given !== "" && given !== expected && namespaced) {
      throw badRequest("the namespace of the provided object does not match the namespace sent on the request")
    }
    return given === expected ? object : withMetadata(object, { namespace: expected === "" ? undefined : expected })
  }

  private created(made: MapValue): MapValue {
    const { endpoint } = this.target
    const request = requestTo(endpoint, "CREATE", made, undefined, this.options)
    const named = withGeneratedName(this.admitted(request), this.context.nameSuffix)
    this.step = "strategy"
    const object = beforeCreate(endpoint, named, this.context.identity?.())
    return this.validated({ ...request, object })
  }

  private updated(made: MapValue, live: MapValue): MapValue {
    const { endpoint, name } = this.target
    const request = requestTo(endpoint, "UPDATE", made, live, this.options)
    const admitted = this.admitted(request)
    this.step = "strategy"
    const versioned = atVersion(endpoint.resource, name, admitted, live)
    return this.validated({ ...request, object: beforeUpdate(endpoint, versioned, live) })
  }

  /** Admission may change or refuse the object. Unions that it changes are settled again. */
  private admitted(request: AdmissionRequest): MapValue {
    this.step = "admission"
    const { live, object: made } = request
    const admitted = admit(this.context, request)
    const { object, unions } = this.target.endpoint.settledAgain({ live, made, admitted })
    this.noteUnions(unions)
    return object
  }

  private validated(request: AdmissionRequest): MapValue {
    this.step = "validation"
    this.latest = request.object
    check(this.context, this.target.endpoint, request)
    return request.object
  }

  private missing(): RequestFailure {
    return notFound(subjectOf(this.target.endpoint.resource), this.target.name)
  }

  private outcome(steps: () => MapValue): WriteOutcome {
    try {
      const object = steps()
      const { merged = object, dropped, unions } = this
      return { ok: true, object, created: this.target.live === undefined, merged, dropped, unions }
    } catch (error) {
      const { step, latest } = this
      return { ok: false, step, ...this.refusalOf(error), ...(latest !== undefined && { refused: latest }) }
    }
  }

  /** The refusal that an error of the engine stands for. Rethrows errors of anything else. */
  private refusalOf(error: unknown): Pick<Refused, "failure" | "error"> {
    if (error instanceof RequestFailure) return { failure: error }
    if (!isStructuredMergeError(error)) throw error
    const { code, message, reason, details } = statusOf(error)
    if (error.code === "union") this.context.unions.add("refused", details?.causes.length ?? 1)
    return { failure: new RequestFailure(code, message, reason, details as MapValue | undefined), error }
  }
}

/** Whether storing the object would change nothing but times of managedFields, which a server then does not store. */
export function changesNothing(next: MapValue, live: MapValue): boolean {
  return equalValues(next, live) || differInTimesOnly(live, next)
}

/** Returns the object with the resourceVersion of the live one. Throws a RequestFailure if it was made for another state. */
function atVersion(resource: Resource, name: string, object: MapValue, live: MapValue): MapValue {
  const given = own(metadataOf(object), "resourceVersion") ?? ""
  const current = metaText(live, "resourceVersion")
  if (given === current) return object
  if (given !== "" && given !== "0") throw modified(subjectOf(resource), name)
  if (!needsResourceVersion(resource)) return withMetadata(object, { resourceVersion: current || undefined })
  const message = "Invalid value: 0: must be specified for an update"
  throw invalid(subjectOf(resource), name, [
    { reason: "FieldValueInvalid", message, field: "metadata.resourceVersion" },
  ])
}
