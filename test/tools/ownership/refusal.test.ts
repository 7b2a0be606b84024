/** Fields that a refusal names, and where a configuration has them. */
import { expect, it } from "vitest"
import { kubernetesTypes } from "../../../src/kubernetes/index.js"
import { objectType } from "../../../src/tools/ownership/fields.js"
import { stepsInConfig } from "../../../src/tools/ownership/refusal.js"
import type { MapValue, Value } from "../../../src/value/value.js"

const pod = (...containers: readonly Value[]): MapValue => ({ apiVersion: "v1", kind: "Pod", spec: { containers } })
const container = (name: string) => ({ name, image: "a", env: [{ name: "A" }] })
const [web, proxy] = [container("web"), container("proxy")]

it.each<[field: string, refused: MapValue, config: MapValue, expected: readonly (string | number)[]]>([
  ["spec.containers[1].image", pod(proxy, web), pod(web), ["spec", "containers", 0, "image"]],
  ["spec.containers[1].env[0].name", pod(web, proxy), pod(proxy), ["spec", "containers", 0, "env", 0, "name"]],
  // A webhook has added the container.
  ["spec.containers[0].image", pod(proxy, web), pod(web), ["spec", "containers"]],
  ["spec.containers[5].image", pod(web), pod(web), ["spec", "containers"]],
  ["spec.volumes[0].name", pod(web), pod(web), ["spec"]],
  ["", pod(web), pod(web), []],
])("finds %s by the keys of items, or the closest field around it", (field, refused, config, expected) => {
  expect(stepsInConfig(field, refused, config, objectType(kubernetesTypes, config))).toEqual(expected)
})
