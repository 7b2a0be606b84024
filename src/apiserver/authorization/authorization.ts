// Authorization on demand: finds the user of a request, and refuses what the user may not do. Loaded with the first request that needs it.

import type { Access } from "../../kinds/policy/authorizer.js"
import { forbidden, notFound } from "../../kinds/refusal/failure.js"
import { type Resource, storeKey, subjectOf } from "../../kinds/resource/resource.js"
import { metaText, withMetadata } from "../../schema/metadata.js"
import { equalValues } from "../../value/equal.js"
import { mapAt, mapsAt, textAt } from "../../value/fields.js"
import type { MapValue } from "../../value/value.js"
import type { Cluster } from "../../write/attributes.js"
import type { ServerRequest } from "../request/request.js"
import type { StoreEvent } from "../storage/store.js"
import { accessDenied, accessOf, type User, userInfoOf } from "./access.js"
import { answerAccessReview } from "./access-reviews.js"
import { outdatedAggregates } from "./aggregation.js"
import { bootstrapObjects } from "./bootstrap.js"
import { RoleAuthorizer, superusers } from "./rbac.js"
import { type Rule, readRule } from "./rules.js"
import { readTokens, type Tokens, userOf } from "./users.js"

/** The parts of a server that authorization needs. */
export interface AuthorizedServer {
  readonly cluster: Cluster
  readonly clock: () => Date
  /** Whether roles decide. If not, everybody may do everything. */
  readonly isOn: boolean
  /** The text of the token file; undefined without such a file. */
  readonly tokens: string | undefined
  /** Creates an object that the server needs itself. */
  readonly create: (object: MapValue) => void
  /** Applies the rules of an aggregated role. */
  readonly applyRules: (role: string, rules: readonly MapValue[]) => void
}

const group = "rbac.authorization.k8s.io"

/** A request with its user. */
export class AuthorizedRequest {
  readonly user: User
  private readonly access: Access
  private readonly roles: RoleAuthorizer | undefined

  constructor(user: User, access: Access, roles: RoleAuthorizer | undefined) {
    this.user = user
    this.access = access
    this.roles = roles
  }

  /** The user as reviews and expressions show it. */
  get userInfo(): MapValue {
    return userInfoOf(this.user)
  }

  /** Throws a RequestFailure if the user may not send the request, or may not do `verb` to its object. */
  check(verb = this.access.verb): void {
    const access = { ...this.access, verb }
    const decision = this.roles?.decide(this.user, access)
    if (decision?.allowed === false) throw accessDenied(this.user, access, decision.reason)
  }

  /** Returns a review of access with its status; undefined if this kind of review is answered without roles. */
  review({ group: reviewed, kind }: Resource, review: MapValue): MapValue | undefined {
    if (kind === "SelfSubjectReview") return { ...review, status: { userInfo: this.userInfo } }
    if (this.roles === undefined || reviewed !== "authorization.k8s.io") return undefined
    return answerAccessReview(this.roles, this.user, kind, review)
  }

  /** Throws a RequestFailure if the user would grant rights that the user lacks, by a role or a binding. */
  confirmGrants(resource: Resource, namespace: string, object: MapValue, live: MapValue | undefined): void {
    const { roles, user } = this
    if (roles === undefined || resource.group !== group || user.groups.includes(superusers)) return
    if (live !== undefined && changesOnlyOwners(object, live)) return
    const isRole = resource.plural === "roles" || resource.plural === "clusterroles"
    if (isRole ? this.may("escalate", resource.plural, namespace, this.name) : this.mayBind(object, namespace)) return
    const name = metaText(object, "name")
    const refuse = (why: string) => forbidden(subjectOf(resource), name, why)
    const granted = isRole
      ? mapsAt(object, "rules").map(readRule)
      : this.boundRules(mapAt(object, "roleRef"), namespace)
    const escalation = roles.escalation(user, namespace, granted)
    if (escalation !== undefined) throw refuse(escalation)
    const aggregates = [object, live].some(each => each !== undefined && selectorsOf(each).length > 0)
    if (isRole && aggregates && roles.escalation(user, namespace, everything) !== undefined) {
      throw refuse("must have cluster-admin privileges to use the aggregationRule")
    }
  }

  private get name(): string {
    return "name" in this.access ? this.access.name : ""
  }

  private may(verb: string, resource: string, namespace: string, name: string): boolean {
    return this.roles?.decide(this.user, { verb, group, resource, subresource: "", namespace, name }).allowed === true
  }

  private mayBind(binding: MapValue, namespace: string): boolean {
    const role = mapAt(binding, "roleRef")
    const plural = textAt(role, "kind") === "ClusterRole" ? "clusterroles" : "roles"
    return this.may("bind", plural, namespace, textAt(role, "name"))
  }

  private boundRules(role: MapValue, namespace: string): readonly Rule[] {
    const found = this.roles?.rulesOfRole(role, namespace) ?? []
    if (typeof found !== "string") return found
    throw notFound({ group, name: `${textAt(role, "kind").toLowerCase()}s` }, textAt(role, "name"))
  }
}

const everything = [
  readRule({ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }),
  readRule({ verbs: ["*"], nonResourceURLs: ["*"] }),
]

const selectorsOf = (role: MapValue) => mapsAt(mapAt(role, "aggregationRule"), "clusterRoleSelectors")

/** Whether an update changes at most what the garbage collector changes. */
function changesOnlyOwners(object: MapValue, live: MapValue): boolean {
  const ignored = { ownerReferences: undefined, finalizers: undefined, managedFields: undefined }
  return equalValues(withMetadata(object, ignored), withMetadata(live, ignored))
}

/** The users and the roles of a server. */
export class Authorization {
  private readonly server: AuthorizedServer
  private readonly tokens: Tokens
  readonly roles: RoleAuthorizer | undefined
  /** Whether aggregated roles may be out of date. */
  private hasChanged = true

  /** Creates the roles of a new cluster if `isNew`. */
  constructor(server: AuthorizedServer, isNew: boolean) {
    this.server = server
    this.tokens = server.tokens === undefined ? new Map() : readTokens(server.tokens)
    this.roles = server.isOn ? new RoleAuthorizer(server.cluster) : undefined
    if (server.isOn && isNew) this.createRoles()
    this.aggregate()
  }

  private createRoles(): void {
    const { server } = this
    const { get, findKind } = server.cluster
    for (const object of bootstrapObjects()) {
      const resource = findKind(`${group}/v1`, textAt(object, "kind"))
      const isKnown =
        resource !== undefined && get(storeKey(resource), metaText(object, "namespace"), metaText(object, "name"))
      if (!isKnown) server.create(object)
    }
  }

  /** Returns the request with its user. Throws a RequestFailure if the user is unknown or may not send it. */
  admit(request: ServerRequest): AuthorizedRequest {
    const user = userOf(request.headers, this.tokens, this.roles, claims => this.isValid(claims))
    const authorized = new AuthorizedRequest(user, accessOf(request), this.roles)
    authorized.check()
    return authorized
  }

  /** Whether a token with these claims has not expired, and its ServiceAccount exists. */
  private isValid(claims: MapValue): boolean {
    const bound = mapAt(claims, "kubernetes.io")
    const { name, uid } = mapAt(bound, "serviceaccount")
    const { cluster, clock } = this.server
    const account = cluster.get("/serviceaccounts", textAt(bound, "namespace"), String(name))
    return account !== undefined && metaText(account, "uid") === uid && Number(claims.exp) * 1000 > clock().getTime()
  }

  /** Notes a change of the store. */
  observe({ resource }: StoreEvent): void {
    if (resource === `${group}/clusterroles`) this.hasChanged = true
  }

  /** Brings the rules of aggregated roles up to date. */
  aggregate(): void {
    if (this.roles === undefined) return
    // Roles may select each other.
    for (let round = 0; this.hasChanged && round < 10; round++) {
      this.hasChanged = false
      for (const { name, rules } of outdatedAggregates(this.server.cluster.list(`${group}/clusterroles`))) {
        this.server.applyRules(name, rules)
        this.hasChanged = true
      }
    }
  }
}
