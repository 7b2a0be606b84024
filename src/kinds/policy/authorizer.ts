// The variable `authorizer` of expressions: asks whether the sender of the request, or a service account, may do something.

import type { MapValue } from "../../value/value.js"
import type { Environment } from "../rules/library.js"

export const authorizerType = "kubernetes.authorization.Authorizer"
const prefix = "kubernetes.authorization."

/** The access that somebody asks for: to a path if it is not "", and else to a resource. */
export interface AccessQuestion {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
  readonly path: string
}

/** Returns whether a user, given as in an AdmissionRequest, may do something, and why. */
export type Authorize = (
  user: MapValue,
  question: AccessQuestion,
) => { readonly allowed: boolean; readonly reason: string }

/** The sender of the request, or a service account, on whose behalf an expression asks. */
class Asker {
  readonly authorize: Authorize
  readonly user: MapValue
  /** The check of the request's own resource. */
  readonly own: AccessQuestion

  constructor(authorize: Authorize, user: MapValue, own: AccessQuestion) {
    this.authorize = authorize
    this.user = user
    this.own = own
  }
}

/** A question that lacks its verb. */
class Check {
  readonly asker: Asker
  readonly question: AccessQuestion

  constructor(asker: Asker, question: AccessQuestion) {
    this.asker = asker
    this.question = question
  }
}
class PathCheck extends Check {}
class GroupCheck extends Check {}
class ResourceCheck extends Check {}

class Decision {
  readonly allowed: boolean
  readonly reason: string

  constructor({ allowed, reason }: ReturnType<Authorize>) {
    this.allowed = allowed
    this.reason = reason
  }
}

const classes = { Authorizer: Asker, PathCheck, GroupCheck, ResourceCheck, Decision }
const nothing: AccessQuestion = {
  verb: "",
  group: "",
  resource: "",
  subresource: "",
  namespace: "",
  name: "",
  path: "",
}

/** Declares the types of the authorizer and their functions. Returns the names of the functions. */
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
    return new PathCheck(asker, { ...nothing, path })
  })
  register("Authorizer.group(string): GroupCheck", (asker: Asker, group: string) => {
    return new GroupCheck(asker, { ...nothing, group })
  })
  register("Authorizer.serviceAccount(string, string): Authorizer", (asker: Asker, namespace: string, name: string) => {
    const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"]
    return new Asker(asker.authorize, { username: `system:serviceaccount:${namespace}:${name}`, groups }, asker.own)
  })
  register("GroupCheck.resource(string): ResourceCheck", ({ asker, question }: Check, resource: string) => {
    return new ResourceCheck(asker, { ...question, resource })
  })
  for (const part of ["subresource", "namespace", "name"] as const) {
    register(`ResourceCheck.${part}(string): ResourceCheck`, ({ asker, question }: Check, value: string) => {
      return new ResourceCheck(asker, { ...question, [part]: value })
    })
  }
  const check = ({ asker, question }: Check, verb: string) => {
    return new Decision(asker.authorize(asker.user, { ...question, verb }))
  }
  register("PathCheck.check(string): Decision", check)
  register("ResourceCheck.check(string): Decision", check)
  register("Decision.allowed(): bool", ({ allowed }: Decision) => allowed)
  register("Decision.reason(): string", ({ reason }: Decision) => reason)
  register("Decision.errored(): bool", () => false)
  register("Decision.error(): string", () => "")
  return [...names]
}

/** Returns the value of `authorizer` for a request. */
export function authorizerFor(authorize: Authorize, user: MapValue, own: AccessQuestion): object {
  const asker = new Asker(authorize, user, own)
  return Object.assign(asker, { requestResource: new ResourceCheck(asker, own) })
}
