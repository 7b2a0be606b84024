import { describe, expect, it } from "vitest"
import { includeFilter } from "../../src/fieldpath/matcher.js"
import { formatPath, pathOf } from "../../src/fieldpath/path.js"
import { FieldSet } from "../../src/fieldpath/set.js"
import { kubernetesTypes } from "../../src/kubernetes/types.js"
import {
  ApplyConflictError,
  BadRequestError,
  MissingManagerError,
  statusOf,
} from "../../src/managedfields/chain/status.js"
import { type ManagedFieldsEntry, readManagedFields } from "../../src/managedfields/entries/entry.js"
import { findFieldsOwners } from "../../src/managedfields/entries/upgrade.js"
import { FieldManager } from "../../src/managedfields/field-manager.js"
import type { FieldManagerOptions } from "../../src/managedfields/request.js"
import { deepFreeze } from "../support/deep-freeze.js"
import { thrownBy } from "../support/thrown-by.js"
import {
  configMap,
  deployment,
  entriesOf,
  entry,
  fieldManager,
  managedBy,
  messageOf,
  owners,
  type Thing,
  times,
} from "./notation.js"

const podTemplate = { spec: { containers: [{ name: "app", image: "app:1" }] } }

describe("apply", () => {
  it("creates an object, whose fields then belong to the applier", () => {
    const config = deployment({ replicas: 2, template: podTemplate }, { labels: { app: "web" } })
    const { object, changed } = fieldManager().apply(undefined, config, { manager: "a" })
    expect(object).toEqual({
      ...config,
      // The other fields of Go's zero value, which nobody owns.
      spec: {
        replicas: 2,
        selector: null,
        strategy: {},
        template: { metadata: {}, ...podTemplate },
      },
      status: {},
      metadata: {
        ...config.metadata,
        managedFields: [
          {
            manager: "a",
            operation: "Apply",
            apiVersion: "apps/v1",
            time: "2024-05-01T12:00:00Z",
            fieldsType: "FieldsV1",
            fieldsV1: {
              "f:metadata": { "f:labels": { "f:app": {} } },
              "f:spec": {
                "f:replicas": {},
                "f:template": {
                  "f:spec": { "f:containers": { 'k:{"name":"app"}': { ".": {}, "f:image": {}, "f:name": {} } } },
                },
              },
            },
          },
        ],
      },
    })
    expect(changed).toBe(true)
  })

  it("writes the keys of an entry in Go's order", () => {
    const { object } = fieldManager().apply(undefined, configMap({ x: "1" }), { manager: "a", subresource: "status" })
    const keys = ["manager", "operation", "apiVersion", "time", "fieldsType", "fieldsV1", "subresource"]
    expect(Object.keys(entriesOf(object)[0] ?? {})).toEqual(keys)
  })

  it("never owns the identity of the object, but owns labels and annotations", () => {
    const metadata = {
      namespace: "default",
      generation: 3,
      uid: "1-2",
      resourceVersion: "5",
      creationTimestamp: "2024-01-01T00:00:00Z",
      selfLink: "/x",
      labels: { l: "1" },
      annotations: { n: "1" },
    }
    const { object } = fieldManager().apply(undefined, configMap({ x: "1" }, metadata), { manager: "a" })
    expect(owners(object)).toEqual(["a Apply v1: .data.x .metadata.annotations.n .metadata.labels.l"])
  })

  it("has no entry for a manager that applies only a name", () => {
    const { object } = fieldManager().apply(
      undefined,
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" } },
      { manager: "a" },
    )
    expect(object).toEqual({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" } })
  })

  it("refuses to change fields of another manager", () => {
    const manager = fieldManager()
    const live = manager.update(undefined, configMap({ x: "1", y: "1" }), { manager: "u" }).object
    const apply = () => manager.apply(live, configMap({ x: "2", z: "1" }), { manager: "a" })
    expect(apply).toThrow(ApplyConflictError)
    expect(messageOf(apply)).toBe('Apply failed with 1 conflict: conflict with "u" using v1: .data.x')
  })

  it("takes fields of another manager if forced", () => {
    const manager = fieldManager()
    const live = manager.update(undefined, configMap({ x: "1", y: "1" }), { manager: "u" }).object
    const { object } = manager.apply(live, configMap({ x: "2" }), { manager: "a", force: true })
    expect(object).toMatchObject({ data: { x: "2", y: "1" } })
    expect(owners(object)).toEqual(["a Apply v1: .data.x", "u Update v1: .data .data.y"])
  })

  it("shares a field with another manager without a conflict if both apply the same value", () => {
    const manager = fieldManager()
    const live = manager.apply(undefined, configMap({ x: "1" }), { manager: "a" }).object
    const { object, changed } = manager.apply(live, configMap({ x: "1" }), { manager: "b" })
    expect(owners(object)).toEqual(["b Apply v1: .data.x", "a Apply v1: .data.x"])
    expect(changed).toBe(true)
  })

  it("removes fields that the applier leaves out and nobody else owns", () => {
    const manager = fieldManager()
    let live = manager.apply(undefined, configMap({ x: "1", y: "1", z: "1" }), { manager: "a" }).object
    live = manager.apply(live, configMap({ y: "1" }), { manager: "b" }).object
    const { object } = manager.apply(live, configMap({ z: "1" }), { manager: "a" })
    expect(object).toMatchObject({ data: { y: "1", z: "1" } })
    expect(owners(object)).toEqual(["b Apply v1: .data.y", "a Apply v1: .data.z"])
  })

  it("reports problems of the configuration with the name of the object", () => {
    const config = deployment({ replicas: "3" }, { namespace: "shop" })
    expect(messageOf(() => fieldManager().apply(undefined, config, { manager: "a" }))).toBe(
      "failed to create typed patch object (shop/web; apps/v1, Kind=Deployment): .spec.replicas: expected numeric (int or float), got string",
    )
  })

  it("reports problems of the live object", () => {
    const live = managedBy(deployment({ replicas: "3" }), entry("u Update apps/v1", { "f:spec": {} }))
    expect(messageOf(() => fieldManager().apply(live, deployment({ replicas: 1 }), { manager: "a" }))).toBe(
      "failed to create typed live object (/web; apps/v1, Kind=Deployment): .spec.replicas: expected numeric (int or float), got string",
    )
  })

  it("accepts duplicate list items in a live object, but not in a configuration", () => {
    const twice = { template: { spec: { containers: [{ name: "a" }, { name: "a" }] } } }
    const live = managedBy(deployment(twice), entry("u Update apps/v1", { "f:spec": { "f:paused": {} } }))
    const { object } = fieldManager().apply(live, deployment({ replicas: 1 }), { manager: "a" })
    expect(object).toMatchObject({ spec: { replicas: 1, ...twice } })
    expect(messageOf(() => fieldManager().apply(live, deployment(twice), { manager: "a" }))).toBe(
      'failed to create typed patch object (/web; apps/v1, Kind=Deployment): .spec.template.spec.containers: duplicate entries for key [name="a"]',
    )
  })

  it('calls a manager without a name "unknown" in an update', () => {
    expect(owners(fieldManager().update(undefined, configMap({ x: "1" }), { manager: "" }).object)).toEqual([
      "unknown Update v1: .data .data.x",
    ])
  })

  it("refuses an apply without a name, as an API server does", () => {
    const attempt = fieldManager().tryApply(undefined, configMap({ x: "1" }), { manager: "" })
    if (attempt.ok) return expect.unreachable()
    expect(attempt.error).toBeInstanceOf(MissingManagerError)
    expect(statusOf(attempt.error)).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: 'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
      reason: "Invalid",
      details: {
        group: "meta.k8s.io",
        kind: "PatchOptions",
        causes: [
          {
            reason: "FieldValueRequired",
            message: "Required value: is required for apply patch",
            field: "fieldManager",
          },
        ],
      },
      code: 422,
    })
  })

  describe("a bug in a callback", () => {
    const bug = new TypeError("x is undefined")
    const fail = () => {
      throw bug
    }
    const stored = { ...configMap({ x: "1" }), metadata: { name: "c", uid: "1" } }
    const rows: [callback: string, options: Partial<FieldManagerOptions>, live: object | undefined][] = [
      ["types.find", { types: { find: fail } }, undefined],
      ["converter", { converter: { convert: fail } }, { ...stored, apiVersion: "v2" }],
      ["defaults", { defaults: fail }, undefined],
      ["clock", { clock: fail }, undefined],
      ["clock, where before-first-apply is recorded", { clock: fail }, stored],
      ["prepare", { prepare: fail }, undefined],
      ["resetFields", { resetFields: fail }, undefined],
    ]
    it.each(rows)("of %s reaches the caller unchanged", (_, options, live) => {
      const manager = fieldManager(options)
      const config = configMap({ x: "2" })
      const run = [
        () => manager.apply(live, config, { manager: "a" }),
        () => manager.tryApply(live, config, { manager: "a" }),
      ]
      for (const attempt of run) expect(thrownBy(attempt)).toBe(bug)
    })
  })

  it("has the value of the object and of the configuration for each conflict", () => {
    const manager = fieldManager()
    const live = manager.update(undefined, configMap({ x: "1", y: "1" }), { manager: "u" }).object
    const attempt = manager.tryApply(live, configMap({ x: "2", y: "3" }), { manager: "a" })
    if (attempt.ok) return expect.unreachable()
    const { conflicts } = attempt.error as ApplyConflictError
    const told = conflicts.map(({ path, owner, live, configured }) => [
      formatPath(path),
      owner.manager,
      live,
      configured,
    ])
    expect(told).toEqual([
      [".data.x", "u", "1", "2"],
      [".data.y", "u", "1", "3"],
    ])
  })

  it("fills in defaults after the merge, without an owner", () => {
    const defaults = (object: object) => ({ ...object, immutable: false })
    const { object } = fieldManager({ defaults }).apply(undefined, configMap({ x: "1" }), { manager: "a" })
    expect(object).toMatchObject({ data: { x: "1" }, immutable: false })
    expect(owners(object)).toEqual(["a Apply v1: .data.x"])
  })

  it("throws if managedFields of the live object can't be decoded", () => {
    const live = managedBy(configMap({ x: "1" }), { manager: "u", operation: "Patch" })
    expect(messageOf(() => fieldManager().apply(live, configMap({ x: "1" }), { manager: "a" }))).toBe(
      "failed to decode managed fields: operation must be `Apply` or `Update`",
    )
  })

  it("keeps keys named like inherited properties", () => {
    const data = JSON.parse('{"__proto__":"1","constructor":"2","toString":"3"}') as Record<string, string>
    const { object } = fieldManager().apply(undefined, configMap(data), { manager: "a" })
    expect(JSON.stringify(object.data)).toBe('{"__proto__":"1","constructor":"2","toString":"3"}')
    expect(owners(object)).toEqual(["a Apply v1: .data.__proto__ .data.constructor .data.toString"])
  })
})

describe("an apply that changes nothing", () => {
  const config = deployment({ replicas: 2, template: podTemplate }, { labels: { app: "web" } })

  it("returns the live object itself", () => {
    const manager = fieldManager()
    const live = deepFreeze(manager.apply(undefined, config, { manager: "a" }).object)
    const result = manager.apply(live, config, { manager: "a" })
    expect(result.object).toBe(live)
    expect(result.changed).toBe(false)
  })

  it("returns an object from JSON with many owners itself", () => {
    const manager = fieldManager()
    let made: object | undefined
    for (const name of ["b", "c", "a"]) made = manager.apply(made, config, { manager: name }).object
    made = manager.update(made, { ...made, status: { replicas: 1 } }, { manager: "u", subresource: "status" }).object
    const live = deepFreeze(JSON.parse(JSON.stringify(made)) as Thing)
    expect(manager.apply(live, config, { manager: "c" }).object).toBe(live)
  })

  it("does not count as a change by the manager", () => {
    const manager = fieldManager()
    const live = manager.apply(undefined, config, { manager: "a" }).object
    expect(times(manager.apply(live, config, { manager: "a" }).object)).toEqual(["a Apply 12:00"])
    expect(times(manager.apply(live, config, { manager: "b" }).object)).toEqual(["b Apply -", "a Apply 12:00"])
  })

  it("still sorts entries and writes them in the usual form", () => {
    const manager = fieldManager()
    const spec = { "f:spec": { "f:replicas": {} } }
    const live = managedBy(
      deployment({ replicas: 2 }),
      { ...entry("u Update apps/v1", spec), subresource: "" },
      entry("a Apply apps/v1", { "f:spec": { "f:replicas": { ".": {} } }, "z:unknown": {} }),
    )
    const { object, changed } = manager.apply(live, deployment({ replicas: 2 }), { manager: "a" })
    expect(entriesOf(object)).toEqual([entry("a Apply apps/v1", spec), entry("u Update apps/v1", spec)])
    expect(changed).toBe(true)
  })
})

describe("the check of the version", () => {
  const deployments = { kind: { apiVersion: "apps/v1", kind: "Deployment" } }

  it.each([
    ["another version", { apiVersion: "apps/v1beta1", kind: "Deployment" }, "apps/v1beta1, Kind=Deployment"],
    ["another kind", { apiVersion: "apps/v1", kind: "ReplicaSet" }, "apps/v1, Kind=ReplicaSet"],
    ["another group", { apiVersion: "v1", kind: "Deployment" }, "/v1, Kind=Deployment"],
    ["no version", { kind: "Deployment" }, "/, Kind=Deployment"],
    ["a version that is none", { apiVersion: "a/b/c", kind: "Deployment" }, "/, Kind="],
    ["nothing", {}, "/, Kind="],
  ])("refuses to apply an object of %s", (_, config, found) => {
    const apply = () => fieldManager(deployments).apply(undefined, config, { manager: "a" })
    expect(apply).toThrow(BadRequestError)
    expect(messageOf(apply)).toBe(`invalid object type: ${found}`)
  })

  it("comes before all other checks", () => {
    const config = { apiVersion: "v1", kind: "Deployment", metadata: { managedFields: [] } }
    expect(messageOf(() => fieldManager(deployments).apply(undefined, config, { manager: "a" }))).toBe(
      "invalid object type: /v1, Kind=Deployment",
    )
  })

  it("does not apply to updates", () => {
    const next = configMap({ x: "1" })
    const manager = fieldManager({ kind: { apiVersion: "v1", kind: "ConfigMap" } })
    expect(messageOf(() => manager.update(undefined, { ...next, kind: "Nothing" }, { manager: "u" }))).toBe(
      "failed to convert new object (/web; /v1, Kind=Nothing) to smd typed: no corresponding type for /v1, Kind=Nothing",
    )
  })

  it("accepts any version and kind without the option kind", () => {
    const manager = fieldManager()
    expect(owners(manager.apply(undefined, configMap({ x: "1" }), { manager: "a" }).object)).toHaveLength(1)
    expect(owners(manager.apply(undefined, deployment({ paused: true }), { manager: "a" }).object)).toHaveLength(1)
  })
})

describe("managedFields in a configuration", () => {
  it.each([
    ["some", [entry("a Apply v1", {})]],
    ["none", []],
  ])("are refused: %s", (_, managedFields) => {
    const apply = () =>
      fieldManager().apply(undefined, managedBy(configMap({ x: "1" }), ...managedFields), { manager: "a" })
    expect(apply).toThrow(BadRequestError)
    expect(messageOf(apply)).toBe("metadata.managedFields must be nil")
  })

  it("may be null", () => {
    const config = configMap({ x: "1" }, { managedFields: null })
    expect(owners(fieldManager().apply(undefined, config, { manager: "a" }).object)).toEqual(["a Apply v1: .data.x"])
  })
})

describe("update", () => {
  it("gives changed fields to the manager, and takes them from the others", () => {
    const manager = fieldManager()
    const live = manager.apply(undefined, configMap({ x: "1", y: "1", z: "1" }), { manager: "a" }).object
    const { object } = manager.update(live, { ...live, data: { x: "1", y: "2", w: "1" } }, { manager: "u" })
    expect(object).toMatchObject({ data: { x: "1", y: "2", w: "1" } })
    expect(owners(object)).toEqual(["a Apply v1: .data.x", "u Update v1: .data.w .data.y"])
  })

  it("adds to the fields that the manager owned before", () => {
    const manager = fieldManager()
    const live = manager.update(undefined, configMap({ x: "1", y: "1" }), { manager: "u" }).object
    const { object } = manager.update(live, { ...live, data: { x: "2", y: "1", z: "1" } }, { manager: "u" })
    expect(owners(object)).toEqual(["u Update v1: .data .data.x .data.y .data.z"])
    expect(times(object)).toEqual(["u Update 12:01"])
  })

  it("is not a change by the manager if it changes nothing", () => {
    const manager = fieldManager()
    const live = deepFreeze(manager.update(undefined, configMap({ x: "1" }), { manager: "u" }).object)
    const copy = deepFreeze(structuredClone(live))
    const result = manager.update(live, copy, { manager: "u" })
    expect(result.object).toBe(copy)
    expect(result.changed).toBe(false)
    expect(times(manager.update(live, copy, { manager: "v" }).object)).toEqual(["u Update 12:00"])
  })

  it("counts as a change by the manager only if it took or added fields", () => {
    const manager = fieldManager()
    let live = manager.update(undefined, configMap({ x: "1", y: "1" }), { manager: "u" }).object
    live = manager.update(live, { ...live, data: { x: "1" } }, { manager: "v" }).object
    expect(owners(live)).toEqual(["u Update v1: .data .data.x"])
    expect(times(live)).toEqual(["u Update 12:00"])
  })

  it("keeps the live managedFields if the new object has none", () => {
    const manager = fieldManager()
    const live = manager.apply(undefined, configMap({ x: "1" }), { manager: "a" }).object
    const { object } = manager.update(live, configMap({ x: "1" }), { manager: "u" })
    expect(object).toEqual(live)
  })

  it("uses the managedFields of the new object if it has some", () => {
    const manager = fieldManager()
    const live = manager.apply(undefined, configMap({ x: "1" }), { manager: "a" }).object
    const next = managedBy(
      configMap({ x: "1" }),
      entry("b Apply v1", { "f:data": { "f:x": {} } }, "2020-01-01T00:00:00Z"),
    )
    const { object, changed } = manager.update(live, next, { manager: "u" })
    expect(object).toBe(next)
    expect(changed).toBe(true)
  })

  it.each([
    [
      "an entry of an unknown operation",
      { manager: "b", operation: "Patch", apiVersion: "v1", fieldsType: "FieldsV1" },
    ],
    ["an entry without a version", { manager: "b", operation: "Apply", fieldsType: "FieldsV1" }],
    ["fields that are none", entry("b Apply v1", { "f:data": 1 })],
  ])("uses those of the live object if the new one has %s", (_, broken) => {
    const manager = fieldManager()
    const live = manager.apply(undefined, configMap({ x: "1" }), { manager: "a" }).object
    expect(owners(manager.update(live, managedBy(configMap({ x: "1" }), broken), { manager: "u" }).object)).toEqual([
      "a Apply v1: .data.x",
    ])
  })

  it("forgets all owners if managedFields are emptied", () => {
    const manager = fieldManager()
    const live = manager.apply(undefined, configMap({ x: "1" }, { uid: "1" }), { manager: "a" }).object
    for (const reset of [[], [{}]]) {
      const { object } = manager.update(live, managedBy(configMap({ x: "1" }, { uid: "1" }), ...reset), {
        manager: "u",
      })
      expect(object).toEqual(configMap({ x: "1" }, { uid: "1" }))
    }
  })

  it("gives all fields to the updater if managedFields are emptied and the object has no uid yet", () => {
    const manager = fieldManager()
    const live = manager.apply(undefined, configMap({ x: "1", y: "1" }), { manager: "a" }).object
    const { object } = manager.update(live, managedBy(configMap({ x: "2", y: "1" })), { manager: "u" })
    expect(owners(object)).toEqual(["u Update v1: .data.x"])
  })

  it("accepts duplicate list items", () => {
    const manager = fieldManager()
    const twice = deployment({ template: { spec: { containers: [{ name: "a" }, { name: "a" }] } } })
    const { object } = manager.update(undefined, twice, { manager: "u" })
    expect(owners(object)).toEqual(['u Update apps/v1: .spec.template.spec.containers[name="a"]'])
  })

  it("does not change its arguments, and shares unchanged parts with them", () => {
    const manager = fieldManager()
    const live = deepFreeze(manager.apply(undefined, configMap({ x: "1" }), { manager: "a" }).object)
    const next = configMap({ x: "2" })
    const { object } = manager.update(live, next, { manager: "u" })
    expect(object.data).toBe(next.data)
  })
})

describe("updateLeniently", () => {
  it("returns the result of update if that does not throw", () => {
    const manager = fieldManager()
    const live = manager.apply(undefined, configMap({ x: "1" }), { manager: "a" }).object
    const result = manager.updateLeniently(live, configMap({ x: "2" }), { manager: "u" })
    expect(owners(result.object)).toEqual(["u Update v1: .data.x"])
    expect(result.error).toBeUndefined()
  })

  it("keeps the live managedFields and returns the error if update throws", () => {
    const manager = fieldManager()
    const live = manager.apply(undefined, deployment({ replicas: 1 }), { manager: "a" }).object
    const next = managedBy(deployment({ replicas: "x" }))
    const result = manager.updateLeniently(live, next, { manager: "u" })
    expect(result.object).toEqual({ ...next, metadata: { ...next.metadata, managedFields: entriesOf(live) } })
    expect(result.error?.message).toContain(
      "failed to convert new object (/web; apps/v1, Kind=Deployment) to smd typed: ",
    )
  })

  it("leaves a new object without managedFields", () => {
    const next = deployment({ replicas: "x" })
    expect(fieldManager().updateLeniently(undefined, next, { manager: "u" }).object).toEqual(next)
  })
})

describe("tryApply", () => {
  it("returns what apply returns", () => {
    const attempt = fieldManager().tryApply(undefined, configMap({ x: "1" }), { manager: "a" })
    expect(attempt.ok && owners(attempt.object)).toEqual(["a Apply v1: .data.x"])
  })

  it("returns the error that apply throws", () => {
    const manager = fieldManager()
    const live = manager.update(undefined, configMap({ x: "1" }), { manager: "u" }).object
    const attempt = manager.tryApply(live, configMap({ x: "2" }), { manager: "a" })
    expect(attempt.ok || attempt.error).toBeInstanceOf(ApplyConflictError)
  })

  it("captures no stack for a conflict, whereas apply captures one that leads to its caller", () => {
    const manager = fieldManager()
    const live = manager.update(undefined, configMap({ x: "1" }), { manager: "u" }).object
    const limit = Error.stackTraceLimit
    const attempt = manager.tryApply(live, configMap({ x: "2" }), { manager: "a" })
    expect(attempt.ok || attempt.error.stack).not.toContain("    at ")
    expect(Error.stackTraceLimit).toBe(limit)
    let stack: string | undefined
    try {
      manager.apply(live, configMap({ x: "2" }), { manager: "a" })
    } catch (error) {
      stack = (error as Error).stack
    }
    expect(stack).toContain("field-manager.test.ts")
  })

  it("returns a conflict even if stacks can't be turned off", () => {
    const limit = Object.getOwnPropertyDescriptor(Error, "stackTraceLimit") as PropertyDescriptor
    const manager = fieldManager()
    const live = manager.update(undefined, configMap({ x: "1" }), { manager: "u" }).object
    Object.defineProperty(Error, "stackTraceLimit", { ...limit, writable: false })
    try {
      const attempt = manager.tryApply(live, configMap({ x: "2" }), { manager: "a" })
      expect(attempt.ok || attempt.error).toBeInstanceOf(ApplyConflictError)
    } finally {
      Object.defineProperty(Error, "stackTraceLimit", limit)
    }
  })

  it("throws errors about its arguments", () => {
    const defaults = () => {
      throw new RangeError("out of paper")
    }
    expect(() => fieldManager({ defaults }).tryApply(undefined, configMap({ x: "1" }), { manager: "a" })).toThrow(
      "out of paper",
    )
  })
})

describe("subresources", () => {
  it("have separate managers", () => {
    const manager = fieldManager()
    let live = manager.apply(undefined, deployment({ replicas: 1 }), { manager: "a" }).object
    live = manager.apply(
      live,
      { ...deployment({}), status: { replicas: 1 } },
      { manager: "a", subresource: "status" },
    ).object
    live = manager.update(live, { ...live, status: { replicas: 2 } }, { manager: "u", subresource: "status" }).object
    live = manager.update(live, { ...live, status: { replicas: 2, readyReplicas: 1 } }, { manager: "u" }).object
    expect(owners(live)).toEqual([
      "a Apply apps/v1: .spec.replicas",
      "a Apply/status apps/v1: .spec",
      "u Update/status apps/v1: .status.replicas",
      "u Update apps/v1: .status.readyReplicas",
    ])
  })

  it("can't be used to write managedFields", () => {
    const manager = fieldManager()
    const live = manager.apply(undefined, deployment({ replicas: 1 }), { manager: "a" }).object
    for (const given of [[], [{}], [entry("b Apply apps/v1", { "f:spec": { "f:replicas": {} } })]]) {
      const next = managedBy({ ...deployment({ replicas: 1 }), status: { replicas: 1 } }, ...given)
      const { object } = manager.update(live, next, { manager: "u", subresource: "status" })
      expect(owners(object)).toEqual(["a Apply apps/v1: .spec.replicas", "u Update/status apps/v1: .status.replicas"])
    }
  })
})

describe("reset fields", () => {
  const fields = (path: string) => new Map([["apps/v1", FieldSet.of([pathOf(path)])]])

  it("have no owners, along with everything below them", () => {
    const manager = fieldManager({ resetFields: fields("status") })
    const both = { ...deployment({ replicas: 1 }), status: { replicas: 1 } }
    expect(owners(manager.apply(undefined, both, { manager: "a" }).object)).toEqual(["a Apply apps/v1: .spec.replicas"])
    expect(owners(manager.update(undefined, both, { manager: "u" }).object)).toEqual([
      "u Update apps/v1: .spec.replicas",
    ])
  })

  it("may depend on the subresource", () => {
    const manager = fieldManager({ resetFields: subresource => fields(subresource === "status" ? "spec" : "status") })
    const both = { ...deployment({ replicas: 1 }), status: { replicas: 1 } }
    let live = manager.apply(undefined, both, { manager: "a" }).object
    live = manager.apply(live, both, { manager: "a", subresource: "status" }).object
    expect(owners(live)).toEqual(["a Apply/status apps/v1: .status.replicas", "a Apply apps/v1: .spec.replicas"])
  })

  it("may be any filter", () => {
    const manager = fieldManager({ resetFields: new Map([["v1", includeFilter(["data", "x"])]]) })
    expect(owners(manager.apply(undefined, configMap({ x: "1", y: "1" }), { manager: "a" }).object)).toEqual([
      "a Apply v1: .data.x",
    ])
  })
})

describe("a clock with an invalid time", () => {
  it.each([
    ["+010000-01-01T00:00:00Z", "expected a time in the years 0 to 9999, got +010000-01-01T00:00:00.000Z"],
    ["-000001-12-31T23:59:59Z", "expected a time in the years 0 to 9999, got -000001-12-31T23:59:59.000Z"],
    ["never", "expected a time in the years 0 to 9999, got an invalid Date"],
  ])("is reported: %s", (time, message) => {
    const manager = fieldManager({ clock: () => new Date(time) })
    expect(() => manager.apply(undefined, deployment({ replicas: 1 }), { manager: "a" })).toThrow(
      new RangeError(message),
    )
  })
})

describe("a value that is not an object", () => {
  it.each([
    [null, "null"],
    [["a"], "a list"],
    ["a", "a text; parse it first"],
    [1, "number"],
  ])("is refused: %j", (value, what) => {
    const manager = fieldManager()
    const nothing = value as unknown as object
    const object = deployment({ replicas: 1 })
    const message = `expected an object, got ${what}`
    for (const run of [
      () => manager.apply(undefined, nothing, { manager: "a" }),
      () => manager.apply(nothing, object, { manager: "a" }),
      () => manager.update(object, nothing, { manager: "a" }),
      () => manager.update(nothing, object, { manager: "a" }),
      () => manager.updateLeniently(object, nothing, { manager: "a" }),
    ]) {
      expect(run).toThrow(expect.objectContaining({ code: "bad-request", message }))
    }
    expect(readManagedFields(nothing)).toBeUndefined()
    expect(findFieldsOwners([nothing as ManagedFieldsEntry], "Apply", FieldSet.empty)).toEqual([])
  })
})

it("decodes the entries that it wrote, since the least int64 in a key is read as a float, even if it keeps facts about objects", () => {
  const ports = [{ port: -9223372036854775808n, protocol: "TCP" }]
  const service = { apiVersion: "v1", kind: "Service", metadata: { name: "a" }, spec: { ports } }
  const config = { apiVersion: "v1", kind: "Service", metadata: { name: "a" } }
  const sets = [false, true].map(immutable => {
    const manager = new FieldManager({ types: kubernetesTypes, immutable })
    const { object } = manager.update(undefined, service, { manager: "kubectl-edit" })
    const [owner] = readManagedFields(manager.apply(object, config, { manager: "bob" }).object) ?? []
    return JSON.stringify(owner?.fieldsV1)
  })
  expect(sets[0]).toContain("-9223372036854776000")
  expect(sets[1]).toBe(sets[0])
})

it("reports no change for an update that prepare undoes", () => {
  const { object: live } = fieldManager().update(undefined, deployment({ replicas: 1 }), { manager: "a" })
  const next = { ...live, spec: { replicas: 2 } }
  for (const prepare of [() => live, () => ({ ...live })]) {
    expect(fieldManager({ prepare }).update(live, next, { manager: "a" }).changed).toBe(false)
  }
  expect(fieldManager().update(live, next, { manager: "a" }).changed).toBe(true)
})
