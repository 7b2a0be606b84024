import { describe, expect, it } from "vitest"
import { kubernetesTypes } from "../../src/kubernetes/index.js"
import { extract } from "../../src/managedfields/extract.js"
import { deployment, entry, fieldManager, managedBy, messageOf } from "./notation.js"

const template = {
  spec: { containers: [{ name: "app", image: "app:1", ports: [{ containerPort: 80 }] }, { name: "proxy" }] },
}
const head = { apiVersion: "apps/v1", kind: "Deployment" }
const live = (...entries: Parameters<typeof entry>[]) =>
  managedBy(
    { ...deployment({ replicas: 2, template }, { labels: { l: "1" } }), status: { replicas: 1 } },
    ...entries.map(given => entry(...given)),
  )

describe("extract", () => {
  it("returns the fields that the manager applied, with their current values", () => {
    const manager = fieldManager()
    const config = deployment({ replicas: 2, template }, { labels: { l: "1" } })
    let made = manager.apply(undefined, config, { manager: "a" }).object
    made = manager.apply(made, deployment({ replicas: 3 }), { manager: "b", force: true }).object
    const { name: _, ...metadata } = config.metadata ?? {}
    expect(manager.extract(made, { manager: "a" })).toEqual({ ...head, metadata, spec: { template } })
    expect(manager.extract(made, { manager: "b" })).toEqual({ ...head, spec: { replicas: 3 } })
  })

  it("distinguishes subresources", () => {
    const object = live(
      ["a Apply apps/v1", { "f:spec": { "f:replicas": {} } }],
      ["a Apply/status apps/v1", { "f:status": { "f:replicas": {} } }],
    )
    expect(extract(object, { types: kubernetesTypes, manager: "a", subresource: "status" })).toEqual({
      ...head,
      status: { replicas: 1 },
    })
    expect(extract(object, { types: kubernetesTypes, manager: "a" })).toEqual({ ...head, spec: { replicas: 2 } })
  })

  it("returns undefined for updaters and unknown managers", () => {
    const object = live(["a Update apps/v1", { "f:spec": { "f:replicas": {} } }])
    expect(extract(object, { types: kubernetesTypes, manager: "a" })).toBeUndefined()
    expect(extract(deployment({}), { types: kubernetesTypes, manager: "a" })).toBeUndefined()
  })

  it("takes owned items, with only their owned fields", () => {
    const item = { ".": {}, "f:name": {}, "f:image": {} }
    const object = live([
      "a Apply apps/v1",
      { "f:spec": { "f:template": { "f:spec": { "f:containers": { 'k:{"name":"app"}': item } } } } },
    ])
    expect(extract(object, { types: kubernetesTypes, manager: "a" })).toEqual({
      ...head,
      spec: { template: { spec: { containers: [{ name: "app", image: "app:1" }] } } },
    })
  })

  it("leaves out fields that the object no longer has", () => {
    const object = live([
      "a Apply apps/v1",
      { "f:metadata": { "f:annotations": { "f:x": {} } }, "f:spec": { "f:replicas": {} } },
    ])
    expect(extract(object, { types: kubernetesTypes, manager: "a" })).toEqual({
      ...head,
      metadata: null,
      spec: { replicas: 2 },
    })
  })

  it.each([
    ["all is gone", { "f:spec2": {} }],
    ["nothing is owned", {}],
  ])("is only the apiVersion and kind if %s", (_, fields) => {
    expect(extract(live(["a Apply apps/v1", fields]), { types: kubernetesTypes, manager: "a" })).toEqual(head)
  })

  it("uses the fields regardless of the entry's version", () => {
    const object = live(["a Apply apps/v0", { "f:spec": { "f:replicas": {} } }])
    expect(extract(object, { types: kubernetesTypes, manager: "a" })).toEqual({ ...head, spec: { replicas: 2 } })
  })

  it("does not repeat an apiVersion and kind that are owned", () => {
    const object = live(["a Apply apps/v1", { "f:apiVersion": {}, "f:kind": {} }])
    expect(extract(object, { types: kubernetesTypes, manager: "a" })).toEqual(head)
  })

  it.each([
    [
      deployment({ replicas: "x" }),
      "error converting obj to typed: .spec.replicas: expected numeric (int or float), got string",
    ],
    [{ apiVersion: "g/v1", kind: "None" }, "error converting obj to typed: no corresponding type for g/v1, Kind=None"],
    [
      live(["a Apply apps/v1", { "f:spec": 1 }]),
      'error marshalling FieldsV1 to JSON: ReadMapCB: expect { or n, but found 1, error found in #10 byte of ...|"f:spec":1}|..., bigger context ...|{"f:spec":1}|...',
    ],
  ])("throws for malformed entries", (object, message) => {
    expect(messageOf(() => extract(object, { types: kubernetesTypes, manager: "a" }))).toBe(message)
  })

  it("returns a configuration that can be applied again without changing anything", () => {
    const manager = fieldManager()
    const made = manager.apply(undefined, deployment({ replicas: 2, template }), { manager: "a" }).object
    const again = manager.extract(made, { manager: "a" })
    expect(manager.apply(made, again ?? {}, { manager: "a" }).object).toBe(made)
  })
})
