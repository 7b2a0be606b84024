/** Users, roles and refusals over HTTP: who may send a request, and what a role may grant. */
import { describe, expect, it } from "vitest"
import { type ApiServer, createApiServer } from "../../../src/apiserver/server.js"
import { configMap, configMaps } from "../../write/admission/policies.js"

const rbac = "/apis/rbac.authorization.k8s.io/v1"
const apiVersion = "rbac.authorization.k8s.io/v1"
const role = (name: string, rules: readonly object[], namespace = "default") => ({
  apiVersion,
  kind: "Role",
  metadata: { name, namespace },
  rules,
})
const bound = (user: string, kind: string, name: string, namespace = "default") => ({
  apiVersion,
  kind: "RoleBinding",
  metadata: { name: `${user}-${name}`, namespace },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name },
  subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user }],
})
const clusterRole = (name: string, rules: readonly object[], labels = {}) => ({
  apiVersion,
  kind: "ClusterRole",
  metadata: { name, labels },
  rules,
})

/** Returns a function that sends requests as a user with groups. */
function senderFor(server: ApiServer) {
  return async (user: string, method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const answer = await server.answer({
      method,
      path,
      headers: {
        "content-type": method === "PATCH" ? "application/apply-patch+yaml" : "application/json",
        ...(user !== "" && { "impersonate-user": user }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = String(answer.body)
    return { status: answer.status, body: text.startsWith("{") ? JSON.parse(text) : text }
  }
}

const withRoles = (...objects: readonly object[]) => senderFor(createApiServer({ authorization: "rbac", objects }))
const reading = [{ verbs: ["get", "list"], apiGroups: [""], resources: ["configmaps"] }]

describe("a server with authorization by roles", () => {
  it("allows what a role allows, and refuses the rest in a server's words", async () => {
    const send = withRoles(role("reader", reading), bound("ann", "Role", "reader"))
    expect((await send("ann", "GET", configMaps)).status).toBe(200)
    const refused = await send("ann", "POST", configMaps, configMap())
    expect(refused).toMatchObject({
      status: 403,
      body: { reason: "Forbidden", details: { kind: "configmaps" } },
    })
    expect(refused.body.message).toBe(
      'configmaps is forbidden: User "ann" cannot create resource "configmaps" in API group "" in the namespace "default"',
    )
    expect((await send("bob", "GET", `${configMaps}/c`)).body.message).toBe(
      'configmaps "c" is forbidden: User "bob" cannot get resource "configmaps" in API group "" in the namespace "default"',
    )
    expect((await send("bob", "GET", "/apis/apps/v1/deployments?watch=true")).body.message).toBe(
      'deployments.apps is forbidden: User "bob" cannot watch resource "deployments" in API group "apps" at the cluster scope',
    )
    expect((await send("ann", "GET", "/metrics")).body.message).toBe('forbidden: User "ann" cannot get path "/metrics"')
    expect((await send("ann", "GET", "/apis")).status).toBe(200)
  })

  it("asks for the right to create before an apply creates an object", async () => {
    const patching = [{ verbs: ["patch"], apiGroups: [""], resources: ["configmaps"] }]
    const send = withRoles(role("patcher", patching), bound("ann", "Role", "patcher"))
    const applied = () => send("ann", "PATCH", `${configMaps}/c?fieldManager=ci`, configMap())
    expect((await applied()).body.message).toBe(
      'configmaps "c" is forbidden: User "ann" cannot create resource "configmaps" in API group "" in the namespace "default"',
    )
    await send("", "POST", configMaps, configMap())
    expect((await applied()).status).toBe(200)
  })

  it("has the roles of a new cluster, with the rules of the roles that they aggregate", async () => {
    const send = withRoles(bound("ann", "ClusterRole", "edit"))
    const { body } = await send("", "GET", `${rbac}/clusterroles/admin`)
    expect(body.rules.length).toBeGreaterThan(10)
    expect(body.metadata.managedFields).toMatchObject([
      { manager: "clusterrole-aggregation-controller", operation: "Apply" },
      { manager: "kube-apiserver", operation: "Update" },
    ])
    expect((await send("ann", "POST", configMaps, configMap())).status).toBe(201)
    expect((await send("ann", "GET", `${rbac}/namespaces/default/roles`)).status).toBe(403)
    const crons = { verbs: ["*"], apiGroups: ["example.org"], resources: ["crons"] }
    const labels = { "rbac.authorization.k8s.io/aggregate-to-edit": "true" }
    await send("", "POST", `${rbac}/clusterroles`, clusterRole("edit-crons", [crons], labels))
    for (const name of ["edit", "admin"]) {
      const { body } = await send("", "GET", `${rbac}/clusterroles/${name}`)
      expect(body.rules).toContainEqual(crons)
    }
  })

  it("refuses to grant rights that the user lacks, unless the user may escalate or bind", async () => {
    const roles = [{ verbs: ["*"], apiGroups: ["rbac.authorization.k8s.io"], resources: ["roles", "rolebindings"] }]
    const editing = roles.map(rule => ({ ...rule, verbs: ["create", "update"] }))
    const send = withRoles(
      role("editor", editing),
      bound("ann", "Role", "editor"),
      role("owner", roles),
      bound("bob", "Role", "owner"),
    )
    const path = `${rbac}/namespaces/default/roles`
    const granted = { ...reading[0], verbs: ["get", "list", "watch"] }
    expect((await send("ann", "POST", path, role("new", [granted]))).body.message).toBe(
      'roles.rbac.authorization.k8s.io "new" is forbidden: user "ann" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n' +
        '{APIGroups:[""], Resources:["configmaps"], Verbs:["get" "list" "watch"]}',
    )
    expect((await send("bob", "POST", path, role("new", [granted]))).status).toBe(201)
    const bindings = `${rbac}/namespaces/default/rolebindings`
    expect((await send("ann", "POST", bindings, bound("ann", "Role", "new"))).status).toBe(403)
    expect((await send("ann", "POST", bindings, bound("ann", "Role", "editor2"))).body.message).toBe(
      'roles.rbac.authorization.k8s.io "editor2" not found',
    )
    expect((await send("bob", "POST", bindings, bound("ann", "Role", "new"))).status).toBe(201)
    expect((await send("ann", "GET", configMaps)).status).toBe(200)
  })

  it("lets only an administrator aggregate", async () => {
    const rules = [{ verbs: ["create"], apiGroups: ["rbac.authorization.k8s.io"], resources: ["clusterroles"] }]
    const binding = { ...bound("ann", "ClusterRole", "creator"), kind: "ClusterRoleBinding", metadata: { name: "b" } }
    const send = withRoles(clusterRole("creator", rules), binding)
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] }
    const created = await send("ann", "POST", `${rbac}/clusterroles`, { ...clusterRole("all", []), aggregationRule })
    expect(created.body.message).toBe(
      'clusterroles.rbac.authorization.k8s.io "all" is forbidden: must have cluster-admin privileges to use the aggregationRule',
    )
  })

  it("answers reviews of access from the roles", async () => {
    const send = withRoles(role("reader", reading), bound("ann", "Role", "reader"))
    const review = (kind: string, spec: object) => ({ apiVersion: "authorization.k8s.io/v1", kind, spec })
    const path = (plural: string) => `/apis/authorization.k8s.io/v1/${plural}`
    const attributes = (verb: string) => ({
      resourceAttributes: { namespace: "default", verb, resource: "configmaps" },
    })
    const self = (verb: string) =>
      send("ann", "POST", path("selfsubjectaccessreviews"), review("SelfSubjectAccessReview", attributes(verb)))
    expect((await self("get")).body.status).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "ann-reader/default" of Role "reader" to User "ann"',
    })
    expect((await self("delete")).body.status).toEqual({ allowed: false })
    const other = review("SubjectAccessReview", { ...attributes("list"), user: "ann" })
    expect((await send("", "POST", path("subjectaccessreviews"), other)).body.status.allowed).toBe(true)
    expect((await send("", "POST", path("subjectaccessreviews"), review("SubjectAccessReview", {}))).status).toBe(422)
    const selecting = async (selectors: object) => {
      const resourceAttributes = { ...attributes("list").resourceAttributes, ...selectors }
      return send(
        "ann",
        "POST",
        path("selfsubjectaccessreviews"),
        review("SelfSubjectAccessReview", { resourceAttributes }),
      )
    }
    const [a, b] = [
      { key: "a", operator: "In", values: ["b"] },
      { key: "c", operator: "Exists" },
    ]
    const unread = (name: string, partly = "") => `spec.resourceAttributes.${name} ${partly}ignored due to parse error`
    const fine = { fieldSelector: { rawSelector: "a=b" }, labelSelector: { requirements: [a, b] } }
    expect((await selecting(fine)).body.status.evaluationError).toBeUndefined()
    const odd = { fieldSelector: { requirements: [a, b] }, labelSelector: { rawSelector: "a in (" } }
    expect((await selecting(odd)).body.status.evaluationError).toBe(
      `${unread("fieldSelector", "partially ")}; ${unread("labelSelector")}`,
    )
    const wrong = {
      fieldSelector: {},
      labelSelector: { rawSelector: "a", requirements: [{ key: "-a", operator: "In" }] },
    }
    const refused = await selecting(wrong)
    const causes = refused.body.details.causes.map(({ field }: { field: string }) =>
      field.replace("spec.resourceAttributes.", ""),
    )
    expect([refused.status, causes]).toEqual([
      422,
      [
        "fieldSelector.requirements",
        "labelSelector.rawSelector",
        "labelSelector.requirements[0].values",
        "labelSelector.requirements[0].key",
      ],
    ])
    const rules = review("SelfSubjectRulesReview", { namespace: "default" })
    const { status } = (await send("ann", "POST", path("selfsubjectrulesreviews"), rules)).body
    expect(status.resourceRules).toContainEqual(reading[0])
    expect(status.nonResourceRules[0].verbs).toEqual(["get"])
  })

  it("allows aggregated access to an account by its name, and reads the users of a file of tokens", async () => {
    const tokens = '# users\nsecret-1,ann,1001,"dev,ops"\nsecret-2,bob,1002\n'
    const account = {
      ...bound("robot", "Role", "reader"),
      subjects: [{ kind: "ServiceAccount", name: "robot", namespace: "default" }],
    }
    const acting = [
      { verbs: ["impersonate"], apiGroups: [""], resources: ["serviceaccounts"], resourceNames: ["robot"] },
    ]
    const objects = [role("reader", reading), account, role("actor", acting), bound("ann", "Role", "actor")]
    const send = senderFor(createApiServer({ authorization: "rbac", tokens, objects }))
    const by = (token: string) => ({ authorization: `Bearer ${token}` })
    const robot = "system:serviceaccount:default:robot"
    expect((await send("", "GET", configMaps, undefined, by("wrong"))).body).toMatchObject({
      reason: "Unauthorized",
      message: "Unauthorized",
      code: 401,
    })
    expect((await send("system:anonymous", "GET", "/apis")).body.message).toContain(
      'User "system:anonymous" cannot get path',
    )
    expect((await send("", "GET", configMaps, undefined, by("secret-1"))).status).toBe(403)
    expect((await send(robot, "GET", configMaps, undefined, by("secret-1"))).status).toBe(200)
    expect((await send(robot, "GET", configMaps, undefined, by("secret-2"))).body.message).toBe(
      'serviceaccounts "robot" is forbidden: User "bob" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "default"',
    )
    const who = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" }
    const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
    expect((await send("", "POST", path, who, by("secret-1"))).body.status.userInfo).toEqual({
      username: "ann",
      uid: "1001",
      groups: ["dev", "ops", "system:authenticated"],
    })
  })
})

it("shows the impersonated user to policies of a server without authorization", async () => {
  const send = senderFor(createApiServer())
  const who = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" }
  const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
  const headers = { "impersonate-group": "dev, ops", "impersonate-extra-scopes%2fa": "x" }
  expect((await send("ann", "POST", path, who, headers)).body.status.userInfo).toEqual({
    username: "ann",
    groups: ["dev", "ops", "system:authenticated"],
    extra: { "scopes/a": ["x"] },
  })
  const list = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectRulesReview", spec: { namespace: "default" } }
  const answer = await send("", "POST", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", list)
  expect(answer.body.status.resourceRules).toEqual([{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }])
})
