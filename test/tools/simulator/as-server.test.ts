/** Cases that users of other tools reported: the simulator answers as a real API server did. */
import { beforeAll, describe, expect, it } from "vitest"
import { SchemaError } from "../../../src/errors.js"
import { kubernetes } from "../../../src/kinds/kubernetes.js"
import { loadCel } from "../../../src/kinds/rules/library.js"
import { kubernetesTypes } from "../../../src/kubernetes/types.js"
import { deducedTypes } from "../../../src/managedfields/types/object-types.js"
import { withMetadata } from "../../../src/schema/metadata.js"
import { upgrade } from "../../../src/tools/managers/index.js"
import { loadAdmission } from "../../../src/tools/ownership/admission.js"
import { blame } from "../../../src/tools/ownership/blame.js"
import { simulate } from "../../../src/tools/simulator/simulation/simulation.js"
import { runStory } from "../../../src/tools/simulator/story/run-story.js"
import type { Story, StoryStep } from "../../../src/tools/simulator/story/story.js"
import type { MapValue, Value } from "../../../src/value/value.js"
import { wholeDeployment } from "../../support/deployment.js"
import {
  brokenGauges,
  bucket,
  bucketsDefinition,
  gauge,
  gauges,
  gone,
  handlers,
  inAnotherForm,
} from "../../support/reported.js"

beforeAll(loadCel)

function ownersOf(object: MapValue | undefined, path: string): string[] {
  return blame(object as MapValue)
    .at(path)
    .owners.map(({ manager }) => manager)
}

describe("a simulation", () => {
  it("refuses an apply if a manager's version lacks a field that the live object has by default", () => {
    const simulation = simulate({ types: kubernetes.with([bucketsDefinition("v1beta1")]) })
    expect(simulation.apply("flux", bucket("v1beta1", 1)).outcome).toBe("created")
    simulation.changeSchema("next release", { types: kubernetes.with([bucketsDefinition("v1beta3")]) })
    for (const force of [false, true]) {
      const { error } = simulation.apply("other", bucket("v1beta3", 2), { force })
      expect([error?.code, error?.message]).toEqual([
        500,
        expect.stringContaining(".spec.accessPolicy: field not declared in schema"),
      ])
    }
  })

  describe("of a custom resource with two versions", () => {
    const started = (definition = bucketsDefinition("v1beta3"), objects: readonly MapValue[] = []) =>
      simulate({ types: kubernetes.with([definition]), objects })
    const atStorageVersion = { apiVersion: "example.com/v1beta3", spec: { size: 1, accessPolicy: "Private" } }

    it("stores the object at the storage version, with its defaults", () => {
      const simulation = started()
      expect(simulation.create("old", bucket("v1beta1", 1)).after).toMatchObject(atStorageVersion)
      const { outcome, after } = simulation.update("old", bucket("v1beta1", 2))
      expect(outcome).toBe("changed")
      expect(after).toMatchObject({ ...atStorageVersion, spec: { size: 2, accessPolicy: "Private" } })
      expect(simulation.update("old", bucket("v1beta1", 2)).outcome).toBe("unchanged")
      expect(simulation.patch("kubectl", { spec: { size: 3 } }).outcome).toBe("changed")
    })

    it("loses a value that the version of an update does not have, as a server does", () => {
      const simulation = started()
      simulation.create("new", { ...bucket("v1beta3", 1), spec: { size: 1, accessPolicy: "Public" } })
      expect(simulation.update("old", bucket("v1beta1", 2)).after?.spec).toEqual({ size: 2, accessPolicy: "Private" })
    })

    it("refuses an apply right after a create at the version that lacks a default", () => {
      const simulation = started()
      simulation.create("old", bucket("v1beta1", 1))
      const { error } = simulation.apply("flux", bucket("v1beta3", 1))
      expect(error).toMatchObject({ code: 500 })
      expect(error?.message).toContain(".spec.accessPolicy: field not declared in schema")
    })

    it("holds the objects at the start at the storage version", () => {
      const simulation = started(undefined, [bucket("v1beta1", 1)])
      expect(simulation.get()).toMatchObject(atStorageVersion)
      expect(simulation.update("old", bucket("v1beta1", 1)).outcome).toBe("unchanged")
    })

    it("refuses requests that only a webhook could convert", () => {
      const definition = structuredClone(bucketsDefinition("v1beta3")) as { spec: Record<string, Value> }
      definition.spec.conversion = { strategy: "Webhook" }
      for (const objects of [[], [bucket("v1beta1", 1)]]) {
        const simulation = started(definition as MapValue, objects)
        expect(simulation.apply("old", bucket("v1beta1", 2)).outcome).toBe("error")
        expect(simulation.objects.map(({ spec }) => spec)).toMatchObject(objects.map(({ spec }) => spec))
      }
      expect(started(definition as MapValue).apply("old", bucket("v1beta1", 1)).error?.code).toBe(501)
      expect(started(definition as MapValue).apply("new", bucket("v1beta3", 1)).outcome).toBe("created")
    })

    it("lets requests change an object whose storage version is not served", () => {
      const definition = structuredClone(bucketsDefinition("v1beta3")) as { spec: { versions: { served: boolean }[] } }
      for (const version of definition.spec.versions.slice(1)) version.served = false
      const simulation = started(definition as unknown as MapValue)
      expect(simulation.apply("old", bucket("v1beta1", 1)).after).toMatchObject(atStorageVersion)
      expect(simulation.patch("kubectl", { spec: { size: 2 } }).after?.spec).toEqual({
        size: 2,
        accessPolicy: "Private",
      })
      expect(simulation.apply("new", bucket("v1beta3", 2)).error).toMatchObject({ code: 404 })
      const { outcome, request } = simulation.update<{ spec: { size: number } }>("me", draft => {
        draft.spec.size = 4
      })
      expect([outcome, request]).toMatchObject(["changed", { patch: [{ path: "/spec/size", value: 4 }] }])
      expect(simulation.delete("Bucket/b").outcome).toBe("deleted")
    })
  })

  it("stores an object of a built-in kind at the version that its server stores", () => {
    const simulation = simulate({ types: kubernetes })
    const scaler = {
      apiVersion: "autoscaling/v1",
      kind: "HorizontalPodAutoscaler",
      metadata: { name: "web" },
      spec: { maxReplicas: 3, scaleTargetRef: { kind: "Deployment", name: "web", apiVersion: "apps/v1" } },
    }
    expect(simulation.create("me", scaler).after?.apiVersion).toBe("autoscaling/v2")
    expect(simulation.apply("you", scaler).outcome).toBe("changed")
  })

  it("refuses another handler if a co-owner keeps the first", () => {
    const simulation = simulate({ types: kubernetes })
    simulation.apply("flux", handlers.exec)
    simulation.apply("kubectl", handlers.exec)
    const { error } = simulation.apply("flux", handlers.httpGet)
    expect([error?.code, error?.message]).toEqual([
      422,
      expect.stringContaining("preStop.httpGet: Forbidden: may not specify more than 1 handler type"),
    ])
  })

  it("sees no drift in values that are stored in another form or dropped", () => {
    const simulation = simulate({ types: kubernetes })
    expect(simulation.apply("me", inAnotherForm()).outcome).toBe("created")
    const { outcome, changes, after } = simulation.apply("me", inAnotherForm())
    expect([outcome, changes]).toEqual(["unchanged", []])
    expect(JSON.stringify(after?.spec)).not.toContain("hostNetwork")
  })

  it("removes no defaults after an upgrade from client-side apply", () => {
    const config = wholeDeployment({ replicas: 2 })
    const before = simulate({ types: kubernetes })
    const { after } = before.create("kubectl-client-side-apply", config)
    const names = { ssaManager: "flux", csaManagers: "kubectl-client-side-apply" }
    const upgraded = upgrade(after as MapValue, { types: kubernetes, ...names }).object
    const simulation = simulate({ types: kubernetes, objects: [upgraded] })
    expect(simulation.apply("flux", config).changes).toEqual([])
  })

  it("restores the default of a field that its only owner drops", () => {
    const simulation = simulate({ types: kubernetes })
    simulation.apply("me", wholeDeployment({ replicas: 9 }))
    const { changes, after } = simulation.apply("me", wholeDeployment({}))
    expect(changes).toMatchObject([{ path: ".spec.replicas", action: "change", from: 9, to: 1 }])
    expect(ownersOf(after, ".spec.replicas")).toEqual([])
  })

  it.each(gone)("does not find %j", config => {
    const simulation = simulate({ types: kubernetes })
    expect(simulation.apply("me", config).error).toMatchObject({ code: 404, reason: "NotFound" })
    expect(simulation.create("me", config).error).toMatchObject({ code: 404, reason: "NotFound" })
    expect(simulation.objects).toEqual([])
  })

  it("does not find an alpha or beta version of a built-in kind, unless a document has it", () => {
    const claim = { apiVersion: "resource.k8s.io/v1beta1", kind: "ResourceClaim", metadata: { name: "a" } }
    expect(simulate({ types: kubernetes }).apply("me", claim).error).toMatchObject({ code: 404, reason: "NotFound" })
    expect(simulate({ types: deducedTypes }).apply("me", claim).outcome).toBe("created")
    expect(simulate({ types: kubernetes.typesOnly() }).apply("me", claim).outcome).toBe("created")
  })

  it("resets the status of a configuration, which then has no owner", () => {
    const { after } = simulate({ types: kubernetes }).apply("me", { ...wholeDeployment({}), status: { replicas: 3 } })
    expect(after?.status).toEqual({})
    expect(ownersOf(after, ".status.replicas")).toEqual([])
  })

  it.each(brokenGauges)("refuses a custom resource that breaks %s", (_, spec, message) => {
    const simulation = simulate({ types: kubernetes.with([gauges]) })
    for (const { error } of [
      simulation.create("me", gauge(spec)),
      simulation.apply("me", gauge(spec)),
      simulation.apply("you", gauge({})) && simulation.patch("me", { spec }),
    ]) {
      expect([error?.code, error?.message]).toEqual([422, expect.stringContaining(message)])
    }
    expect(simulation.get()?.spec).toEqual({ wired: "a", low: 0, high: 10 })
  })

  it("leaves replicas without an owner if nobody owned them before they were scaled", () => {
    const simulation = simulate({ types: kubernetes })
    simulation.apply("me", wholeDeployment({}))
    const { after } = simulation.patch("autoscaler", { spec: { replicas: 7 } }, { subresource: "scale" })
    expect(after?.spec).toMatchObject({ replicas: 7 })
    expect(ownersOf(after, ".spec.replicas")).toEqual([])
  })

  it("puts objects that name no namespace into the default one, or into that of the admission", async () => {
    const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m" } }
    const place = (object: MapValue | undefined) => (object?.metadata as MapValue | undefined)?.namespace
    const simulation = simulate({ types: kubernetes, objects: [map] })
    const step = simulation.patch("me", { data: { a: "b" } })
    expect([place(simulation.at(0).get()), place(step.after), step.target?.namespace]).toEqual(Array(3).fill("default"))
    expect(place(simulation.apply("me", { ...map, kind: "Namespace" }).after)).toBeUndefined()
    const admission = await loadAdmission({ objects: [], namespace: "shop" })
    const inShop = simulate({ types: kubernetes, admission })
    inShop.apply("me", map)
    expect(inShop.patch("you", { data: { a: "b" } }, { object: "ConfigMap/m" }).outcome).toBe("changed")
    expect(inShop.objects.map(place)).toEqual(["shop"])
  })

  describe("of a Scale", () => {
    const scale = (more: object) => ({
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: { name: "web" },
      ...more,
    })
    const started = () => {
      const simulation = simulate({ types: kubernetes })
      simulation.apply("me", wholeDeployment({ replicas: 2 }))
      simulation.create("me", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" } })
      return simulation
    }
    const subresource = "scale"

    it("changes only the replicas of its object", () => {
      const simulation = started()
      const { outcome, target, after } = simulation.update("hpa", scale({ spec: { replicas: 7 } }), { subresource })
      expect([outcome, target?.kind, after?.spec]).toMatchObject([
        "changed",
        "Deployment",
        { replicas: 7, selector: {} },
      ])
      expect(ownersOf(after, ".spec.replicas")).toEqual(["hpa"])
      expect(simulation.apply("you", scale({ spec: { replicas: 8 } }), { subresource }).conflicts).toHaveLength(1)
      const step = simulation.update<{ kind: string; spec: { replicas: number } }>(
        "hpa",
        draft => {
          if (draft.kind === "Scale") draft.spec.replicas = 9
        },
        { subresource, object: "Deployment/web" },
      )
      expect(step.changes).toMatchObject([{ path: ".spec.replicas", from: 7, to: 9 }])
    })

    // The answers of kube-apiserver v1.37.1.
    const other =
      'Deployment in version "v1" cannot be handled as a Scale: converting (v1.Deployment) to (autoscaling.Scale)'
    it.each([
      ["another kind", wholeDeployment({ replicas: 5 }), 400, other],
      ["an unknown field", scale({ spec: { nope: 1 } }), 400, 'strict decoding error: unknown field "spec.nope"'],
      [
        "text for a number",
        scale({ spec: { replicas: "4" } }),
        400,
        "Go struct field ScaleSpec.spec.replicas of type int32",
      ],
      [
        "a negative number",
        scale({ spec: { replicas: -1 } }),
        422,
        'Scale.autoscaling "web" is invalid: spec.replicas',
      ],
    ])("refuses an update with %s", (_, body, code, message) => {
      const { error } = started().update("hpa", body, { subresource })
      expect([error?.code, error?.message]).toEqual([code, expect.stringContaining(message)])
    })

    it.each([
      ["relinquish", "unchanged", 2, ["me"]],
      ["share", "changed", 2, ["hpa", "me"]],
      ["overwrite", "changed", 8, ["hpa"]],
      ["fail", "conflict", 2, ["me"]],
    ] as const)("resolves the conflict of an apply by %s", (onConflict, outcome, replicas, owners) => {
      const simulation = started()
      const step = simulation.apply("hpa", scale({ spec: { replicas: 8 } }), { subresource, onConflict })
      expect([step.outcome, step.after?.spec]).toMatchObject([outcome, { replicas }])
      expect(ownersOf(step.after, ".spec.replicas")).toEqual(owners)
    })

    it("refuses an apply of another kind", () => {
      const { error } = started().apply("hpa", wholeDeployment({ replicas: 5 }), { subresource })
      expect(error).toMatchObject({ code: 400, message: "invalid object type: apps/v1, Kind=Deployment" })
    })
  })

  // The codes of kube-apiserver v1.37.1.
  it.each([
    ["v1", "ComponentStatus", 405, 405, 405],
    ["authentication.k8s.io/v1", "TokenReview", 404, 404, 501],
    ["authorization.k8s.io/v1", "SelfSubjectAccessReview", 404, 404, undefined],
  ])("stores no %s %s", (apiVersion, kind, ...codes) => {
    const simulation = simulate({ types: kubernetes })
    const object = { apiVersion, kind, metadata: { name: "a" } }
    const steps = [simulation.apply("me", object), simulation.update("me", object), simulation.create("me", object)]
    expect(steps.map(({ error }) => error?.code)).toEqual(codes)
    expect(steps.map(({ after }) => after)).toEqual([undefined, undefined, undefined])
    expect(simulation.objects).toEqual([])
  })

  it("tracks no owners of an object without owners until its first apply, even if it has no uid", () => {
    const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m" }, data: { a: "b" } }
    for (const metadata of [{ name: "m" }, { name: "m", uid: "7c3e" }]) {
      const simulation = simulate({ types: kubernetes, objects: [{ ...map, metadata }] })
      expect(simulation.patch("me", { data: { a: "c" } }).ownership).toEqual([])
      const { conflicts } = simulation.apply("you", { ...map, data: { a: "d" } })
      expect(conflicts).toMatchObject([{ manager: expect.stringContaining("before-first-apply") }])
    }
  })

  it("keeps a deleted object until its last finalizer goes", () => {
    const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m", finalizers: ["example.com/wait"] } }
    const simulation = simulate({ types: kubernetes })
    simulation.create("me", map)
    const { outcome, after } = simulation.delete("ConfigMap/m")
    expect(outcome).toBe("changed")
    expect(after?.metadata).toMatchObject({ deletionTimestamp: "2026-01-01T00:02:00Z" })
    expect(simulation.patch("waiter", { metadata: { finalizers: null } }).outcome).toBe("deleted")
    expect(simulation.objects).toEqual([])
  })

  it("names objects with a generateName, and gives them a uid, by the number of the step", () => {
    const made = () => {
      const simulation = simulate({ types: kubernetes })
      simulation.create("me", { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "m-" } })
      return simulation.get("ConfigMap/m-00001")?.metadata
    }
    expect(made()).toMatchObject({
      uid: "00000000-0000-4000-8000-000000000001",
      creationTimestamp: "2026-01-01T00:01:00Z",
    })
    expect(made()).toEqual(made())
  })
})

describe("a story with definitions", () => {
  const story = { title: "x", definitions: [gauges] }
  const played = (steps: readonly StoryStep[], more: Partial<Story> = {}) =>
    runStory({ ...story, ...more, steps }, { types: kubernetesTypes })

  it.each(brokenGauges)("refuses a custom resource that breaks %s", (_, spec, message) => {
    const { steps } = played([{ manager: "me", apply: gauge(spec), expect: { error: message } }])
    expect(steps[0]?.failures).toEqual([])
    expect(steps[0]?.step.findings).toEqual([])
  })

  it("prunes and fills in the objects at the start, and again after a change of the definition", () => {
    const definition = structuredClone(gauges) as typeof gauges & {
      spec: { versions: { schema: { openAPIV3Schema: { properties: MapValue } } }[] }
    }
    for (const { schema } of definition.spec.versions) schema.openAPIV3Schema.properties = { spec: onlyLow }
    const { simulation } = played([{ changeSchema: "next" }, { manager: "me", patch: { spec: { low: 2 } } }], {
      objects: [gauge({ other: 1 })],
      schemas: { next: { definitions: [definition] } },
    })
    expect(simulation.at(0).get()?.spec).toEqual({ wired: "a", low: 0, high: 10 })
    expect(simulation.get()?.spec).toEqual({ low: 2, lower: 1 })
  })

  const onlyLow = { type: "object", properties: { low: { type: "integer" }, lower: { type: "integer", default: 1 } } }

  it("treats an update without a resourceVersion as one by a client that has just read the object", () => {
    const { steps } = played([
      { manager: "me", create: gauge({}) },
      { manager: "me", update: gauge({ low: 1 }), expect: { outcome: "changed" } },
      { manager: "me", update: withMetadata(gauge({}), { resourceVersion: "1" }), expect: { error: 409 } },
    ])
    expect(steps.flatMap(({ failures }) => failures)).toEqual([])
  })

  it("names a definition that no server would serve", () => {
    const definitions = [{ ...gauges, spec: {} }]
    expect(() => played([], { definitions })).toThrow(SchemaError)
  })
})
