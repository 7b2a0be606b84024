/** Cases that users of other tools reported: plans say what a real API server did. The rows of the table are in the order of the issues. */
import { beforeAll, describe, expect, it } from "vitest"
import { createApiServer } from "../../../src/apiserver/index.js"
import { kubernetes } from "../../../src/kinds/kubernetes.js"
import { loadCel } from "../../../src/kinds/rules/library.js"
import { upgrade } from "../../../src/tools/managers/index.js"
import { explain, type Plan, plan, resolve } from "../../../src/tools/ownership/index.js"
import type { MapValue, Value } from "../../../src/value/value.js"
import { definitionOf } from "../../support/definition.js"
import { wholeDeployment } from "../../support/deployment.js"
import {
  brokenGauges,
  bucket,
  bucketPath,
  bucketsDefinition,
  deploymentPath,
  gauge,
  gaugePath,
  gauges,
  handlers,
  inAnotherForm,
} from "../../support/reported.js"
import { schemaErrors } from "./schema.js"

beforeAll(loadCel)

/** A Deployment configuration with only the number of replicas. */
function replicasOf(replicas: number): MapValue {
  const metadata = { name: "web", namespace: "default" }
  return { apiVersion: "apps/v1", kind: "Deployment", metadata, spec: { replicas } }
}

/** A server, and requests for one of its objects. */
class Cluster {
  private readonly server
  private readonly path: string
  readonly crds: readonly MapValue[]

  constructor(path: string, crds: readonly MapValue[] = []) {
    this.server = createApiServer({ crds, clock: () => new Date("2026-01-01T00:00:00Z") })
    this.path = path
    this.crds = crds
  }

  async send(method: string, query: string, body: Value | undefined, type = "application/json"): Promise<MapValue> {
    const init = body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": type } }
    const response = await this.server.fetch(new Request(`http://localhost${this.path}${query}`, { method, ...init }))
    return (await response.json()) as MapValue
  }

  apply(manager: string, config: MapValue, more = ""): Promise<MapValue> {
    return this.send("PATCH", `?fieldManager=${manager}${more}`, config, "application/apply-patch+yaml")
  }

  get(): Promise<MapValue> {
    return this.send("GET", "", undefined)
  }

  /** Compares the plan of an apply with the server's answer to its dry run. */
  async plan(manager: string, config: MapValue, force = false): Promise<Plan> {
    const live = await this.get()
    const isThere = live.kind !== "Status"
    const made = plan(isThere ? live : undefined, config, {
      types: kubernetes.with(this.crds),
      manager,
      force,
      unions: "off",
      clock: () => new Date("2026-01-01T00:00:00Z"),
    })
    expect(schemaErrors(made)).toBe("")
    const answer = await this.apply(manager, config, `&dryRun=All&force=${force}`)
    if (answer.kind === "Status") expect(made.status).toEqual(answer)
    else if (isThere) expect(made.object).toEqual(answer)
    return made
  }
}

describe("plan", () => {
  const metadata = { name: "a", namespace: "default" }
  const deprecatedGauge = definitionOf("Gauge", { version: { deprecated: true } })
  const dial = definitionOf("Dial", { version: { deprecated: true, deprecationWarning: "use a Gauge" } })
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata,
    spec: { ports: [{ port: 80 }], externalIPs: ["192.0.2.1"] },
  }
  it.each<[MapValue, string, string]>([
    [
      { apiVersion: "v1", kind: "Endpoints", metadata },
      "/api/v1/namespaces/default/endpoints/a",
      "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
    ],
    [
      service,
      "/api/v1/namespaces/default/services/a",
      "spec.externalIPs is deprecated and may no longer be implemented in some clusters",
    ],
    [
      { apiVersion: "example.com/v1", kind: "Gauge", metadata },
      "/apis/example.com/v1/namespaces/default/gauges/a",
      "example.com/v1 Gauge is deprecated",
    ],
    [
      { apiVersion: "example.com/v1", kind: "Dial", metadata },
      "/apis/example.com/v1/namespaces/default/dials/a",
      "use a Gauge",
    ],
  ])("warns as a server does: %j", async (config, path, warning) => {
    const types = kubernetes.with([deprecatedGauge, dial])
    expect(plan(undefined, config, { types, manager: "me" }).warnings).toEqual([warning])
    const server = createApiServer({ objects: [deprecatedGauge, dial] })
    const url = `http://localhost${path}?fieldManager=me`
    const headers = { "content-type": "application/apply-patch+yaml" }
    const answer = await server.fetch(new Request(url, { method: "PATCH", headers, body: JSON.stringify(config) }))
    expect([answer.status, answer.headers.get("warning")]).toEqual([201, `299 - "${warning}"`])
  })

  it("is refused if a manager's version lacks a field that the live object has by default (flux2#5715)", async () => {
    const old = new Cluster(bucketPath("v1beta1"), [bucketsDefinition("v1beta1")])
    const stored = await old.apply("flux", bucket("v1beta1", 1))
    const now = new Cluster(bucketPath("v1beta3"), [bucketsDefinition("v1beta3")])
    const live = { ...stored, apiVersion: "example.com/v1beta3", spec: { size: 1, accessPolicy: "Private" } }
    for (const force of [false, true]) {
      const made = plan(live, bucket("v1beta3", 2), {
        types: kubernetes.with(now.crds),
        manager: "other",
        force,
        unions: "off",
      })
      expect(made).toMatchObject({ outcome: "refused", refusal: { step: "merge" }, status: { code: 500 } })
      expect(made.status?.message).toContain(".spec.accessPolicy: field not declared in schema")
    }
  })

  it("is refused if a co-owner keeps the other handler (kustomize-controller#1722, kubernetes#108081)", async () => {
    const cluster = new Cluster(deploymentPath)
    await cluster.apply("flux", handlers.exec)
    await cluster.apply("kubectl", handlers.exec)
    const made = await cluster.plan("flux", handlers.httpGet)
    expect(made.outcome).toBe("refused")
    expect(made.refusal?.causes.map(({ field, message }) => [field, message])).toEqual([
      [
        "spec.template.spec.containers[0].lifecycle.preStop.httpGet",
        "Forbidden: may not specify more than 1 handler type",
      ],
    ])
  })

  it("reads null as the quantity 0, as Go does", async () => {
    const pod = (memory: Value) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p", namespace: "default" },
      spec: { containers: [{ name: "c", image: "i", resources: { limits: { memory } } }] },
    })
    const pods = new Cluster("/api/v1/namespaces/default/pods/p")
    const { outcome, object } = await pods.plan("me", pod(null))
    expect([outcome, object.spec]).toMatchObject(["create", pod("0").spec])

    const volume = {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: "v" },
      spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: null }, hostPath: { path: "/x" } },
    }
    const { refusal } = await new Cluster("/api/v1/persistentvolumes/v").plan("me", volume)
    expect(refusal?.causes).toMatchObject([
      { field: "spec.capacity[storage]", message: 'Invalid value: "0": must be greater than zero' },
    ])
  })

  const rules = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }]
  const webhook = (expression: string) => ({
    name: "a.example.com",
    rules,
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    clientConfig: { url: "https://example.com" },
    matchConditions: [{ name: "a", expression }],
  })
  const policySpec = { matchConstraints: { resourceRules: rules } }
  const mutations = (expression: string) => [{ patchType: "ApplyConfiguration", applyConfiguration: { expression } }]
  const expressions: readonly (readonly [string, string, string, (expression: string) => object])[] = [
    [
      "ValidatingAdmissionPolicy",
      "object != null",
      "spec.validations[0].expression",
      expression => ({ spec: { ...policySpec, validations: [{ expression }] } }),
    ],
    [
      "MutatingAdmissionPolicy",
      'Object{metadata: Object.metadata{labels: {"a": "b"}}}',
      "spec.mutations[0].applyConfiguration.expression",
      expression => ({ spec: { ...policySpec, reinvocationPolicy: "Never", mutations: mutations(expression) } }),
    ],
    ...["Validating", "Mutating"].map(
      type =>
        [
          `${type}WebhookConfiguration`,
          "authorizer.path('/a').check('get').allowed()",
          "webhooks[0].matchConditions[0].expression",
          (expression: string) => ({ webhooks: [webhook(expression)] }),
        ] as const,
    ),
  ]
  it.each(expressions)("is refused if an expression of a %s does not compile", async (kind, valid, field, fields) => {
    const apiVersion = "admissionregistration.k8s.io/v1"
    const plural = `${kind.toLowerCase()}s`.replace("policys", "policies")
    const cluster = new Cluster(`/apis/${apiVersion}/${plural}/p`)
    const configured = (expression: string) => ({ apiVersion, kind, metadata: { name: "p" }, ...fields(expression) })
    const message = expect.stringMatching(/^Invalid value: "1Gi": compilation failed: /)
    for (const before of [undefined, configured(valid)]) {
      if (before !== undefined) expect((await cluster.plan("me", before)).outcome).toBe("create")
      if (before !== undefined) await cluster.apply("me", before)
      const { outcome, refusal } = await cluster.plan("me", configured("1Gi"))
      expect([outcome, refusal?.step]).toEqual(["refused", "validation"])
      expect(refusal?.causes).toMatchObject([{ field, message }])
    }
  })

  it("sees no drift in values that a server stores in another form or drops", async () => {
    const cluster = new Cluster(deploymentPath)
    await cluster.apply("me", inAnotherForm())
    const made = await cluster.plan("me", inAnotherForm())
    expect([made.outcome, made.changes]).toEqual(["unchanged", []])
  })

  it("removes no defaults after upgrade", async () => {
    const config = wholeDeployment({ replicas: 2 })
    const created = await new Cluster("/apis/apps/v1/namespaces/default/deployments").send(
      "POST",
      "?fieldManager=kubectl-client-side-apply",
      config,
    )
    const upgraded = upgrade(created, {
      types: kubernetes,
      ssaManager: "flux",
      csaManagers: "kubectl-client-side-apply",
    }).object
    const made = plan(upgraded, config, { types: kubernetes, manager: "flux", unions: "off" })
    expect(made.changes.filter(({ action }) => action !== "stay")).toEqual([])
  })

  it("shows the default that comes back when the only owner drops a field", async () => {
    const cluster = new Cluster(deploymentPath)
    await cluster.apply("me", wholeDeployment({ replicas: 9 }))
    const { changes, findings } = await cluster.plan("me", wholeDeployment({}))
    expect(changes).toMatchObject([
      { path: ".spec.replicas", action: "change", because: "reset-to-default", from: 9, to: 1, owners: [] },
    ])
    expect(findings).toEqual([
      {
        code: "default-returns",
        message:
          "Only me owns .spec.replicas and omits it, so the server sets its default again: 1 instead of 9. To keep 9, first let the " +
          "next owner apply 9 too, or use smd managers transfer .spec.replicas --from me --to NAME. Then omit the field.",
      },
    ])
    // In the order that the finding recommends, the value stays, and there is nothing left to warn about.
    await cluster.apply("next", replicasOf(9))
    const safe = await cluster.plan("me", wholeDeployment({}))
    expect(safe.findings).toEqual([])
    await cluster.apply("me", wholeDeployment({}))
    expect((await cluster.get()).spec).toMatchObject({ replicas: 9 })
  })

  it.each([
    ["extensions/v1beta1", "Ingress", "1.22", "networking.k8s.io/v1"],
    ["apps/v1beta1", "Deployment", "1.16", "apps/v1"],
  ])("is refused for %s %s, and names the served version", (apiVersion, kind, release, served) => {
    const made = plan(undefined, { apiVersion, kind, metadata: { name: "web" } }, { types: kubernetes, manager: "me" })
    expect(schemaErrors(made)).toBe("")
    expect(made).toMatchObject({ outcome: "refused", status: { code: 404, reason: "NotFound" } })
    expect(made.findings).toEqual([
      {
        code: "not-served",
        message: `${apiVersion} ${kind} is not served since Kubernetes ${release}. ${kind} is served at ${served}.`,
      },
    ])
  })

  it.each([
    ["kafka.example.com/v1", "Topic", "Pass its CustomResourceDefinition, if it has one."],
    ["apps/v1", "Deploymnt", "Did you mean apps/v1 Deployment?"],
    ["", "", "The configuration has no apiVersion or kind."],
    ["v1", "", "The configuration has no kind."],
    ["extensions/v1beta1", "Ingress", "Ingress is served at networking.k8s.io/v1."],
  ])("is refused by explain and resolve too, for %s %s", (apiVersion, kind, advice) => {
    const config = { apiVersion, kind, metadata: { name: "web" } }
    const request = { types: kubernetes, manager: "me" }
    const planned = plan(undefined, config, request)
    const [notServed] = planned.findings
    expect(notServed?.message).toContain(advice)
    const explained = explain(undefined, config, request)
    expect(schemaErrors(explained)).toBe("")
    expect(explained).toMatchObject({ conflicts: [], status: planned.status, refusal: planned.refusal })
    const resolved = resolve(undefined, config, { ...request, onConflict: "relinquish" })
    expect(schemaErrors(resolved)).toBe("")
    expect(resolved.config).toBe(config)
    for (const { findings } of [explained, resolved])
      expect(findings).toEqual([notServed, { code: "refused", message: expect.stringContaining("could not find") }])
  })

  it("does not own the status of a configuration", async () => {
    const cluster = new Cluster(deploymentPath)
    const made = await cluster.plan("me", { ...wholeDeployment({}), status: { replicas: 3 } })
    const owned = made.ownership.flatMap(({ gained }) => gained.map(({ path }) => path))
    expect(owned.filter(path => path.startsWith(".status"))).toEqual([])
    expect(made.object.status).toEqual({})
  })

  it.each(brokenGauges)("is refused for a custom resource that breaks %s", async (_, spec, message) => {
    const cluster = new Cluster(gaugePath, [gauges])
    for (const step of ["create", "change"]) {
      if (step === "change") await cluster.apply("me", gauge({}))
      const { outcome, status } = await cluster.plan("me", gauge(spec))
      expect([step, outcome, status]).toMatchObject([
        step,
        "refused",
        { code: 422, message: expect.stringContaining(message) },
      ])
    }
  })

  it("names no owner of replicas that nobody owned before they were scaled", async () => {
    const cluster = new Cluster(deploymentPath)
    await cluster.apply("me", wholeDeployment({}))
    await cluster.send("PATCH", "/scale", { spec: { replicas: 7 } }, "application/merge-patch+json")
    const kept = await cluster.plan("me", wholeDeployment({}))
    expect([kept.outcome, kept.changes]).toEqual(["unchanged", []])
    const { conflicts, changes } = await cluster.plan("me", wholeDeployment({ replicas: 3 }))
    expect(conflicts).toEqual([])
    expect(changes).toMatchObject([{ path: ".spec.replicas", from: 7, to: 3, owners: [] }])
  })

  it("reads a live custom resource again in each call, since its caller may have changed it", () => {
    const properties = {
      spec: { type: "object", properties: { size: { type: "integer" }, color: { default: "red" } } },
    }
    const types = kubernetes.with([definitionOf("Widget", { schema: { properties } })])
    const widget = (size: number) => ({
      apiVersion: "example.com/v1",
      kind: "Widget",
      metadata: { name: "a", namespace: "default" },
      spec: { size },
    })
    const live = widget(1)
    const sizes = () =>
      plan(live, widget(2), { types, manager: "me" }).changes.filter(({ path }) => path === ".spec.size")
    expect(sizes()).toHaveLength(1)
    live.spec.size = 2
    expect(sizes()).toEqual([])
  })

  it("names before-first-apply as the owner of the fields of a live object without managedFields", () => {
    const live = { ...wholeDeployment({ replicas: 3 }), metadata: { name: "web", namespace: "default", uid: "1" } }
    const made = plan(live, wholeDeployment({ replicas: 4 }), { types: kubernetes, manager: "me" })
    expect(made.conflicts.map(({ path, owner }) => [path, owner.manager])).toEqual([
      [".spec.replicas", "before-first-apply"],
    ])
    expect(made.changes.map(({ path, owners }) => [path, owners.map(({ manager }) => manager)])).toEqual([
      [".spec.replicas", ["before-first-apply"]],
    ])
  })
})

describe("an apply of a Scale", () => {
  const size = { type: "integer", maximum: 9 }
  const widgets = definitionOf("Widget", {
    schema: { properties: { spec: { type: "object", properties: { size } } } },
    version: { subresources: { scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" } } },
  })
  const types = kubernetes.with([widgets])
  const request = { types, manager: "scaler", subresource: "scale" } as const
  const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "web" }, spec: { size: 2 } }
  const scale = (replicas: number) => {
    return { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "web" }, spec: { replicas } }
  }
  const live = (config: MapValue) => plan(undefined, config, { types, manager: "me" }).object

  it.each([
    ["a Deployment", wholeDeployment({ replicas: 2 })],
    ["a custom resource", widget],
  ])("is explained and resolved for %s", (_, config) => {
    const explanation = explain(live(config), scale(5), request)
    expect(explanation).toMatchObject({ target: { kind: "Scale" }, conflicts: [{ path: ".spec.replicas", live: 2 }] })
    expect(explanation.conflicts[0]?.ways).toMatchObject({
      relinquish: { applicability: "safe", patch: [{ op: "remove", path: "/spec" }] },
      share: { applicability: "safe", patch: [{ op: "replace", path: "/spec/replicas", value: 2 }] },
      overwrite: { applicability: "unsure", reason: expect.stringContaining("me loses the replicas; me would") },
    })
    expect(resolve(live(config), scale(5), { ...request, onConflict: "share" }).config).toEqual(scale(2))
    const planned = plan(live(config), scale(5), { ...request, force: true })
    expect(planned).toMatchObject({ outcome: "change", object: scale(5), taken: [{ owner: { manager: "me" } }] })
    expect(planned.changes).toMatchObject([{ path: ".spec.replicas", from: 2, to: 5, because: "configured" }])
    expect([explanation, planned].map(schemaErrors)).toEqual(["", ""])
  })

  it("is refused as by a server", () => {
    const { ways } = explain(live(widget), scale(20), request).conflicts[0] ?? {}
    expect(ways?.overwrite.reason).toContain("spec.size in body should be less than or equal to 9")
    const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" } }
    expect(explain(map, scale(2), request).status?.code).toBe(404)
    const other = { ...scale(2), metadata: { name: "other" } }
    expect(() => explain(live(widget), other, request)).toThrow(TypeError)
  })

  it("is refused for an object whose managedFields can't be read", () => {
    const entry = {
      manager: "a",
      operation: "Apply",
      apiVersion: "example.com/v1",
      fieldsType: "FieldsV1",
      fieldsV1: 5,
    }
    const unreadable = { ...widget, metadata: { name: "web", managedFields: [entry] } }
    const { status, findings } = explain(unreadable, scale(5), request)
    expect([status?.code, findings.map(({ code }) => code)]).toEqual([500, ["managed-fields-unreadable", "refused"]])
  })
})
