// Dry runs: computes the result of a request without storing it, for plan, the simulator and the Applier.

import { invalid, notFound, notImplemented, type Problem, RequestFailure } from "../kinds/refusal/failure.js"
import { nowhere } from "../kinds/refusal/field-error.js"
import { managerProblems } from "../kinds/refusal/manager-name.js"
import { isPlaced, type Resource, subjectOf, unservedRequest, type Verb } from "../kinds/resource/resource.js"
import { metadataProblems } from "../kinds/validation/metadata.js"
import { lastingFacts, type ObjectFacts } from "../managedfields/chain/object-facts.js"
import type { FieldManagerOptions } from "../managedfields/request.js"
import { metadataOf, metaText, withMetadata } from "../schema/metadata.js"
import { own } from "../value/object.js"
import type { MapValue } from "../value/value.js"
import { validateDelete } from "./admission.js"
import type { Admission } from "./attributes.js"
import { decodeObject } from "./decode.js"
import { Endpoint, endpointOptions } from "./endpoint.js"
import type { WriteOptions } from "./options.js"
import { scaleOf } from "./scale.js"
import { beforeDelete, isFinalized, requireNoVersion } from "./strategy.js"
import { strictWithoutText } from "./strict.js"
import { UnionEvents } from "./unions.js"
import {
  type AcceptedWrite,
  changesNothing,
  type PatchedObject,
  type RefusedWrite,
  Write,
  type WriteContext,
  type WriteOutcome,
} from "./write.js"

/** The options of a server for the objects of a kind. */
export interface DryRunOptions extends FieldManagerOptions, Pick<WriteContext, "identity" | "nameSuffix"> {
  /** How fields that the kind does not have are handled; `Ignore` if absent. */
  readonly fieldValidation?: WriteOptions["fieldValidation"]
  /** The admission of the cluster; absent if it has only what every cluster has. */
  readonly admission?: Admission | undefined
  /** The namespace of objects that name none. If absent, they keep none. */
  readonly namespace?: string
}

/** The name and the namespace in the URL of a request. */
export interface Address {
  /** "" if the request creates an object whose name it does not give. */
  readonly name: string
  /** Absent or "" if it is unknown. */
  readonly namespace?: string
}

/** The manager that applies, and whether it forces the apply. */
export interface ApplyAs {
  readonly manager: string
  readonly force: boolean
}

/** The manager of a write that is not an apply. */
export type Writer = Pick<ApplyAs, "manager">

/** The outcome of a request, with the warnings of the server. */
export type DryRunOutcome = (RefusedWrite | TriedWrite) & {
  /** Whether unions are a reason for the refusal. */
  readonly refusesUnions: boolean
  /** The warnings of the server's answer. */
  readonly warnings: readonly string[]
}

/** An accepted request. `object` is the object in the server's response. */
export interface TriedWrite extends AcceptedWrite {
  /** Whether the stored object would change, in a value or in its owners. */
  readonly changed: boolean
  /** Whether the request ends a deletion: the object was being deleted, and nothing holds it any longer. */
  readonly gone: boolean
  /** The problems of the result that the live object has too. They mean that no server has stored the live object in this form. */
  readonly excused: readonly Problem[]
}

/** A stored object and its problems. */
export interface CheckedObject {
  /** The object at the version of the endpoint, with its defaults. */
  readonly object: MapValue
  readonly problems: readonly Problem[]
}

/** A live object as an endpoint reads it, for any number of dry runs. The object must not change between them. */
export interface LiveObject {
  /** The object as the caller passed it. */
  readonly given: MapValue
  /** The object at the version of the endpoint, with its defaults; a refusal if it can't be converted to that version. */
  readonly read: MapValue | RequestFailure
}

/** Tries writes to objects of one kind. Objects are never changed. */
export class DryRun {
  /** The endpoint of the objects; if the subresource is `scale`, that of the objects that have a Scale. */
  readonly endpoint: Endpoint
  private readonly options: DryRunOptions
  /** Whether requests write the Scales of objects. */
  readonly writesScale: boolean

  /**
   * The options are those of a FieldManager. Types and a converter come from the resource. Without `facts`, only compiled types are
   * remembered; with them, objects must not change as long as they are in use.
   */
  constructor(
    resource: Resource,
    subresource: string,
    options: DryRunOptions,
    facts: ObjectFacts | undefined = options.immutable === true ? lastingFacts : undefined,
  ) {
    this.writesScale = subresource === "scale" && resource.subresources.some(({ name }) => name === subresource)
    this.endpoint = new Endpoint(resource, this.writesScale ? "" : subresource, endpointOptions(options, facts))
    this.options = options
  }

  /** Server-side apply. Creates the object if `live` is undefined. */
  apply(live: LiveObject | undefined, config: MapValue, applier: ApplyAs): DryRunOutcome {
    return this.run("patch", live, addressOf(live, config), { ...applier, applies: true }, write =>
      this.writesScale ? write.scale({ apply: config }) : write.apply(config),
    )
  }

  /**
   * Creates an object. Only a server gives objects a resourceVersion, so `object` must not have one. An object of a kind that is never stored,
   * such as a review, is only answered.
   */
  create(object: MapValue, writer: Writer): DryRunOutcome {
    const { verbs, kind, builtIn } = this.endpoint.resource
    if (verbs.length === 1 && verbs[0] === "create") {
      const answer = builtIn?.review?.(object)
      return answer ? unchanged(answer) : refusedRead(notImplemented(`the kind ${kind}`, "use a real cluster"))
    }
    return this.decodeAndRun("create", undefined, object, writer, (write, decoded) => {
      requireNoVersion(decoded)
      return write.create(decoded)
    })
  }

  /** Replaces the live object, whatever resourceVersion `object` has. */
  update(live: LiveObject, object: MapValue, writer: Writer): DryRunOutcome {
    const latest = withMetadata(object, { resourceVersion: own(metadataOf(live.given), "resourceVersion") })
    return this.replace(live, latest, writer)
  }

  /** Replaces the live object if it has the resourceVersion of `object`. Creates the object if `live` is undefined and its kind allows that. */
  replace(live: LiveObject | undefined, object: MapValue, writer: Writer): DryRunOutcome {
    if (!this.writesScale)
      return this.decodeAndRun("update", live, object, writer, (write, decoded) => write.update(decoded))
    const update = { value: object, strictly: strictWithoutText }
    return this.run("update", live, addressOf(live, object), notApplied(writer), write => write.scale({ update }))
  }

  /** Patches the live object: `change` returns the patched object. */
  patch(
    live: LiveObject | undefined,
    address: Address,
    change: (live: MapValue) => PatchedObject,
    writer: Writer,
  ): DryRunOutcome {
    return this.run("patch", live, address, notApplied(writer), write =>
      this.writesScale ? write.scale({ patch: change }) : write.patch(change),
    )
  }

  /** Deletes the live object, as if its grace period was over and the controllers of its kind had finished their work. */
  delete(live: LiveObject | undefined, { name }: Address): DryRunOutcome {
    const { endpoint } = this
    const { resource, clock } = endpoint
    const refusal = unserved(this, "delete", name)
    if (refusal !== undefined) return refusedRead(refusal)
    if (live === undefined) return refusedRead(notFound(subjectOf(resource), name))
    const { read } = live
    if (read instanceof RequestFailure) return refusedRead(read)
    const warnings: string[] = []
    const { admission, types } = this.options
    const warn = (message: string) => void warnings.push(message)
    const failure = admission && refusalOf(() => validateDelete(admission, types, resource, { name, live: read, warn }))
    if (failure !== undefined) return { ok: false, step: "admission", failure, warnings, refusesUnions: false }
    const marked = beforeDelete(endpoint, read, 0, clock())
    const object = resource.builtIn?.emptied?.(marked) ?? marked
    return { ...unchanged(object), changed: object !== read, gone: isFinalized(object, object), warnings }
  }

  private decodeAndRun(
    verb: Verb,
    live: LiveObject | undefined,
    object: MapValue,
    writer: Writer,
    steps: (write: Write, decoded: MapValue) => WriteOutcome,
  ): DryRunOutcome {
    const address = addressOf(live, object)
    const refusal = unserved(this, verb, address.name)
    if (refusal !== undefined) return refusedRead(refusal)
    const readContext = { warn: () => {}, noteRead: () => {} }
    const body = { value: object, strictly: strictWithoutText }
    const { fieldValidation = "Ignore" } = this.options
    try {
      const decoded = decodeObject(readContext, this.endpoint, body, { fieldValidation })
      return this.run(verb, live, address, notApplied(writer), write => steps(write, decoded))
    } catch (error) {
      // The object can't be read, or only a webhook could convert it.
      if (!(error instanceof RequestFailure)) throw error
      return refusedRead(error)
    }
  }

  private run(
    verb: Verb,
    live: LiveObject | undefined,
    { name, namespace: given = "" }: Address,
    { manager, ...more }: ApplyAs & { readonly applies: boolean },
    steps: (write: Write) => WriteOutcome,
  ): DryRunOutcome {
    const refusal = unserved(this, verb, name)
    if (refusal !== undefined) return refusedRead(refusal)
    const problems = managerProblems(manager, "fieldManager")
    if (problems.length > 0) {
      return refusedRead(invalid({ group: "meta.k8s.io", name: "PatchOptions" }, "", problems))
    }
    const { endpoint } = this
    const { identity, nameSuffix, fieldValidation = "Ignore", admission, types } = this.options
    const namespace = given || (isPlaced(endpoint.resource) ? (this.options.namespace ?? "") : "")
    const read = live?.read
    if (read instanceof RequestFailure) return refusedRead(read)
    const { deprecation } = endpoint.resource
    const warnings = deprecation === undefined ? [] : [deprecation]
    const excused: Problem[] = []
    const unions = new UnionEvents("")
    const context = {
      warn: (message: string) => {
        if (!warnings.includes(message)) warnings.push(message)
      },
      unions,
      noteRead: () => {},
      excuse: (problems: readonly Problem[]) => this.newProblems(problems, read, excused),
      ...(identity !== undefined && { identity }),
      ...(nameSuffix !== undefined && { nameSuffix }),
      ...(admission !== undefined && { plugins: admission.pluginsFor(types), userInfo: admission.userInfo }),
    }
    const options = { ...more, manager, dryRun: true, fieldValidation } as const
    const outcome = steps(new Write(context, { endpoint, namespace, name, live: read }, options))
    const refusesUnions = unions.counts.has("refused")
    if (!outcome.ok) return { ...outcome, warnings, refusesUnions }
    const tried = { ...outcome, warnings, refusesUnions, excused }
    if (read === undefined) {
      // The resourceVersion of a configuration is in a server's answer to a dry run, but is never stored.
      const created = withMetadata(outcome.object, { resourceVersion: undefined })
      return { ...tried, object: endpoint.throughStorage(created), changed: true, gone: false }
    }
    const changed = !changesNothing(outcome.object, read)
    const object = changed ? endpoint.throughStorage(outcome.object) : read
    return { ...tried, object, changed, gone: isFinalized(outcome.object, read) }
  }

  /** Returns the problems that the live object does not have, and adds the others to `excused`. */
  private newProblems(
    problems: readonly Problem[],
    live: MapValue | undefined,
    excused: Problem[],
  ): readonly Problem[] {
    if (live === undefined || problems.length === 0) return problems
    // Live objects that were written by hand have no uid.
    const others = metaText(live, "uid") === "" ? problems.filter(({ field }) => field !== "metadata.uid") : problems
    const known = this.knownProblems(live)
    excused.push(...others.filter(problem => known.has(problemText(problem))))
    return others.filter(problem => !known.has(problemText(problem)))
  }

  /** Reads a live object, for dry runs of requests to it. */
  live(given: MapValue): LiveObject {
    try {
      return { given, read: this.endpoint.viewAnew(given) }
    } catch (error) {
      if (error instanceof RequestFailure) return { given, read: error }
      throw error
    }
  }

  /** Returns the object that requests change: the live object or its Scale; undefined if it can't be read. */
  requested({ read }: LiveObject): MapValue | undefined {
    if (read instanceof RequestFailure) return undefined
    return this.writesScale ? scaleOf(this.endpoint.resource, read) : read
  }

  /** Returns the problems of a stored object. It has none if a server of the bundled release would have stored it. */
  check(stored: MapValue): CheckedObject {
    const object = this.live(stored).read
    if (!(object instanceof RequestFailure)) return { object, problems: this.problemsOf(object) }
    const { message } = object
    return { object: stored, problems: [{ reason: "BadRequest", field: nowhere, message }] }
  }

  private problemsOf(stored: MapValue): readonly Problem[] {
    const { endpoint } = this
    const { resource } = endpoint
    if (resource.plain) return []
    const ofMetadata = metadataProblems(stored, stored, resource)
    // An update of a custom resource may leave invalid values unchanged.
    const old = resource.custom === undefined ? stored : undefined
    return [...ofMetadata, ...endpoint.problems(stored, old, ofMetadata, () => {})]
  }

  /**
   * The problems that excuse those of the result. A server stores no object of a built-in kind that has problems, so such a live object is
   * incomplete: it was written by hand, or has lost a part. A custom resource may have become invalid by a change of its definition, so its
   * problems excuse nothing.
   */
  private knownProblems(live: MapValue): ReadonlySet<string> {
    return new Set(this.endpoint.resource.custom === undefined ? this.problemsOf(live).map(problemText) : [])
  }
}

/** Returns the response of a server that does not serve the verb at the endpoint; undefined if it does. */
function unserved({ endpoint, writesScale }: DryRun, verb: Verb, name: string): RequestFailure | undefined {
  return unservedRequest(endpoint.resource, writesScale ? "scale" : endpoint.subresource, verb, name)
}

/** Returns the RequestFailure that `check` throws; undefined if it throws nothing. */
function refusalOf(check: () => void): RequestFailure | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    if (error instanceof RequestFailure) return error
    throw error
  }
}

/** The options of a write that is not an apply. */
function notApplied({ manager }: Writer): ApplyAs & { readonly applies: boolean } {
  return { manager, force: false, applies: false }
}

/** Returns the outcome of a request that is refused before the merge. */
function refusedRead(failure: RequestFailure): DryRunOutcome {
  return { ok: false, step: "read", failure, warnings: [], refusesUnions: false }
}

/** Returns the outcome of a request that leaves the object as it is. */
export function unchanged(object: MapValue): TriedWrite & DryRunOutcome {
  const accepted = { ok: true, object, created: false, merged: object, dropped: [], unions: [] } as const
  return { ...accepted, changed: false, gone: false, excused: [], warnings: [], refusesUnions: false }
}

/** The name and namespace of the live object; without one, those of `object`. */
function addressOf(live: LiveObject | undefined, object: MapValue): Address {
  const { given = object } = live ?? {}
  return { name: metaText(given, "name"), namespace: metaText(given, "namespace") || metaText(object, "namespace") }
}

function problemText({ field, message }: Problem): string {
  return `${field}: ${message}`
}
