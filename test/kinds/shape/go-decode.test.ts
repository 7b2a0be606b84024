import { describe, expect, test } from "vitest"
import { goMisfits, goTypeProblem } from "../../../src/kinds/shape/go-decode.js"
import { timeProblem } from "../../../src/kinds/shape/go-time.js"
import { kubernetesTypes } from "../../../src/kubernetes/types.js"
import type { MapValue } from "../../../src/value/value.js"

const problemOf = (apiVersion: string, kind: string, fields: MapValue) =>
  goTypeProblem({ apiVersion, kind, ...fields }, kubernetesTypes.find(apiVersion, kind))

const pod = (spec: MapValue): MapValue => ({ spec: { template: { spec } } })

// The messages are those of a real server.
describe("goTypeProblem", () => {
  test.each<[string, string, MapValue, string]>([
    [
      "apps/v1",
      "Deployment",
      { spec: { selector: "x" } },
      "string into Go struct field DeploymentSpec.spec.selector of type v1.LabelSelector",
    ],
    [
      "apps/v1",
      "Deployment",
      pod({ containers: [{ name: 5 }] }),
      "number into Go struct field Container.spec.template.spec.containers.name of type string",
    ],
    [
      "apps/v1",
      "StatefulSet",
      pod({ containers: "x" }),
      "string into Go struct field PodSpec.spec.template.spec.containers of type []v1.Container",
    ],
    [
      "apps/v1",
      "DaemonSet",
      pod({ containers: [true] }),
      "bool into Go struct field PodSpec.spec.template.spec.containers of type v1.Container",
    ],
    [
      "batch/v1",
      "Job",
      pod({ restartPolicy: 1 }),
      "number into Go struct field PodSpec.spec.template.spec.restartPolicy of type v1.RestartPolicy",
    ],
    [
      "batch/v1",
      "Job",
      { spec: { parallelism: 1.5 } },
      "number 1.5 into Go struct field JobSpec.spec.parallelism of type int32",
    ],
    [
      "v1",
      "Pod",
      { metadata: { labels: [] } },
      "array into Go struct field ObjectMeta.metadata.labels of type map[string]string",
    ],
    [
      "v1",
      "Pod",
      { metadata: { labels: { a: 1 } } },
      "number into Go struct field ObjectMeta.metadata.labels of type string",
    ],
    [
      "v1",
      "ResourceQuota",
      { spec: { hard: "x" } },
      "string into Go struct field ResourceQuotaSpec.spec.hard of type v1.ResourceList",
    ],
    ["v1", "ConfigMap", { binaryData: { a: 1 } }, "number into Go struct field ConfigMap.binaryData of type []uint8"],
    [
      "v1",
      "ReplicationController",
      { spec: { selector: -1 } },
      "number into Go struct field ReplicationControllerSpec.spec.selector of type map[string]string",
    ],
    [
      "v1",
      "Pod",
      { spec: { volumes: [{ hostPath: 1 }] } },
      "number into Go struct field Volume.spec.volumes.VolumeSource.hostPath of type v1.HostPathVolumeSource",
    ],
    ["v1", "Service", { spec: { ports: [{ targetPort: true }] } }, "bool into Go value of type int32"],
  ])("names Go's types in %s %s", (apiVersion, kind, fields, problem) => {
    expect(problemOf(apiVersion, kind, fields)).toBe(`json: cannot unmarshal ${problem}`)
  })

  test("reports the first problem in the order of the body", () => {
    const problem = problemOf("v1", "ConfigMap", { immutable: 1, data: { a: 2 } })
    expect(problem).toContain("ConfigMap.immutable of type bool")
  })

  test("reports a malformed time before earlier problems", () => {
    const problem = problemOf("v1", "ConfigMap", { data: 1, metadata: { creationTimestamp: "nope" } })
    expect(problem).toBe('parsing time "nope" as "2006-01-02T15:04:05Z07:00": cannot parse "nope" as "2006"')
  })

  test.each([
    ["!", 0],
    ["YQ", 0],
    ["YWJj!", 4],
    ["YQ=a", 3],
  ])("finds where %s is not base64", (text, at) => {
    expect(problemOf("v1", "Secret", { data: { a: text } })).toBe(`illegal base64 data at input byte ${at}`)
  })

  test("accepts nulls, unknown fields and what Go reads itself", () => {
    const spec = { containers: [{ name: null, ports: null }], activeDeadlineSeconds: 2 ** 40, unknown: { a: [1] } }
    expect(
      problemOf("v1", "Pod", { spec, metadata: { creationTimestamp: "2026-01-02T03:04:05.678Z" } }),
    ).toBeUndefined()
    expect(problemOf("v1", "Secret", { data: { a: "YQ==", b: "", c: "YWJj" } })).toBeUndefined()
    expect(problemOf("apps/v1", "ControllerRevision", { revision: 1, data: [1, { a: true }] })).toBeUndefined()
  })
})

describe("timeProblem", () => {
  test.each([
    ["2026-01-02T03:04:05Z", true, 'as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"'],
    ["2026-01-02", false, 'as "2006-01-02T15:04:05Z07:00": cannot parse "" as "T"'],
    ["2026-13-02T03:04:05Z", false, ": month out of range"],
    ["2026-02-30T03:04:05Z", false, ": day out of range"],
    ["2026-01-02T03:04:05Z!", false, ': extra text: "!"'],
  ])("describes %s", (text, micro, problem) => {
    expect(timeProblem(text, micro)?.replace(/^parsing time "[^"]*" ?/, "")).toBe(problem)
  })

  test.each([
    ["2026-01-02T03:04:05+01:00", false],
    ["2026-01-02T03:04:05.123456Z", true],
  ])("accepts %s", (text, micro) => {
    expect(timeProblem(text, micro)).toBeUndefined()
  })
})

describe("goMisfits", () => {
  const misfitsOf = (apiVersion: string, kind: string, fields: MapValue, options = {}) =>
    goMisfits({ apiVersion, kind, ...fields }, kubernetesTypes.find(apiVersion, kind), options).map(
      ({ field, message }) => `${field}: ${message}`,
    )

  test("names all fields that should be base64, as Kubernetes writes paths", () => {
    const data = { "a.b": "###", fine: "aGk=", "line breaks": "aG\nk=", c: "aGk" }
    expect(misfitsOf("v1", "Secret", { data, stringData: { d: "#" } })).toEqual([
      "data[a.b]: must be base64",
      "data[c]: must be base64",
    ])
  })

  const broken: MapValue = {
    metadata: { creationTimestamp: "yesterday", generation: 0.5, labels: { a: 1 }, ownerReferences: {} },
    ...pod({
      hostNetwork: "yes",
      terminationGracePeriodSeconds: 2n ** 70n,
      containers: [{ livenessProbe: { periodSeconds: 3_000_000_000, httpGet: { port: true } } }, "x"],
    }),
  }

  test("says what each value must be", () => {
    expect(misfitsOf("apps/v1", "Deployment", broken)).toEqual([
      "metadata.creationTimestamp: must be a time, such as 2026-01-31T15:04:05Z",
      "metadata.generation: must be a whole number from -9223372036854775808 to 9223372036854775807",
      "metadata.labels[a]: must be text",
      "metadata.ownerReferences: must be a list",
      "spec.template.spec.hostNetwork: must be true or false",
      "spec.template.spec.containers[0].livenessProbe.periodSeconds: must be a whole number from -2147483648 to 2147483647",
      "spec.template.spec.containers[0].livenessProbe.httpGet.port: must be text, or a whole number from -2147483648 to 2147483647",
      "spec.template.spec.containers[1]: must be a map",
    ])
  })

  test("lists only the values that can't be converted from the result of an apply", () => {
    const fields: MapValue = { data: { a: "#" }, metadata: { labels: { a: 1 }, generation: 0.5 } }
    expect(misfitsOf("v1", "Secret", fields, { converts: true })).toEqual([
      "data[a]: must be base64",
      "metadata.generation: must be a whole number from -9223372036854775808 to 9223372036854775807",
    ])
  })

  test("finds nothing in an object of an unknown type", () => {
    expect(goMisfits({ data: { a: "#" } }, undefined)).toEqual([])
  })
})
