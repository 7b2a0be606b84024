import { describe, expect, it } from "vitest"
import { kubernetesTypes } from "../../src/kubernetes/index.js"
import { blame } from "../../src/tools/ownership/index.js"
import { auditLog, isFoughtOver } from "./audit.js"
import { fleet } from "./maker.js"
import { recipe } from "./recipes.js"
import type { Recorded } from "./troubles.js"

const made = [...fleet({ objects: 2000, seed: 1 })]
const objects = made.map(text => JSON.parse(text) as Recorded)

describe("a fleet", () => {
  it("is the same for the same seed, and another for another", () => {
    expect([...fleet({ objects: 2000, seed: 1 })]).toEqual(made)
    expect([...fleet({ objects: 3, seed: 2 })]).not.toEqual(made.slice(0, 3))
  })

  it("has no object twice", () => {
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace} ${metadata.name}`)
    expect(new Set(names).size).toBe(objects.length)
    expect(new Set(objects.map(({ metadata }) => metadata.uid)).size).toBe(objects.length)
  })

  it("has objects of 1.4 kB in the mean, of many kinds", () => {
    expect(made.join("").length / made.length / 1000).toBeCloseTo(1.4, 1)
    expect(new Set(objects.map(({ kind }) => kind)).size).toBeGreaterThan(30)
  })

  it("has owners that can be read, some fields with three and some in versions that are gone", () => {
    const blamed = objects.map(object => blame(object, { types: kubernetesTypes }))
    expect(blamed.flatMap(({ findings }) => findings)).toEqual([])
    const shared = blamed.filter(({ fields }) => fields.some(({ owners }) => owners.length >= 3))
    expect(shared.length).toBeGreaterThan(100)
    expect(blamed.filter(({ ownersAtOtherVersions }) => ownersAtOtherVersions.length > 0).length).toBeGreaterThan(100)
  })
})

describe("an audit log", () => {
  it("has a manager that undoes what another does to some objects", () => {
    const replicas = new Map<string, Set<string>>()
    for (const text of auditLog({ objects: 6, seed: 1 })) {
      const { responseObject } = JSON.parse(text) as { responseObject: Recorded }
      const [owner] = blame(responseObject, { types: kubernetesTypes }).at(".spec.replicas").owners
      const name = String(responseObject.metadata.name)
      replicas.set(name, (replicas.get(name) ?? new Set()).add(owner?.manager ?? ""))
    }
    const owners = [0, 1, 2, 3, 4, 5].map(i => (isFoughtOver(i) ? ["gitops", "autoscaler"] : ["gitops"]))
    expect([...replicas.values()].map(names => [...names])).toEqual(owners)
  })
})

describe("a recipe", () => {
  it("is missed where the document has none", () => {
    expect(() => recipe("One machine", "python")).toThrow("0 blocks of python below One machine")
  })
})
