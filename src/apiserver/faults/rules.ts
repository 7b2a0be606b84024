// Rules of faults: the failures that a server injects into requests, as data. faults.schema.json describes the same format for editors.

import { StructuredMergeError } from "../../errors.js"
import { own } from "../../value/object.js"
import { anyOf, record, type Shape, type ShapeProblem, shapeProblems } from "../../value/shape.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import { listAnd, listOr } from "../../value/words.js"

/** One rule: which requests it is for, and what happens to them. */
export interface FaultRule {
  /** The name of the rule in the log. If absent: its place in the list, `rule 1`. */
  readonly name?: string | undefined
  /** Selects requests for objects. If absent: all that the fault can hit. */
  readonly match?: FaultMatch | undefined
  /** The fault to inject into the selected requests. */
  readonly inject: FaultAction
}

/** The requests of a rule. A request must fit all members that are given. */
export interface FaultMatch {
  /** The verb, or one of several. `apply` is a server-side apply; `patch` is any patch, an apply included. */
  readonly verb?: FaultVerb | readonly FaultVerb[] | undefined
  /** The resource, or one of several: `deployments`, `deployments.apps`, or with a subresource `deployments/status`. */
  readonly resource?: string | readonly string[] | undefined
  /** The namespace of the object. */
  readonly namespace?: string | undefined
  /** The name of the object. */
  readonly name?: string | undefined
  /** The name of the user; that of the administrator is `admin`. */
  readonly user?: string | undefined
  /** A part of the header User-Agent, which tells the clients of a server apart. */
  readonly userAgent?: string | undefined
  /** How many of these requests are spared at first; 0 if absent. */
  readonly after?: number | undefined
  /** Only every n-th of the requests that follow is hit; each one if absent. */
  readonly every?: number | undefined
  /** How many requests are hit at most; any number if absent. */
  readonly times?: number | undefined
  /** The probability with which a request is hit, from 0 to 1. It comes from the seed of the server. */
  readonly chance?: number | undefined
}

/** A verb that a rule can name. */
export type FaultVerb =
  | "get"
  | "list"
  | "watch"
  | "create"
  | "update"
  | "patch"
  | "apply"
  | "delete"
  | "deletecollection"

/** The verbs that a rule can name. Recordings of traffic use the same ones. */
export const faultVerbs: readonly [FaultVerb, ...FaultVerb[]] = [
  "get",
  "list",
  "watch",
  "create",
  "update",
  "patch",
  "apply",
  "delete",
  "deletecollection",
]

/** The fault of a request: `latency`, at most one other fault, or both. */
export interface FaultAction {
  /** The milliseconds that the request waits before anything else happens, by the clock of the server. A list has the least and the most. */
  readonly latency?: number | readonly [least: number, most: number] | undefined
  /** The request is refused with this status, 400 to 599, and nothing is stored. */
  readonly status?: number | undefined
  /** The reason of the Status, if not the usual one: `TooManyRequests`. Only with `status`. */
  readonly reason?: string | undefined
  /** The message of the Status. Only with `status`. */
  readonly message?: string | undefined
  /** The seconds in the header Retry-After. Only with `status`. */
  readonly retryAfter?: number | undefined
  /** The watch ends after this many events. */
  readonly dropWatch?: number | undefined
  /**
   * The state that the client asks for counts as forgotten. A watch from a resourceVersion gets the error 410 Expired after this many
   * events; a list with `continue` or of an exact resourceVersion is refused with 410, whatever the number.
   */
  readonly expired?: number | undefined
  /** Another writer changes the object just before the update or patch, by an annotation. An update with a resourceVersion gets 409. */
  readonly conflictStorm?: boolean | undefined
  /** The request is carried out, but its connection breaks after this many bytes of the response body. */
  readonly truncateBody?: number | undefined
  /**
   * The server restarts: this request and all others for so many milliseconds find no server, and all watches end. Stored objects stay.
   */
  readonly restart?: number | undefined
  /** A list or get with `resourceVersion=0`, which asks for any state, gets the one of this many writes ago. */
  readonly staleList?: number | undefined
}

/** The verbs of the requests to which a fault can happen; other faults can happen to all. */
const verbsOf = {
  dropWatch: ["watch"],
  expired: ["watch", "list"],
  conflictStorm: ["update", "patch", "apply"],
  staleList: ["list", "get"],
} as const

/** Whether the fault of an action can happen to a request with this verb. */
export function canHit(action: FaultAction, verb: string): boolean {
  return Object.entries(verbsOf).every(([name, verbs]) => {
    return action[name as keyof typeof verbsOf] === undefined || (verbs as readonly string[]).includes(verb)
  })
}

const text = anyOf("name")
const number = anyOf("number")
const oneOrMore = anyOf("name", "list")
const faults = ["status", "dropWatch", "expired", "conflictStorm", "truncateBody", "restart", "staleList"] as const

const action = record({
  latency: anyOf("number", "list"),
  ...{ status: number, reason: text, message: text, retryAfter: number },
  ...{ dropWatch: number, expired: number, conflictStorm: anyOf("flag") },
  ...{ truncateBody: number, restart: number, staleList: number },
})
const match = record({
  ...{ verb: oneOrMore, resource: oneOrMore, namespace: text, name: text, user: text, userAgent: text },
  ...{ after: number, every: number, times: number, chance: number },
})
const rule = record({ name: text, match, inject: action }, ["inject"])

/** The format of a document with rules. */
const faultsShape: Shape = record({ $schema: text, faults: { is: "list", of: rule } }, ["faults"])

/** Returns the problems of a document `{ faults: [...] }`, each with its path. */
export function faultProblems(document: Value): readonly ShapeProblem[] {
  const problems = shapeProblems(document, faultsShape)
  if (problems.length > 0) return problems
  return (own(document as MapValue, "faults") as readonly MapValue[]).flatMap((rule, i) => ruleProblems(rule, i))
}

/** Returns the rules of a document. Throws a StructuredMergeError with all problems. */
export function readFaults(document: unknown): readonly FaultRule[] {
  const problems = faultProblems(document as Value)
  if (problems.length > 0) throw new StructuredMergeError("bad-request", problems.map(each => each.message).join("\n"))
  return (document as { readonly faults: readonly FaultRule[] }).faults
}

/** The numbers that must be integers, with the least and the most that each may be. */
const bounds: Readonly<Record<string, readonly [number, number]>> = {
  status: [400, 599],
  every: [1, 1e9],
  ...Object.fromEntries(
    ["after", "times", "retryAfter", "dropWatch", "expired", "truncateBody", "restart", "staleList"].map(name => [
      name,
      [name === "times" || name === "staleList" ? 1 : 0, 1e9],
    ]),
  ),
}

function ruleProblems(rule: MapValue, index: number): ShapeProblem[] {
  const problems: ShapeProblem[] = []
  const at = (part: "match" | "inject", key: string, message: string) =>
    problems.push({ steps: ["faults", index, part, key], message: `.faults[${index}].${part}.${key} ${message}` })
  const match = (own(rule, "match") ?? {}) as MapValue
  const action = own(rule, "inject") as MapValue
  for (const [part, map] of [
    ["match", match],
    ["inject", action],
  ] as const) {
    for (const [key, value] of Object.entries(map)) {
      const [least, most] = bounds[key] ?? []
      if (least === undefined || most === undefined || value === undefined) continue
      if (!Number.isInteger(value) || Number(value) < least || Number(value) > most) {
        at(part, key, `must be an integer ${most === 1e9 ? `of at least ${least}` : `from ${least} to ${most}`}`)
      }
    }
  }
  const { chance } = match
  if (chance !== undefined && !(Number(chance) >= 0 && Number(chance) <= 1))
    at("match", "chance", "must be from 0 to 1")
  const latency = own(action, "latency")
  if (latency !== undefined && !isLatency(latency)) {
    at("inject", "latency", "must be milliseconds of at least 0, or a list of the least and the most: [10, 50]")
  }
  if (own(action, "conflictStorm") === false) at("inject", "conflictStorm", "must be true; leave it out for none")
  const extras = ["reason", "message", "retryAfter"].filter(key => own(action, key) !== undefined)
  if (own(action, "status") === undefined) {
    for (const key of extras) {
      at("inject", key, `has an effect only with status: add one, such as ${key === "retryAfter" ? 429 : 500}`)
    }
  }
  const given = faults.filter(name => own(action, name) !== undefined)
  const path = `.faults[${index}].inject`
  const whole = (message: string) =>
    problems.push({ steps: ["faults", index, "inject"], message: `${path} ${message}` })
  if (given.length > 1) whole(`has ${listAnd(given)}: make a rule of each`)
  if (given.length + extras.length === 0 && latency === undefined)
    whole(`says nothing: add latency or one of ${faults.join(", ")}`)
  for (const verb of textsOf(own(match, "verb"))) {
    if (!(faultVerbs as readonly unknown[]).includes(verb)) at("match", "verb", `must be ${listOr(faultVerbs)}`)
    else if (!canHit(action as FaultAction, verb)) {
      const fitting = listOr(given.flatMap(name => (name in verbsOf ? verbsOf[name as keyof typeof verbsOf] : [])))
      at("match", "verb", `can't be ${verb}, since ${given.join()} happens only to ${fitting}: leave it out`)
    }
  }
  for (const resource of textsOf(own(match, "resource"))) {
    if (!/^[a-z0-9]+(\.[a-z0-9.-]+)?(\/[a-z]+)?$/.test(resource)) {
      at("match", "resource", 'must be the plural, such as "deployments", "deployments.apps" or "deployments/status"')
    }
  }
  return problems
}

function isLatency(value: Value): boolean {
  const isTime = (time: Value | undefined) => typeof time === "number" && time >= 0
  if (!isList(value)) return isTime(value)
  return value.length === 2 && value.every(isTime) && Number(value[0]) <= Number(value[1])
}

/** The texts of a member that has one or a list of them. */
function textsOf(value: Value | undefined): readonly string[] {
  if (value === undefined || isMap(value)) return []
  return (isList(value) ? value : [value]).map(String)
}
