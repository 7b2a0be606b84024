/** Typed objects of @kubernetes/client-node, in and out: what this proves is proved by the compiler, more than by the run. */
import type { V1ConfigMap, V1Deployment, V1ManagedFieldsEntry } from "@kubernetes/client-node"
import { describe, expect, it } from "vitest"
import type { StructuredMergeError } from "../../src/errors.js"
import { readManagedFields } from "../../src/managedfields/entries/entry.js"
import { upgradeManagedFields } from "../../src/managedfields/entries/upgrade.js"
import { ApplyConflictError, statusOf } from "../../src/managedfields/status.js"
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

/** An object as it travels: with times as text, as FieldManager takes them. */
function asJson<T>(object: T): T {
  return JSON.parse(JSON.stringify(object)) as T
}

describe("objects of @kubernetes/client-node", () => {
  it("come back from an apply as what they were", () => {
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

  it("may be applied in part, to a live object of the type", () => {
    const manager = fieldManager()
    const { object: live } = manager.apply(undefined, shop, { manager: "web-team" })
    const part = { apiVersion: "apps/v1", kind: "Deployment", spec: { paused: true } } satisfies Partial<
      Record<string, unknown>
    >
    const merged: V1Deployment = manager.apply(live, part, { manager: "ops" }).object
    expect([merged.spec?.paused, merged.spec?.replicas]).toEqual([true, 3])
  })

  it("are refused as the client reads them, with Date objects and classes, and taken after a pass through JSON", () => {
    class Metadata {
      readonly name = "c"
      readonly creationTimestamp = new Date("2024-01-01T00:00:00Z")
    }
    const plain = { apiVersion: "v1", kind: "ConfigMap", data: { a: "1" } }
    const withDate: V1ConfigMap = { ...plain, metadata: { ...new Metadata() } }
    const withClass: V1ConfigMap = { ...plain, metadata: new Metadata() }
    const manager = fieldManager()
    for (const config of [withDate, withClass]) {
      const attempt = manager.tryApply<V1ConfigMap>(undefined, config, { manager: "a" })
      expect(attempt.ok ? undefined : attempt.error.message).toContain(".metadata")
      const applied: V1ConfigMap = manager.apply(undefined, asJson(config), { manager: "a" }).object
      expect(applied.metadata?.name).toBe("c")
      expect(applied.metadata?.creationTimestamp).toBe("2024-01-01T00:00:00.000Z")
    }
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
