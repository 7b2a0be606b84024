/**
 * Scenarios of Kubernetes' tests of policies (test/integration/apiserver/cel), in this project's words. docs/apiserver/compared.md lists them by
 * the names of the tests.
 */
import { describe, expect, it } from "vitest"
import type { MapValue } from "../../../src/value/value.js"
import { definitionOf } from "../../support/definition.js"
import { binding, configMap, configMaps, policy, registration, serverWith } from "./policies.js"

const namespaces = "/api/v1/namespaces"
const forAll = (resources: string, apiGroups = [""], apiVersions = ["v1"]) => ({
  resourceRules: [{ apiGroups, apiVersions, operations: ["*"], resources: [resources] }],
})
const ofNamespaces = (spec: object) => policy({ matchConstraints: forAll("namespaces"), ...spec })
const namespace = (name: string, labels?: object) => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, labels },
})
const paramKind = { apiVersion: "v1", kind: "ConfigMap" }
const params = (name: string, data: object, labels?: object) => configMap(data, { name, namespace: "default", labels })
const withParam = (name: string, parameterNotFoundAction = "Deny") =>
  binding({ paramRef: { name, namespace: "default", parameterNotFoundAction } })
const denied = (why: string) =>
  expect.stringContaining(`ValidatingAdmissionPolicy 'p' with binding 'b' denied request: ${why}`)

/** Creates a namespace on a server with these objects. */
async function creating(name: string, objects: readonly object[], options: Parameters<typeof serverWith>[1] = {}) {
  const { status, body } = await serverWith(objects, options).call("POST", namespaces, namespace(name))
  return [status, status < 300 ? undefined : body.message]
}

const suffix = "object.metadata.name.endsWith('k8s')"
const guarded =
  "has(params.metadata) && has(params.metadata.name) && object.metadata.name.endsWith(params.metadata.name)"

describe("Test_ValidateNamespace_NoParams", () => {
  const rows: readonly (readonly [name: string, spec: object, message: string | undefined])[] = [
    ["test-k8s", { validations: [{ expression: suffix }] }, undefined],
    ["test-k8s", { validations: [{ expression: "request.name.endsWith('k8s')" }] }, undefined],
    [
      "test-k8s",
      { failurePolicy: "Ignore", validations: [{ expression: "object.nonExistentProperty == 'x'" }] },
      undefined,
    ],
    ["test-k8s", { paramKind, validations: [{ expression: `(${guarded}) || ${suffix}` }] }, undefined],
    [
      "test-k8s",
      { paramKind, validations: [{ expression: `(params != null && params.a == 'b') || ${suffix}` }] },
      undefined,
    ],
    ["test-k8s", { validations: [{ expression: "namespaceObject == null" }] }, undefined],
    ["test-foobar", { validations: [{ expression: suffix }] }, `failed expression: ${suffix}`],
    [
      "test-k8s",
      { validations: [{ expression: "object.nonExistentProperty == 'x'" }] },
      "expression 'object.nonExistentProperty == 'x'' resulted in error: no such key: nonExistentProperty",
    ],
    ["test-k8s", { paramKind, validations: [{ expression: guarded }] }, `failed expression: ${guarded}`],
  ]
  it.each(rows)("%s with %j", async (name, spec, message) => {
    const expected = message === undefined ? [201, undefined] : [422, denied(message)]
    expect(await creating(name, [ofNamespaces(spec), binding()])).toEqual(expected)
  })

  it("answers with the reason of the validation", async () => {
    const objects = [ofNamespaces({ validations: [{ expression: suffix, reason: "Forbidden" }] }), binding()]
    const { status, body } = await serverWith(objects).call("POST", namespaces, namespace("forbidden"))
    expect([status, body.reason]).toEqual([403, "Forbidden"])
  })
})

it("Test_ValidateAnnotationsAndWarnings: notes annotations, warns and audits", async () => {
  const spec = {
    validations: [{ expression: suffix }],
    auditAnnotations: [
      { key: "example-key", valueExpression: "'object name: ' + object.metadata.name" },
      { key: "exclude-key", valueExpression: "null" },
    ],
  }
  const { call, server } = serverWith([policy(spec), binding({ validationActions: ["Warn", "Audit"] })])
  const { status, warnings } = await call("POST", configMaps, configMap())
  const message = `failed expression: ${suffix}`
  expect([status, warnings]).toEqual([
    201,
    `299 - "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': ${message}"`,
  ])
  const { audit = {} } = server.requests.at(-1) ?? {}
  expect(audit["p/example-key"]).toBe("object name: c")
  const failure = JSON.parse(audit["validation.policy.admission.k8s.io/validation_failure"] ?? "")
  expect(failure).toMatchObject([{ message, policy: "p", binding: "b", validationActions: ["Warn", "Audit"] }])
  expect(Object.keys(audit)).not.toContain("p/exclude-key")
})

describe("parameters", () => {
  const spec = { paramKind, validations: [{ expression: "object.metadata.name.endsWith(params.data.suffix)" }] }

  it("Test_ValidateNamespace_WithConfigMapParams: are read", async () => {
    const objects = [params("param", { suffix: "k8s" }), ofNamespaces(spec), withParam("param")]
    expect((await creating("test-k8s", objects))[0]).toBe(201)
    expect((await creating("test-foo", objects))[0]).toBe(422)
  })

  it("TestMultiplePolicyBindings: differ by binding", async () => {
    const expression =
      "params.data.fails != 'true' && (params.data.conditional == 'false' || object.metadata.name.startsWith(params.data.check))"
    const bound = (name: string) => ({
      ...binding({
        paramRef: { name, namespace: "default", parameterNotFoundAction: "Deny" },
        matchResources: { objectSelector: { matchExpressions: [{ key: name, operator: "Exists" }] } },
      }),
      metadata: { name },
    })
    const objects = [
      policy({ paramKind, matchConstraints: forAll("secrets"), validations: [{ expression }] }),
      ...["fail", "pass", "conditional"].map(bound),
      params("fail", { fails: "true" }),
      params("pass", { fails: "false", conditional: "false" }),
      params("conditional", { fails: "false", conditional: "true", check: "prefix-" }),
    ]
    const { call } = serverWith(objects)
    const statusOf = async (name: string, label: string) => {
      const secret = { apiVersion: "v1", kind: "Secret", metadata: { name, labels: { [label]: "true" } } }
      return (await call("POST", "/api/v1/namespaces/default/secrets", secret)).status
    }
    const rows = [
      ["a", "fail"],
      ["b", "pass"],
      ["prefix-c", "conditional"],
      ["d", "conditional"],
    ] as const
    const statuses: number[] = []
    for (const [name, label] of rows) statuses.push(await statusOf(name, label))
    expect(statuses).toEqual([422, 201, 201, 422])
  })

  it("UpdateParamKind, UpdateParamRef, UpdateParamResource and DeletedThenRecreated: count as they are at the time", async () => {
    const { call } = serverWith([
      params("one", { suffix: "one" }),
      params("two", { suffix: "two" }),
      { apiVersion: "v1", kind: "Secret", metadata: { name: "one", namespace: "default" } },
      ofNamespaces({ ...spec, failurePolicy: "Fail" }),
      withParam("one"),
    ])
    let count = 0
    const isAllowed = async (end: string) =>
      (await call("POST", namespaces, namespace(`n${++count}-${end}`))).status === 201
    const [policies, bindings] = ["validatingadmissionpolicies/p", "validatingadmissionpolicybindings/b"].map(
      plural => `${registration}/${plural}`,
    )
    expect([await isAllowed("one"), await isAllowed("two")]).toEqual([true, false])
    await call("PATCH", bindings ?? "", { spec: { paramRef: { name: "two" } } }, "merge")
    expect([await isAllowed("one"), await isAllowed("two")]).toEqual([false, true])
    await call("PATCH", `${configMaps}/two`, { data: { suffix: "three" } }, "merge")
    expect([await isAllowed("two"), await isAllowed("three")]).toEqual([false, true])
    await call("DELETE", `${configMaps}/two`)
    expect(await isAllowed("three")).toBe(false)
    await call("POST", configMaps, params("two", { suffix: "four" }))
    expect(await isAllowed("four")).toBe(true)
    const kinds = "object.metadata.name.endsWith(params.kind.lowerAscii())"
    const changed = { spec: { paramKind: { apiVersion: "v1", kind: "Secret" }, validations: [{ expression: kinds }] } }
    await call("PATCH", policies ?? "", changed, "merge")
    await call("PATCH", bindings ?? "", { spec: { paramRef: { name: "one" } } }, "merge")
    expect([await isAllowed("configmap"), await isAllowed("secret")]).toEqual([false, true])
    await call("DELETE", bindings ?? "")
    expect(await isAllowed("other")).toBe(true)
    await call("POST", `${registration}/validatingadmissionpolicybindings`, withParam("one"))
    expect(await isAllowed("other")).toBe(false)
    await call("DELETE", policies ?? "")
    expect(await isAllowed("other")).toBe(true)
  })

  it("TestCRDParams and TestBindingRemoval: may be custom resources", async () => {
    const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true }
    const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: open } }
    const crd = definitionOf("Limit", { spec: { versions: [version] } })
    const limit = {
      apiVersion: "example.com/v1",
      kind: "Limit",
      metadata: { name: "l", namespace: "default" },
      most: 3,
    }
    const custom = {
      paramKind: { apiVersion: "example.com/v1", kind: "Limit" },
      validations: [{ expression: "size(object.metadata.name) <= params.most" }],
    }
    const { call } = serverWith([limit, ofNamespaces(custom), withParam("l")], { crds: [crd] })
    const statusOf = async (name: string) => (await call("POST", namespaces, namespace(name))).status
    expect([await statusOf("abc"), await statusOf("abcd")]).toEqual([201, 422])
    await call("DELETE", `${registration}/validatingadmissionpolicybindings/b`)
    expect(await statusOf("abcd")).toBe(201)
  })
})

describe("matching", () => {
  const refusing = { validations: [{ expression: "false", message: "matched" }] }

  it("Test_PolicyExemption and MatchExcludedResource: leave out policies, bindings and reviews", async () => {
    const everything = policy({ matchConstraints: forAll("*", ["*"], ["*"]), ...refusing })
    const { call } = serverWith([everything, binding()])
    const patch = { metadata: { labels: { a: "b" } } }
    for (const plural of ["validatingadmissionpolicies/p", "validatingadmissionpolicybindings/b"]) {
      expect((await call("PATCH", `${registration}/${plural}`, patch, "merge")).status).toBe(200)
    }
    const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" }
    expect((await call("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", review)).status).toBe(201)
    expect((await call("POST", configMaps, configMap())).status).toBe(422)
  })

  it("MatchByObjectSelector, MatchByNamespaceSelector, MatchByResourceNames and MatchWithExcludeResources", async () => {
    const web = namespace("web", { team: "web" })
    const statusWith = async (match: object, name: string, labels?: object, inside = "default") => {
      const matchConstraints = { ...forAll("configmaps"), ...match }
      const { call } = serverWith([web, policy({ matchConstraints, ...refusing }), binding()])
      return (await call("POST", `${namespaces}/${inside}/configmaps`, configMap({}, { name, labels }))).status
    }
    const selector = { matchLabels: { team: "web" } }
    const named = { resourceRules: [{ ...forAll("configmaps").resourceRules[0], resourceNames: ["c"] }] }
    const excluded = { ...forAll("*"), excludeResourceRules: forAll("configmaps").resourceRules }
    expect([
      await statusWith({ objectSelector: selector }, "c", { team: "web" }),
      await statusWith({ objectSelector: selector }, "c"),
      await statusWith({ namespaceSelector: selector }, "c", {}, "web"),
      await statusWith({ namespaceSelector: selector }, "c"),
      await statusWith(named, "c"),
      await statusWith(named, "d"),
      await statusWith(excluded, "c"),
    ]).toEqual([422, 201, 422, 201, 422, 201, 201])
  })

  it("MatchWithMatchPolicyEquivalent and MatchWithMatchPolicyExact: see other versions, or only the named one", async () => {
    const open = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } }
    const versions = ["v1", "v2"].map(name => ({ name, served: true, storage: name === "v1", schema: open }))
    const crd = definitionOf("Panda", { spec: { versions } })
    const statusesBy = async (matchPolicy: string) => {
      const matchConstraints = { ...forAll("pandas", ["example.com"]), matchPolicy }
      const { call } = serverWith([policy({ matchConstraints, ...refusing }), binding()], { crds: [crd] })
      const statusAt = async (version: string) => {
        const panda: MapValue = { apiVersion: `example.com/${version}`, kind: "Panda", metadata: { name: version } }
        return (await call("POST", `/apis/example.com/${version}/namespaces/default/pandas`, panda)).status
      }
      return [await statusAt("v1"), await statusAt("v2")]
    }
    expect([await statusesBy("Equivalent"), await statusesBy("Exact")]).toEqual([
      [422, 422],
      [422, 201],
    ])
  })
})

describe("Test_CostLimitForValidation", () => {
  const check = "authorizer.group('apps').resource('deployments').namespace('test').check('create').allowed()"
  const thrice = `${check} && ${check} && ${check}`
  const costly = "actual cost limit exceeded"
  const rows: readonly (readonly [name: string, spec: object, message: string])[] = [
    ["an expression", { validations: [{ expression: thrice }] }, costly],
    [
      "a variable",
      { variables: [{ name: "a", expression: thrice }], validations: [{ expression: "variables.a" }] },
      costly,
    ],
    [
      "a match condition",
      { matchConditions: [{ name: "a", expression: thrice }], validations: [{ expression: "true" }] },
      costly,
    ],
    ["a policy", { validations: Array(29).fill({ expression: check }) }, "running out of cost budget"],
  ]
  it.each(rows)("stops %s that asks too much", async (_, spec, message) => {
    const objects = [ofNamespaces(spec), binding()]
    expect(await creating("test-k8s", objects, { authorization: "rbac" })).toEqual([
      422,
      expect.stringContaining(message),
    ])
  })
})

it("Test_ValidateSecondaryAuthorization: asks for the rights of the sender, and of a service account", async () => {
  const rbac = "rbac.authorization.k8s.io"
  const granting = (name: string, subject: object, rules: readonly object[]) => [
    { apiVersion: `${rbac}/v1`, kind: "ClusterRole", metadata: { name }, rules },
    {
      apiVersion: `${rbac}/v1`,
      kind: "ClusterRoleBinding",
      metadata: { name },
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name },
      subjects: [subject],
    },
  ]
  const alice = { apiGroup: rbac, kind: "User", name: "alice" }
  const creatingNamespaces = { verbs: ["create"], apiGroups: [""], resources: ["namespaces"] }
  const custom = (resources: string) => ({ verbs: ["anthropomorphize"], apiGroups: [""], resources: [resources] })
  const statusWith = async (expression: string, rule?: object, subject: object = alice) => {
    const { server } = serverWith(
      [
        ofNamespaces({ validations: [{ expression }] }),
        binding(),
        ...granting("creator", alice, [creatingNamespaces]),
        ...(rule === undefined ? [] : granting("extra", subject, [rule])),
      ],
      { authorization: "rbac" },
    )
    const headers = { "content-type": "application/json", "impersonate-user": "alice" }
    const body = JSON.stringify(namespace("test-authz"))
    return (await server.answer({ method: "POST", path: namespaces, headers, body })).status
  }
  const own = "authorizer.requestResource.check('anthropomorphize').allowed()"
  const status =
    "authorizer.group('apps').resource('deployments').subresource('status').namespace('default').name('charmander').check('create').allowed()"
  const account =
    "authorizer.serviceAccount('default', 'extra').group('').resource('pods').check('anthropomorphize').allowed()"
  const charmander = {
    verbs: ["create"],
    apiGroups: ["apps"],
    resources: ["deployments/status"],
    resourceNames: ["charmander"],
  }
  const robot = { kind: "ServiceAccount", name: "extra", namespace: "default" }
  expect([
    await statusWith(status, charmander),
    await statusWith(status),
    await statusWith(own, custom("namespaces")),
    await statusWith(own),
    await statusWith(account, custom("pods"), robot),
  ]).toEqual([201, 422, 201, 422, 201])
})
