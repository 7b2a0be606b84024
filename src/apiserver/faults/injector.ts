// Decides which requests are hit by the rules of a server, and carries the faults out. Loaded with the first rules.

import { expired, RequestFailure } from "../../kinds/refusal/failure.js"
import { nameInGroup } from "../../schema/group-version-kind.js"
import type { ServerTime } from "../reproducible/clock.js"
import { RandomValues } from "../reproducible/random.js"
import { mediaTypeOf, patchTypes } from "../request/body.js"
import { booleanParameter } from "../request/options.js"
import type { ServerRequest } from "../request/request.js"
import { type ResourceRoute, verbOf } from "../request/route.js"
import type { ApiAnswer, WatchLines } from "../response/response.js"
import type { EventEncoder } from "../storage/event-encoder.js"
import { breakAfter, endAfter } from "./broken-bodies.js"
import { ConnectionLost } from "./connection-lost.js"
import { canHit, type FaultAction, type FaultMatch, type FaultRule } from "./rules.js"

/** A fault that was injected into a request. */
export interface InjectedFault {
  /** The name of the rule. */
  readonly rule: string
  /** The fault, as in the rule: `status 429`, `dropWatch 3`, `latency 20`. */
  readonly fault: string
  /** The method and path of the request, with its query. */
  readonly request: string
  /** The time by the clock of the server. */
  readonly time: string
}

/** The parts of a server on which faults act. */
export interface FaultyServer {
  readonly seed: number | undefined
  readonly time: ServerTime
  readonly encoder: EventEncoder
  readonly endWatches: () => void
  /** Answers a request without faults. */
  readonly answer: (request: ServerRequest) => Promise<ApiAnswer>
  /** Answers a request from the state before the last `writesAgo` writes; undefined if the server no longer has that state. */
  readonly answerFrom: (writesAgo: number, request: ServerRequest) => Promise<ApiAnswer> | undefined
}

/** A request that rules may match. */
export interface FaultTarget {
  readonly request: ServerRequest
  readonly route: ResourceRoute
  /** Undefined for the administrator. */
  readonly user: string | undefined
}

/** How often each rule has matched a request, and hit one. */
interface Tally {
  seen: number
  hit: number
}

/** How many injected faults the log keeps. */
const longestLog = 10_000

export class FaultInjector {
  readonly rules: readonly FaultRule[]
  private readonly server: FaultyServer
  private readonly log: InjectedFault[]
  private readonly tallies: readonly Tally[]
  /** How many restarts are under way. */
  private restarts = 0
  private touches = 0
  private readonly random: RandomValues
  /** Callbacks that wait for the end of a latency or a restart. */
  private readonly waiting = new Set<() => void>()

  /** Adds each fault to `log`. Begins at the counts of another injector with the same rules, if one is given. */
  constructor(rules: readonly FaultRule[], server: FaultyServer, log: InjectedFault[], before?: FaultInjector) {
    this.random = before?.random.fork() ?? new RandomValues(server.seed)
    this.rules = rules
    this.server = server
    this.log = log
    this.tallies = rules.map((_, i) => ({ seen: 0, hit: 0, ...before?.tallies[i] }))
  }

  /** Throws the error of a client that finds no server, if the server is restarting. */
  checkUp({ method }: ServerRequest): void {
    if (this.restarts > 0) throw new ConnectionLost(`the server restarts: no answer to ${method}`)
  }

  /**
   * Answers a request with `answer`, or with the first fault that hits it. Throws a RequestFailure for a refusal, and a ConnectionLost if there
   * is no answer.
   */
  async answer(target: FaultTarget, answer: () => Promise<ApiAnswer>): Promise<ApiAnswer> {
    const hit = this.choose(target)
    if (hit === undefined) return answer()
    const { rule, index } = hit
    const name = rule.name ?? `rule ${index + 1}`
    const { latency, ...fault } = rule.inject
    const { method, path, search } = target.request
    const note = (what: string) => {
      if (this.log.length >= longestLog) this.log.shift()
      this.log.push({
        rule: name,
        fault: what,
        request: `${method} ${path}${search}`,
        time: this.server.time.now().toISOString(),
      })
    }
    if (latency !== undefined) {
      const milliseconds = this.latencyOf(latency)
      note(`latency ${milliseconds}`)
      await new Promise<void>(resolve => this.after(milliseconds, resolve))
      this.checkUp(target.request)
    }
    const [kind] = Object.entries(fault).filter(([, value]) => value !== undefined)
    if (kind === undefined) return answer()
    note(kind.join(" "))
    return this.carryOut(name, fault, target, answer)
  }

  /** Ends all latencies and restarts now. */
  close(): void {
    for (const end of [...this.waiting]) end()
  }

  /** Calls `run` after this time, or when the injector is closed. */
  private after(milliseconds: number, run: () => void): void {
    const end = (): void => {
      cancel()
      this.waiting.delete(end)
      run()
    }
    const cancel = this.server.time.schedule(milliseconds, end)
    this.waiting.add(end)
  }

  /** Counts the request for the rules that match it, and returns the first rule that hits it. */
  private choose(target: FaultTarget): { readonly rule: FaultRule; readonly index: number } | undefined {
    const watches = booleanParameter(target.request.query, "watch") === true
    const verb = verbOf(target.request.method, target.route, watches)
    if (verb === undefined) return undefined
    let first: { readonly rule: FaultRule; readonly index: number } | undefined
    for (const [index, rule] of this.rules.entries()) {
      const { match = {}, inject } = rule
      if (!matches(match, target, verb) || !canHappen(inject, target.request, verb)) continue
      const tally = this.tallies[index] as Tally
      const nth = tally.seen++ - (match.after ?? 0)
      if (first !== undefined || nth < 0 || (nth + 1) % (match.every ?? 1) !== 0) continue
      if (tally.hit >= (match.times ?? Number.POSITIVE_INFINITY)) continue
      if (match.chance !== undefined && this.random.fraction() >= match.chance) continue
      tally.hit++
      first = { rule, index }
    }
    return first
  }

  private latencyOf(latency: number | readonly [number, number]): number {
    if (typeof latency === "number") return latency
    const [least, most] = latency
    return Math.round(least + (most - least) * this.random.fraction())
  }

  private async carryOut(
    name: string,
    fault: FaultAction,
    { request, route }: FaultTarget,
    answer: () => Promise<ApiAnswer>,
  ): Promise<ApiAnswer> {
    const { server } = this
    if (fault.status !== undefined) throw refusal(name, fault, fault.status)
    if (fault.restart !== undefined) {
      this.restarts++
      this.after(fault.restart, () => this.restarts--)
      server.endWatches()
      throw new ConnectionLost(`the server restarts, by the fault ${name}`)
    }
    if (fault.staleList !== undefined) return server.answerFrom(fault.staleList, request) ?? answer()
    if (fault.conflictStorm !== undefined) await this.touch(request, route)
    const watches = booleanParameter(request.query, "watch") === true
    if (fault.expired !== undefined && !watches) throw expired(expiredMessage)
    const answered = await answer()
    if (fault.truncateBody !== undefined) {
      return breakAfter(
        answered,
        fault.truncateBody,
        () => new ConnectionLost(`the response was cut off, by the fault ${name}`),
      )
    }
    const events = fault.dropWatch ?? fault.expired
    if (events === undefined || !isLines(answered.body)) return answered
    const last =
      fault.expired === undefined ? undefined : server.encoder.encode("ERROR", expired(expiredMessage).status, false)
    return { ...answered, body: endAfter(answered.body, events, last) }
  }

  /** Changes an annotation of the object as another writer. */
  private async touch({ path, headers }: ServerRequest, { subresource }: ResourceRoute): Promise<void> {
    const object = subresource === undefined ? path : path.slice(0, path.lastIndexOf("/"))
    const annotations = { "fault-injection/touched": String(++this.touches) }
    await this.server.answer({
      method: "PATCH",
      path: object,
      search: "",
      query: new URLSearchParams({ fieldManager: "fault-injection" }),
      headers: { host: headers.host, "content-type": patchTypes.merge },
      body: JSON.stringify({ metadata: { annotations } }),
    })
  }
}

const expiredMessage = "The resourceVersion for the provided watch or list is too old."

/** The reasons of statuses; the others have `InternalError`. */
const reasons: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
  410: "Expired",
  413: "RequestEntityTooLarge",
  422: "Invalid",
  429: "TooManyRequests",
  503: "ServiceUnavailable",
  504: "Timeout",
}

function refusal(name: string, { reason, message, retryAfter }: FaultAction, status: number): RequestFailure {
  const details = retryAfter === undefined ? {} : { retryAfterSeconds: retryAfter }
  const words = message ?? `injected fault: ${name}`
  return new RequestFailure(status, words, reason ?? reasons[status] ?? "InternalError", details)
}

function matches(match: FaultMatch, { request, route, user = "admin" }: FaultTarget, verb: string): boolean {
  const { resource, namespace, name, subresource } = route
  const isVerb = (wanted: string) =>
    wanted === "apply" ? verb === "patch" && mediaTypeOf(request) === patchTypes.apply : wanted === verb
  const isResource = (wanted: string) => {
    const [plural = "", part] = wanted.split("/")
    const isNamed = plural === resource.plural || plural === nameInGroup(resource.plural, resource.group)
    return isNamed && (part === undefined || part === subresource?.name)
  }
  return (
    fits(match.verb, isVerb) &&
    fits(match.resource, isResource) &&
    fits(match.namespace, wanted => wanted === namespace) &&
    fits(match.name, wanted => wanted === name) &&
    fits(match.user, wanted => wanted === user) &&
    fits(match.userAgent, wanted => (request.headers["user-agent"] ?? "").includes(wanted))
  )
}

function fits(wanted: string | readonly string[] | undefined, test: (wanted: string) => boolean): boolean {
  if (wanted === undefined) return true
  return typeof wanted === "string" ? test(wanted) : wanted.some(test)
}

/** Whether a server could answer this request with the fault. */
function canHappen(action: FaultAction, { query }: ServerRequest, verb: string): boolean {
  if (!canHit(action, verb)) return false
  const version = query.get("resourceVersion") ?? ""
  const isExact = query.get("resourceVersionMatch") === "Exact"
  if (action.staleList !== undefined) return version === "0" && !isExact
  if (action.expired === undefined) return true
  if (verb === "watch") return version !== "" && version !== "0" && query.get("sendInitialEvents") !== "true"
  return isExact || (query.get("continue") ?? "") !== ""
}

function isLines(body: ApiAnswer["body"]): body is WatchLines {
  return typeof body !== "string" && !(body instanceof Uint8Array)
}
