import { hasCode } from "../../errors.js"
import { formatJson } from "../../json/json.js"
import { type ManagedFieldsEntry, readManagedFields } from "../../managedfields/entries/entry.js"
import { fromClient } from "../../managedfields/from-client.js"
import { objectOf } from "../../managedfields/request.js"
import { unionPolicies } from "../../union/policy.js"
import { seesUnions } from "../../union/validate.js"
import {
  aFunction,
  anObject,
  aString,
  aTypeFinder,
  either,
  oneOf,
  optional,
  requireArgument,
  requireOptions,
} from "../../value/argument.js"
import type { MapValue } from "../../value/value.js"
import { objectType } from "../ownership/fields.js"
import { type ObjectName, objectName } from "../ownership/object-name.js"
import type { Resolution, ResolveRequest } from "../ownership/resolve.js"
import { Decider } from "./decide.js"
import type { Intent } from "./foresee.js"
import { keyOf, keysOf, namespaceOf, Turns, targetOf } from "./identity.js"
import { Memory, sameState, stateOf } from "./memory.js"
import type { Applied, ApplierApplyOptions, ApplierOptions, SendReason, SendRequest, SkipReason } from "./request.js"

const minute = 60_000

const aWay = oneOf("report", "relinquish", "share", "overwrite", "fail")
const anOnConflict = either(aWay, aFunction)

/** Whether an apply is sent, and the reason. */
interface Decision {
  readonly intent: Intent
  readonly sent: boolean
  readonly reason: SendReason | SkipReason
  readonly detail?: string
  readonly resolution?: Resolution
}

/**
 * Applies configurations but sends only those that change something. The Applier predicts how an API server would handle an apply, and
 * sends it if the prediction is uncertain. An apply that was sent and left the object unchanged is not sent again while the object stays
 * the same. The memory of responses is bounded. Objects are never changed.
 */
export class Applier {
  private readonly options: ApplierOptions
  private readonly decider: Decider
  private readonly memory: Memory
  private readonly turns = new Turns()
  /** The subjects that warnings were given about. */
  private readonly warnedOf = new Set<"managedFields" | "unions">()

  constructor(options: ApplierOptions) {
    requireOptions("options", options, { types: aTypeFinder, manager: aString, send: aFunction })
    this.options = options
    this.decider = new Decider(options)
    this.memory = new Memory(options.maxObjects ?? 10_000)
  }

  /**
   * Applies `config` to the object. `live` is the last state of the object that the caller knows; undefined if there is none. Both may be
   * objects of a client, as in `fromClient`. `live` may be outdated, for example if it comes from an informer's cache; once a newer state
   * arrives, the next call decides again. Applies to one object run one after the other, in the order of the calls, even if only some of
   * them name its namespace. An apply without a namespace and without a live object waits for all applies to its kind and name.
   *
   * Throws whatever `send` throws; the next apply to the object is then sent even if it would change nothing. Throws a TypeError for a
   * configuration that has no name or that is about another object than `live`.
   *
   * @example
   * ```ts
   * import { createApiServer } from "structured-merge-diff/apiserver"
   * import { Applier, sendByFetch } from "structured-merge-diff/controller"
   * import { kubernetesTypes } from "structured-merge-diff/kubernetes"
   *
   * const send = sendByFetch("http://test", { fetch: createApiServer().fetch })
   * const applier = new Applier({ manager: "web-team", types: kubernetesTypes, send })
   *
   * const settings = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" }, data: { color: "blue" } }
   * const first = await applier.apply(undefined, settings)
   * const second = await applier.apply(first.object, settings)
   * console.log(first.reason, second.reason)
   * // create unchanged
   * ```
   */
  apply(live: undefined, config: object, options?: ApplierApplyOptions): Promise<Applied>
  /** The same with a live object: the result has its type. */
  apply<T extends object>(live: T | undefined, config: object, options?: ApplierApplyOptions): Promise<Applied<T>>
  async apply<T extends object>(
    live: T | undefined,
    config: object,
    options: ApplierApplyOptions = {},
  ): Promise<Applied<T>> {
    requireArgument("config", config, anObject)
    requireOptions("options", options, { onConflict: optional(anOnConflict) })
    const plain = objectOf(fromClient(config))
    const before = live === undefined ? undefined : liveObject(live, plain)
    const { force = false, subresource = "" } = options
    const intent = { config: plain, force, subresource }
    return this.turns.take(targetOf(plain, before), async () =>
      this.carryOut<T>(live, before, await this.decide(before, intent, options)),
    )
  }

  private async decide(
    live: MapValue | undefined,
    given: Intent,
    { onConflict }: ApplierApplyOptions,
  ): Promise<Decision> {
    if (live === undefined) return { intent: given, sent: true, reason: "create" }
    if ((readManagedFields(live) ?? []).length === 0) return this.untracked(live, given)
    const decision = await this.decideOnce(live, given)
    if (decision.reason !== "conflict" || onConflict === undefined) return decision
    let isReported = false
    const resolution = await this.resolve(live, given, conflict => {
      const way = typeof onConflict === "function" ? onConflict(conflict) : onConflict
      requireArgument("the result of onConflict", way, aWay)
      isReported ||= way === "report"
      return way === "report" ? "fail" : way
    })
    if (isReported || onConflict === "report") return { ...decision, sent: false, ...(resolution && { resolution }) }
    if (resolution?.outcome !== "resolved") return decision
    const { config, force } = resolution
    return { ...(await this.decideOnce(live, { ...given, config, force })), resolution }
  }

  private async decideOnce(live: MapValue, intent: Intent): Promise<Decision> {
    const keys = keysOf(intent.config, live)
    if (await this.isRemembered(keys, live, intent)) return { intent, sent: false, reason: "remembered" }
    const now = this.now()
    const requestedAt = this.memory.requestedAt(keys[0], now)
    const verdict = await this.decider.decide(live, intent)
    if (verdict.reason !== "undecided" && verdict.reason !== "no-type") this.warnOfUnions(intent.config)
    if (verdict.reason !== "unchanged") return { intent, sent: true, ...verdict }
    if (this.memory.isOutdated(keys, stateOf(live))) return { intent, sent: true, reason: "stale-object" }
    const { recheckAfter = 60 * minute } = this.options
    if (now - requestedAt >= recheckAfter) return { intent, sent: true, reason: "recheck" }
    return { intent, sent: false, reason: "unchanged" }
  }

  /** Whether the server received the same apply before, left the object unchanged, and the object is still in that state. */
  private async isRemembered(keys: readonly string[], live: MapValue, intent: Intent): Promise<boolean> {
    if (!this.memory.remembers(keys)) return false
    const time = this.memory.unchangedAt(keys, stateOf(live), await hashOf(intent))
    const { rememberFor = 10 * minute } = this.options
    return time !== undefined && this.now() - time < rememberFor
  }

  private untracked(live: MapValue, intent: Intent): Decision {
    const { kind, name } = objectName(live)
    const detail = `${kind} ${name} came without managedFields, which a cache may have dropped: every apply is sent`
    this.warnOnce("managedFields", detail)
    return { intent, sent: true, reason: "no-managed-fields", detail }
  }

  /**
   * Warns once if the type of a configuration has unions and the options don't say how the server handles them. A cluster ignores unions.
   */
  private warnOfUnions(config: MapValue): void {
    const { types, unions, warn } = this.options
    if (unions !== undefined || warn === undefined || this.warnedOf.has("unions")) return
    const type = objectType(types, config)
    if (type === undefined || !seesUnions(unionPolicies.extended, type, true)) return
    const what = `the type of ${objectName(config).kind} has unions, which a cluster ignores, and so does this Applier`
    this.warnOnce("unions", `${what}: the option unions says what the server does about them, "off" for a cluster`)
  }

  private warnOnce(subject: "managedFields" | "unions", message: string): void {
    if (!this.warnedOf.has(subject)) this.options.warn?.(message)
    this.warnedOf.add(subject)
  }

  /** Resolves the conflicts of an apply; undefined if that can't be tried here. */
  private async resolve(
    live: MapValue,
    { config, subresource }: Intent,
    onConflict: ResolveRequest["onConflict"],
  ): Promise<Resolution | undefined> {
    // Loaded on demand: it includes readers of texts, which most users of this entry point don't need.
    const { resolve } = await import("../ownership/resolve.js")
    try {
      return resolve(live, config, { ...this.decider.request, subresource, onConflict })
    } catch (error) {
      if (!hasCode(error)) throw error
      return undefined
    }
  }

  private async carryOut<T extends object>(
    live: T | undefined,
    before: MapValue | undefined,
    { intent, sent, ...explanation }: Decision,
  ): Promise<Applied<T>> {
    if (!sent && live !== undefined) return { sent, object: live, ...explanation }
    let object: object
    try {
      object = await this.options.send(this.requestOf(intent, before))
    } catch (error) {
      this.memory.failed(keyOf(targetOf(intent.config, before)), this.now())
      throw error
    }
    const key = keyOf(targetOf(intent.config, before ?? object))
    const state = stateOf(object)
    const isUnchanged = before !== undefined && sameState(state, stateOf(before))
    const proves = isUnchanged && (explanation.reason !== "change" || this.isLastApplier(before))
    this.memory.answered(key, state, proves ? await hashOf(intent) : undefined, this.now())
    return { sent: true, object: object as T, ...explanation }
  }

  /**
   * Whether nobody else has applied since. If somebody has, an apply that intends a change gets a later time, so its entry moves, which is
   * itself a change. Two applies in the same second are an exception; they predict nothing about later ones.
   */
  private isLastApplier(live: MapValue): boolean {
    return (readManagedFields(live) ?? []).findLast(isApplied)?.manager === this.options.manager
  }

  private requestOf({ config, force, subresource }: Intent, live: MapValue | undefined): SendRequest {
    const { apiVersion, kind, name, namespace = namespaceOf(live) } = objectName(config)
    const { manager } = this.options
    return {
      ...{ apiVersion, kind, name, subresource, manager, force, config },
      ...(namespace !== undefined && { namespace }),
    }
  }

  private now(): number {
    return (this.options.clock?.() ?? new Date()).getTime()
  }
}

function isApplied({ operation }: ManagedFieldsEntry): boolean {
  return operation === "Apply"
}

/**
 * Returns the live object as plain JSON. Items in a list of built-in objects have no apiVersion and kind: they have the kind of the list
 * request, which is that of the configuration. Throws a TypeError if it is not the object that the configuration is about.
 */
function liveObject(live: object, config: MapValue): MapValue {
  const plain = objectOf(fromClient(live))
  const [is, should] = [objectName(plain), objectName(config)]
  // If the live object has no namespace, its kind is cluster-scoped, and a server ignores the namespace in the configuration.
  const isElsewhere = is.namespace !== undefined && ![is.namespace, undefined].includes(should.namespace)
  if (is.name !== should.name || isElsewhere) {
    throw new TypeError(`the live object is ${shown(is)}, the configuration is of ${shown(should)}`)
  }
  if (is.apiVersion !== "" || is.kind !== "") return plain
  return { ...plain, apiVersion: should.apiVersion, kind: should.kind }
}

function shown({ namespace, name }: ObjectName): string {
  return JSON.stringify(namespace === undefined ? name : `${namespace}/${name}`)
}

/** Returns the SHA-256 of everything that the server receives; the input itself without Web Crypto, as on pages without TLS. */
async function hashOf({ config, force, subresource }: Intent): Promise<string> {
  const text = `${subresource} ${force} ${formatJson(config)}`
  const { subtle } = crypto as { readonly subtle?: (typeof crypto)["subtle"] }
  if (subtle === undefined) return text
  const bytes = new Uint8Array(await subtle.digest("SHA-256", new TextEncoder().encode(text)))
  return String.fromCharCode(...bytes)
}
