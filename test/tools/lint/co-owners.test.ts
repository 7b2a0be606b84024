// Findings about managers that own the same fields, and about entries at several versions. The test API server stores the objects, and
// accepts the results of the remedies.
import { describe, expect, it } from "vitest"
import { kubernetes } from "../../../src/kinds/kubernetes.js"
import { kubernetesTypes } from "../../../src/kubernetes/index.js"
import { changeApiVersion } from "../../../src/managedfields/index.js"
import { lintObject } from "../../../src/tools/lint/index.js"
import { toVersion, transfer } from "../../../src/tools/managers/index.js"
import type { MapValue } from "../../../src/value/value.js"
import { wholeDeployment } from "../../support/deployment.js"
import { bucket, bucketPath, bucketsDefinition, deploymentPath, serverOf } from "../../support/reported.js"
import { configMap, History } from "./history.js"

const found = (live: MapValue, options: Parameters<typeof lintObject>[1] = { types: kubernetesTypes }) =>
  lintObject(live, options).map(({ code, manager }) => `${code} ${manager}`)

describe("two appliers of the same fields", () => {
  const config = configMap({ a: "1", b: "1" })

  it.each<[string, () => History, string[]]>([
    [
      "the one that came first",
      () =>
        new History()
          .apply("x", config)
          .apply("y", config)
          .apply("y", configMap({ a: "1", b: "1", c: "1" })),
      ["shadowed-applier x"],
    ],
    [
      "the one that has fewer",
      () => new History().apply("x", configMap({ a: "1", b: "1", c: "1" })).apply("y", config),
      ["shadowed-applier y"],
    ],
    [
      "nobody for a single field, which may be handed over",
      () => new History().apply("x", config).apply("y", configMap({ a: "1" })),
      [],
    ],
    [
      "nobody where each has something of its own",
      () => new History().apply("x", config).apply("y", configMap({ b: "1", c: "1" })),
      [],
    ],
    [
      "nobody for labels",
      () =>
        new History()
          .apply("x", configMap({ a: "1" }, { k: "1", l: "1" }))
          .apply("y", configMap({ b: "1" }, { k: "1", l: "1" })),
      [],
    ],
    [
      "one program by both names",
      () => new History().apply("helm", config).apply("helm-controller", configMap({ a: "1", z: "1" })),
      ["one-program-two-names helm"],
    ],
    [
      "the updates of the other name",
      () =>
        new History()
          .update("argocd-application-controller", () => config)
          .apply("argocd-controller", configMap({ a: "1", z: "1" })),
      ["one-program-two-names argocd-application-controller"],
    ],
    [
      "the older version of a name",
      () => new History().apply("shop_v1.2.0", config).apply("shop_v1.3.0", configMap({ a: "1", z: "1" })),
      ["one-program-two-names shop_v1.2.0"],
    ],
    [
      "nobody for updates by both names",
      () =>
        new History().update("helm", () => config).update("helm-controller", live => ({ ...live, data: { a: "2" } })),
      [],
    ],
    [
      "nobody for names that share no field",
      () => new History().apply("helm", configMap({ a: "1" })).apply("helm-controller", configMap({ b: "1" })),
      [],
    ],
  ])("reports %s", (_, history, expected) => {
    expect(found(history().object ?? {})).toEqual(expected)
  })

  it("report the older one, whatever the order of the entries", () => {
    const live = new History().apply("x", config).apply("y", config).object as MapValue
    const metadata = live.metadata as { readonly managedFields: readonly MapValue[] }
    const reversed = { ...live, metadata: { ...metadata, managedFields: metadata.managedFields.toReversed() } }
    for (const object of [live, reversed]) expect(found(object)).toEqual(["shadowed-applier x"])
  })

  it("share fields of items whose keys only one of them owns", () => {
    const entry = (manager: string, time: string, item: object) => ({
      ...{ manager, time, operation: "Apply", apiVersion: "apps/v1", fieldsType: "FieldsV1" },
      fieldsV1: {
        "f:spec": { "f:template": { "f:spec": { "f:containers": { 'k:{"name":"a"}': { ".": {}, ...item } } } } },
      },
    })
    const fields = { "f:image": {}, "f:resources": { "f:limits": {} } }
    const liveWith = (item: object) => ({
      ...{ apiVersion: "apps/v1", kind: "Deployment" },
      metadata: {
        managedFields: [
          entry("x", "2026-01-02T00:00:00Z", { ...fields, "f:name": {} }),
          entry("y", "2026-01-03T00:00:00Z", item),
        ],
      },
    })
    expect(found(liveWith(fields))).toEqual(["shadowed-applier x"])
    expect(found(liveWith({ ...fields, "f:tty": {} }))).toEqual(["shadowed-applier x"])
    expect(found(liveWith({ ...fields, "f:resources": {}, "f:tty": {} }))).toEqual([])
  })

  it("are named with the count of the fields that they share", () => {
    const { object = {} } = new History().apply("helm", config).apply("helm-controller", config)
    expect(lintObject(object).map(({ message }) => message.split(":")[0])).toEqual([
      "helm (Apply) and helm-controller (Apply) are two names of Helm, and both own 2 fields",
    ])
  })

  it("keep what either drops on a server, until the remedy", async () => {
    const server = serverOf(deploymentPath)
    const before = wholeDeployment({ replicas: 2, paused: true })
    await server.apply("helm", before)
    await server.apply("helm-controller", before)
    const kept = await server.apply("helm-controller", wholeDeployment({ replicas: 2 }))
    expect([(kept.spec as MapValue).paused, found(kept)]).toEqual([true, ["one-program-two-names helm"]])
    const { object } = transfer(kept, { types: kubernetesTypes, from: "helm", to: "helm-controller" })
    expect(found(object)).toEqual([])
    await server.send("PUT", object as MapValue, "admin")
    const after = await server.apply("helm-controller", wholeDeployment({ replicas: 2 }))
    expect((after.spec as MapValue).paused).toBeUndefined()
  })

  it("shadow each other on a server, until one of them takes over", async () => {
    const server = serverOf(deploymentPath)
    const before = wholeDeployment({ replicas: 2, paused: true })
    await server.apply("ci", before)
    await server.apply("gitops", before)
    const kept = await server.apply("gitops", wholeDeployment({ replicas: 2 }))
    expect([(kept.spec as MapValue).paused, found(kept)]).toEqual([true, ["shadowed-applier gitops"]])
    expect(await server.apply("ci", wholeDeployment({ replicas: 3 }))).toMatchObject({ code: 409 })
    const { object } = transfer(kept, { types: kubernetesTypes, from: "ci", to: "gitops" })
    expect(found(object)).toEqual([])
    await server.send("PUT", object as MapValue, "admin")
    const after = await server.apply("gitops", wholeDeployment({ replicas: 3 }))
    expect([(after.spec as MapValue).paused, (after.spec as MapValue).replicas]).toEqual([undefined, 3])
  })
})

describe("entries at several versions", () => {
  /** A bucket from the release without access policies, which the next release has written once (flux2#5715). */
  async function upgraded() {
    const server = serverOf(bucketPath("v1beta3"), [bucketsDefinition("v1beta1")])
    await server.apply("flux", bucket("v1beta1", 1), false, bucketPath("v1beta1"))
    const definition = bucketsDefinition("v1beta3")
    await server.define(definition)
    await server.send("PUT", await server.get(), "storage-migration")
    return { server, definition, live: await server.get(), types: kubernetes.with([definition]) }
  }

  it("are reported if a version lacks a field that the object has by default", async () => {
    const { server, definition, live, types } = await upgraded()
    expect(await server.apply("other", bucket("v1beta3", 1))).toMatchObject({ code: 500 })
    const [finding, ...others] = lintObject(live, { types, definition })
    expect([finding?.code, finding?.path, others]).toEqual([
      "live-mixed-versions",
      ".metadata.managedFields[0].apiVersion",
      [],
    ])
    expect(finding?.message).toContain(
      "(.spec.accessPolicy: field not declared in schema): every apply is refused with 500",
    )

    const made = toVersion(live, {
      ...{ types, converter: changeApiVersion(types) },
      ...{ apiVersion: "v1beta3", managers: { all: true } },
    })
    expect(found(made.object, { types, definition })).toEqual([])
    await server.send("PUT", made.object, "admin")
    expect(await server.apply("other", bucket("v1beta3", 1))).toMatchObject({ kind: "Bucket" })
  })

  it("are not reported without the definition, or if a webhook converts the object", async () => {
    const { definition, live, types } = await upgraded()
    const spec = { ...(definition.spec as MapValue), conversion: { strategy: "Webhook" } }
    expect(found(live, { types })).toEqual([])
    expect(found(live, { types, definition: { ...definition, spec } })).toEqual([])
  })
})
