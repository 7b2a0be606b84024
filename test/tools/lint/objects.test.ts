// Findings about live objects. Each finding has a history that leads to it: requests to a FieldManager, which does what an API
// server does. If a function of the package is the remedy, the finding is gone after it.
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { kubernetesSchemaWithUnions, kubernetesTypes } from "../../../src/kubernetes/index.js"
import { type TypeFinder, upgradeManagedFields } from "../../../src/managedfields/index.js"
import { deducedTypes } from "../../../src/managedfields/types/object-types.js"
import { TypeConverter } from "../../../src/openapi/index.js"
import { lintObject } from "../../../src/tools/lint/index.js"
import { dropGoneVersions, dropVersion, release, transfer, upgrade } from "../../../src/tools/managers/index.js"
import type { MapValue, Value } from "../../../src/value/value.js"
import { arbitraryValue } from "../../property/arbitraries.js"
import { readStories } from "../../support/api-server-stories.js"
import { runs } from "../../support/budget.js"
import { deepFreeze } from "../../support/deep-freeze.js"
import { fillTables } from "../../support/fill-tables.js"
import { annotation, clientSide, configMap, History, meta, service } from "./history.js"

const entry = (index: number) => `.metadata.managedFields[${index}]`
const data = (key: string) => (live: MapValue) => ({ ...live, data: { ...(live.data as MapValue), [key]: "1" } })

describe("client-side apply", () => {
  const before = configMap({ a: "1", b: "1" }, { app: "web" })
  const after = configMap({ a: "1" }, { app: "web" })

  it("blocks the next applier, and keeps the fields that it leaves out", () => {
    const history = new History().applyClientSide(before).apply("flux", after, true)
    expect(history.found()).toEqual([`applied-and-updated ${entry(1)}`, "dropped-field-kept .data.b"])
    const [first, second] = lintObject(history.object ?? {}, { types: kubernetesTypes })
    expect([first?.message, first?.manager]).toEqual([
      "kubectl-client-side-apply (Update) owns 2 fields that flux applies: they stay when flux leaves them out",
      clientSide,
    ])
    expect(second?.remedy).toMatch(
      /^transfer the fields of .* to flux, whose next apply removes them: smd managers upgrade$/,
    )
    // Repeating the apply keeps the field, as the finding says. After the remedy, the field goes.
    expect(history.apply("flux", after).object?.data).toEqual({ a: "1", b: "1" })
    history.set(live => upgradeManagedFields(live, { csaManagers: [clientSide], ssaManager: "flux" }))
    expect(history.found()).toEqual([])
    history.apply("flux", after)
    expect([history.object?.data, meta(history.object ?? {}).annotations, history.found()]).toEqual([
      { a: "1" },
      undefined,
      [],
    ])
  })

  it("blocks kubectl's own server-side apply until it has taken over the fields", () => {
    const history = new History().applyClientSide(before).apply("kubectl", before).apply("kubectl", after)
    expect(history.found()).toEqual([`applied-and-updated ${entry(1)}`, "dropped-field-kept .data.b"])
    expect(lintObject(history.object ?? {})[0]?.remedy).toMatch(/kubectl apply --server-side does it by itself/)
    history.set(live => upgradeManagedFields(live, { csaManagers: [clientSide], ssaManager: "kubectl" }))
    expect(history.apply("kubectl", after).found()).toEqual([])
    expect(history.object?.data).toEqual({ a: "1" })
  })

  it("is judged the same whatever other managers are called", () => {
    const config = configMap({ a: "1", b: "1", c: "1" })
    const history = new History().applyClientSide(config).apply("flux", config)
    expect(history.found()).toEqual([`applied-and-updated ${entry(1)}`])
    fillTables()
    expect(history.found()).toEqual([`applied-and-updated ${entry(1)}`])
  })

  it.each<[string, () => History, string[]]>([
    ["alone", () => new History().applyClientSide(before), []],
    ["alone, without its annotation", () => new History().update(clientSide, () => before), []],
    [
      "beside somebody who applies other fields",
      () => new History().applyClientSide(before).apply("injector", configMap({ ca: "x" })),
      [],
    ],
    [
      "after the applier, so that it does not keep what that has left out",
      () => new History().apply("flux", after).applyClientSide(before),
      [],
    ],
    [
      "beside an applier that has changed nothing, so that nobody can tell who came first",
      () => new History().applyClientSide(after).apply("flux", after).applyClientSide(before),
      [`applied-and-updated ${entry(1)}`, "dropped-field-kept .data.b"],
    ],
    [
      "with defaults, which nobody has left out",
      () =>
        new History()
          .applyClientSide(service({ name: "http", port: 80 }))
          .update(clientSide, live => ({ ...live, spec: { ...(live.spec as MapValue), sessionAffinity: "None" } }))
          .apply("flux", service({ name: "http", port: 80 })),
      [`applied-and-updated ${entry(1)}`],
    ],
    [
      "that kept more than it shares",
      () =>
        new History()
          .applyClientSide(configMap({ a: "1", b: "1", c: "1", d: "1" }))
          .apply("flux", configMap({ a: "1" })),
      [`applied-and-updated ${entry(1)}`],
    ],
    [
      "with an annotation that is no JSON",
      () =>
        new History()
          .update(clientSide, () => ({ ...before, metadata: { name: "web", annotations: { [annotation]: "{" } } }))
          .apply("flux", configMap({ a: "1" })),
      [`applied-and-updated ${entry(1)}`, "dropped-field-kept .data.b"],
    ],
  ])("%s", (_, history, expected) => {
    expect(history().found()).toEqual(expected)
  })

  it("leaves behind an annotation that nobody updates", () => {
    const forget = (live: MapValue) => ({ ...live, metadata: { ...meta(live), managedFields: [{}] } })
    const history = new History()
      .applyClientSide(after)
      .update("velero", forget)
      .apply("velero", configMap({ z: "1" }))
    expect(history.found()).toEqual([`last-applied-left .metadata.annotations.${annotation}`])
    // Without an applier, client-side apply may come back.
    const unapplied = new History().applyClientSide(after).update("velero", forget).update("velero", data("z"))
    expect([meta(unapplied.object ?? {}).managedFields, unapplied.found()]).toEqual([[expect.anything()], []])
    const kubectl = new History().applyClientSide(after).update("velero", forget).apply("kubectl", after)
    expect(kubectl.found()).toEqual([`applied-and-updated ${entry(1)}`])
  })
})

describe("an update by an applier's own name", () => {
  it("blocks its own applies", () => {
    const before = service({ port: 80, name: "http" }, { port: 81, name: "metrics" })
    const after = service({ port: 80, name: "http" })
    const history = new History()
      .update("operator", () => before)
      .set(live => ({ ...live, metadata: { ...meta(live), creationTimestamp: "2026-01-01T00:00:00Z" } }))
      .apply("operator", after)
    const metrics = '.spec.ports[port=81,protocol="TCP"]'
    expect(history.found()).toEqual([`applied-and-updated ${entry(1)}`, `dropped-field-kept ${metrics}`])
    history.set(live => upgrade(live, { csaManagers: "operator", ssaManager: "operator" }).object)
    expect(history.apply("operator", after).found()).toEqual([])
    expect(history.object?.spec).toEqual({ ports: [{ port: 80, name: "http" }] })
  })

  it("is fine if it concerns other fields, or another subresource", () => {
    const history = new History().apply("operator", configMap({ a: "1" })).update("operator", data("b"))
    expect(history.found()).toEqual([])
    const status = (live: MapValue) => ({ ...live, status: { loadBalancer: { ingress: [{ ip: "1.1.1.1" }] } } })
    const web = service({ port: 80 })
    expect(new History().apply("operator", web).update("operator", status, "status").found()).toEqual([])
  })

  it("keeps nothing that was written after the last apply", () => {
    const history = new History()
      .update("operator", () => configMap({ a: "1" }))
      .apply("operator", configMap({ a: "1" }))
      .update("operator", data("b"))
    expect(history.found()).toEqual([`applied-and-updated ${entry(1)}`])
  })
})

it("reports fields from before the first apply", () => {
  const history = new History().set(() => configMap({ a: "1", b: "1" })).apply("flux", configMap({ a: "1" }))
  expect(history.found()).toEqual([`applied-and-updated ${entry(1)}`])
  expect(lintObject(history.object ?? {})[0]?.remedy).toBe("let flux be the only owner: smd managers transfer")
  expect(history.apply("flux", configMap({})).object?.data).toEqual({ a: "1", b: "1" })
  history.set(live => transfer(live, { from: "before-first-apply", to: "flux" }).object)
  expect([history.found(), history.apply("flux", configMap({ a: "1" })).object?.data]).toEqual([[], { a: "1" }])
})

describe("a manager that owns only keys", () => {
  const item = (value: string) => service({ port: 80, name: value })

  it("keeps an item that nobody else wants", () => {
    const history = new History().apply("a", item("x")).apply("b", item("y"), true)
    expect(history.found()).toEqual([`keys-only ${entry(0)}`])
    const remedyOf = (object: MapValue | undefined) => lintObject(object ?? {})[0]?.remedy
    expect(remedyOf(history.object)).toBe("leave the item out of its configuration: smd managers release")
    const [a, b] = meta(history.object ?? {}).managedFields as MapValue[]
    const updated = { ...history.object, metadata: { managedFields: [{ ...a, operation: "Update" }, b] as Value } }
    expect(remedyOf(updated)).toBe("release the keys: smd managers release")
    const released = release(history.object ?? {}, { managers: "a" }).object
    expect(lintObject(released, { types: kubernetesTypes })).toEqual([])
    // The item stays after the manager of its other fields releases it, and goes when the first manager leaves it out too.
    expect(history.apply("b", service()).object?.spec).toEqual({ ports: [{ port: 80 }] })
    expect(history.apply("a", service()).found()).toEqual([])
  })

  it("is not reported if nobody owns the other fields, such as a default", () => {
    const defaults = (object: MapValue) => ({
      ...object,
      spec: { ports: [{ port: 80, protocol: "TCP", targetPort: 80 }] },
    })
    expect(new History(kubernetesTypes, defaults).apply("a", service({ port: 80, protocol: "TCP" })).found()).toEqual(
      [],
    )
  })
})

it("is reported with the owners that get lost among too many", () => {
  const history = new History().apply("flux", configMap({ a: "1" }))
  for (let i = 0; i < 12; i++) history.update(`controller-${i}`, data(`k${i}`))
  expect(history.found()).toEqual([expect.stringMatching(/^ancient-changes /)])
  expect(lintObject(history.object ?? {})[0]?.message).toContain("the owners of 3 fields are lost")
  history.set(live => transfer(live, { from: "ancient-changes", to: "flux" }).object)
  expect(history.found()).toEqual([])
})

describe("large managedFields", () => {
  function ofAppliers(count: number): History {
    const history = new History()
    for (let i = 0; i < count; i++) history.apply(`applier-${i}`, configMap({ [`k${i}`]: "1" }))
    return history
  }

  it("are reported with their entries, their bytes, and their share of the object", () => {
    const history = ofAppliers(25)
    expect(history.found()).toEqual(["managed-fields-large .metadata.managedFields"])
    const bytes = JSON.stringify(meta(history.object ?? {}).managedFields).length
    const share = bytes / JSON.stringify(history.object).length
    expect(lintObject(history.object ?? {})[0]?.message).toBe(
      `has 25 entries and ${bytes} bytes, ${Math.round(share * 100)} % of the object, which every answer and every watch carries`,
    )
    expect(history.found({ maxEntries: 25, maxShare: 1 })).toEqual([])
    expect(history.found({ maxEntries: 25, maxShare: 1, maxBytes: bytes })).toEqual([])
    expect(history.found({ maxEntries: 25, maxShare: 1, maxBytes: bytes - 1 })).toHaveLength(1)
  })

  it("are reported if they are a single entry", () => {
    const history = ofAppliers(1)
    const found = lintObject(history.object ?? {}, { maxBytes: 50 })
    expect(found.map(({ message }) => message)).toEqual([expect.stringMatching(/^has 1 entry and \d+ bytes, /)])
  })

  it("are reported for their share from 4,096 bytes on", () => {
    const history = ofAppliers(40)
    const share =
      JSON.stringify(meta(history.object ?? {}).managedFields).length / JSON.stringify(history.object).length
    expect(history.found({ maxEntries: 99, maxShare: share })).toEqual([])
    expect(history.found({ maxEntries: 99, maxShare: share - 0.01 })).toHaveLength(1)
  })
})

describe("a version that is gone", () => {
  const at = (apiVersion: string) => ({
    apiVersion,
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web" },
    spec: { minReplicas: 2 },
  })
  const older: TypeFinder = {
    find: (apiVersion, kind) => kubernetesTypes.find(apiVersion.replace("v2beta2", "v2"), kind),
  }

  it("of a built-in kind loses its owner at the next write", () => {
    const old = new History(older).apply("ci", at("autoscaling/v2beta2"))
    const live = { ...old.object, apiVersion: "autoscaling/v2" }
    const history = new History().set(() => live)
    expect(history.found()).toEqual([`version-gone ${entry(0)}.apiVersion`])
    expect(history.found({})).toEqual(history.found())
    expect(lintObject(live)[0]?.message).toBe(
      "ci (Apply) owns fields at autoscaling/v2beta2, and HorizontalPodAutoscaler has no such version since Kubernetes 1.26: " +
        "the next write drops the entry, and its fields have no owner",
    )
    const dropped = dropVersion(live, { apiVersion: "autoscaling/v2beta2", managers: "ci" }).object
    expect(lintObject(dropped, { types: kubernetesTypes })).toEqual([])
    history.update("kubectl", object => ({ ...object, spec: { minReplicas: 3 } }))
    expect(history.found()).toEqual([])
    expect(JSON.stringify(history.object)).not.toContain('"ci"')
  })

  it("of a custom resource makes every apply fail", () => {
    const versions = (...names: string[]): TypeFinder => {
      const type = deducedTypes.find("", "")
      return { find: (apiVersion, kind) => (kind === "Widget" && names.includes(apiVersion) ? type : undefined) }
    }
    const widget = (version: string) => ({
      apiVersion: `example.com/${version}`,
      kind: "Widget",
      metadata: { name: "w" },
      spec: { a: 1 },
    })
    const old = new History(versions("example.com/v1")).apply("ci", widget("v1"))
    const types = versions("example.com/v2")
    const history = new History(types).set(() => ({ ...old.object, apiVersion: "example.com/v2" }))
    expect(history.found({ types })).toEqual([`version-gone-blocks ${entry(0)}.apiVersion`])
    expect(lintObject(history.object ?? {}, { types })[0]?.message).toBe(
      "ci (Apply) owns fields at example.com/v1, and Widget has no such version: " +
        "every apply is refused, and updates no longer change owners",
    )
    expect(history.found({ types: versions("example.com/v1", "example.com/v2") })).toEqual([])
    expect(history.found({ types: versions() })).toEqual([])
    expect(history.found({})).toEqual([])
    expect(() => history.apply("ci", widget("v2"))).toThrow("to an invalid group/version: example.com/v1")
    const dropped = dropGoneVersions(history.object ?? {}, { types, managers: "ci" }).object
    expect(lintObject(dropped, { types })).toEqual([])
    history.set(live => transfer(live, { from: "ci", to: "ci", toVersion: "v2" }).object)
    expect([history.found({ types }), history.apply("ci", widget("v2")).found({ types })]).toEqual([[], []])
  })
})

describe("managedFields that can't be read", () => {
  const good = {
    manager: "a",
    operation: "Apply",
    apiVersion: "v1",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:data": {} },
  }
  const live = (managedFields: unknown) =>
    new History().set(() => ({
      ...configMap({ a: "1" }),
      metadata: { name: "web", managedFields: managedFields as Value },
    }))

  it.each<[string, unknown, string[]]>([
    ["a malformed key", [good, { ...good, manager: "b", fieldsV1: { data: {} } }], [entry(1)]],
    ["no operation", [{ ...good, operation: undefined }], [entry(0)]],
    ["no version", [{ ...good, apiVersion: "" }], [entry(0)]],
    ["a version with two slashes", [{ ...good, apiVersion: "a/b/v1" }], [entry(0)]],
    ["another form of fields", [good, { ...good, fieldsType: "FieldsV2" }], [entry(1)]],
    ["no time, which is no fault", [good], []],
    ["an entry that is none", [good, 1, { ...good, time: "yesterday" }], [entry(1), entry(2)]],
    ["no list", { a: good }, [".metadata.managedFields"]],
    ["nothing at all", [], []],
    ["the entry that forgets all", [{}], []],
    ["null", null, []],
  ])("%s", (_, managedFields, expected) => {
    expect(live(managedFields).found()).toEqual(expected.map(path => `managed-fields-unreadable ${path}`))
  })

  it("make every apply fail, and are forgotten by the next update", () => {
    const broken = [good, { ...good, manager: "b", fieldsV1: { data: {} } }]
    expect(() => live(broken).apply("a", configMap({ a: "2" }))).toThrow("failed to decode managed fields")
    const history = live(broken).update("c", data("z"))
    expect((meta(history.object ?? {}).managedFields as MapValue[]).map(({ manager }) => manager)).toEqual(["c"])
    expect(history.found()).toEqual([])
  })
})

describe("the unions of a live object", () => {
  const schema = kubernetesSchemaWithUnions()
  const types: TypeFinder = {
    find: (apiVersion, kind) => {
      const found = kubernetesTypes.find(apiVersion, kind)
      return found && { ...found, schema }
    },
  }

  it("are checked like the unions of a configuration", () => {
    const strategy = { type: "Recreate", rollingUpdate: { maxSurge: 1 } }
    const web = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec: { strategy } }
    const history = new History().apply("a", web)
    expect(history.found({ types })).toEqual(["config-other-member .spec.strategy"])
    expect(lintObject(web, { types }).map(({ code }) => code)).toEqual(["config-other-member"])
  })
})

it("mention the answers of a kube-apiserver only with a finding", () => {
  const found = new Set<string>()
  let objects = 0
  for (const { name, crds, steps } of readStories()) {
    const documents = crds.map((document, i) => ({ name: String(i), document }))
    const types = new TypeConverter(documents, {
      fallback: (apiVersion, kind) => kubernetesTypes.find(apiVersion, kind),
    })
    for (const { response, live } of steps) {
      for (const object of [response, live]) {
        if (!object || meta(object).managedFields === undefined) continue
        objects++
        for (const { code, path } of lintObject(object, { types })) {
          found.add(`${name.split(":")[0]} ${code} ${path.replace(/\d+\]$/, "n]")}`)
        }
      }
    }
  }
  expect(objects).toBeGreaterThan(800)
  expect([...found].sort()).toMatchInlineSnapshot(`
    [
      "s2007-daemonsets applied-and-updated .metadata.managedFields[n]",
      "s2011-horizontalpodautoscalers applied-and-updated .metadata.managedFields[n]",
      "s2011-horizontalpodautoscalers dropped-field-kept .spec.minReplicas",
      "s2063-statefulsets applied-and-updated .metadata.managedFields[n]",
      "s2125-secrets applied-and-updated .metadata.managedFields[n]",
      "s2145-keyed keys-only .metadata.managedFields[n]",
      "s2155-ingressclasses shadowed-applier .metadata.managedFields[n]",
      "s2169-horizontalpodautoscalers applied-and-updated .metadata.managedFields[n]",
      "s2169-horizontalpodautoscalers dropped-field-kept .spec.minReplicas",
      "s2173-jobs shadowed-applier .metadata.managedFields[n]",
      "s2175-validatingwebhookconfigurations applied-and-updated .metadata.managedFields[n]",
      "s2183-pods applied-and-updated .metadata.managedFields[n]",
      "s2275-persistentvolumes applied-and-updated .metadata.managedFields[n]",
      "s2325-persistentvolumeclaims shadowed-applier .metadata.managedFields[n]",
      "s2341-replicationcontrollers applied-and-updated .metadata.managedFields[n]",
      "s2433-deployments applied-and-updated .metadata.managedFields[n]",
      "s2437-nodes applied-and-updated .metadata.managedFields[n]",
      "s2443-statefulsets applied-and-updated .metadata.managedFields[n]",
      "s2445-persistentvolumeclaims applied-and-updated .metadata.managedFields[n]",
      "s2447-ingresses applied-and-updated .metadata.managedFields[n]",
      "s2457-deployments ancient-changes .metadata.managedFields[n]",
      "s2459-widgets ancient-changes .metadata.managedFields[n]",
      "s2461-gadgets ancient-changes .metadata.managedFields[n]",
      "s2463-services ancient-changes .metadata.managedFields[n]",
      "s2493-pods keys-only .metadata.managedFields[n]",
      "s2517-deployments applied-and-updated .metadata.managedFields[n]",
    ]
  `)
})

describe("lintObject", () => {
  const managedFields = fc.array(
    fc.record(
      {
        manager: fc.constantFrom("a", "b", clientSide, "ancient-changes", "before-first-apply", ""),
        operation: fc.constantFrom("Apply", "Update", "Patch"),
        apiVersion: fc.constantFrom("v1", "v0", "a/b/c"),
        fieldsType: fc.constantFrom("FieldsV1", "FieldsV1", ""),
        time: fc.constantFrom("2026-01-01T00:00:00Z", "2026-01-31T23:59:59.5+01:00", "2026-02-30T00:00:00Z", ""),
        subresource: fc.constantFrom("", "status"),
        fieldsV1: fc.oneof(
          arbitraryValue,
          fc.constantFrom(
            { "f:data": { "f:a": {}, ".": {} }, "f:metadata": { "f:annotations": { [`f:${annotation}`]: {} } } },
            { "f:data": { "f:b": {} }, "f:metadata": { "f:labels": { "f:x": {} } } },
            {
              "f:data": { 'k:{"name":"a"}': { ".": {}, "f:name": {} }, "v:1": {} },
              "f:__proto__": { "f:constructor": {} },
            },
          ),
        ),
      },
      { requiredKeys: [] },
    ),
  )

  it("never throws, and changes nothing", () => {
    const annotations = fc.constantFrom(
      null,
      { [annotation]: "{" },
      { [annotation]: '{"apiVersion":"v1","data":{"a":1}}' },
      { a: 1 },
      [],
    )
    const metadata = fc.record({ managedFields: fc.oneof(managedFields, arbitraryValue), annotations })
    const object = fc.record({
      apiVersion: fc.constantFrom("v1", "v0", 7),
      kind: fc.constant("ConfigMap"),
      metadata,
      data: arbitraryValue,
    })
    fc.assert(
      fc.property(fc.oneof(object, arbitraryValue), value => {
        const found = lintObject(deepFreeze(value) as object, { types: kubernetesTypes, maxEntries: 2 })
        for (const { path, message, remedy } of found)
          expect([path, message, remedy].every(text => text !== "")).toBe(true)
      }),
      runs(2000),
    )
  })

  it("accepts objects that nest too deep, without findings", () => {
    let deep: MapValue = {}
    for (let i = 0; i < 100_000; i++) deep = { "f:a": deep }
    const lintIn = (entry: MapValue) =>
      lintObject(
        { apiVersion: "v1", kind: "ConfigMap", metadata: { managedFields: [entry] } },
        { types: kubernetesTypes },
      )
    const entry = { manager: "a", operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1" }
    expect(lintObject({ apiVersion: "v1", kind: "ConfigMap", data: deep }, { types: kubernetesTypes })).toEqual([])
    expect(lintIn({ ...entry, fieldsV1: deep })).toEqual([])
    expect(lintIn({ ...entry, other: deep })).toEqual([])
  })
})
