import { describe, expect, it, vi } from "vitest"
import { kubernetes } from "../../../src/kinds/kubernetes.js"
import * as library from "../../../src/kinds/rules/library.js"
import { FieldManager } from "../../../src/managedfields/index.js"
import { type PlanAllRequest, plan, planAll } from "../../../src/tools/ownership/index.js"
import { simulate } from "../../../src/tools/simulator/index.js"
import type { MapValue } from "../../../src/value/value.js"
import { configMap as configMapOf } from "../../support/config-map.js"
import { deepFreeze } from "../../support/deep-freeze.js"
import { definitionOf } from "../../support/definition.js"
import { schemaErrors } from "./schema.js"

const request: PlanAllRequest = { types: kubernetes, manager: "gitops", unions: "off" }
const manager = new FieldManager({ types: kubernetes })

function configMap(name: string, namespace?: string, data: MapValue = { a: "1" }, labels?: MapValue): MapValue {
  return deepFreeze(configMapOf(name, data, { ...(namespace && { namespace }), ...(labels && { labels }) }))
}

function applied(config: MapValue, by = "gitops"): MapValue {
  return manager.apply<MapValue>(undefined, config, { manager: by }).object
}

const crd = definitionOf("Widget", {
  schema: { properties: { spec: { type: "object", properties: { size: { type: "integer", maximum: 5 } } } } },
  spec: { scope: "Cluster" },
})

describe("planAll", () => {
  it("names the rules that are not run, and runs them once the library is loaded", async () => {
    const rules = { "x-kubernetes-validations": [{ rule: "self.size < 5" }, { rule: "self.size > 0" }] }
    const spec = { type: "object", properties: { size: { type: "integer" } }, ...rules }
    const ruled = definitionOf("Gauge", { schema: { properties: { spec, list: { type: "array", items: spec } } } })
    const gauge = { apiVersion: "example.com/v1", kind: "Gauge", metadata: { name: "a" }, spec: { size: 9 } }
    const missing = vi.spyOn(library, "celLibrary").mockReturnValue(undefined)
    const [definition, before] = planAll([ruled, gauge], [], request).plans
    expect([before?.outcome, before?.findings]).toEqual([
      "create",
      [{ code: "rules-not-run", message: expect.stringContaining("in CEL of Gauge are not run, and may refuse") }],
    ])
    const place = (path: string, i: number) => `.properties[${path}.x-kubernetes-validations[${i}].rule`
    const listed = [place("spec]", 0), place("spec]", 1), place("list].items", 0)].join(", ")
    expect(before?.findings[0]?.message).toContain(`: ${listed}, and 1 more. `)
    expect(definition?.warnings).toEqual([expect.stringContaining("are not run: install @marcbachmann/cel-js")])
    expect([schemaErrors(before as object), schemaErrors(definition as object)]).toEqual(["", ""])

    missing.mockRestore()
    expect(await library.loadCel()).toBe(true)
    const after = planAll([ruled, gauge], [], request).plans[1]
    expect([after?.outcome, after?.findings]).toEqual(["refused", []])
  })

  it("says which unions of a definition have no effect, unless the policy is off", () => {
    const union = { discriminator: "type", "fields-to-discriminateBy": { bucket: "Bucket", disk: "Volume" } }
    const properties = { type: { type: "string" }, bucket: { type: "string" }, volume: { type: "string" } }
    const spec = { type: "object", properties, "x-kubernetes-unions": [union] }
    const backups = definitionOf("Backup", { schema: { properties: { spec } } })
    const backup = { apiVersion: "example.com/v1", kind: "Backup", metadata: { name: "a" }, spec: { volume: "b" } }
    const message = expect.stringMatching(/^A union of Backup has no effect\. .*there is no field disk; left out$/)
    for (const unions of ["off", "v4", undefined] as const) {
      const findings = unions === "off" ? [] : [{ code: "union-invalid", message }]
      const planned = planAll([backups, backup], [], { ...request, unions }).plans[1]
      expect([planned?.findings, schemaErrors(planned as object)]).toEqual([findings, ""])
      expect(simulate({ types: kubernetes.with([backups]), unions }).apply("ops", backup).findings).toEqual(findings)
    }
  })

  it("says nothing about unions of other versions of the kind", () => {
    const version = (name: string, unions: object) => {
      const spec = { type: "object", properties: { a: { type: "string" } }, ...unions }
      const openAPIV3Schema = { type: "object", properties: { spec } }
      return { name, served: true, storage: name === "v1", schema: { openAPIV3Schema } }
    }
    const wrong = { "x-kubernetes-unions": [{ discriminator: "type", "fields-to-discriminateBy": { disk: "Disk" } }] }
    const definition = definitionOf("Backup", { spec: { versions: [version("v1", {}), version("v2", wrong)] } })
    const types = kubernetes.with([definition])
    const findings = (name: string) => {
      const config = { apiVersion: `example.com/${name}`, kind: "Backup", metadata: { name: "a" }, spec: {} }
      return planAll([config], [], { ...request, types, unions: "v4" }).plans[0]?.findings.map(({ code }) => code)
    }
    expect([findings("v2"), findings("v1")]).toEqual([["union-invalid"], []])
  })

  it("finds live objects by group, kind, namespace and name", () => {
    const live = [applied(configMap("a", "x")), applied(configMap("a", "default", { a: "2" }))]
    const { plans } = planAll([configMap("a"), configMap("a", "x"), configMap("b", "x")], live, request)
    expect(plans.map(({ target, outcome }) => [target.namespace, target.name, outcome])).toEqual([
      ["default", "a", "change"],
      ["x", "a", "unchanged"],
      ["x", "b", "create"],
    ])
  })

  it("finds live objects in lists, and those that name no namespace", () => {
    const { apiVersion: _, kind: __, ...item } = applied(configMap("a", "default"))
    const live = [{ apiVersion: "v1", kind: "ConfigMapList", items: [item] }, applied(configMap("b"))]
    const { plans } = planAll([configMap("a"), configMap("b")], live, request)
    expect(plans.map(({ outcome }) => outcome)).toEqual(["unchanged", "unchanged"])
  })

  it("finds a live object in another group with the same objects", () => {
    const event = (apiVersion: string, note: MapValue): MapValue => ({
      apiVersion,
      kind: "Event",
      metadata: { name: "e", namespace: "default" },
      ...note,
    })
    const live = applied(event("v1", { message: "old", involvedObject: { namespace: "default" } }))
    const config = event("events.k8s.io/v1", { note: "new", regarding: { namespace: "default" } })
    expect(planAll([config], [live], request).plans.map(({ outcome }) => outcome)).not.toContain("create")
  })

  it("orders objects by their dependencies, and uses the definitions among the configurations", () => {
    const widget = (size: number): MapValue => ({
      apiVersion: "example.com/v1",
      kind: "Widget",
      metadata: { name: "w", namespace: "ignored" },
      spec: { size },
    })
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "x" } }
    const list = { apiVersion: "v1", kind: "List", items: [widget(9), configMap("a", "x")] }
    const { plans } = planAll([list, namespace, crd], [], request)
    expect(plans.map(({ target, outcome }) => [target.kind, outcome])).toEqual([
      ["CustomResourceDefinition", "create"],
      ["Namespace", "create"],
      ["ConfigMap", "create"],
      ["Widget", "refused"],
    ])
    expect(plans[3]?.refusal?.causes.map(({ field }) => field)).toEqual(["spec.size"])
    const types = kubernetes.with([crd])
    const live = plan(undefined, widget(1), { types, manager: "gitops" }).object
    expect(live.metadata).not.toHaveProperty("namespace")
    const again = planAll([crd, widget(1)], [live], request).plans[1]
    expect([again?.outcome, again?.status]).toEqual(["unchanged", undefined])
  })

  it("continues after a kind without a definition", () => {
    const unknown = { apiVersion: "nope.example.com/v1", kind: "Nope", metadata: { name: "n" } }
    const { plans } = planAll([unknown, configMap("a")], [], request)
    expect(plans.map(({ target, outcome }) => [target.kind, outcome])).toEqual([
      ["ConfigMap", "create"],
      ["Nope", "refused"],
    ])
    expect(plans[1]?.findings.map(({ code }) => code)).toEqual(["not-served"])
  })

  it("treats only definitions as definitions, whatever a custom resource is called", () => {
    const own = definitionOf("CustomResourceDefinition", { plural: "definitions" })
    const object = { apiVersion: "example.com/v1", kind: "CustomResourceDefinition", metadata: { name: "a" } }
    expect(planAll([own, object], [], request).plans.map(({ outcome }) => outcome)).toEqual(["create", "create"])
  })

  it("reports objects that left the set", () => {
    const labels = { set: "shop" }
    const live = [
      applied(configMap("stays", "x", { a: "1" }, labels)),
      manager.update<MapValue>(
        applied(configMap("gone", "x", { a: "1" }, labels)),
        configMap("gone", "x", { a: "2" }, labels),
        {
          manager: "edit",
        },
      ).object,
      applied(configMap("other-set", "x")),
      applied(configMap("not-mine", "x", { a: "1" }, labels), "helm"),
    ]
    const configs = [configMap("stays", "x", { a: "1" }, labels)]
    const names = (prune: PlanAllRequest["prune"]) =>
      planAll(configs, live, { ...request, ...(prune && { prune }) }).left.map(({ target, owners }) => [
        target.name,
        owners.map(({ manager }) => manager),
      ])
    expect(names({ selector: labels })).toEqual([["gone", ["edit"]]])
    expect(names({ manager: undefined, selector: labels })).toEqual([["gone", ["edit"]]])
    expect(names({})).toEqual([
      ["gone", ["edit"]],
      ["other-set", []],
    ])
    expect(names({ manager: "helm" })).toEqual([["not-mine", []]])
    expect(names(undefined)).toEqual([])
  })

  it("refuses the same object twice", () => {
    expect(() => planAll([configMap("a"), configMap("a", "default")], [], request)).toThrow(
      new TypeError("two configurations are ConfigMap default/a"),
    )
  })

  it("returns each configuration and live object with its plan, and the uid of an object that left", () => {
    const labels = { set: "shop" }
    const live = (name: string, uid: string): MapValue => {
      const object = applied(configMap(name, "x", { a: "1" }, labels))
      return { ...object, metadata: { ...(object.metadata as MapValue), uid } }
    }
    const [a, gone] = [live("a", "1"), live("gone", "2")]
    const configs = [configMap("a", "x"), configMap("b")]
    // As from a read of the configurations' objects and a list by labels, which have objects in common.
    const { plans, left } = planAll(configs, [a, undefined, { ...a }, gone], {
      ...request,
      prune: { selector: labels },
    })
    expect(plans.map(({ live }) => live)).toEqual([a, undefined])
    expect(plans.map(({ config }) => config)).toEqual([configs[0], configMap("b", "default")])
    expect(left.map(({ target, uid }) => [target.name, uid])).toEqual([["gone", "2"]])
    expect(plans.map(schemaErrors)).toEqual(["", ""])
    expect(() => planAll([], [a, live("a", "3")], request)).toThrow(new TypeError("two live objects are ConfigMap x/a"))
  })

  it("refuses a misspelled selector, which would select everything that the manager applied", () => {
    const prune = { labels: { set: "shop" } } as PlanAllRequest["prune"] & object
    const message = "request.prune.labels: unknown key; there are manager and selector"
    expect(() => planAll([], [], { ...request, prune })).toThrow(new TypeError(message))
    const selector = { tier: undefined } as unknown as Record<string, string>
    const tier = "request.prune.selector.tier: expected a string, got undefined"
    expect(() => planAll([], [], { ...request, prune: { selector } })).toThrow(new TypeError(tier))
  })

  it("names the item of a list that is no object", () => {
    const configs = [configMap("a"), null] as unknown as object[]
    expect(() => planAll(configs, [], request)).toThrow(new TypeError("configs[1]: expected an object, got null"))
    const live = [configMap("a"), "b"] as unknown as object[]
    expect(() => planAll([], live, request)).toThrow(/^live\[1\]: expected an object, got /)
    const list = { apiVersion: "v1", kind: "List", items: [configMap("a"), null] }
    expect(() => planAll([list], [], request)).toThrow(
      new TypeError("items[1] of the List: expected an object, got null"),
    )
    expect(planAll([{ ...list, items: null }], [], request).plans).toEqual([])
  })
})
