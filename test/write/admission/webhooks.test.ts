/** Tests mutating and validating webhooks: functions and URLs, patches, refusals, failures, dry runs and second rounds. */
import { describe, expect, it } from "vitest"
import type { MapValue } from "../../../src/value/value.js"
import type { WebhookFunction, WebhookRequest } from "../../../src/write/admission/webhook-client.js"
import { configMap, configMaps, forConfigMaps, serverWith } from "./policies.js"

const rules = forConfigMaps.resourceRules
const url = "https://hooks.test:8443/admit"

/** Returns a configuration with these webhooks. */
function configuration(kind: "Mutating" | "Validating", webhooks: readonly object[]): MapValue {
  const complete = webhooks.map(hook => ({
    clientConfig: { url },
    rules,
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    failurePolicy: "Fail",
    ...hook,
  }))
  const apiVersion = "admissionregistration.k8s.io/v1"
  return { apiVersion, kind: `${kind}WebhookConfiguration`, metadata: { name: "c" }, webhooks: complete } as MapValue
}

const mutating = (...webhooks: readonly object[]) => configuration("Mutating", webhooks)
const validating = (...webhooks: readonly object[]) => configuration("Validating", webhooks)

/** Allows every request and applies these operations to its object. */
const patching =
  (...patch: readonly object[]): WebhookFunction =>
  () => ({
    allowed: true,
    ...(patch.length > 0 && { patch, patchType: "JSONPatch" }),
  })

const add = (path: string, value: unknown) => ({ op: "add", path, value })

describe("a mutating webhook", () => {
  it("changes the object after owners are computed, so that nobody owns the change", async () => {
    const webhooks = { "a.test.io": patching(add("/data/added", "1")) }
    const { call } = serverWith([mutating({ name: "a.test.io" })], { webhooks })
    const applied = await call("PATCH", `${configMaps}/c?fieldManager=ci`, configMap({ own: "2" }), "apply")
    expect(applied.body.data).toEqual({ added: "1", own: "2" })
    expect(applied.body.metadata.managedFields).toMatchObject([
      { manager: "ci", operation: "Apply", fieldsV1: { "f:data": { "f:own": {} } } },
    ])
  })

  it("is awaited if its function is asynchronous, and called once in a round", async () => {
    let calls = 0
    const slow: WebhookFunction = async () => {
      calls++
      await Promise.resolve()
      return { allowed: true, patch: [add("/data/at", String(calls))], patchType: "JSONPatch" }
    }
    const { call } = serverWith([mutating({ name: "a.test.io" })], { webhooks: { "a.test.io": slow } })
    expect((await call("POST", configMaps, configMap({ own: "2" }))).body.data).toEqual({ at: "1", own: "2" })
    expect(calls).toBe(1)
  })

  it("is called again after a later change, if it asks for that", async () => {
    const seen: string[][] = []
    const noting: WebhookFunction = review => {
      const { data } = (review as unknown as { request: { object: { data: object } } }).request.object
      seen.push(Object.keys(data))
      return { allowed: true }
    }
    const hooks = [{ name: "a.test.io", reinvocationPolicy: "IfNeeded" }, { name: "b.test.io" }]
    const webhooks = { "a.test.io": noting, "b.test.io": patching(add("/data/later", "1")) }
    await serverWith([mutating(...hooks)], { webhooks }).call("POST", configMaps, configMap({ own: "2" }))
    expect(seen).toEqual([["own"], ["own", "later"]])
  })

  it("fails the request if its patch can't be applied", async () => {
    const webhooks = { "a.test.io": patching({ op: "remove", path: "/data/none" }) }
    const { call } = serverWith([mutating({ name: "a.test.io" })], { webhooks })
    expect(await call("POST", configMaps, configMap({ own: "2" }))).toMatchObject({
      status: 500,
      body: { reason: "InternalError" },
    })
  })
})

describe("a validating webhook", () => {
  it("refuses with its own code, reason and message", async () => {
    const status = { code: 409, reason: "Conflict", message: "taken" }
    const webhooks = { "a.test.io": () => ({ allowed: false, status }) }
    const { call } = serverWith([validating({ name: "a.test.io" })], { webhooks })
    expect(await call("POST", configMaps, configMap())).toMatchObject({
      status: 409,
      body: { reason: "Conflict", message: 'admission webhook "a.test.io" denied the request: taken' },
    })
    expect((await call("GET", `${configMaps}/c`)).status).toBe(404)
  })

  it("warns, and adds annotations to the log of requests", async () => {
    const allowed = { allowed: true, warnings: ["soon gone"], auditAnnotations: { why: "test" } }
    const { call, server } = serverWith([validating({ name: "a.test.io" })], {
      webhooks: { "a.test.io": () => allowed },
    })
    expect((await call("POST", configMaps, configMap())).warnings).toContain("soon gone")
    expect(server.requests.at(-1)?.audit).toMatchObject({ "a.test.io/why": "test" })
  })

  it("may not patch", async () => {
    const { call } = serverWith([validating({ name: "a.test.io" })], {
      webhooks: { "a.test.io": patching(add("/data/x", "1")) },
    })
    const { status, body } = await call("POST", configMaps, configMap())
    expect(status).toBe(500)
    expect(body.message).toContain("validating webhook may not return response.patch")
  })

  it("is asked about deletions", async () => {
    const webhooks = { "a.test.io": () => ({ allowed: false, status: { message: "stays" } }) }
    const { call } = serverWith(
      [
        validating({ name: "a.test.io", rules: [{ ...rules[0], operations: ["DELETE"] }] }),
        configMap({}, { namespace: "default" }),
      ],
      { webhooks },
    )
    expect((await call("DELETE", `${configMaps}/c`)).body.message).toContain("stays")
    expect((await call("GET", `${configMaps}/c`)).status).toBe(200)
  })

  it("is called for its rules, selectors and conditions only", async () => {
    const refusing = { "a.test.io": () => ({ allowed: false }) }
    const statusWith = async (hook: object) => {
      const { call } = serverWith([validating({ name: "a.test.io", ...hook })], { webhooks: refusing })
      return (await call("POST", configMaps, configMap({ size: "1" }))).status
    }
    const condition = (expression: string) => ({ matchConditions: [{ name: "c", expression }] })
    expect(await statusWith({})).toBe(400)
    expect(await statusWith({ rules: [{ ...rules[0], operations: ["UPDATE"] }] })).toBe(201)
    expect(await statusWith({ objectSelector: { matchLabels: { a: "b" } } })).toBe(201)
    expect(await statusWith(condition("object.data.size == '1'"))).toBe(400)
    expect(await statusWith(condition("object.data.size == '2'"))).toBe(201)
    expect(await statusWith(condition("object.data.none == '2'"))).toBe(403)
    expect(await statusWith({ ...condition("object.data.none == '2'"), failurePolicy: "Ignore" })).toBe(201)
  })
})

describe("a webhook that fails", () => {
  const failing = {
    "a.test.io": () => {
      throw new Error("out of order")
    },
  }

  it("fails the request by default", async () => {
    const { call } = serverWith([validating({ name: "a.test.io" })], { webhooks: failing })
    expect(await call("POST", configMaps, configMap())).toMatchObject({
      status: 500,
      body: {
        message: 'Internal error occurred: failed calling webhook "a.test.io": failed to call webhook: out of order',
      },
    })
  })

  it("is passed over with a warning if its failurePolicy is Ignore", async () => {
    const { call } = serverWith([validating({ name: "a.test.io", failurePolicy: "Ignore" })], { webhooks: failing })
    const { status, warnings } = await call("POST", configMaps, configMap())
    expect(status).toBe(201)
    expect(warnings).toContain("out of order")
  })
})

describe("a webhook at a URL", () => {
  it("receives a review of the request, and answers with one", async () => {
    const sent: WebhookRequest[] = []
    const callWebhook = async (request: WebhookRequest) => {
      sent.push(request)
      const { apiVersion, kind, request: asked } = JSON.parse(request.body)
      const response = {
        uid: asked.uid,
        allowed: true,
        patchType: "JSONPatch",
        patch: btoa(JSON.stringify([add("/data/x", "y")])),
      }
      return { status: 200, body: JSON.stringify({ apiVersion, kind, response }) }
    }
    const { call } = serverWith([mutating({ name: "a.test.io", timeoutSeconds: 3 })], { callWebhook })
    const { body } = await call("POST", `${configMaps}?fieldManager=ci`, configMap({ own: "2" }))
    expect(body.data).toEqual({ own: "2", x: "y" })
    expect(sent).toHaveLength(1)
    expect(sent[0]).toMatchObject({ url: `${url}?timeout=3s`, timeoutSeconds: 3 })
    expect(JSON.parse(sent[0]?.body ?? "").request).toMatchObject({
      kind: { group: "", version: "v1", kind: "ConfigMap" },
      resource: { group: "", version: "v1", resource: "configmaps" },
      name: "c",
      namespace: "default",
      operation: "CREATE",
      object: { data: { own: "2" } },
      oldObject: null,
      dryRun: false,
      options: { kind: "CreateOptions", fieldManager: "ci" },
    })
  })

  it("fails with a server's words if its answer is not a review", async () => {
    const messageAfter = async (status: number, body: string) => {
      const { call } = serverWith([validating({ name: "a.test.io" })], { callWebhook: async () => ({ status, body }) })
      return (await call("POST", configMaps, configMap())).body.message
    }
    const prefix = 'Internal error occurred: failed calling webhook "a.test.io": '
    expect(await messageAfter(404, "")).toBe(
      `${prefix}failed to call webhook: the server could not find the requested resource`,
    )
    expect(await messageAfter(200, "[]")).toContain("not a JSON object")
    const other = JSON.stringify({
      apiVersion: "admission.k8s.io/v1",
      kind: "AdmissionReview",
      response: { uid: "other" },
    })
    expect(await messageAfter(200, other)).toContain("expected response.uid=")
  })

  it("is not called if its service does not exist", async () => {
    const clientConfig = { service: { namespace: "default", name: "hooks", path: "/admit" } }
    const callWebhook = async () => Promise.reject(new Error("called"))
    const { call } = serverWith([validating({ name: "a.test.io", clientConfig })], { callWebhook })
    expect((await call("POST", configMaps, configMap())).body.message).toBe(
      'Internal error occurred: failed calling webhook "a.test.io": failed to call webhook: ' +
        'Post "https://hooks.default.svc:443/admit?timeout=10s": service "hooks" not found',
    )
  })
})
