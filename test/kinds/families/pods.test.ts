import { describe, expect, it } from "vitest"
import { families } from "../../../src/kinds/families/registry.js"
import type { MapValue } from "../../../src/value/value.js"
import { problemsOf } from "../problems.js"

const admit = families.pods["/Pod"]?.admit as (pod: MapValue, live: MapValue | undefined) => MapValue

describe("the admission of a Pod", () => {
  const [notReady, unreachable] = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]
  const patience = (key: string | undefined) => ({
    key,
    operator: "Exists",
    effect: "NoExecute",
    tolerationSeconds: 300,
  })
  const tolerationsOf = (...tolerations: MapValue[]) =>
    (admit({ spec: { tolerations } }, undefined).spec as MapValue).tolerations
  it.each<[MapValue[], MapValue[]]>([
    [[], [patience(notReady), patience(unreachable)]] as [MapValue[], MapValue[]],
    [[{ key: "a" }, { key: notReady }], [patience(unreachable)]] as [MapValue[], MapValue[]],
    [[{ key: unreachable, effect: "NoExecute" }, { key: "a" }], [patience(notReady)]] as [MapValue[], MapValue[]],
    [[{ key: notReady, effect: "NoSchedule" }], [patience(notReady), patience(unreachable)]] as [
      MapValue[],
      MapValue[],
    ],
    [[{ operator: "Exists" }], []],
  ])("with the tolerations %j adds %j", (given, added) => {
    expect(tolerationsOf(...given)).toEqual([...given, ...added])
  })

  const priorityOf = (spec: MapValue, live?: MapValue) => {
    const { priority, preemptionPolicy } = admit({ spec }, live && { spec: live }).spec as MapValue
    return [priority, preemptionPolicy]
  }
  it.each<[MapValue, MapValue | undefined, unknown[]]>([
    [{}, undefined, [0, "PreemptLowerPriority"]],
    [{ priority: 5, preemptionPolicy: "Never" }, undefined, [5, "Never"]],
    [{ priorityClassName: "high" }, undefined, [undefined, undefined]],
    [{}, { priority: 7, preemptionPolicy: "Never" }, [7, "Never"]],
    [{}, {}, [undefined, undefined]],
  ])("gives %j, which replaces %j, the priority %j", (spec, live, expected) => {
    expect(priorityOf(spec, live)).toEqual(expected)
  })
})

describe("the resources of a container", () => {
  const place = "spec.containers[0].resources."
  const problems = (resources: MapValue) => {
    const found = problemsOf("/Pod", { spec: { containers: [{ name: "a", image: "a", resources }] } })
    return found.filter(problem => problem.startsWith(place)).map(problem => problem.slice(place.length))
  }
  const needsLimit = "limits: Required value: Limit must be set for non overcommitable resources"
  it.each<[MapValue, string[]]>([
    [{ requests: { cpu: "1", memory: "1Gi" } }, []],
    [{ requests: { cpu: "1" }, limits: { cpu: "1000m" } }, []],
    [
      { requests: { cpu: "2" }, limits: { cpu: "1" } },
      ['requests: Invalid value: "2": must be less than or equal to cpu limit of 1'],
    ],
    [{ requests: { "example.com/gpu": "1" } }, [needsLimit]],
    [{ requests: { "example.com/gpu": "1" }, limits: { "example.com/gpu": "1" } }, []],
    [
      { requests: { "example.com/gpu": "1" }, limits: { "example.com/gpu": "2" } },
      ['requests: Invalid value: "1": must be equal to example.com/gpu limit of 2'],
    ],
    [{ requests: { "hugepages-2Mi": "2Mi" }, limits: { cpu: "1" } }, [needsLimit]],
  ])("may be %j", (resources, expected) => {
    expect(problems(resources)).toEqual(expected)
  })
})
