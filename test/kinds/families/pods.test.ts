import { describe, expect, it } from "vitest"
import { families } from "../../../src/kinds/families/registry.js"
import type { MapValue } from "../../../src/value/value.js"

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
