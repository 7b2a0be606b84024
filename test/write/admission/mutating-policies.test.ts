/** Mutating policies: apply configurations, JSON patches, second rounds and failures. */
import { describe, expect, it } from "vitest"
import type { MapValue } from "../../../src/value/value.js"
import { binding, configMap, configMaps, policy, registration, serverWith } from "./policies.js"

const kind = "MutatingAdmissionPolicy"
const bound = (spec: object = {}, name = "b") => binding(spec, name, `${kind}Binding`)
const applying = (expression: string) => ({ patchType: "ApplyConfiguration", applyConfiguration: { expression } })
const patching = (expression: string) => ({ patchType: "JSONPatch", jsonPatch: { expression } })

/** A policy with these mutations. */
function mutating(mutations: readonly object[], spec: object = {}, name = "p"): MapValue {
  return policy({ mutations, failurePolicy: "Fail", reinvocationPolicy: "Never", ...spec }, name, kind)
}

/** Returns the response to the creation of a ConfigMap. */
async function created(objects: readonly object[], data: object = { own: "1" }, metadata: object = {}) {
  return serverWith(objects).call("POST", configMaps, configMap(data, metadata))
}

describe("a mutating policy", () => {
  it("merges an apply configuration into the object, and owns nothing", async () => {
    const expression = `Object{ metadata: Object.metadata{ labels: {"a.io/team": object.data.own} }, data: Object.data{added: "x"} }`
    const mutations = [applying(expression.replace("Object.data{added: ", '{"added": '))]
    const { call } = serverWith([mutating(mutations), bound()])
    const { body } = await call("PATCH", `${configMaps}/c?fieldManager=ci`, configMap({ own: "1" }), "apply")
    expect(body.data).toEqual({ own: "1", added: "x" })
    expect(body.metadata.labels).toEqual({ "a.io/team": "1" })
    expect(body.metadata.managedFields[0].fieldsV1).toEqual({ "f:data": { "f:own": {} } })
  })

  it("applies a JSON patch", async () => {
    const expression = `[
      JSONPatch{op: "test", path: "/data/own", value: "1"},
      JSONPatch{op: "add", path: "/metadata/annotations", value: {}}, // no comma in {this}
      JSONPatch{op: "add", path: "/metadata/annotations/" + jsonpatch.escapeKey("a.io/b"), value: "it's"},
    ]`
    expect((await created([mutating([patching(expression)]), bound()])).body.metadata.annotations).toEqual({
      "a.io/b": "it's",
    })
    const untested = await created([mutating([patching(expression)]), bound()], { own: "2" })
    expect(untested.body.metadata.annotations).toBe(undefined)
  })

  it("writes objects into an operation", async () => {
    const deployments = [
      { apiGroups: ["apps"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["deployments"] },
    ]
    const container = `Object.spec.template.spec.containers{name: "side", image: "side:1", ports: [
      Object.spec.template.spec.containers.ports{containerPort: 80}] }`
    const mutations = [
      patching(`object.spec.template.spec.containers.exists(c, c.name == "side") ? [] :
        [JSONPatch{op: "add", path: "/spec/template/spec/containers/-", value: ${container}}]`),
      applying(`Object{spec: Object.spec{replicas: 2}}`),
    ]
    const { call } = serverWith([mutating(mutations, { matchConstraints: { resourceRules: deployments } }), bound()])
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "web", image: "web:1" }] } }
    const spec = { selector: { matchLabels: { a: "b" } }, template }
    const deployment = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "d" }, spec }
    const { status, body } = await call("POST", "/apis/apps/v1/namespaces/default/deployments", deployment)
    expect([status, body.message]).toEqual([201, undefined])
    expect(body.spec.replicas).toBe(2)
    expect(body.spec.template.spec.containers[1]).toMatchObject({
      name: "side",
      ports: [{ containerPort: 80, protocol: "TCP" }],
    })
  })

  it("sees variables, parameters and the changes of policies before it", async () => {
    const param = configMap({ prefix: "p-" }, { name: "param", namespace: "default" })
    const mutations = [
      applying(`Object{data: {"first": variables.prefix + object.data.own}}`),
      applying(`Object{data: {"second": object.data.first}}`),
    ]
    const given = mutating(mutations, {
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      variables: [{ name: "prefix", expression: "params.data.prefix" }],
      matchConditions: [{ name: "own", expression: "has(object.data) && 'own' in object.data" }],
    })
    const paramRef = { name: "param", namespace: "default", parameterNotFoundAction: "Deny" }
    expect((await created([param, given, bound({ paramRef })])).body.data).toEqual({
      own: "1",
      first: "p-1",
      second: "p-1",
    })
  })

  it("is asked again after a later change, if it wants to be", async () => {
    const count = applying(`Object{data: {"count": string(size(object.data))}}`)
    const objects = (reinvocationPolicy: string) => [
      mutating([count], { reinvocationPolicy }, "p"),
      bound(),
      mutating([applying(`Object{data: {"later": "1"}}`)], {}, "q"),
      bound({ policyName: "q" }, "b2"),
    ]
    expect((await created(objects("Never"))).body.data.count).toBe("1")
    expect((await created(objects("IfNeeded"))).body.data.count).toBe("3")
  })

  it("refuses the request if it can't be evaluated, unless it may fail", async () => {
    const missing = applying(`Object{data: {"a": object.data.missing}}`)
    const refused = await created([mutating([missing]), bound()])
    expect(refused).toMatchObject({ status: 403, body: { reason: "Invalid" } })
    expect(refused.body.message).toMatch(
      /^policy 'p' with binding 'b' denied request: expression 'Object\{data: .*' resulted in error: no such key: missing$/,
    )
    expect((await created([mutating([missing], { failurePolicy: "Ignore" }), bound()])).status).toBe(201)
    const wrong = await created([mutating([applying("Object{ nothing: 1 }")]), bound()])
    expect(wrong.body.message).toContain(
      "error applying patch: failed to convert patch object to typed object: .nothing: field not declared in schema",
    )
    const misnamed = await created([mutating([applying("Object{metadata: Object.spec{}}")]), bound()])
    expect(misnamed.body.message).toContain(
      'type mismatch: unexpected type name "Object.spec", expected "Object.metadata", which matches field name path from root Object type',
    )
  })

  it("may not change atomic values", async () => {
    const owners = `Object{metadata: Object.metadata{finalizers: ["a.io/b"]}}`
    expect((await created([mutating([applying(owners)]), bound()])).status).toBe(201)
    const services = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["services"] }]
    const selector = mutating([applying(`Object{spec: Object.spec{selector: {"a": "b"}}}`)], {
      matchConstraints: { resourceRules: services },
    })
    const { call } = serverWith([selector, bound()])
    const service = { apiVersion: "v1", kind: "Service", metadata: { name: "s" }, spec: { ports: [{ port: 80 }] } }
    expect((await call("POST", "/api/v1/namespaces/default/services", service)).body.message).toContain(
      "invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.selector",
    )
  })

  it("is refused if its expression has the wrong type", async () => {
    const wrong = mutating([applying("{'a': 1}"), patching("Object{}"), applying("Object{data: undefined}")])
    const { status, body } = await serverWith([]).call("POST", `${registration}/mutatingadmissionpolicies`, wrong)
    expect(status).toBe(422)
    expect(body.details.causes.map(({ field }: { field: string }) => field)).toEqual([
      "spec.mutations[0].applyConfiguration.expression",
      "spec.mutations[1].jsonPatch.expression",
      "spec.mutations[2].applyConfiguration.expression",
    ])
    expect(body.message).toContain("must evaluate to Object but got map(string, int)")
    expect(body.message).toContain("undeclared reference to 'undefined' (in container '')")
  })

  it("can be left out", async () => {
    const objects = [mutating([applying(`Object{data: {"added": "1"}}`)]), bound()]
    const { call } = serverWith(objects, { disableAdmissionPlugins: ["MutatingAdmissionPolicy"] })
    expect((await call("POST", configMaps, configMap({ own: "1" }))).body.data).toEqual({ own: "1" })
  })
})

describe("the authorizer of a policy", () => {
  const asking = (expression: string) =>
    policy({ validations: [{ expression, message: "not allowed" }], failurePolicy: "Fail" })

  it("answers from the roles if authorization is on", async () => {
    const roles = [
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRoleBinding",
        metadata: { name: "e" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "edit" },
        subjects: [{ kind: "ServiceAccount", name: "robot", namespace: "default" }],
      },
    ]
    const expressions = [
      "authorizer.requestResource.check('create').allowed()",
      "authorizer.path('/healthz').check('get').allowed()",
      "!authorizer.serviceAccount('default', 'none').group('').resource('secrets').namespace('x').check('get').allowed()",
      "authorizer.serviceAccount('default', 'robot').group('apps').resource('deployments').subresource('scale').namespace('x').name('d').check('patch').allowed()",
      "authorizer.serviceAccount('default', 'robot').group('').resource('secrets').check('get').reason().startsWith('RBAC: allowed by')",
      "authorizer.group('').resource('pods').fieldSelector('spec.nodeName=a').labelSelector('a in (b').check('list').allowed()",
      "!authorizer.serviceAccount('default', 'robot').path('/version').check('get').allowed()",
    ]
    for (const expression of expressions) {
      const { call } = serverWith([asking(expression), binding(), ...roles], { authorization: "rbac" })
      const { status, body } = await call("POST", configMaps, configMap())
      expect([expression, status, body.message]).toEqual([expression, 201, undefined])
    }
    const { call } = serverWith([asking(`!(${expressions[0]})`), binding()], { authorization: "rbac" })
    expect((await call("POST", configMaps, configMap())).status).toBe(422)
  })

  it("fails for questions that a server can't ask, and after two questions", async () => {
    const twice = "authorizer.group('').resource('pods').check('get').allowed() && ".repeat(2)
    const rows = [
      ["authorizer.path(' ').check('get').allowed()", "path must not be empty"],
      ["authorizer.group('apps').resource('').check('get').allowed()", "resource must not be empty"],
      ["authorizer.serviceAccount('a.b', 'c').path('/x').check('get').allowed()", "Invalid service account namespace"],
      ["authorizer.serviceAccount('a', 'B').path('/x').check('get').allowed()", "Invalid service account name"],
      [`${twice}authorizer.path('/x').check('get').allowed()`, "actual cost limit exceeded"],
    ] as const
    for (const [expression, message] of rows) {
      const { call } = serverWith([asking(expression), binding()], { authorization: "rbac" })
      const { status, body } = await call("POST", configMaps, configMap())
      expect([status, body.message]).toEqual([422, expect.stringContaining(message)])
    }
  })

  it("is not there for messages", async () => {
    const messageExpression = "authorizer.path('/x').check('get').reason()"
    const spec = { validations: [{ expression: "false", messageExpression }] }
    for (const authorization of ["rbac", undefined] as const) {
      const { call } = serverWith([], { authorization })
      const { status, body } = await call("POST", `${registration}/validatingadmissionpolicies`, policy(spec))
      expect([status, body.message]).toEqual([422, expect.stringContaining("undeclared reference to 'authorizer'")])
    }
  })

  it("is refused with a reason if authorization is off", async () => {
    const policies = `${registration}/validatingadmissionpolicies`
    const given = asking("authorizer.requestResource.check('create').allowed()")
    const { status, body } = await serverWith([]).call("POST", policies, given)
    expect([status, body.message]).toEqual([
      501,
      'this test API server does not serve the expressions of this policy (it uses `authorizer`): create the server with authorization: "rbac", or use a real cluster',
    ])
    expect((await serverWith([], { authorization: "rbac" }).call("POST", policies, given)).status).toBe(201)
  })
})
