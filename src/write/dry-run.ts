// Dry runs: computes the result of a request without storing it, for plan, the simulator and the Applier.

import { invalid, noSuchResource, notFound, type Problem, RequestFailure } from "../kinds/refusal/failure.js"
import { nowhere } from "../kinds/refusal/field-error.js"
import { managerProblems } from "../kinds/refusal/manager-name.js"
import { type Resource, subjectOf } from "../kinds/resource/resource.js"
import { metadataProblems } from "../kinds/validation/metadata.js"
import { lastingFacts, type ObjectFacts } from "../managedfields/chain/object-facts.js"
import type { FieldManagerOptions } from "../managedfields/request.js"
import { metadataOf, metaText, withMetadata } from "../schema/metadata.js"
import { own } from "../value/object.js"
import type { MapValue } from "../value/value.js"
import { type Admission, adminInfo, deleteAttributes } from "./attributes.js"
import { decodeObject } from "./decode.js"
import { Endpoint, endpointOptions } from "./endpoint.js"
import type { WriteOptions } from "./options.js"
import type { ScaleChange } from "./scale.js"
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
  readonly endpoint: Endpoint
  private readonly options: DryRunOptions

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
    this.endpoint = new Endpoint(resource, subresource, endpointOptions(options, facts))
    this.options = options
  }

  /** Server-side apply. Creates the object if `live` is undefined. */
  apply(live: LiveObject | undefined, config: MapValue, applier: ApplyAs): DryRunOutcome {
    return this.run(live, addressOf(live, config), { ...applier, applies: true }, write => write.apply(config))
  }

  /** Creates an object. Only a server gives objects a resourceVersion, so `object` must not have one. */
  create(object: MapValue, writer: Writer): DryRunOutcome {
    return this.decodeAndRun(undefined, object, writer, (write, decoded) => {
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
    return this.decodeAndRun(live, object, writer, (write, decoded) => write.update(decoded))
  }

  /** Patches the live object: `change` returns the patched object. */
  patch(
    live: LiveObject | undefined,
    address: Address,
    change: (live: MapValue) => PatchedObject,
    writer: Writer,
  ): DryRunOutcome {
    return this.run(live, address, { ...writer, force: false, applies: false }, write => write.patch(change))
  }

  /** Writes to the Scale of the live object. */
  scale(live: LiveObject | undefined, address: Address, change: ScaleChange, writer: Writer): DryRunOutcome {
    return this.run(live, address, { ...writer, force: false, applies: change.applies }, write => write.scale(change))
  }

  /** Deletes the live object, as if its grace period was over and the controllers of its kind had finished their work. */
  delete(live: LiveObject | undefined, { name }: Address): DryRunOutcome {
    const { endpoint } = this
    const { resource, clock } = endpoint
    if (live === undefined) return refusedRead(notFound(subjectOf(resource), name))
    const { read } = live
    if (read instanceof RequestFailure) return refusedRead(read)
    const warnings: string[] = []
    const failure = this.refusalOfDelete(read, name, message => warnings.push(message))
    if (failure !== undefined) return { ok: false, step: "admission", failure, warnings, refusesUnions: false }
    const marked = beforeDelete(endpoint, read, 0, clock())
    const object = resource.builtIn?.emptied?.(marked) ?? marked
    return { ...unchanged(object), changed: object !== read, gone: isFinalized(object, object), warnings }
  }

  /** Returns the refusal of a delete by admission; undefined if it accepts the delete. */
  private refusalOfDelete(
    oldObject: MapValue,
    name: string,
    warn: (message: string) => void,
  ): RequestFailure | undefined {
    const { admission, types } = this.options
    if (admission === undefined) return undefined
    const request = deleteAttributes(this.endpoint.resource, metaText(oldObject, "namespace"), name, oldObject)
    const { userInfo = adminInfo } = admission
    try {
      admission.pluginsFor(types).validate({ ...request, dryRun: true, options: deleteOptions, userInfo }, { warn })
      return undefined
    } catch (error) {
      if (error instanceof RequestFailure) return error
      throw error
    }
  }

  /** Whether objects of the kind have a Scale. */
  get hasScale(): boolean {
    return this.endpoint.resource.subresources.some(({ name }) => name === "scale")
  }

  private decodeAndRun(
    live: LiveObject | undefined,
    object: MapValue,
    { manager }: Writer,
    steps: (write: Write, decoded: MapValue) => WriteOutcome,
  ): DryRunOutcome {
    const readContext = { warn: () => {}, noteRead: () => {} }
    const body = { value: object, strictly: strictWithoutText }
    const { fieldValidation = "Ignore" } = this.options
    try {
      const decoded = decodeObject(readContext, this.endpoint, body, { fieldValidation })
      const writer = { manager, force: false, applies: false }
      return this.run(live, addressOf(live, object), writer, write => steps(write, decoded))
    } catch (error) {
      // The object can't be read, or only a webhook could convert it.
      if (!(error instanceof RequestFailure)) throw error
      return refusedRead(error)
    }
  }

  private run(
    live: LiveObject | undefined,
    { name, namespace = "" }: Address,
    { manager, ...more }: ApplyAs & { readonly applies: boolean },
    steps: (write: Write) => WriteOutcome,
  ): DryRunOutcome {
    const missing = this.missingSubresource(name)
    if (missing !== undefined) return refusedRead(missing)
    const problems = managerProblems(manager, "fieldManager")
    if (problems.length > 0) {
      return refusedRead(invalid({ group: "meta.k8s.io", name: "PatchOptions" }, "", problems))
    }
    const { endpoint } = this
    const { identity, nameSuffix, fieldValidation = "Ignore", admission, types } = this.options
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

  /** Returns the server's response if the resource does not have the subresource; undefined if it does. */
  private missingSubresource(name: string): RequestFailure | undefined {
    const { resource, subresource } = this.endpoint
    const exists = subresource === "" || resource.plain || resource.subresources.some(each => each.name === subresource)
    if (exists) return undefined
    return resource.custom === undefined ? noSuchResource() : notFound(subjectOf(resource), name)
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

/** The options of a delete that has none of its own. */
const deleteOptions: MapValue = { kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1", dryRun: ["All"] }

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
