import { expect, it } from "vitest"
import { kubernetes } from "../../src/kinds/index.js"
import { removedIn } from "../../src/kubernetes/removed-versions.js"

it.each([
  ["networking.k8s.io/v1beta1", "IPAddress", "1.37"],
  ["networking.k8s.io/v1beta1", "Ingress", "1.22"],
  ["autoscaling/v2beta2", "HorizontalPodAutoscaler", "1.26"],
  ["apps/v1", "Deployment", undefined],
  ["apps/v1beta1", "constructor", undefined],
  ["toString", "Deployment", undefined],
])("%s has had no %s since %s", (apiVersion, kind, release) => {
  expect(removedIn(apiVersion, kind)).toBe(release)
})

it("has no version that is served", () => {
  const served = kubernetes.table().all
  expect(served.length).toBeGreaterThan(60)
  expect(served.filter(({ apiVersion, kind }) => removedIn(apiVersion, kind) !== undefined)).toEqual([])
})
