// The variable `authorizer` of expressions: asks whether the sender of the request, or a service account, may do something.

import type { MapValue } from "../../value/value.js"
import { runningMeter } from "../rules/cost.js"
import type { Environment } from "../rules/library.js"
import { dnsLabel, dnsSubdomain } from "../validation/names.js"

export const authorizerType = "kubernetes.authorization.Authorizer"
const prefix = "kubernetes.authorization."

/** The access to a resource that a user asks for. */
export interface ResourceAccess {
  readonly verb: string
  readonly group: string
  readonly resource: string
  /** "" for the resource itself. */
  readonly subresource: string
  /** "" for an object without a namespace, and for all namespaces. */
  readonly namespace: string
  /** "" for all objects. */
  readonly name: string
}

/** The access to a path other than a resource's that a user asks for. */
interface PathAccess {
  readonly verb: string
  readonly path: string
}

export type Access = ResourceAccess | PathAccess

/** Whether a user may do something, and why. */
export interface Decision {
  readonly allowed: boolean
  readonly reason: string
}

/** Decides whether a user, given as in an AdmissionRequest, may do something. */
export type Authorize = (user: MapValue, access: Access) => Decision

/** The sender of the request, or a service account, on whose behalf an expression asks. */
class Asker {
  readonly authorize: Authorize
  readonly user: MapValue
  /** The access to the object of the request, without a verb. */
  readonly own: ResourceAccess

  constructor(authorize: Authorize, user: MapValue, own: ResourceAccess) {
    this.authorize = authorize
    this.user = user
    this.own = own
  }
}

/** A question about an access, without its verb. */
class Check<A extends Access> {
  readonly asker: Asker
  readonly access: A

  constructor(asker: Asker, access: A) {
    this.asker = asker
    this.access = access
  }
}
class PathCheck extends Check<PathAccess> {}
class GroupCheck extends Check<ResourceAccess> {}
class ResourceCheck extends Check<ResourceAccess> {}

/** A decision as expressions see it. */
class Answer {
  readonly decision: Decision

  constructor(decision: Decision) {
    this.decision = decision
  }
}

const classes = { Authorizer: Asker, PathCheck, GroupCheck, ResourceCheck, Decision: Answer }

/** The cost of asking for one right. */
const costOfCheck = 350_000

/** @internal Declares the types of the authorizer and their functions. Returns the names of the functions. */
export function registerAuthorizer(environment: Environment): readonly string[] {
  const typed = (text: string) =>
    text.replace(/\b(Authorizer|PathCheck|GroupCheck|ResourceCheck|Decision)\b/g, `${prefix}$1`)
  for (const [name, ctor] of Object.entries(classes)) {
    const fields = name === "Authorizer" ? { requestResource: `${prefix}ResourceCheck` } : {}
    environment.registerType(`${prefix}${name}`, { ctor, fields })
  }
  const names = new Set<string>()
  const register = (signature: string, run: (...values: never[]) => unknown) => {
    names.add(/\.(\w+)\(/.exec(signature)?.[1] ?? "")
    environment.registerFunction(typed(signature), run)
  }
  register("Authorizer.path(string): PathCheck", (asker: Asker, path: string) => {
    if (path.trim() === "") throw new RangeError("path must not be empty")
    return new PathCheck(asker, { verb: "", path })
  })
  register("Authorizer.group(string): GroupCheck", (asker: Asker, group: string) => {
    return new GroupCheck(asker, { verb: "", group, resource: "", subresource: "", namespace: "", name: "" })
  })
  register("Authorizer.serviceAccount(string, string): Authorizer", (asker: Asker, namespace: string, name: string) => {
    if (dnsSubdomain(name).length > 0) throw new RangeError("Invalid service account name")
    if (dnsLabel(namespace).length > 0) throw new RangeError("Invalid service account namespace")
    const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`]
    return new Asker(asker.authorize, { username: `system:serviceaccount:${namespace}:${name}`, groups }, asker.own)
  })
  register("GroupCheck.resource(string): ResourceCheck", ({ asker, access }: GroupCheck, resource: string) => {
    if (resource.trim() === "") throw new RangeError("resource must not be empty")
    return new ResourceCheck(asker, { ...access, resource })
  })
  for (const part of ["subresource", "namespace", "name"] as const) {
    register(`ResourceCheck.${part}(string): ResourceCheck`, ({ asker, access }: ResourceCheck, value: string) => {
      return new ResourceCheck(asker, { ...access, [part]: value })
    })
  }
  for (const kind of ["field", "label"] as const) {
    register(
      `ResourceCheck.${kind}Selector(string): ResourceCheck`,
      ({ asker, access }: ResourceCheck, selector: string) => {
        // Roles don't look at selectors, so only the cost of parsing is left: of the text, and of a requirement for each two characters.
        runningMeter().spend(10 + selector.length * (0.1 + 50 / 2))
        return new ResourceCheck(asker, access)
      },
    )
  }
  const check = ({ asker, access }: PathCheck | ResourceCheck, verb: string) => {
    runningMeter().spend(costOfCheck)
    return new Answer(asker.authorize(asker.user, { ...access, verb }))
  }
  register("PathCheck.check(string): Decision", check)
  register("ResourceCheck.check(string): Decision", check)
  register("Decision.allowed(): bool", ({ decision }: Answer) => decision.allowed)
  register("Decision.reason(): string", ({ decision }: Answer) => decision.reason)
  register("Decision.errored(): bool", () => false)
  register("Decision.error(): string", () => "")
  return [...names]
}

/** Returns the value of `authorizer` for a request. */
export function authorizerFor(authorize: Authorize, user: MapValue, own: ResourceAccess): object {
  const asker = new Asker(authorize, user, own)
  return Object.assign(asker, { requestResource: new ResourceCheck(asker, own) })
}
