/** Fields that a tool leaves to others. The recordings of Flux have more. */
import { describe, expect, it } from "vitest"
import { pathOf } from "../../../src/fieldpath/path.js"
import { FieldSet } from "../../../src/fieldpath/set.js"
import { ignoredPointers, withLiveValues, withoutFields, withoutForeign } from "../../../src/tools/appliers/ignored.js"

const config = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web", namespace: "shop" } }
const pointers = ["/spec/replicas"]

describe("rules", () => {
  it.each([
    [{}, true],
    [{ group: "apps", kind: "Deployment" }, true],
    [{ group: "", kind: "Deployment" }, false],
    [{ group: "a*", kind: "*" }, true],
    [{ kind: "Deploy.*" }, false],
    [{ name: "web", namespace: "shop" }, true],
    [{ namespace: "other" }, false],
  ])("%j selects the object: %s", (rule, selects) => {
    expect(ignoredPointers(config, [{ ...rule, pointers }])).toEqual(selects ? pointers : [])
  })
})

describe("fields", () => {
  const spec = { ...config, spec: { replicas: 3, items: [{ a: 1 }, { a: 2 }] } }
  const live = { ...config, spec: { replicas: 7, items: [{ a: 1 }, { a: 5 }], other: 1 } }

  it("get their live values", () => {
    expect(withLiveValues(spec, live, ["/spec/replicas", "/spec/items/1/a", "/spec/other"]).spec).toEqual({
      replicas: 7,
      items: [{ a: 1 }, { a: 5 }],
      other: 1,
    })
    expect(withLiveValues(spec, config, pointers).spec).toEqual({ items: [{ a: 1 }, { a: 2 }] })
    expect(withLiveValues(spec, live, ["/spec/unknown"])).toEqual(spec)
    expect(withLiveValues(config, live, ["/spec/replicas", "/spec/items/0/a"])).toEqual({
      ...config,
      spec: { replicas: 7, items: live.spec.items },
    })
  })

  it("are left out if another applies them", () => {
    const scene = { live, next: spec }
    const appliedByOthers = FieldSet.of([pathOf("spec", "replicas")])
    expect(withoutForeign(spec, { ...scene, appliedByOthers }, pointers).spec).not.toHaveProperty("replicas")
    const nobody = FieldSet.empty
    expect(withoutForeign(spec, { ...scene, appliedByOthers: nobody }, pointers).spec).toHaveProperty("replicas", 7)
    expect(withoutForeign(spec, { live, next: live, appliedByOthers }, pointers)).toBe(spec)
    expect(withoutForeign(spec, { live, next: config, appliedByOthers }, pointers).spec).not.toHaveProperty("replicas")
    expect(withoutForeign(spec, { live: config, next: config, appliedByOthers }, pointers)).toBe(spec)
  })

  it("are not compared", () => {
    expect(withoutFields(spec, pointers)).toEqual({ ...config, spec: { items: [{ a: 1 }, { a: 2 }] } })
  })
})
