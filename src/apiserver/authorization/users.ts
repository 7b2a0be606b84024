// Finds the user who sends a request: by a token, or by headers with which one user acts as another.

import type { ResourceAccess } from "../../kinds/policy/authorizer.js"
import { badRequest, RequestFailure } from "../../kinds/refusal/failure.js"
import { mapAt, textAt } from "../../value/fields.js"
import type { MapValue } from "../../value/value.js"
import { accessDenied, type User } from "./access.js"
import { readToken } from "./account-tokens.js"
import { type RoleAuthorizer, superusers } from "./rbac.js"

type Headers = Readonly<Record<string, string | undefined>>

/** The users of a server, by their tokens. */
export type Tokens = ReadonlyMap<string, User>

const anonymous = "system:anonymous"

/** The user to whom requests without a token belong. */
const admin: User = { username: "admin", uid: "admin", groups: [superusers, "system:authenticated"], extra: {} }

/** Reads a file of tokens as kube-apiserver does: lines of `token,name,uid`, with groups in quotes as an optional fourth column. */
export function readTokens(text: string): Tokens {
  const tokens = new Map<string, User>()
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "" || line.startsWith("#")) continue
    const cells = [...line.matchAll(/\s*(?:"((?:[^"]|"")*)"|([^,]*))(?:,|$)/g)].map(
      ([, quotedCell, plain = ""]) => quotedCell?.replaceAll('""', '"') ?? plain,
    )
    const [token = "", username = "", uid = "", groups = ""] = cells
    if (token === "" || username === "")
      throw new SyntaxError(`line ${index + 1} must be: token,name,uid,"group1,group2"`)
    tokens.set(
      token,
      withAuthenticated({
        username,
        uid,
        groups: groups
          .split(",")
          .map(each => each.trim())
          .filter(Boolean),
        extra: {},
      }),
    )
  }
  return tokens
}

function withAuthenticated(user: User): User {
  return { ...user, groups: [...user.groups, "system:authenticated"] }
}

/**
 * Returns the user of a request, which is the administrator's if it has no token. `isValid` checks the claims of the token of a ServiceAccount.
 * Throws a RequestFailure for an unknown token, and for a user who may not act as the wanted one.
 */
export function userOf(
  headers: Headers,
  tokens: Tokens,
  roles: RoleAuthorizer | undefined,
  isValid: (claims: MapValue) => boolean,
): User {
  const [, token] = /^bearer\s+(\S+)$/i.exec(headers.authorization ?? "") ?? []
  const claims = token === undefined ? undefined : readToken(token)
  const account = claims && isValid(claims) ? accountIn(claims) : undefined
  const known = account ?? (token === undefined ? undefined : tokens.get(token))
  if (token !== undefined && known === undefined && (tokens.size > 0 || claims !== undefined)) {
    throw new RequestFailure(401, "Unauthorized", "Unauthorized")
  }
  return impersonated(headers, known ?? admin, roles)
}

/** Returns the ServiceAccount to which a token belongs. */
function accountIn(claims: MapValue): User {
  const bound = mapAt(claims, "kubernetes.io")
  const namespace = textAt(bound, "namespace")
  const extra = [
    ["credential-id", `JTI=${textAt(claims, "jti")}`],
    ["node-name", textAt(mapAt(bound, "node"), "name")],
    ["node-uid", textAt(mapAt(bound, "node"), "uid")],
    ["pod-name", textAt(mapAt(bound, "pod"), "name")],
    ["pod-uid", textAt(mapAt(bound, "pod"), "uid")],
  ] as const
  const given = extra.filter(([, value]) => value !== "")
  return withAuthenticated({
    username: textAt(claims, "sub"),
    uid: textAt(mapAt(bound, "serviceaccount"), "uid"),
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`],
    extra: Object.fromEntries(given.map(([key, value]) => [`authentication.kubernetes.io/${key}`, [value]])),
  })
}

const prefix = "impersonate-extra-"

/** Returns the user as whom `user` acts. */
function impersonated(headers: Headers, user: User, roles: RoleAuthorizer | undefined): User {
  const username = headers["impersonate-user"] ?? ""
  const uid = headers["impersonate-uid"] ?? ""
  const groups = listOf(headers["impersonate-group"])
  const extra: Record<string, readonly string[]> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith(prefix)) extra[decodeURIComponent(name.slice(prefix.length))] = listOf(value)
  }
  // The kubeconfig of a user has both the token and the name, since kubectl sends tokens only over TLS.
  if (username === user.username) return user
  if (username === "") {
    if (uid === "" && groups.length === 0 && Object.keys(extra).length === 0) return user
    throw badRequest("requested impersonation without impersonating a user name")
  }
  const [, namespace, account] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(username) ?? []
  const isAccount = namespace !== undefined && account !== undefined
  const wanted: Partial<ResourceAccess>[] = [
    isAccount ? { resource: "serviceaccounts", namespace, name: account } : { resource: "users", name: username },
    ...groups.map(name => ({ resource: "groups", name })),
    ...Object.entries(extra).flatMap(([subresource, values]) =>
      values.map(name => ({ group: "authentication.k8s.io", resource: "userextras", subresource, name })),
    ),
    ...(uid === "" ? [] : [{ group: "authentication.k8s.io", resource: "uids", name: uid }]),
  ]
  for (const each of wanted) {
    const access = { verb: "impersonate", group: "", resource: "", subresource: "", namespace: "", name: "", ...each }
    const decision = roles?.decide(user, access)
    if (decision?.allowed === false) throw accessDenied(user, access, decision.reason)
  }
  const ofAccount =
    isAccount && groups.length === 0 ? ["system:serviceaccounts", `system:serviceaccounts:${namespace}`] : []
  return { username, uid, groups: withDefaultGroup(username, [...groups, ...ofAccount]), extra }
}

/** Adds the group that says whether the user is known. */
function withDefaultGroup(username: string, groups: readonly string[]): readonly string[] {
  const [known, unknown] = ["system:authenticated", "system:unauthenticated"]
  if (username === anonymous) return groups.includes(unknown) ? groups : [...groups, unknown]
  return groups.includes(known) || groups.includes(unknown) ? groups : [...groups, known]
}

/** Reads the values of a repeated header, which are joined by commas. */
function listOf(value: string | undefined): string[] {
  return (value ?? "").split(", ").filter(each => each !== "")
}
