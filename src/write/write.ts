// Computes one request that writes an object, from the decoded request to the object to store.
//
// The methods of Write are in the order of an API server's steps. An object is read (decode.ts) and gets defaults. The FieldManager merges it and
// determines its owners. Then the object is matched with the URL of the request, passes admission, is prepared by the strategy of its kind
// (strategy.ts), and is validated (admission.ts). No step knows HTTP or storage. The test API server stores the result; plan, the simulator and
// the Applier only read it.

import { withGeneratedName } from "../kinds/defaults/generated-name.js"
import { badRequest, conflict, notFound, RequestFailure } from "../kinds/refusal/failure.js"
import { subjectOf } from "../kinds/resource/resource.js"
import { statusOf } from "../managedfields/chain/status.js"
import type { ManagedFieldsEntry } from "../managedfields/entries/entry.js"
import { differInTimesOnly } from "../managedfields/entries/times-only.js"
import { isStructuredMergeError, type SmdError } from "../merge/conflict.js"
import { metaText } from "../schema/metadata.js"
import type { Type } from "../typed/type.js"
import type { UnionChange } from "../union/report.js"
import { equalValues } from "../value/equal.js"
import { isMap, type MapValue, type Value } from "../value/value.js"
import {
  type AdmissionContext,
  type AdmissionRequest,
  admissionRequest,
  admit,
  operationOptions,
  validate,
} from "./admission.js"
import { type Attributes, adminInfo } from "./attributes.js"
import { type Body, checkTypes, decodeObject, reportStrictly, strictMessage } from "./decode.js"
import type { WriteOptions } from "./options.js"
import { withoutRepeatedOwners } from "./owner-references.js"
import { ScaledObject, scaleEndpoint, scaleOf, validateScale } from "./scale.js"
import { during, FailedStep, type WriteStep } from "./step.js"
import { atVersion, beforeCreate, beforeUpdate, canCreateByPut, type Identity, wipeSystemFields } from "./strategy.js"
import type { StrictReader } from "./strict.js"
import { inNamespaceOf, matchedWith, placedAt, type Target } from "./target.js"

/** The hooks of a server, and its values for new objects. */
export interface WriteContext extends AdmissionContext {
  /** Returns the uid and the creation time of a new object. If absent, new objects get neither, so that a dry run is repeatable. */
  readonly identity?: () => Identity
  /** Returns the end of a generated name; random if absent. */
  readonly nameSuffix?: () => string
}

/** The outcome of an accepted request. */
export interface AcceptedWrite {
  readonly ok: true
  /** The object to store, at the version of the endpoint. Shares unchanged parts with the live object. */
  readonly object: MapValue
  /** Whether the request creates the object. */
  readonly created: boolean
  /** The object after merge and pruning, before defaults; `object` if the request is not an apply. */
  readonly merged: MapValue
  /** The managers that were dropped because their version no longer exists. */
  readonly dropped: readonly ManagedFieldsEntry[]
  /** The changes made to unions. */
  readonly unions: readonly UnionChange[]
  /** The object before and after the plugins of admission, with managedFields; absent if they change nothing. */
  readonly admitted?: { readonly before: MapValue; readonly after: MapValue }
}

/** The outcome of a refused request. */
export interface RefusedWrite {
  readonly ok: false
  readonly step: WriteStep
  /** The server's response. */
  readonly failure: RequestFailure
  /** The error of the engine that caused the refusal, such as an ApplyConflictError; absent if another step refused the request. */
  readonly error?: SmdError
  /** The object that validation refused; absent if another step refused the request. */
  readonly refused?: MapValue
}

export type WriteOutcome = AcceptedWrite | RefusedWrite

/** The result of a patch, and the refusal if that does not fit its type. */
export interface PatchedObject {
  readonly value: Value
  /** Lists the problems of the patch for a strict reader. */
  readonly strictly: StrictReader
  /** Returns the refusal. `why` is the problem. `type` is set if a value does not fit it; undefined if a strict reader reported the problem. */
  readonly refusal: (why: string, type: Type | undefined) => RequestFailure
}

/** A request to a Scale: the body of a PUT, a patch as in `Write.patch`, or the configuration of an apply, as in `Write.apply`. */
export type ScaleRequest =
  | { readonly update: Body }
  | { readonly patch: (scale: MapValue) => PatchedObject }
  | { readonly apply: MapValue; readonly repeated?: () => readonly string[] }

/** The result of the merge, or of admission. */
interface MergedWrite extends Pick<AcceptedWrite, "admitted"> {
  readonly object: MapValue
  /** The object before defaults, if the request is an apply. */
  readonly merged?: MapValue
  readonly dropped: readonly ManagedFieldsEntry[]
  readonly unions: readonly UnionChange[]
}

/** Performs one request. Refusals are outcomes; other errors from hooks are thrown. */
export class Write {
  private readonly context: WriteContext
  private readonly target: Target
  private readonly options: WriteOptions
  /** Whether the request writes the Scale of the object. */
  private isScale = false
  /** Whether a request other than a create creates the object. */
  private createsByChange = false

  constructor(context: WriteContext, target: Target, options: WriteOptions) {
    this.context = context
    this.target = target
    this.options = options
  }

  /** Creates a decoded object. */
  create(object: MapValue): WriteOutcome {
    return this.run(() => {
      return this.finishCreate(
        this.mergeUpdate(inNamespaceOf(this.target, wipeSystemFields(this.withOwners(object, "")))),
      )
    })
  }

  /** Replaces the live object with a decoded object. Creates the object if it does not exist and its kind allows that. */
  update(object: MapValue): WriteOutcome {
    return this.run(() => {
      const { endpoint, live } = this.target
      during("place", () => matchedWith(this.target, object))
      const uid = metaText(object, "uid")
      if (uid !== "" && live !== undefined && uid !== metaText(live, "uid")) {
        const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metaText(live, "uid")}`
        throw conflict(subjectOf(endpoint.resource), this.target.name, why)
      }
      if (live === undefined && (endpoint.subresource !== "" || !canCreateByPut(endpoint.resource)))
        throw this.missing()
      return this.finish(this.mergeUpdate(this.withOwners(object, "")))
    })
  }

  /** Patches the live object: `change` returns the patched object. */
  patch(change: (live: MapValue) => PatchedObject): WriteOutcome {
    return this.run(() => {
      const { live } = this.target
      if (live === undefined) throw this.missing()
      return this.finish(this.mergePatch(live, change))
    })
  }

  /** Server-side apply. Creates the object if it does not exist. `repeated` lists the repeated keys in the text of `config`. */
  apply(config: MapValue, repeated?: () => readonly string[]): WriteOutcome {
    return this.run(() => {
      if (this.target.live === undefined && this.target.endpoint.subresource !== "") throw this.missing()
      return this.finish(this.mergeApply(config, repeated))
    })
  }

  /** Writes to the `scale` subresource. The object of the outcome is the Scale's parent; `scaleOf` returns its Scale. */
  scale(request: ScaleRequest): WriteOutcome {
    return this.run(() => {
      const { context, target, options } = this
      const { live } = target
      this.isScale = true
      const endpoint = scaleEndpoint(target.endpoint)
      const sent = "update" in request ? decodeObject(context, endpoint, request.update, options) : undefined
      if (live === undefined) throw this.missing()
      const scaled = during("merge", () => new ScaledObject(target, live))
      const write = new Write(context, { ...target, endpoint, live: scaled.scale }, options)
      const { object: scale } =
        "apply" in request
          ? write.mergeApply(request.apply, request.repeated)
          : "patch" in request
            ? write.mergePatch(scaled.scale, request.patch)
            : write.mergeUpdate(sent as MapValue)
      during("place", () => matchedWith(target, scale))
      during("validation", () => validateScale(target, scale), scale)
      const { object, unions } = during("merge", () => scaled.merge(scale, options, "apply" in request))
      this.reportUnions(unions)
      return this.finish({ object, dropped: [], unions })
    })
  }

  /** Returns the object with each owner named once. */
  private withOwners(object: MapValue, when: Parameters<typeof withoutRepeatedOwners>[2]): MapValue {
    return withoutRepeatedOwners(object, this.context.warn, when)
  }

  /** Lets the FieldManager determine the owners of an object that is created, replaced or patched. */
  private mergeUpdate(next: MapValue): MergedWrite {
    const { endpoint, live } = this.target
    const who = { manager: this.options.manager, subresource: endpoint.subresource }
    const { object, dropped, unions } = during("merge", () => endpoint.manager.updateLeniently(live, next, who))
    this.reportUnions(unions)
    return { object, dropped, unions }
  }

  /** Reads the patched object, and lets the FieldManager determine its owners. */
  private mergePatch(live: MapValue, change: (live: MapValue) => PatchedObject): MergedWrite {
    const { endpoint } = this.target
    const { value, strictly, refusal } = change(live)
    if (!isMap(value)) throw badRequest("the patch does not leave an object")
    checkTypes(endpoint, value, why => refusal(why, endpoint.type))
    const { object, unknown } = endpoint.read(value, live)
    if (endpoint.resource.builtIn?.definesKinds === true) this.context.noteRead(object, unknown)
    const refuse = (problems: string) => refusal(strictMessage(problems), undefined)
    reportStrictly(this.context, () => strictly(unknown), this.options, refuse)
    return this.mergeUpdate(object)
  }

  /** Lets the FieldManager merge the configuration into the live object and fill in defaults. */
  private mergeApply(config: MapValue, repeated: () => readonly string[] = () => []): MergedWrite {
    const { endpoint, live } = this.target
    const { manager, force } = this.options
    const { subresource } = endpoint
    const attempt = during("merge", () => endpoint.manager.tryApply(live, config, { manager, force, subresource }))
    if (!attempt.ok) throw new FailedStep("merge", attempt.error)
    this.reportUnions(attempt.unions)
    const refuse = (problems: string) => badRequest(`error strict decoding patch: ${problems}`)
    during("merge", () => reportStrictly(this.context, repeated, this.options, refuse))
    return attempt
  }

  /** Counts the changes to unions, and sends the warnings about them. */
  private reportUnions(unions: readonly UnionChange[]): void {
    this.context.unions.addChanges(unions, this.options.manager).forEach(this.context.warn)
  }

  /** Performs the steps after the merge: matches the object with the URL of the request, then creates or updates it. */
  private finish(merge: MergedWrite): AcceptedWrite {
    const { live } = this.target
    const object = during("place", () => placedAt(this.target, merge.object))
    this.createsByChange = live === undefined
    return live === undefined
      ? this.finishCreate({ ...merge, object: wipeSystemFields(object) })
      : this.finishUpdate({ ...merge, object }, live)
  }

  private finishCreate(merge: MergedWrite): AcceptedWrite {
    const { endpoint } = this.target
    const { identity, nameSuffix } = this.context
    const request = admissionRequest(endpoint, "CREATE", merge.object, undefined, this.options)
    const admitted = during("admission", () => {
      const { object, ...more } = this.admit(request)
      return { object: withGeneratedName(object, nameSuffix), ...more }
    })
    const object = during("strategy", () => beforeCreate(endpoint, admitted.object, identity?.()))
    return this.accept(merge, admitted, { ...request, object })
  }

  private finishUpdate(merge: MergedWrite, live: MapValue): AcceptedWrite {
    const { endpoint, name } = this.target
    const request = admissionRequest(endpoint, "UPDATE", merge.object, live, this.options)
    const admitted = during("admission", () => this.admit(request))
    const object = during("strategy", () =>
      beforeUpdate(endpoint, atVersion(endpoint.resource, name, admitted.object, live), live),
    )
    return this.accept(merge, admitted, { ...request, object })
  }

  /** Runs admission, which may change or refuse the object. Settles unions that it changes. */
  private admit(request: AdmissionRequest): Pick<MergedWrite, "object" | "unions" | "admitted"> {
    const { live, object: requested } = request
    const { plugins } = this.context
    let changed: AcceptedWrite["admitted"]
    const mutate = (before: MapValue) => {
      if (plugins === undefined || this.isScale) return before
      const after = plugins.mutate(this.attributes({ ...request, object: before }), this.context)
      if (after !== before) changed = { before, after }
      return after
    }
    const { endpoint, namespace } = this.target
    const admitted = this.withOwners(
      admit(this.context, endpoint.resource, request, mutate),
      " after mutating admission happens",
    )
    const settled = endpoint.settledAgain({ live, requested, admitted })
    this.reportUnions(settled.unions)
    this.context.confirmGrants?.(endpoint.resource, namespace, settled.object, live)
    return { ...settled, ...(changed && { admitted: changed }) }
  }

  /** Validates the object to store. The second parameter is the effects of admission. */
  private accept(
    { merged, dropped, unions: before }: MergedWrite,
    { unions, admitted }: Pick<MergedWrite, "unions" | "admitted">,
    request: AdmissionRequest,
  ): AcceptedWrite {
    const { endpoint, live } = this.target
    const { object } = request
    const { plugins } = this.context
    const attributes = plugins && this.attributes(request)
    if (attributes !== undefined) during("validation", () => plugins?.check(attributes, this.context))
    during("validation", () => validate(this.context, endpoint, request), object)
    if (this.createsByChange) during("admission", () => this.context.requireCreate?.())
    if (attributes !== undefined) during("admission", () => plugins?.validate(attributes, this.context))
    const created = live === undefined
    const all = [...before, ...unions]
    return { ok: true, object, created, merged: merged ?? object, dropped, unions: all, ...(admitted && { admitted }) }
  }

  /** The request as plugins of admission see it. */
  private attributes({ operation, object, live, dryRun }: AdmissionRequest): Attributes {
    const { endpoint, namespace, name } = this.target
    const { resource, subresource } = endpoint
    const shown = (each: MapValue) => (this.isScale ? scaleOf(resource, each) : each)
    return {
      resource,
      subresource: this.isScale ? "scale" : subresource,
      operation,
      // A name that the server generates is not a part of the request.
      name: name || (metaText(object, "generateName") === "" ? metaText(object, "name") : ""),
      namespace: resource.builtIn?.emptied === undefined ? namespace : metaText(object, "name"),
      object: shown(object),
      oldObject: live && shown(live),
      dryRun,
      options: operationOptions(operation, this.options),
      userInfo: this.context.userInfo ?? adminInfo,
    }
  }

  private missing(): RequestFailure {
    return notFound(subjectOf(this.target.endpoint.resource), this.target.name)
  }

  private run(steps: () => AcceptedWrite): WriteOutcome {
    try {
      return steps()
    } catch (thrown) {
      const { step, cause, refused } = thrown instanceof FailedStep ? thrown : new FailedStep("read", thrown)
      return { ok: false, step, ...this.refusalOf(cause), ...(refused !== undefined && { refused }) }
    }
  }

  /** Returns the server's response for an error of this package. Rethrows any other error. */
  private refusalOf(error: unknown): Pick<RefusedWrite, "failure" | "error"> {
    if (error instanceof RequestFailure) return { failure: error }
    if (!isStructuredMergeError(error)) throw error
    const { code, message, reason, details } = statusOf(error)
    if (error.code === "union") this.context.unions.add("refused", details?.causes.length ?? 1)
    return { failure: new RequestFailure(code, message, reason, details as MapValue | undefined), error }
  }
}

/** Whether the objects are equal or differ only in times of managedFields. A server does not store such a difference. */
export function changesNothing(next: MapValue, live: MapValue): boolean {
  return equalValues(next, live) || differInTimesOnly(live, next)
}
