// Compares defaults of built-in kinds with recorded responses of a real API server.
import { describe, expect, it } from "vitest"
import { withBuiltInDefaults } from "../../src/kinds/defaults/with-defaults.js"
import { kubernetesTypeName } from "../../src/kubernetes/index.js"
import { own } from "../../src/value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../src/value/value.js"
import { readStories } from "../support/api-server-stories.js"

const kinds = new Set(
  "Deployment StatefulSet DaemonSet ReplicaSet Pod Job CronJob Service ConfigMap Secret HorizontalPodAutoscaler Ingress".split(
    " ",
  ),
)

interface Created {
  readonly name: string
  readonly body: MapValue
  readonly response: MapValue
}

/** The recorded objects that were created with status 201, of the kinds whose defaults are complete. */
const created: readonly Created[] = readStories().flatMap(({ name, steps }) =>
  steps.flatMap(({ body, response, status, subresource = "" }) =>
    isMap(body) && status === 201 && subresource === "" && kinds.has(String(response.kind))
      ? [{ name, body, response }]
      : [],
  ),
)

function defaulted(object: MapValue): MapValue {
  const name = kubernetesTypeName(String(object.apiVersion), String(object.kind))
  if (name === undefined) throw new Error(`${object.kind} is not built in`)
  return withBuiltInDefaults(object, name)
}

/** Returns the paths at which `answer` has a value that `object` lacks or has differently. */
function missing(object: Value | undefined, answer: Value, path: string): string[] {
  if (isMap(answer)) {
    if (object !== undefined && !isMap(object)) return [path]
    return Object.keys(answer).flatMap(key => {
      const below = object === undefined ? undefined : own(object, key)
      return missing(below, answer[key] as Value, `${path}.${key}`)
    })
  }
  if (isList(answer) && isList(object)) return answer.flatMap((item, i) => missing(object[i], item, `${path}[]`))
  return JSON.stringify(object) === JSON.stringify(answer) ? [] : [path]
}

/** Fields that admission, allocation and strategies add. */
const notDefaults =
  /^\.(metadata|status)\b|^\.spec\.(clusterIPs?|ipFamil|ports\[\]\.nodePort|healthCheckNodePort|tolerations|volumes|serviceAccount|priority|preemptionPolicy|selector|template\.metadata|jobTemplate\.metadata|nodeName)|volumeMounts|\.creationTimestamp$|^\.spec\.volumeClaimTemplates\[\]\.(status|apiVersion|kind)/

describe("withBuiltInDefaults", () => {
  it("keeps a 0 where a number has a default", () => {
    const controller = (spec: MapValue) => ({ apiVersion: "v1", kind: "ReplicationController", spec })
    expect(defaulted(controller({ replicas: 0 })).spec).toMatchObject({ replicas: 0 })
    expect(defaulted(controller({})).spec).toMatchObject({ replicas: 1 })
  })

  it("has recorded answers", () => {
    expect(created.length).toBeGreaterThan(20)
  })

  it.each(created)("adds nothing to a server's answer: $name", ({ response }) => {
    expect(defaulted(response)).toBe(response)
  })

  it.each(created)("adds what a server added: $name", ({ body, response }) => {
    const object = { apiVersion: response.apiVersion as Value, kind: response.kind as Value, ...body }
    expect(missing(defaulted(object), response, "").filter(path => !notDefaults.test(path))).toEqual([])
  })
})
