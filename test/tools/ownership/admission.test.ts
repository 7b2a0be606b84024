/** Plans with the policies, webhooks and limits of a cluster. */
import { describe, expect, it } from "vitest"
import { kubernetes } from "../../../src/kinds/kubernetes.js"
import { type AdmissionOptions, explain, loadAdmission, plan, planAll } from "../../../src/tools/ownership/index.js"
import { simulate } from "../../../src/tools/simulator/index.js"
import type { MapValue } from "../../../src/value/value.js"
import type { WebhookFunction } from "../../../src/write/admission/webhook-client.js"
import { binding, configMap, configMaps, forConfigMaps, policy, serverWith } from "../../write/admission/policies.js"
import { schemaErrors } from "./schema.js"

const refusing = [
  policy({ validations: [{ expression: "!('bad' in object.data)", message: "no bad data" }] }),
  binding(),
]

/** A policy that applies the value of the expression. */
const setting = (expression: string) => [
  policy(
    {
      failurePolicy: "Fail",
      reinvocationPolicy: "Never",
      mutations: [{ patchType: "ApplyConfiguration", applyConfiguration: { expression } }],
    },
    "p",
    "MutatingAdmissionPolicy",
  ),
  binding({}, "b", "MutatingAdmissionPolicyBinding"),
]
const coloring = setting('Object{data: Object.data{color: "blue"}}')
const webhook: MapValue = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "MutatingWebhookConfiguration",
  metadata: { name: "c" },
  webhooks: [
    {
      name: "a.test.io",
      clientConfig: { url: "https://hooks.test/admit" },
      rules: forConfigMaps.resourceRules as unknown as MapValue[],
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
      failurePolicy: "Fail",
    },
  ],
}
const adding: WebhookFunction = () => ({ allowed: true, patch: [{ op: "add", path: "/data/hook", value: "1" }] })

const types = kubernetes
const me = { types, manager: "me" }
const inDefault = (data: object, metadata: object = {}) => configMap(data, { namespace: "default", ...metadata })

/** Returns the plan of an apply, and the answer of a server with the same objects to its dry run. */
async function compare({ objects, webhooks, disable }: AdmissionOptions, config: MapValue) {
  const server = { webhooks, disableAdmissionPlugins: disable, clock: () => new Date(0) }
  const { call } = serverWith(objects, server)
  const answer = await call("PATCH", `${configMaps}/c?fieldManager=me&dryRun=All`, config, "apply")
  const admission = await loadAdmission({ objects, webhooks, disable })
  return { made: plan(undefined, config, { ...me, admission, clock: () => new Date(0) }), answer }
}

/** Returns the object of an answer without what only a server knows. */
function unborn({ metadata: { uid: _, creationTimestamp: __, ...metadata }, ...rest }: { metadata: MapValue }) {
  return { ...rest, metadata }
}

describe("a plan with admission", () => {
  it("is refused with the words of a policy", async () => {
    const { made, answer } = await compare({ objects: refusing }, inDefault({ bad: "1" }))
    expect(answer.status).toBe(422)
    expect(made.status).toEqual(answer.body)
    expect(made.refusal).toMatchObject({ step: "admission", message: expect.stringContaining("'p' with binding 'b'") })
    expect(schemaErrors(made)).toBe("")
  })

  it("lists what a policy sets, which nobody owns, and what it replaces, which the applier owns", async () => {
    const { made, answer } = await compare({ objects: coloring }, inDefault({ size: "1" }))
    expect(made.object).toEqual(unborn(answer.body))
    expect(made.admitted).toMatchObject([{ path: ".data.color", action: "add", to: "blue", owners: [] }])
    expect(made.changes).toMatchObject([
      { path: ".data", because: "configured" },
      { path: ".data.color", action: "add", to: "blue", because: "admission" },
    ])
    expect(schemaErrors(made)).toBe("")

    const other = await compare({ objects: coloring }, inDefault({ color: "red" }))
    expect(other.made.object).toEqual(unborn(other.answer.body))
    expect(other.made.admitted).toMatchObject([
      {
        path: ".data.color",
        action: "change",
        from: "red",
        to: "blue",
        owners: [{ manager: "me", operation: "Apply" }],
      },
    ])
  })

  it("calls webhooks that are functions, and warns of others", async () => {
    const webhooks = { "a.test.io": adding }
    const { made, answer } = await compare({ objects: [webhook], webhooks }, inDefault({ size: "1" }))
    expect(made.object).toEqual(unborn(answer.body))
    expect(made.admitted).toMatchObject([{ path: ".data.hook", owners: [] }])

    const admission = await loadAdmission({ objects: [webhook] })
    const uncalled = plan(undefined, inDefault({}), { ...me, admission })
    expect(uncalled.outcome).toBe("create")
    expect(uncalled.warnings).toEqual([
      'the webhook "a.test.io" may change or refuse the object and is not called: no function was given for it',
    ])
  })

  it("throws if a function returns a promise", async () => {
    const admission = await loadAdmission({ objects: [webhook], webhooks: { "a.test.io": async () => ({}) } })
    expect(() => plan(undefined, inDefault({}), { ...me, admission })).toThrow("give a function that returns at once")
  })

  it("leaves out plugins on request, and reads a policy's parameters and namespaces", async () => {
    const disable = ["ValidatingAdmissionPolicy"] as const
    expect((await compare({ objects: refusing, disable }, inDefault({ bad: "1" }))).made.outcome).toBe("create")
    const spec = {
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      validations: [
        { expression: "object.data.size == params.data.size && namespaceObject.metadata.name == 'default'" },
      ],
    }
    const paramRef = { name: "limits", namespace: "default", parameterNotFoundAction: "Deny" }
    const limits = inDefault({ size: "1" }, { name: "limits" })
    const objects = [policy(spec), binding({ paramRef }), limits]
    const outcomes = await Promise.all(
      ["1", "2"].map(async size => {
        const { made, answer } = await compare({ objects }, inDefault({ size }))
        if (made.status !== undefined) expect(made.status).toEqual(answer.body)
        return [made.outcome, answer.status]
      }),
    )
    expect(outcomes).toEqual([
      ["create", 201],
      ["refused", 422],
    ])
  })

  it("tells policies who sends the request", async () => {
    const objects = [policy({ validations: [{ expression: "request.userInfo.username == 'ann'" }] }), binding()]
    const outcomeFor = async (user?: object) =>
      plan(undefined, inDefault({}), { ...me, admission: await loadAdmission({ objects, user }) }).outcome
    expect([await outcomeFor(), await outcomeFor({ username: "ann" })]).toEqual(["refused", "create"])
  })

  it("refuses policies that can't be run", async () => {
    const load = (expression: string) => loadAdmission({ objects: [policy({ validations: [{ expression }] })] })
    await expect(load("object.")).rejects.toThrow(/^ValidatingAdmissionPolicy p: spec.validations\[0\].expression: /)
    await expect(load("authorizer.path('/x').check('get').allowed()")).rejects.toThrow(/authorizer/)
    await expect(loadAdmission({ objects: {} as object[] })).rejects.toThrow("options.objects: expected a list")
  })

  it("leaves out policies that can't be run if a function hears of them", async () => {
    const broken = policy({ validations: [{ expression: "object." }] })
    const told: [object, string][] = []
    const onUnrunnable = (each: object, reason: string) => void told.push([each, reason])
    const admission = await loadAdmission({ objects: [broken, binding()], onUnrunnable })
    expect(told).toEqual([[broken, expect.stringMatching(/^spec.validations\[0\].expression: /)]])
    expect(plan(undefined, inDefault({ bad: "1" }), { ...me, admission }).outcome).toBe("create")
  })

  it("counts an object without a namespace as in the given one", async () => {
    const quota = {
      apiVersion: "v1",
      kind: "ResourceQuota",
      metadata: { name: "q", namespace: "web" },
      spec: { hard: { configmaps: "0" } },
    }
    const outcomeIn = async (namespace?: string) => {
      const admission = await loadAdmission({ objects: [quota], namespace })
      return plan(undefined, configMap({}), { ...me, admission }).outcome
    }
    expect([await outcomeIn(), await outcomeIn("web")]).toEqual(["create", "refused"])
  })

  it("knows the results of the plans before, with planAll", async () => {
    const admission = await loadAdmission({ objects: [] })
    const quota: MapValue = {
      apiVersion: "v1",
      kind: "ResourceQuota",
      metadata: { name: "q", namespace: "default" },
      spec: { hard: { configmaps: "2" } },
    }
    const configs = ["a", "b", "c"].map(name => configMap({}, { name }))
    const outcomes = (request: object) => planAll([...configs, quota], [], { ...me, ...request }).plans
    expect(outcomes({ admission }).map(({ outcome }) => outcome)).toEqual(["create", "create", "create", "refused"])
    expect(outcomes({}).map(({ outcome }) => outcome)).toEqual(["create", "create", "create", "create"])
    expect(outcomes({ admission })[3]?.status?.message).toContain("exceeded quota: q, requested: configmaps=1")
  })

  it("counts in the findings of explain", async () => {
    const admission = await loadAdmission({ objects: refusing })
    const { findings } = explain(undefined, inDefault({ bad: "1" }), { ...me, admission })
    expect(findings).toMatchObject([{ code: "refused", message: expect.stringContaining("'p' with binding 'b'") }])
  })
})

describe("a simulation with admission", () => {
  it("enforces policies as soon as they are created, and until they are deleted", async () => {
    const admission = await loadAdmission({ objects: coloring })
    const simulation = simulate({ types, admission })
    expect(simulation.apply("me", inDefault({ bad: "1" })).after).toMatchObject({ data: { bad: "1", color: "blue" } })
    for (const object of refusing) simulation.apply("admin", object)
    const refused = simulation.apply("me", inDefault({ bad: "2" }))
    expect([refused.outcome, refused.error?.code]).toEqual(["error", 422])
    simulation.delete("ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io/b")
    expect(simulation.apply("me", inDefault({ bad: "2" })).outcome).toBe("changed")
  })

  it("tells what admission changed in each step, and the warnings", async () => {
    const admission = await loadAdmission({ objects: [...coloring, webhook] })
    const simulation = simulate({ types, admission })
    const step = simulation.apply("me", inDefault({ color: "red" }))
    expect(step.admitted).toMatchObject([{ path: ".data.color", from: "red", to: "blue", owners: [{ manager: "me" }] }])
    expect(step.warnings).toEqual([expect.stringContaining("is not called")])
    expect(step.toJSON()).toMatchObject({ admitted: [{ path: ".data.color" }], warnings: step.warnings })
    expect(simulation.delete("ConfigMap/c").admitted).toEqual([])
  })

  it("asks about deletes", async () => {
    const matchConstraints = { resourceRules: [{ ...forConfigMaps.resourceRules[0], operations: ["DELETE"] }] }
    const spec = { matchConstraints, validations: [{ expression: "oldObject.data.keep != 'yes'", message: "keep it" }] }
    const admission = await loadAdmission({ objects: [policy(spec), binding()] })
    const simulation = simulate({ types, admission, objects: [inDefault({ keep: "yes" })] })
    const refused = simulation.delete("ConfigMap/c")
    expect([refused.outcome, refused.error?.message]).toEqual(["error", expect.stringContaining("keep it")])
  })
})
