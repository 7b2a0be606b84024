/** Compares the bundled table of unions with all that markers of k8s.io/api declare, as `npm run gotypes -- --save` recorded them. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { kubernetesRelease, kubernetesUnions } from "../../src/kubernetes/index.js"
import { projectRoot } from "../support/entries.js"
import { declaredUnions, type Unions, unionDifferences } from "./differences.js"
import { expectedUnions } from "./expected-unions.js"

const file = join(projectRoot, "test", "vectors", "declared-unions.json")
const recording = JSON.parse(readFileSync(file, "utf8")) as { readonly release: string; readonly types: Unions }

it("is of the release that the bundled types are of", () => {
  expect(recording.release).toBe(kubernetesRelease)
})

it("says what the table says, but for what is listed with a reason", () => {
  const different = unionDifferences(recording.types, declaredUnions(kubernetesUnions()))
  const reasonsFor = (name: string) => expectedUnions.filter(({ types }) => types.some(type => type.test(name)))
  const unlisted = [...different].filter(([name]) => reasonsFor(name).length !== 1)
  expect(unlisted).toEqual([])
  const idle = expectedUnions
    .flatMap(({ types }) => types)
    .filter(type => ![...different.keys()].some(n => type.test(n)))
  expect(idle).toEqual([])
})

it("notices a union that the table has not, and one that is another", () => {
  const { "io.k8s.api.core.v1.PodSchedulingGroup": group = [], ...others } = recording.types
  const added = { ...others, "io.k8s.api.core.v1.New": group, "io.k8s.api.lifecycle.v1alpha1.EvictionTarget": [] }
  const different = [...unionDifferences(added, recording.types).keys()]
  expect(different).toEqual([
    "io.k8s.api.core.v1.New",
    "io.k8s.api.core.v1.PodSchedulingGroup",
    "io.k8s.api.lifecycle.v1alpha1.EvictionTarget",
  ])
})
