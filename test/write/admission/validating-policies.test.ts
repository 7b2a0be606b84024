/** Tests ValidatingAdmissionPolicies: refusals, warnings and annotations, in the words of an API server. */
import { describe, expect, it } from "vitest"
import { loadCel } from "../../../src/kinds/rules/library.js"
import type { MapValue } from "../../../src/value/value.js"
import { binding, configMap, configMaps, policy, registration, serverWith } from "./policies.js"

const notOdd = { validations: [{ expression: "object.data.a != 'odd'", message: "a must not be odd" }] }

/** Sends a ConfigMap to a server with a policy that has this spec. Returns the status and the message of the response. */
async function answer(spec: object, data: object = { a: "odd" }, bound: object = {}, others: readonly object[] = []) {
  const { call, server } = serverWith([...others, policy(spec), binding(bound)])
  const { status, body, warnings } = await call("POST", configMaps, configMap(data))
  const message = String(body.message ?? "").replace(/^configmaps "c" is forbidden: ValidatingAdmissionPolicy /, "")
  return { status, message, warnings, body, audit: server.requests.at(-1)?.audit }
}

describe("a policy", () => {
  it("refuses objects in the words of a server, in dry runs too", async () => {
    const { call } = serverWith([policy(notOdd), binding()])
    for (const query of ["", "?dryRun=All"]) {
      const { status, body } = await call("POST", configMaps + query, configMap({ a: "odd" }))
      const why = "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: a must not be odd"
      expect(status).toBe(422)
      expect(body).toEqual({
        kind: "Status",
        apiVersion: "v1",
        metadata: {},
        status: "Failure",
        message: `configmaps "c" is forbidden: ${why}`,
        reason: "Invalid",
        details: { name: "c", kind: "configmaps", causes: [{ message: why }] },
        code: 422,
      })
    }
    expect((await call("POST", configMaps, configMap({ a: "even" }))).status).toBe(201)
    const odd = { data: { a: "odd" } }
    expect((await call("PATCH", `${configMaps}/c`, odd, "merge")).status).toBe(422)
    expect(
      (await call("PATCH", `${configMaps}/c?fieldManager=m&force=true`, configMap({ a: "odd" }), "apply")).status,
    ).toBe(422)
  })

  it("is asked about deletes, with the old object", async () => {
    const keep = { validations: [{ expression: "request.operation != 'DELETE' || oldObject.data.a != 'keep'" }] }
    const { call } = serverWith([policy(keep), binding(), configMap({ a: "keep" })])
    const { status, body } = await call("DELETE", `${configMaps}/c`)
    expect(status).toBe(422)
    expect(body.message).toContain("failed expression: request.operation != 'DELETE' ||")
    expect((await call("DELETE", configMaps)).status).toBe(422)
    await call("PATCH", `${configMaps}/c`, { data: { a: "" } }, "merge")
    expect((await call("DELETE", `${configMaps}/c`)).status).toBe(200)
  })

  it("can be created and removed, and needs a binding", async () => {
    const { call } = serverWith([])
    expect((await call("POST", `${registration}/validatingadmissionpolicies`, policy(notOdd))).status).toBe(201)
    expect((await call("POST", `${configMaps}?dryRun=All`, configMap({ a: "odd" }))).status).toBe(201)
    expect((await call("POST", `${registration}/validatingadmissionpolicybindings`, binding())).status).toBe(201)
    expect((await call("POST", configMaps, configMap({ a: "odd" }))).status).toBe(422)
    expect((await call("DELETE", `${registration}/validatingadmissionpolicies/p`)).status).toBe(200)
    expect((await call("POST", configMaps, configMap({ a: "odd" }))).status).toBe(201)
  })

  it("has reasons, which decide the status", async () => {
    const withReason = (reason: string) => ({ validations: [{ expression: "false", reason }] })
    expect(await answer(withReason("Forbidden"))).toMatchObject({ status: 403, body: { reason: "Forbidden" } })
    expect(await answer(withReason("RequestEntityTooLarge"))).toMatchObject({ status: 413 })
  })

  it("uses messageExpression, then message, then the expression", async () => {
    const message = async (validation: object) =>
      (await answer({ validations: [{ expression: "object.data.a != 'odd'", ...validation }] })).message
    const start = "'p' with binding 'b' denied request: "
    const text = { messageExpression: "'a is ' + object.data.a", message: "plain" }
    expect(await message(text)).toBe(`${start}a is odd`)
    expect(await message({ ...text, messageExpression: "object.data.missing" })).toBe(`${start}plain`)
    expect(await message({ ...text, messageExpression: "'two\\nlines'" })).toBe(`${start}plain`)
    expect(await message({})).toBe(`${start}failed expression: object.data.a != 'odd'`)
  })
})

describe("the variables of expressions", () => {
  const holds = async (expression: string, more: object = {}) =>
    (await answer({ validations: [{ expression }], ...more }, { a: "odd", n: "7" })).status === 201

  it("have the object, the old object and the request", async () => {
    expect(await holds("object.metadata.name == 'c' && oldObject == null && size(object.data) == 2")).toBe(true)
    expect(await holds("request.name == 'c' && request.namespace == 'default' && request.operation == 'CREATE'")).toBe(
      true,
    )
    expect(await holds("request.resource.resource == 'configmaps' && request.kind.kind == 'ConfigMap'")).toBe(true)
    expect(await holds("request.userInfo.groups.exists(g, g == 'system:masters') && !request.dryRun")).toBe(true)
    expect(await holds("!has(request.subResource) && request.options.kind == 'CreateOptions'")).toBe(true)
    expect(await holds("namespaceObject.metadata.name == 'default' && namespaceObject.status.phase == 'Active'")).toBe(
      true,
    )
  })

  it("have variables, each evaluated when it is needed first", async () => {
    const variables = [
      { name: "n", expression: "int(object.data.n)" },
      { name: "twice", expression: "variables.n * 2" },
      { name: "broken", expression: "object.data.missing" },
    ]
    expect(await holds("variables.twice == 14", { variables })).toBe(true)
    expect(await answer({ validations: [{ expression: "variables.broken == ''" }], variables })).toMatchObject({
      status: 422,
      message: `'p' with binding 'b' denied request: expression 'variables.broken == ''' resulted in error: composited variable "broken" fails to evaluate: no such key: missing`,
    })
  })
})

describe("what a binding does with a failed validation", () => {
  it("warns, or adds to the audit log", async () => {
    const failure = { message: "a must not be odd", policy: "p", binding: "b", expressionIndex: 0 }
    const validationActions = ["Warn", "Audit"]
    const { status, warnings, audit } = await answer(notOdd, { a: "odd" }, { validationActions })
    expect(status).toBe(201)
    expect(warnings).toBe(
      `299 - "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': a must not be odd"`,
    )
    const key = "validation.policy.admission.k8s.io/validation_failure"
    expect(JSON.parse(audit?.[key] ?? "")).toEqual([{ ...failure, validationActions }])
  })

  it("adds audit annotations", async () => {
    const auditAnnotations = [
      { key: "a", valueExpression: "'value ' + object.data.a" },
      { key: "none", valueExpression: "null" },
    ]
    expect((await answer({ auditAnnotations })).audit).toEqual({ "p/a": "value odd" })
  })

  it("obeys failurePolicy if an expression can't be evaluated", async () => {
    const broken = { validations: [{ expression: "object.data.b == 'x'" }] }
    expect(await answer(broken)).toMatchObject({
      status: 422,
      message: `'p' with binding 'b' denied request: expression 'object.data.b == 'x'' resulted in error: no such key: b`,
    })
    expect((await answer({ ...broken, failurePolicy: "Ignore" })).status).toBe(201)
  })

  it("skips objects for which a match condition is false", async () => {
    const matchConditions = [{ name: "only-x", expression: "object.data.a == 'x'" }]
    expect((await answer({ ...notOdd, matchConditions })).status).toBe(201)
    const broken = [{ name: "broken", expression: "object.data.b == 'x'" }]
    expect((await answer({ ...notOdd, matchConditions: broken })).message).toBe(
      `'p' with binding 'b' denied request: expression 'object.data.b == 'x'' resulted in error: no such key: b`,
    )
  })
})

describe("parameters", () => {
  const paramKind = { apiVersion: "v1", kind: "ConfigMap" }
  const spec = { paramKind, validations: [{ expression: "object.data.a == params.data.allowed" }] }
  const limits = configMap({ allowed: "odd" }, { name: "limits", labels: { limits: "yes" } })
  const bound = (paramRef: object) => ({ paramRef: { parameterNotFoundAction: "Deny", ...paramRef } })

  it("come from an object with a name, or from all objects with a label", async () => {
    const status = async (data: object, paramRef: object) =>
      (await answer(spec, data, bound(paramRef), [limits])).status
    expect(await status({ a: "odd" }, { name: "limits" })).toBe(201)
    expect(await status({ a: "even" }, { name: "limits", namespace: "default" })).toBe(422)
    expect(await status({ a: "odd" }, { selector: { matchLabels: { limits: "yes" } } })).toBe(201)
    expect(await status({ a: "even" }, { selector: { matchLabels: { limits: "yes" } } })).toBe(422)
  })

  it("that are missing refuse the request, or are ignored", async () => {
    expect(await answer(spec, {}, bound({ name: "other" }))).toMatchObject({
      status: 422,
      message:
        "'p' with binding 'b' denied request: failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction",
    })
    expect((await answer(spec, {}, bound({ name: "other", parameterNotFoundAction: "Allow" }))).status).toBe(201)
  })

  it("of an unknown kind refuse the request", async () => {
    const unknown = { ...spec, paramKind: { apiVersion: "example.com/v1", kind: "Limit" } }
    expect((await answer(unknown, {}, bound({ name: "x" }))).message).toBe(
      "'p' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Limit'",
    )
  })
})

describe("a new policy", () => {
  const create = async (spec: object) => {
    const { status, body } = await serverWith([]).call(
      "POST",
      `${registration}/validatingadmissionpolicies`,
      policy(spec),
    )
    return { status, message: body.message, causes: (body.details as MapValue | undefined)?.causes }
  }

  it("is refused if an expression does not compile or has another type", async () => {
    const { status, causes } = await create({
      variables: [{ name: "v", expression: "1 +" }],
      validations: [{ expression: "'text'" }, { expression: "request.nothing == ''" }, { expression: "params.x == 1" }],
    })
    expect(status).toBe(422)
    expect(causes).toMatchObject([
      { reason: "FieldValueInvalid", field: "spec.variables[0].expression" },
      {
        field: "spec.validations[0].expression",
        message: `Invalid value: "'text'": must evaluate to bool but got string`,
      },
      {
        field: "spec.validations[1].expression",
        message: `Invalid value: "request.nothing == ''": compilation failed: ERROR: <input>:1:8: undefined field 'nothing'\n | request.nothing == ''\n | .......^`,
      },
      {
        field: "spec.validations[2].expression",
        message: `Invalid value: "params.x == 1": compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')\n | params.x == 1\n | ^`,
      },
    ])
  })

  it.each([
    "validatingadmissionpolicies",
    "mutatingadmissionpolicies",
    "validatingwebhookconfigurations",
    "mutatingwebhookconfigurations",
  ])("keeps match conditions that do not compile but stay the same, in %s", async plural => {
    await loadCel()
    const withConditions = (expression: string): MapValue => {
      const matchConditions = [{ name: "a", expression }]
      const kind = `${plural.startsWith("mutating") ? "Mutating" : "Validating"}WebhookConfiguration`
      if (plural.endsWith("webhookconfigurations")) return webhooks(kind, matchConditions)
      if (plural.startsWith("validating")) return policy({ ...notOdd, matchConditions })
      const mutations = [{ patchType: "ApplyConfiguration", applyConfiguration: { expression: "Object{}" } }]
      return policy({ reinvocationPolicy: "Never", mutations, matchConditions }, "p", "MutatingAdmissionPolicy")
    }
    const { call } = serverWith([withConditions("1 +")])
    const path = `${registration}/${plural}/p`
    expect((await call("PATCH", path, { metadata: { labels: { a: "b" } } }, "merge")).status).toBe(200)
    const { spec, webhooks: changed } = withConditions("2 +")
    const { status, body } = await call("PATCH", path, { spec, webhooks: changed }, "merge")
    expect([status, body.message]).toEqual([
      422,
      expect.stringContaining('matchConditions[0].expression: Invalid value: "2 +"'),
    ])
  })
})

function webhooks(kind: string, matchConditions: readonly object[]): MapValue {
  const hook = {
    name: "a.example.com",
    clientConfig: { url: "https://example.com" },
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    matchConditions,
  }
  const { spec: _, ...configuration } = policy({}, "p", kind)
  return { ...configuration, webhooks: [hook] } as MapValue
}
