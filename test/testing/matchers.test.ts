/** Matchers about owners and conflicts, with their messages, and the fixture of vitest. */
import { ApiException } from "@kubernetes/client-node"
import { describe } from "vitest"
import { createApiServer } from "../../src/apiserver/server.js"
import { kubernetesTypes } from "../../src/kubernetes/types.js"
import { FieldManager } from "../../src/managedfields/field-manager.js"
import { expect, test } from "../../src/testing/vitest/vitest.js"
import { definitionOf } from "../support/definition.js"

const labels = { app: "shop" }
const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "shop:1.0", args: ["--debug"] }] } }
const shop = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "shop", namespace: "default" },
  spec: { replicas: 2, selector: { matchLabels: labels }, template },
}

/** A Deployment that an operator applied and an autoscaler scaled. */
async function scaled() {
  const server = createApiServer()
  await server.apply(shop, { manager: "shop-operator" })
  await server.scale(shop, 5, { manager: "autoscaler" })
  return { server, live: await server.get(shop) }
}

function messageOf(check: () => void): string {
  try {
    check()
  } catch (error) {
    return (error as Error).message
  }
  return ""
}

async function rejectionOf(promise: Promise<unknown>): Promise<string> {
  const failure = await promise.then(
    () => undefined,
    (error: Error) => error,
  )
  return failure?.message ?? ""
}

const lines = (...parts: string[]) => parts.join("\n")

describe("toBeOwnedBy", () => {
  test("is about a field, a list item, an atomic list or everything in a map", async () => {
    const { live } = await scaled()
    expect(live).toBeOwnedBy("autoscaler", ".spec.replicas")
    expect(live).not.toBeOwnedBy("shop-operator", ".spec.replicas")
    expect(live).toBeOwnedBy("shop-operator", '.spec.template.spec.containers[name="web"]')
    expect(live).toBeOwnedBy("shop-operator", '.spec.template.spec.containers[name="web"].args')
    expect(live).toBeOwnedBy("shop-operator", '.spec.template.spec.containers[name="web"].args[0]')
    expect(live).toBeOwnedBy("shop-operator", ".spec.selector")
    expect(live).toBeOwnedBy("autoscaler")
    expect(live).not.toBeOwnedBy("kubectl")
    // The server sets defaults in it, which nobody owns.
    expect(live).not.toBeOwnedBy("shop-operator", ".spec.template")
  })

  test("says who owns the field instead, in the words of explain", async () => {
    const { live } = await scaled()
    expect(messageOf(() => expect(live).toBeOwnedBy("shop-operator", ".spec.replicas"))).toBe(
      lines(
        "expected shop-operator to own .spec.replicas of Deployment default/shop",
        "   .spec.replicas",
        "   the object has 5",
        "   owner     autoscaler  Update, scale",
      ),
    )
    expect(messageOf(() => expect(live).not.toBeOwnedBy("autoscaler", ".spec.replicas"))).toContain(
      "expected autoscaler not to own .spec.replicas of Deployment default/shop\n   .spec.replicas\n",
    )
    expect(messageOf(() => expect(live).toBeOwnedBy("kubectl", ".spec.strategy.type"))).toBe(
      lines(
        "expected kubectl to own .spec.strategy.type of Deployment default/shop",
        "   .spec.strategy.type",
        '   the object has "RollingUpdate"',
        "   owner     nobody",
      ),
    )
    expect(messageOf(() => expect(live).toBeOwnedBy("kubectl", ".spec.paused"))).toBe(
      lines("expected kubectl to own .spec.paused of Deployment default/shop", "   the object has no such field"),
    )
    expect(messageOf(() => expect(live).toBeOwnedBy("kubectl"))).toBe(
      lines(
        "expected kubectl to own a field of Deployment default/shop",
        "   owners    shop-operator  Apply",
        "             autoscaler     Update, scale",
      ),
    )
  })
})

describe("toHaveManagers", () => {
  test("is about an object, or about a field", async () => {
    const { server, live } = await scaled()
    expect(live).toHaveManagers(["autoscaler", "shop-operator"])
    expect(live).not.toHaveManagers(["autoscaler"])
    expect(live).toHaveManagers(["autoscaler"], ".spec.replicas")
    expect(live).toHaveManagers([], ".spec.strategy.type")
    await server.apply({ ...shop, spec: { replicas: 5 } }, { manager: "gitops" })
    expect(await server.get(shop)).toHaveManagers(["autoscaler", "gitops"], ".spec.replicas")
  })

  test("says which managers are missing, and which there are besides", async () => {
    const { live } = await scaled()
    expect(messageOf(() => expect(live).toHaveManagers(["shop-operator", "kubectl"]))).toBe(
      lines(
        "expected Deployment default/shop to have the managers shop-operator, kubectl",
        "   owners    shop-operator  Apply",
        "             autoscaler     Update, scale",
        "   missing   kubectl",
        "   besides   autoscaler",
      ),
    )
    expect(messageOf(() => expect(live).toHaveManagers([], ".spec.replicas"))).toContain(
      "expected .spec.replicas of Deployment default/shop to have no managers",
    )
  })
})

describe("toConflictWith", () => {
  const apply = async () => (await scaled()).server.apply(shop, { manager: "shop-operator" })

  test("understands promises, errors, responses and Status", async () => {
    await expect(apply()).toConflictWith("autoscaler", ".spec.replicas")
    await expect(apply()).rejects.toConflictWith("autoscaler")
    await expect(apply()).not.toConflictWith("kubectl")
    const error = await apply().catch(reason => reason)
    await expect(error.status).toConflictWith("autoscaler")
    const exception = new ApiException(409, "Conflict", JSON.stringify(error.status), {})
    await expect(Promise.reject(exception)).toConflictWith("autoscaler", ".spec.replicas")
    const manager = new FieldManager({ types: kubernetesTypes })
    const { object } = manager.apply(undefined, shop, { manager: "a" })
    const config = { ...shop, spec: { replicas: 1 } }
    const conflict = messageless(() => manager.apply(object, config, { manager: "b" }))
    await expect(conflict).toConflictWith("a", ".spec.replicas")
  })

  test("says what the conflict is about, or why there is none", async () => {
    expect(await rejectionOf(expect(apply()).toConflictWith("kubectl", ".spec.paused"))).toBe(
      lines(
        "expected a conflict with kubectl over .spec.paused",
        "   .spec.replicas",
        '   owner     autoscaler  with subresource "scale" using apps/v1',
        "1 conflict.",
      ),
    )
    expect(await rejectionOf(expect(Promise.resolve(1)).toConflictWith("kubectl"))).toBe(
      "expected a conflict with kubectl, but the apply succeeded",
    )
    const missing = createApiServer().get(shop)
    expect(await rejectionOf(expect(missing).toConflictWith("kubectl"))).toBe(
      lines(
        "expected a conflict with kubectl, but the request failed for another reason",
        '   deployments.apps "shop" not found',
      ),
    )
    expect(await rejectionOf(expect(Promise.reject(new Error("a mistake"))).toConflictWith("x"))).toContain("a mistake")
  })
})

function messageless(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return error
  }
}

describe("the fixture of vitest", () => {
  const settings = { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "settings-" } }
  const created: string[] = []

  test.for([1, 2])("has a new server in each test: %s", async (_, { server, clock }) => {
    const { metadata } = await server.create(settings)
    expect(await server.list({ apiVersion: "v1", kind: "ConfigMap" })).toHaveLength(1)
    expect(clock).toBe(server.clock)
    created.push(metadata.uid)
    expect(new Set(created).size).toBe(1)
  })

  describe("with options", () => {
    test.override({ serverOptions: { crds: [definitionOf("Widget")] } })

    test("serves the definitions", async ({ server }) => {
      await server.create({ apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" } })
    })
  })
})
