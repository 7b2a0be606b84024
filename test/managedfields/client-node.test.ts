/** Passes typed objects of @kubernetes/client-node in and out. The compiler checks most of it. */
import {
  loadYaml,
  type V1ConfigMap,
  type V1Deployment,
  V1LeaseSpec,
  type V1ManagedFieldsEntry,
  V1MicroTime,
} from "@kubernetes/client-node"
import { describe, expect, it } from "vitest"
import { StructuredMergeError } from "../../src/errors.js"
import { ApplyConflictError, statusOf } from "../../src/managedfields/chain/status.js"
import { readManagedFields } from "../../src/managedfields/entries/entry.js"
import { upgradeManagedFields } from "../../src/managedfields/entries/upgrade.js"
import { fromClient } from "../../src/managedfields/from-client.js"
import { deepFreeze } from "../support/deep-freeze.js"
import { fieldManager } from "./notation.js"

const shop: V1Deployment = deepFreeze({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "shop", labels: { app: "shop" } },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: "shop" } },
    template: {
      metadata: { labels: { app: "shop" } },
      spec: {
        containers: [
          { name: "web", image: "web:1.0", ports: [{ containerPort: 8080 }], env: [{ name: "A", value: "1" }] },
        ],
      },
    },
    strategy: { rollingUpdate: { maxSurge: "25%", maxUnavailable: 1 } },
  },
})

describe("objects of @kubernetes/client-node", () => {
  it("keep their types in an apply", () => {
    const { object, changed } = fieldManager().apply(undefined, shop, { manager: "web-team" })
    const typed: V1Deployment = object
    expect(changed).toBe(true)
    expect(typed.spec?.template.spec?.containers[0]?.image).toBe("web:1.0")
    expect(typed.spec?.strategy?.rollingUpdate?.maxSurge).toBe("25%")
    const entries: V1ManagedFieldsEntry[] = typed.metadata?.managedFields ?? []
    expect(entries.map(({ manager, operation, apiVersion }) => [manager, operation, apiVersion])).toEqual([
      ["web-team", "Apply", "apps/v1"],
    ])
  })

  it("go through apply, update and another apply", () => {
    const manager = fieldManager()
    const live: V1Deployment = manager.apply(undefined, shop, { manager: "web-team" }).object
    const next: V1Deployment = { ...live, spec: { ...(live.spec as NonNullable<V1Deployment["spec"]>), replicas: 7 } }
    const scaled: V1Deployment = manager.update(live, next, { manager: "autoscaler" }).object
    const attempt = manager.tryApply<V1Deployment>(scaled, shop, { manager: "web-team" })
    expect(attempt.ok).toBe(false)
    const error: StructuredMergeError | undefined = attempt.ok ? undefined : attempt.error
    expect(error).toBeInstanceOf(ApplyConflictError)
    expect(statusOf(error as StructuredMergeError).details?.causes).toEqual([
      {
        reason: "FieldManagerConflict",
        message: 'conflict with "autoscaler" using apps/v1',
        field: ".spec.replicas",
      },
    ])
    const forced = manager.tryApply<V1Deployment>(scaled, shop, { manager: "web-team", force: true })
    expect(forced.ok && forced.object.spec?.replicas).toBe(3)
  })

  it("may be applied in part to a live object of the type", () => {
    const manager = fieldManager()
    const { object: live } = manager.apply(undefined, shop, { manager: "web-team" })
    const part = { apiVersion: "apps/v1", kind: "Deployment", spec: { paused: true } } satisfies Partial<
      Record<string, unknown>
    >
    const merged: V1Deployment = manager.apply(live, part, { manager: "ops" }).object
    expect([merged.spec?.paused, merged.spec?.replicas]).toEqual([true, 3])
  })

  it("are refused with Date objects and classes, and accepted after fromClient", () => {
    const read = readByClient<V1ConfigMap>({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "c", creationTimestamp: "2024-01-01T00:00:00Z" },
      data: { a: "1" },
    })
    expect(read.metadata?.creationTimestamp).toBeInstanceOf(Date)
    const manager = fieldManager()
    const attempt = manager.tryApply<V1ConfigMap>(undefined, read, { manager: "a" })
    expect(attempt.ok ? undefined : attempt.error.message).toContain("expected a plain object, got V1ConfigMap")
    const applied: V1ConfigMap = manager.apply(undefined, fromClient(read), { manager: "a" }).object
    expect(applied.metadata?.name).toBe("c")
    expect(applied.metadata?.creationTimestamp).toBe("2024-01-01T00:00:00Z")
  })

  it("are upgraded from client-side apply", () => {
    const live: V1Deployment = fieldManager().update(undefined, shop, { manager: "kubectl-client-side-apply" }).object
    const upgraded: V1Deployment = upgradeManagedFields(live, {
      csaManagers: ["kubectl-client-side-apply"],
      ssaManager: "kubectl",
    })
    expect(readManagedFields(upgraded)?.map(({ manager, operation }) => [manager, operation])).toEqual([
      ["kubectl", "Apply"],
    ])
  })
})

/** Returns the object that the client makes of an API server's response. */
function readByClient<T>(json: object): T {
  return loadYaml<T>(JSON.stringify(json))
}

describe("fromClient", () => {
  it.each([
    [
      "V1Lease",
      {
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: {
          name: "l",
          creationTimestamp: "2024-01-01T00:00:00Z",
          managedFields: [{ manager: "a", operation: "Apply", time: "2024-01-01T00:00:00Z", fieldsV1: { "f:x": {} } }],
        },
        spec: { holderIdentity: "a", renewTime: "2024-01-01T00:00:00.120000Z" },
      },
    ],
    [
      "V1NetworkPolicy",
      {
        apiVersion: "networking.k8s.io/v1",
        kind: "NetworkPolicy",
        metadata: { name: "p" },
        spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: "10.0.0.0/8" } }] }] },
      },
    ],
    [
      "V1CustomResourceDefinition",
      {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        metadata: { name: "d" },
        spec: {
          group: "g",
          names: { kind: "K", plural: "ks" },
          scope: "Namespaced",
          versions: [
            {
              name: "v1",
              served: true,
              storage: true,
              schema: {
                openAPIV3Schema: {
                  type: "object",
                  "x-kubernetes-preserve-unknown-fields": true,
                  properties: { x: { type: "string", enum: ["a"], default: "a", not: { $ref: "#/x" } } },
                },
              },
            },
          ],
        },
      },
    ],
  ])("returns the JSON from which the client read a %s", (_, json) => {
    const read = readByClient<object>(json)
    expect(Object.getPrototypeOf(read)).not.toBe(Object.prototype)
    expect(fromClient(read)).toEqual(json)
    expect(JSON.parse(JSON.stringify(fromClient(read)))).toEqual(fromClient(read))
  })

  it("writes times by their declared type, or else by their class", () => {
    const time = new Date("2024-01-01T00:00:00.250Z")
    const spec = new V1LeaseSpec()
    spec.renewTime = time
    expect(fromClient(spec)).toEqual({ renewTime: "2024-01-01T00:00:00.250000Z" })
    expect(fromClient({ a: time, b: new V1MicroTime(time) })).toEqual({
      a: "2024-01-01T00:00:00Z",
      b: "2024-01-01T00:00:00.250000Z",
    })
    expect(() => fromClient({ a: new Date(Number.NaN) })).toThrow(RangeError)
  })

  it("leaves out undefined keys, and shares nothing", () => {
    const list = deepFreeze([{ a: null }, undefined, { b: undefined }])
    const made = fromClient({ list, gone: undefined }) as { list: unknown[] }
    expect(made).toStrictEqual({ list: [{ a: null }, null, {}] })
    expect(made.list).not.toBe(list)
    expect(made.list[0]).not.toBe(list[0])
  })

  it("treats all keys as ordinary keys", () => {
    const odd = JSON.parse('{"__proto__": {"a": 1}, "constructor": {"b": 2}}') as object
    expect(JSON.stringify(fromClient(odd))).toBe('{"__proto__":{"a":1},"constructor":{"b":2}}')
  })

  it.each([
    ["a Map", { a: new Map() }],
    ["bytes", { a: new Uint8Array(1) }],
    ["a function", { a: () => 1 }],
    ["NaN", { a: Number.NaN }],
  ])("refuses %s", (_, object) => {
    expect(() => fromClient(object)).toThrow(StructuredMergeError)
  })

  it("refuses objects that contain themselves", () => {
    const ring: Record<string, unknown> = {}
    ring.self = ring
    expect(() => fromClient(ring)).toThrow("contains itself")
  })
})
