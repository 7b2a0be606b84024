/** Requests about an object that are performed and never stored: evictions, bindings, and tokens of ServiceAccounts. */
import { describe, expect, it } from "vitest"
import { createApiServer } from "../../src/apiserver/server.js"
import { clientOf } from "./requests.js"

const pods = "/api/v1/namespaces/default/pods"
const budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
const spec = { containers: [{ name: "web", image: "web:1" }] }
const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "web", labels: { app: "web" } }, spec }
const header = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "web" } }
const success = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 }
const onNode = { ...pod, spec: { ...spec, nodeName: "n1" } }
const ready = { status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } }

/** A server with a Pod that runs on a node, and a budget with this status. */
async function guarded(status?: object, budgetSpec: object = {}) {
  const server = createApiServer({ seed: 1 })
  const send = clientOf(server)
  await send("POST", pods, onNode)
  await send("PATCH", `${pods}/web/status`, ready, "merge")
  if (status !== undefined) {
    const selector = { matchLabels: { app: "web" } }
    const budget = { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: { name: "web" } }
    await send("POST", budgets, { ...budget, spec: { minAvailable: 1, selector, ...budgetSpec } })
    await send("PATCH", `${budgets}/web/status`, { status: { observedGeneration: 1, ...status } }, "merge")
  }
  const evict = (body: object = {}, query = "") => send("POST", `${pods}/web/eviction${query}`, { ...header, ...body })
  const phaseOf = async () => (await send("GET", `${pods}/web`)).body.metadata?.deletionTimestamp
  return { server, send, evict, phaseOf }
}

describe("an eviction", () => {
  it("marks a Pod on a node as deleted, with the reason", async () => {
    const { send, evict } = await guarded()
    expect(await evict()).toMatchObject({ status: 201, body: success })
    const { metadata, status } = (await send("GET", `${pods}/web`)).body
    expect(metadata).toMatchObject({ deletionTimestamp: "2026-01-01T00:00:30Z", deletionGracePeriodSeconds: 30 })
    expect(status.conditions.at(-1)).toEqual({
      type: "DisruptionTarget",
      status: "True",
      lastProbeTime: null,
      lastTransitionTime: "2026-01-01T00:00:00Z",
      reason: "EvictionByEvictionAPI",
      message: "Eviction API: evicting",
    })
    // Nobody owns the condition.
    expect(JSON.stringify(metadata.managedFields)).not.toContain("DisruptionTarget")
  })

  it("removes a Pod at once without a grace period, or without a node", async () => {
    const { send, evict } = await guarded()
    expect((await evict({ deleteOptions: { gracePeriodSeconds: 0 } })).status).toBe(201)
    expect((await send("GET", `${pods}/web`)).status).toBe(404)
    await send("POST", pods, pod)
    expect((await evict()).status).toBe(201)
    expect(await evict()).toMatchObject({ status: 404, body: { message: 'pods "web" not found' } })
  })

  it("changes nothing in a dry run", async () => {
    const { send, evict } = await guarded({ disruptionsAllowed: 1 })
    const before = (await send("GET", `${pods}/web`)).body
    expect((await evict({}, "?dryRun=All")).body).toEqual(success)
    expect((await evict({ deleteOptions: { dryRun: ["All"] } })).body).toEqual(success)
    expect((await send("GET", `${pods}/web`)).body).toEqual(before)
    expect((await send("GET", `${budgets}/web`)).body.status.disruptionsAllowed).toBe(1)
  })

  it("takes a disruption from the budget", async () => {
    const { send, evict } = await guarded({ disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1 })
    expect((await evict()).status).toBe(201)
    const { metadata, status } = (await send("GET", `${budgets}/web`)).body
    const time = "2026-01-01T00:00:00Z"
    expect(status).toMatchObject({ disruptionsAllowed: 0, disruptedPods: { web: time } })
    expect(status.conditions).toEqual([
      {
        type: "DisruptionAllowed",
        status: "False",
        observedGeneration: 1,
        lastTransitionTime: time,
        reason: "InsufficientPods",
        message: "",
      },
    ])
    const owner = metadata.managedFields.find((each: { manager: string }) => each.manager === "kube-apiserver")
    expect(owner).toMatchObject({ subresource: "status", operation: "Update" })
  })

  const message = "Cannot evict pod as it would violate the pod's disruption budget."
  it.each([
    [{ currentHealthy: 1, desiredHealthy: 1 }, "The disruption budget web needs 1 healthy pods and has 1 currently"],
    [{ currentHealthy: 2, desiredHealthy: 1 }, "The disruption budget web does not allow evicting pods currently"],
    [
      { conditions: [condition("SyncFailed", "no scale")] },
      "The disruption budget web does not allow evicting pods currently because it failed sync: no scale",
    ],
  ])("is refused by a budget with the status %j", async (status, cause) => {
    const { evict, phaseOf } = await guarded({ disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, ...status })
    const { status: code, body } = await evict()
    expect([code, body.reason, body.message]).toEqual([429, "TooManyRequests", message])
    expect(body.details).toEqual({ causes: [{ reason: "DisruptionBudget", message: cause }] })
    expect(await phaseOf()).toBeUndefined()
  })

  it("may be retried later if the budget has just changed", async () => {
    const { server, send, evict } = await guarded({ disruptionsAllowed: 1 })
    await send("PATCH", `${budgets}/web`, { spec: { minAvailable: 2 } }, "merge")
    const cause = "The disruption budget web is still being processed by the server."
    expect((await evict()).body.details.causes).toEqual([{ reason: "DisruptionBudget", message: cause }])
    const headers = { "content-type": "application/json" }
    const request = { method: "POST", path: `${pods}/web/eviction`, headers, body: JSON.stringify(header) }
    expect((await server.answer(request)).headers["retry-after"]).toBe("10")
  })

  it("ignores the budget for unhealthy Pods where the budget says so", async () => {
    const { send, evict } = await guarded({ disruptionsAllowed: 0 }, { unhealthyPodEvictionPolicy: "AlwaysAllow" })
    expect((await evict()).status).toBe(429)
    await send("PATCH", `${pods}/web/status`, { status: { conditions: [] } }, "merge")
    expect((await evict()).status).toBe(201)
    expect((await send("GET", `${budgets}/web`)).body.status.disruptionsAllowed).toBe(0)
  })

  it("is refused for another Pod, another name and unknown fields", async () => {
    const { evict } = await guarded()
    const refused = await evict({ deleteOptions: { preconditions: { uid: "other" } } })
    expect([refused.status, refused.body.message]).toEqual([
      409,
      expect.stringContaining("the UID in the precondition (other) does not match the UID in record"),
    ])
    expect(await evict({ metadata: { name: "api" } })).toMatchObject({
      status: 400,
      body: { message: "name in URL does not match name in Eviction object" },
    })
    expect((await evict({ apiVersion: "policy/v2" })).status).toBe(400)
    expect((await evict({ spec: {} }, "?fieldValidation=Strict")).body.message).toContain('unknown field "spec"')
    expect((await evict({ apiVersion: "policy/v1beta1" })).status).toBe(201)
  })

  it("is a request that policies see", async () => {
    const policy = {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicy",
      metadata: { name: "stay" },
      spec: {
        matchConstraints: {
          resourceRules: [
            { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods/eviction"] },
          ],
        },
        validations: [{ expression: "object.kind != 'Eviction'", message: "Pods stay here" }],
      },
    }
    const policyBinding = {
      ...policy,
      kind: "ValidatingAdmissionPolicyBinding",
      spec: { policyName: "stay", validationActions: ["Deny"] },
    }
    const { send, evict, phaseOf } = await guarded()
    for (const [object, plural] of [
      [policy, "validatingadmissionpolicies"],
      [policyBinding, "validatingadmissionpolicybindings"],
    ] as const) {
      await send("POST", `/apis/admissionregistration.k8s.io/v1/${plural}`, object)
    }
    const refused = await evict()
    expect([refused.status, refused.body.message]).toEqual([422, expect.stringContaining("Pods stay here")])
    expect(await phaseOf()).toBeUndefined()
  })
})

function condition(reason: string, message: string) {
  return { type: "DisruptionAllowed", status: "False", lastTransitionTime: "2026-01-01T00:00:00Z", reason, message }
}

describe("a binding", () => {
  const binding = { apiVersion: "v1", kind: "Binding", metadata: { name: "web" }, target: { kind: "Node", name: "n1" } }
  const node = {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n1", labels: { "topology.kubernetes.io/zone": "z", a: "b" } },
  }

  it.each([`${pods}/web/binding`, "/api/v1/namespaces/default/bindings"])("to %s assigns the node", async path => {
    const send = clientOf(createApiServer({ seed: 1, objects: [node, pod] }))
    const annotations = { by: "scheduler" }
    const sent = { ...binding, metadata: { name: "web", annotations } }
    expect((await send("POST", `${path}?dryRun=All`, sent)).body).toEqual(success)
    expect((await send("GET", `${pods}/web`)).body.spec.nodeName).toBeUndefined()
    expect(await send("POST", path, sent)).toMatchObject({ status: 201, body: success })
    const { metadata, spec, status } = (await send("GET", `${pods}/web`)).body
    expect(spec.nodeName).toBe("n1")
    expect(metadata).toMatchObject({ annotations, labels: { app: "web", "topology.kubernetes.io/zone": "z" } })
    expect(metadata.labels.a).toBeUndefined()
    expect(status.conditions).toEqual([
      {
        type: "PodScheduled",
        status: "True",
        lastProbeTime: null,
        lastTransitionTime: "2026-01-01T00:00:00Z",
      },
    ])
    const again = await send("POST", path, sent)
    expect([again.status, again.body.message, again.body.details]).toEqual([
      409,
      'Operation cannot be fulfilled on pods/binding "web": pod web is already assigned to node "n1"',
      { name: "web", kind: "pods/binding" },
    ])
  })

  it.each([
    [{ target: { name: "" } }, 500, "target.name: Required value"],
    [
      { target: { kind: "Pod", name: "n" } },
      500,
      'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"',
    ],
    [{ metadata: { name: "api" } }, 400, "name in URL does not match name in Binding object"],
    [{ target: { name: 1 } }, 400, expect.stringContaining("cannot unmarshal number into Go struct field")],
    [
      { metadata: { name: "web", uid: "other" } },
      409,
      expect.stringContaining("Precondition failed: UID in precondition: other, UID in object meta: "),
    ],
  ])("is refused with %j", async (change, code, message) => {
    const send = clientOf(createApiServer({ objects: [pod] }))
    const { status, body } = await send("POST", `${pods}/web/binding`, { ...binding, ...change })
    expect([status, body.message]).toEqual([code, message])
  })

  it("is refused for a Pod with scheduling gates, or without the Pod", async () => {
    const send = clientOf(
      createApiServer({ objects: [{ ...pod, spec: { ...spec, schedulingGates: [{ name: "a" }] } }] }),
    )
    const gated = await send("POST", `${pods}/web/binding`, binding)
    expect([gated.status, gated.body.message]).toEqual([
      409,
      expect.stringContaining("pod web has non-empty .spec.schedulingGates"),
    ])
    const other = { ...binding, metadata: { name: "api" } }
    expect((await send("POST", `${pods}/api/binding`, other)).body.message).toBe('pods "api" not found')
  })
})

describe("a token of a ServiceAccount", () => {
  const path = "/api/v1/namespaces/default/serviceaccounts/operator/token"
  const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "operator", namespace: "default" } }
  const request = (spec: object = {}, metadata: object = {}) => ({
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    metadata,
    spec,
  })
  const claimsOf = (token: string) =>
    JSON.parse(atob((token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/")))

  it("says who it belongs to and when it expires", async () => {
    const server = createApiServer({ seed: 1, objects: [account] })
    const send = clientOf(server)
    const { uid } = (await send("GET", path.replace("/token", ""))).body.metadata
    const { status, body } = await send("POST", `${path}?fieldManager=kubectl`, request())
    expect(status).toBe(201)
    expect(body).toMatchObject({
      metadata: { name: "operator", namespace: "default", uid, creationTimestamp: "2026-01-01T00:00:00Z" },
      spec: { audiences: ["https://kubernetes.default.svc"], expirationSeconds: 3600, boundObjectRef: null },
      status: { expirationTimestamp: "2026-01-01T01:00:00Z" },
    })
    expect(body.metadata.managedFields).toMatchObject([
      { manager: "kubectl", subresource: "token", fieldsV1: { "f:spec": { "f:expirationSeconds": {} } } },
    ])
    const iat = Date.parse("2026-01-01T00:00:00Z") / 1000
    expect(claimsOf(body.status.token)).toEqual({
      iss: "https://kubernetes.default.svc",
      aud: ["https://kubernetes.default.svc"],
      sub: "system:serviceaccount:default:operator",
      iat,
      nbf: iat,
      exp: iat + 3600,
      jti: expect.any(String),
      "kubernetes.io": { namespace: "default", serviceaccount: { name: "operator", uid } },
    })
  })

  it("is bound to a Pod on its node", async () => {
    const bound = {
      ...onNode,
      metadata: { ...pod.metadata, namespace: "default" },
      spec: { ...onNode.spec, serviceAccountName: "operator" },
    }
    const send = clientOf(createApiServer({ seed: 1, objects: [account, bound] }))
    const boundObjectRef = { apiVersion: "v1", kind: "Pod", name: "web" }
    const { body } = await send("POST", path, request({ boundObjectRef, expirationSeconds: 3607 }))
    expect(body.status.expirationTimestamp).toBe("2026-01-01T01:00:07Z")
    const claims = claimsOf(body.status.token)
    expect(claims["kubernetes.io"]).toMatchObject({
      pod: { name: "web" },
      node: { name: "n1" },
      warnafter: claims.iat + 3607,
    })
    expect(claims.exp).toBe(claims.iat + 365 * 24 * 3600)
    const other = await send("POST", path, request({ boundObjectRef: { ...boundObjectRef, uid: "other" } }))
    expect(other.body.message).toBe(
      'Operation cannot be fulfilled on Pod "web": the UID in the bound object reference (other) does not match the UID in record. The object might have been deleted and then recreated',
    )
  })

  const start = 'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: '
  it.each([
    [request({ expirationSeconds: 599 }), 422, `${start}599: may not specify a duration less than 10 minutes`],
    [
      request({ expirationSeconds: 4294967297 }),
      422,
      `${start}4294967297: may not specify a duration larger than 2^32 seconds`,
    ],
    [
      request({}, { name: "other" }),
      422,
      'TokenRequest.authentication.k8s.io "operator" is invalid: metadata.name: Invalid value: "other": must match the service account name if specified',
    ],
    [
      request({}, { uid: "other" }),
      409,
      expect.stringMatching(/the UID in the token request \(other\) does not match the UID of the service account/),
    ],
    [
      request({ boundObjectRef: { apiVersion: "v1", kind: "ConfigMap", name: "a" } }),
      400,
      "cannot bind token to object of type /v1, Kind=ConfigMap",
    ],
    [
      request({ boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "web" } }),
      400,
      'cannot bind token for serviceaccount "operator" to pod running with different serviceaccount name.',
    ],
    [request({ boundObjectRef: { apiVersion: "v1", kind: "Secret", name: "a" } }), 404, 'secrets "a" not found'],
  ])("is refused for %j", async (body, code, message) => {
    const server = createApiServer({ objects: [account, pod] })
    const refused = await clientOf(server)("POST", path, body)
    expect([refused.status, refused.body.message]).toEqual([code, message])
  })

  it("is not issued without the account", async () => {
    const { status, body } = await clientOf()("POST", path, request())
    expect([status, body.message]).toEqual([404, 'serviceaccounts "operator" not found'])
  })

  it("lets its bearer do what the roles of the account allow, until it expires", async () => {
    const rbac = "rbac.authorization.k8s.io"
    const roleBinding = {
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata: { name: "operators", namespace: "default" },
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "view" },
      subjects: [{ kind: "ServiceAccount", name: "operator", namespace: "default" }],
    }
    const server = createApiServer({ seed: 1, authorization: "rbac", objects: [account, roleBinding] })
    const { token } = (await clientOf(server)("POST", path, request())).body.status
    const get = async (resource: string) => {
      const headers = { authorization: `Bearer ${token}` }
      const answer = await server.answer({ method: "GET", path: `/api/v1/namespaces/default/${resource}`, headers })
      return answer.status
    }
    expect([await get("configmaps"), await get("secrets")]).toEqual([200, 403])
    server.clock.advance(3_601_000)
    expect(await get("configmaps")).toBe(401)
  })
})
