/** The rules of storage.k8s.io, with the messages of Kubernetes' validation. */
import { describe, expect, it } from "vitest"
import type { MapValue } from "../../../src/value/value.js"
import { problemsOf } from "../problems.js"

describe("StorageClass", () => {
  const storageClass = (fields: MapValue): MapValue => ({
    provisioner: "example.com/disk",
    reclaimPolicy: "Delete",
    volumeBindingMode: "Immediate",
    ...fields,
  })
  const topology = (...expressions: MapValue[]): MapValue => ({
    allowedTopologies: [{ matchLabelExpressions: expressions }],
  })
  const place = "allowedTopologies[0].matchLabelExpressions"
  it.each<[MapValue, string[]]>([
    [{}, []],
    [{ provisioner: "Example.com/Disk" }, []],
    [
      { reclaimPolicy: "Recycle" },
      ['reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"'],
    ],
    [{ volumeBindingMode: "" }, ["volumeBindingMode: Required value"]],
    [
      { volumeBindingMode: "Later" },
      ['volumeBindingMode: Unsupported value: "Later": supported values: "Immediate", "WaitForFirstConsumer"'],
    ],
    [{ parameters: { "": "a" } }, ['parameters: Invalid value: "": field can not be empty.']],
    [topology({ key: "zone", values: ["a", "b"] }), []],
    [topology({ key: "zone", values: [] }), [`${place}[0].values: Required value`]],
    [topology({ key: "zone", values: ["a", "a"] }), [`${place}[0].values[1]: Duplicate value: "a"`]],
    [
      topology({ key: "zone", values: ["a"] }, { key: "zone", values: ["b"] }),
      [`${place}[1].key: Duplicate value: "zone"`],
    ],
  ])("%j", (fields, problems) => {
    expect(problemsOf("storage.k8s.io/StorageClass", storageClass(fields))).toEqual(problems)
    expect(problemsOf("storage.k8s.io/StorageClass", storageClass(fields), storageClass({}))).toEqual([])
  })
})

describe("VolumeAttributesClass", () => {
  const kind = "storage.k8s.io/VolumeAttributesClass"
  const good = { driverName: "d.example.com", parameters: { a: "1" } }
  it.each<[MapValue, MapValue | undefined, string[]]>([
    [good, undefined, []],
    [good, good, []],
    [{ ...good, driverName: "" }, undefined, ["driverName: Required value"]],
    [{ ...good, parameters: {} }, undefined, ["parameters: Required value: must contain at least one key/value pair"]],
    [{ ...good, driverName: "e.example.com" }, good, ["driverName: Forbidden: updates to driverName are forbidden."]],
    [{ ...good, parameters: { a: "2" } }, good, ["parameters: Forbidden: updates to parameters are forbidden."]],
  ])("%j instead of %j", (object, before, problems) => {
    expect(problemsOf(kind, object, before)).toEqual(problems)
  })
})

describe("VolumeAttachment", () => {
  const one = "must specify exactly one of inlineVolumeSpec and persistentVolumeName"
  const inlineVolumeSpec = {
    accessModes: ["ReadWriteOnce"],
    capacity: {},
    csi: { driver: "d.example.com", volumeHandle: "h" },
  }
  it.each<[MapValue, string[]]>([
    [{ persistentVolumeName: "a" }, []],
    [{ inlineVolumeSpec }, []],
    [{}, [`spec.source: Required value: ${one}`]],
    [{ persistentVolumeName: "a", inlineVolumeSpec }, [`spec.source: Forbidden: ${one}`]],
  ])("has the source %j", (source, problems) => {
    const spec = { attacher: "d.example.com", nodeName: "n", source }
    expect(problemsOf("storage.k8s.io/VolumeAttachment", { spec })).toEqual(problems)
  })

  it("names a volume and a node", () => {
    const spec = { attacher: "d.example.com", nodeName: "n", source: { persistentVolumeName: "" } }
    expect(problemsOf("storage.k8s.io/VolumeAttachment", { spec })[0]).toBe(
      "spec.source.persistentVolumeName: Required value: must specify non empty persistentVolumeName",
    )
    const wrong = { ...spec, nodeName: "N", source: { persistentVolumeName: "A" } }
    expect(problemsOf("storage.k8s.io/VolumeAttachment", { spec: wrong }).map(text => text.slice(0, 50))).toEqual([
      'spec.nodeName: Invalid value: "N": a lowercase RFC',
      'spec.source.persistentVolumeName: Invalid value: "',
    ])
  })
})

describe("CSINode", () => {
  const kind = "storage.k8s.io/CSINode"
  const driver = { name: "d.example.com", nodeID: "n", topologyKeys: ["zone"] }
  const node = (...drivers: MapValue[]): MapValue => ({ spec: { drivers } })
  it.each<[MapValue, MapValue | undefined, string[]]>([
    [node(driver), undefined, []],
    [node({ ...driver, name: "" }), undefined, ["spec.drivers[0].name: Required value"]],
    [node({ ...driver, nodeID: "" }), undefined, ["spec.drivers[0].nodeID: Required value"]],
    [node({ ...driver, nodeID: "n".repeat(256) }), undefined, []],
    [
      node({ ...driver, nodeID: "n".repeat(257) }),
      undefined,
      [`spec.drivers[0].nodeID: Invalid value: "${"n".repeat(257)}": must be 256 characters or less`],
    ],
    [
      node({ ...driver, allocatable: { count: -1 } }),
      undefined,
      ["spec.drivers[0].allocatable.count: Invalid value: -1: must be greater than or equal to 0"],
    ],
    [node(driver, driver), undefined, ['spec.drivers[1].name: Duplicate value: "d.example.com"']],
    [node({ ...driver, topologyKeys: ["a", "a"] }), undefined, ['spec.drivers[0]: Duplicate value: "a"']],
    [node(driver, { ...driver, name: "e.example.com" }), node(driver), []],
    [node({ ...driver, allocatable: { count: 3 } }), node(driver), []],
    [
      node({ ...driver, nodeID: "m" }),
      node(driver),
      [
        'spec.drivers: Invalid value: {"Name":"d.example.com","NodeID":"m","TopologyKeys":["zone"],"Allocatable":null}: field is immutable',
      ],
    ],
  ])("%j instead of %j", (object, before, problems) => {
    expect(problemsOf(kind, object, before)).toEqual(problems)
  })

  it("has names of at most 63 bytes", () => {
    const named = (length: number) => problemsOf(kind, node({ ...driver, name: "d".repeat(length) }))
    expect(named(63)).toEqual([])
    expect(named(64)).toEqual(["spec.drivers[0].name: Too long: may not be more than 63 bytes"])
  })
})

describe("CSIDriver", () => {
  const kind = "storage.k8s.io/CSIDriver"
  const requests = (...tokenRequests: MapValue[]): MapValue => ({ tokenRequests })
  it.each<[MapValue, string[]]>([
    [{ volumeLifecycleModes: ["Persistent", "Ephemeral"], fsGroupPolicy: "File" }, []],
    [
      { volumeLifecycleModes: ["Brief"] },
      ['volumeLifecycleModes: Unsupported value: "Brief": supported values: "Persistent", "Ephemeral"'],
    ],
    [
      { fsGroupPolicy: "All" },
      ['fsGroupPolicy: Unsupported value: "All": supported values: "File", "None", "ReadWriteOnceWithFSType"'],
    ],
    [{ nodeAllocatableUpdatePeriodSeconds: 10 }, []],
    [
      { nodeAllocatableUpdatePeriodSeconds: 9 },
      ["nodeAllocatableUpdatePeriodSeconds: Invalid value: 9: must be greater than or equal to 10 seconds"],
    ],
    [requests({ audience: "a" }, { audience: "b", expirationSeconds: 600 }), []],
    [requests({ audience: "a" }, { audience: "a" }), ['tokenRequests[1].audience: Duplicate value: "a"']],
    [
      requests({ audience: "a", expirationSeconds: 599 }, { audience: "b", expirationSeconds: 2 ** 32 }),
      ["tokenRequests[0].expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes"],
    ],
    [
      requests({ audience: "a", expirationSeconds: 2 ** 32 + 1 }),
      [
        "tokenRequests[0].expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds",
      ],
    ],
    [{ ...requests({ audience: "a" }), serviceAccountTokenInSecrets: true }, []],
    [
      { serviceAccountTokenInSecrets: true },
      [
        "serviceAccountTokenInSecrets: Invalid value: true: serviceAccountTokenInSecrets is set but no tokenRequests are specified",
      ],
    ],
  ])("%j", (spec, problems) => {
    expect(problemsOf(kind, { spec })).toEqual(problems.map(problem => `spec.${problem}`))
  })

  it("keeps what volumes depend on", () => {
    const before = { spec: { attachRequired: true, volumeLifecycleModes: ["Persistent"], podInfoOnMount: true } }
    expect(problemsOf(kind, { spec: { ...before.spec, podInfoOnMount: false } }, before)).toEqual([])
    const after = { spec: { attachRequired: false, volumeLifecycleModes: ["Ephemeral"] } }
    expect(problemsOf(kind, after, before)).toEqual([
      "spec.attachedRequired: Invalid value: false: field is immutable",
      'spec.volumeLifecycleModes: Invalid value: ["Ephemeral"]: field is immutable',
    ])
  })
})

describe("CSIStorageCapacity", () => {
  const kind = "storage.k8s.io/CSIStorageCapacity"
  const good = { storageClassName: "fast", capacity: "1Gi", nodeTopology: { matchLabels: { zone: "a" } } }
  it.each<[MapValue, MapValue | undefined, string[]]>([
    [good, undefined, []],
    [{ ...good, capacity: "0" }, undefined, []],
    [{ ...good, capacity: "-1" }, undefined, ['capacity: Invalid value: "-1": must be greater than or equal to 0']],
    [{ ...good, capacity: "2Gi" }, good, []],
    [{ ...good, storageClassName: "slow" }, good, ['storageClassName: Invalid value: "slow": field is immutable']],
    [{ ...good, nodeTopology: {} }, good, ["nodeTopology: Invalid value: {}: field is immutable"]],
  ])("%j instead of %j", (object, before, problems) => {
    expect(problemsOf(kind, object, before)).toEqual(problems)
  })
})
