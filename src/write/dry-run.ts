// A write that is tried and not stored: the question that plan, the simulator and the Applier ask.

import { invalid, noSuchResource, notFound, type Problem, RequestFailure } from "../kinds/refusal/failure.js"
import { nowhere } from "../kinds/refusal/field-error.js"
import { managerProblems } from "../kinds/refusal/manager-name.js"
import { type Resource, subjectOf } from "../kinds/resource/resource.js"
import { metadataProblems } from "../kinds/validation/metadata.js"
import type { FieldManagerOptions } from "../managedfields/request.js"
import { metadataOf, metaText, withMetadata } from "../schema/metadata.js"
import { own } from "../value/object.js"
import type { MapValue } from "../value/value.js"
import { decodeObject } from "./decode.js"
import { Endpoint, endpointOptions } from "./endpoint.js"
import type { WriteOptions } from "./options.js"
import type { ScaleChange } from "./scale.js"
import { beforeDelete, isFinalized } from "./strategy.js"
import { strictWithoutText } from "./strict.js"
import { UnionEvents } from "./unions.js"
import {
  type Accepted,
  changesNothing,
  type Patched,
  type Refused,
  Write,
  type WriteContext,
  type WriteOutcome,
} from "./write.js"

/** What a server is told about a kind, and what it does to requests. */
export interface DryRunOptions extends FieldManagerOptions, Pick<WriteContext, "identity" | "nameSuffix"> {
  /** What happens to fields that the kind does not have; `Ignore` if absent. */
  readonly fieldValidation?: WriteOptions["fieldValidation"]
}

/** Where an object is. */
export interface Address {
  /** "" if a request creates the object and does not say its name. */
  readonly name: string
  /** Absent or "" if nothing says it. */
  readonly namespace?: string
}

/** Who applies, and whether by force. */
export interface ApplyDryRun {
  readonly manager: string
  readonly force: boolean
}

/** Who writes in another way. */
export type Writer = Pick<ApplyDryRun, "manager">

/** What a write would do, and what the server would warn of. */
export type DryRunOutcome = (Refused | TriedWrite) & {
  /** Whether unions are a reason for the refusal. */
  readonly refusesUnions: boolean
  /** The warnings of the server's answer. */
  readonly warnings: readonly string[]
}

/** The object that a server would answer with. */
export interface TriedWrite extends Accepted {
  /** Whether storage would change, be it only in who owns what. */
  readonly changed: boolean
  /** Whether the object leaves the storage: it was being deleted, and nothing holds it any more. */
  readonly gone: boolean
  /** The problems that the result has, and the live object had before: no server has stored it as it was given. */
  readonly excused: readonly Problem[]
}

/** A stored object that was checked. */
export interface Checked {
  /** The object at the version of the endpoint, with its defaults. */
  readonly object: MapValue
  readonly problems: readonly Problem[]
}

/** A live object as an endpoint reads it, for any number of tries. The object must not change in between. */
export interface LiveObject {
  /** The object as it was given. */
  readonly given: MapValue
  /** The object at the version of the endpoint, with its defaults; the refusal if that version has no place for a part of it. */
  readonly read: MapValue | RequestFailure
}

/** Tries writes to objects of one kind. What is stored is never changed, and nothing is remembered but compiled types. */
export class DryRun {
  readonly endpoint: Endpoint
  private readonly options: DryRunOptions

  /** The options are those of a FieldManager; what the resource knows itself need not be said. */
  constructor(resource: Resource, subresource: string, options: DryRunOptions) {
    this.endpoint = new Endpoint(resource, subresource, endpointOptions(options))
    this.options = options
  }

  /** Server-side apply to the live object, or to none. */
  apply(live: LiveObject | undefined, config: MapValue, who: ApplyDryRun): DryRunOutcome {
    return this.attempt(live, addressOf(live, config), { ...who, applies: true }, write => write.apply(config))
  }

  /** Creation of an object. Only a server gives objects a resourceVersion, so `object` must not have one. */
  create(object: MapValue, who: Writer): DryRunOutcome {
    return this.written(undefined, object, who, (write, decoded) => write.create(decoded))
  }

  /** Replacement of the live object, whatever its resourceVersion is by now. */
  update(live: LiveObject, object: MapValue, who: Writer): DryRunOutcome {
    const latest = withMetadata(object, { resourceVersion: own(metadataOf(live.given), "resourceVersion") })
    return this.replace(live, latest, who)
  }

  /** Replacement of the live object, if it is still at the resourceVersion that `object` says. Some kinds are created if there is none. */
  replace(live: LiveObject | undefined, object: MapValue, who: Writer): DryRunOutcome {
    return this.written(live, object, who, (write, decoded) => write.update(decoded))
  }

  /** A patch of the live object: `change` makes the next one from it. */
  patch(live: LiveObject | undefined, at: Address, change: (live: MapValue) => Patched, who: Writer): DryRunOutcome {
    return this.attempt(live, at, { ...who, force: false, applies: false }, write => write.patch(change))
  }

  /** A write to the Scale of the live object. */
  scale(live: LiveObject | undefined, at: Address, change: ScaleChange, who: Writer): DryRunOutcome {
    return this.attempt(live, at, { ...who, force: false, applies: change.applies }, write => write.scale(change))
  }

  /** Deletion of the live object, as if every grace period was over and the controllers of its kind had done their part. */
  delete(live: LiveObject | undefined, { name }: Address): DryRunOutcome {
    const { endpoint } = this
    const { resource, clock } = endpoint
    if (live === undefined) return unread(notFound(subjectOf(resource), name))
    const { read } = live
    if (read instanceof RequestFailure) return unread(read)
    const marked = beforeDelete(endpoint, read, 0, clock())
    const object = resource.builtIn?.emptied?.(marked) ?? marked
    const accepted = { ok: true, object, created: false, merged: object, dropped: [], unions: [] } as const
    const changed = object !== read
    return { ...accepted, changed, gone: isFinalized(object, object), excused: [], warnings: [], refusesUnions: false }
  }

  /** Whether objects have a Scale. */
  get hasScale(): boolean {
    return this.endpoint.resource.subresources.some(({ name }) => name === "scale")
  }

  private written(
    live: LiveObject | undefined,
    object: MapValue,
    { manager }: Writer,
    steps: (write: Write, decoded: MapValue) => WriteOutcome,
  ): DryRunOutcome {
    const reading = { warn: () => {}, noteRead: () => {} }
    const body = { value: object, strictly: strictWithoutText }
    const { fieldValidation = "Ignore" } = this.options
    try {
      const decoded = decodeObject(reading, this.endpoint, body, { fieldValidation })
      const who = { manager, force: false, applies: false }
      return this.attempt(live, addressOf(live, object), who, write => steps(write, decoded))
    } catch (error) {
      // The object can't be read, or only a webhook could convert it.
      if (!(error instanceof RequestFailure)) throw error
      return unread(error)
    }
  }

  private attempt(
    live: LiveObject | undefined,
    { name, namespace = "" }: Address,
    { manager, ...more }: ApplyDryRun & { readonly applies: boolean },
    steps: (write: Write) => WriteOutcome,
  ): DryRunOutcome {
    const missing = this.missingSubresource(name)
    if (missing !== undefined) return unread(missing)
    const problems = managerProblems(manager, "fieldManager")
    if (problems.length > 0) {
      return unread(invalid({ group: "meta.k8s.io", name: "PatchOptions" }, "", problems))
    }
    const { endpoint } = this
    const { identity, nameSuffix, fieldValidation = "Ignore" } = this.options
    const viewed = live?.read
    if (viewed instanceof RequestFailure) return unread(viewed)
    const warnings: string[] = []
    const excused: Problem[] = []
    const unions = new UnionEvents("")
    const context = {
      warn: (message: string) => warnings.push(message),
      unions,
      noteRead: () => {},
      excuse: (problems: readonly Problem[]) => this.unexcused(problems, viewed, excused),
      ...(identity !== undefined && { identity }),
      ...(nameSuffix !== undefined && { nameSuffix }),
    }
    const options = { ...more, manager, dryRun: true, fieldValidation } as const
    const outcome = steps(new Write(context, { endpoint, namespace, name, live: viewed }, options))
    const refusesUnions = unions.counts.has("refused")
    if (!outcome.ok) return { ...outcome, warnings, refusesUnions }
    const tried = { ...outcome, warnings, refusesUnions, excused }
    if (viewed === undefined) {
      return { ...tried, object: endpoint.throughStorage(outcome.object), changed: true, gone: false }
    }
    const changed = !changesNothing(outcome.object, viewed)
    const object = changed ? endpoint.throughStorage(outcome.object) : viewed
    return { ...tried, object, changed, gone: isFinalized(outcome.object, viewed) }
  }

  /** The problems that a request is refused for. Those that the live object has already are added to `excused`. */
  private unexcused(problems: readonly Problem[], live: MapValue | undefined, excused: Problem[]): readonly Problem[] {
    if (live === undefined || problems.length === 0) return problems
    // Live objects that were written by hand have no uid.
    const others = metaText(live, "uid") === "" ? problems.filter(({ field }) => field !== "metadata.uid") : problems
    const known = this.knownProblems(live)
    excused.push(...others.filter(problem => known.has(textOf(problem))))
    return others.filter(problem => !known.has(textOf(problem)))
  }

  /** Reads a live object. */
  live(given: MapValue): LiveObject {
    try {
      return { given, read: this.endpoint.viewAnew(given) }
    } catch (error) {
      if (error instanceof RequestFailure) return { given, read: error }
      throw error
    }
  }

  /** The answer of an address that is not there; undefined if it is. */
  private missingSubresource(name: string): RequestFailure | undefined {
    const { resource, subresource } = this.endpoint
    const isThere =
      subresource === "" || resource.plain || resource.subresources.some(each => each.name === subresource)
    if (isThere) return undefined
    return resource.custom === undefined ? noSuchResource() : notFound(subjectOf(resource), name)
  }

  /** What is wrong with a stored object: nothing, if a server of the release that is known here would have stored it. */
  check(stored: MapValue): Checked {
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
    // An update of a custom resource may leave what is wrong unchanged.
    const old = resource.custom === undefined ? stored : undefined
    return [...ofMetadata, ...endpoint.problems(stored, old, ofMetadata, () => {})]
  }

  /**
   * The problems that a live object of a built-in kind has. A server stores none that has any, so this one is not complete: it was written by
   * hand, or lost a part on its way. Custom resources may have got theirs by a change of their definition.
   */
  private knownProblems(live: MapValue): ReadonlySet<string> {
    return new Set(this.endpoint.resource.custom === undefined ? this.problemsOf(live).map(textOf) : [])
  }
}

/** The refusal of a request that did not come to be merged. */
function unread(failure: RequestFailure): DryRunOutcome {
  return { ok: false, step: "read", failure, warnings: [], refusesUnions: false }
}

/** Where the live object is, or else where an object says that it is. */
function addressOf(live: LiveObject | undefined, object: MapValue): Address {
  const { given = object } = live ?? {}
  return { name: metaText(given, "name"), namespace: metaText(given, "namespace") || metaText(object, "namespace") }
}

function textOf({ field, message }: Problem): string {
  return `${field}: ${message}`
}
