/**
 * https://github.com/kubernetes/kubernetes/issues/136919: while the conversion webhook is down, a write to an object with entries at
 * several versions loses all of its managedFields, up to Kubernetes 1.35. Later releases keep them, but still nobody can apply.
 */
import { describe, expect, it } from "vitest"
import { transfer } from "../../../../src/tools/managers/index.js"
import { cluster, clusterOn, definitionOf, entriesOf, knownBy, redefined, webhook } from "./clusters.js"

const versions = ["v1beta1", "v1beta2"]

async function inThePast() {
  const prod = clusterOn(versions)
  await prod.apply(cluster("v1beta1", { spec: { region: "eu" } }), "platform")
  await prod.apply(cluster("v1beta2", { spec: { version: "v1" } }), "capi-topology")
  return prod
}

const next = cluster("v1beta2", { spec: { version: "v2" } })

describe("kubernetes#136919: the conversion webhook is down", () => {
  it("the problem: no write is possible, or on older servers an update forgets all owners", async () => {
    const prod = await inThePast()
    expect(entriesOf(await prod.live())).toEqual(["platform Apply v1beta1", "capi-topology Apply v1beta2"])
    const down = await redefined(prod, definitionOf(versions, webhook))
    expect((await down.apply(next, "capi-topology")).status).toBe(500)
    // The test server, which calls the webhook, refuses updates too. An older server stored them without managedFields, as if they had been reset.
    expect((await down.merge({ metadata: { labels: { seen: "yes" } } }, "kubectl-label")).status).toBe(500)
    await redefined(prod, definitionOf(versions))
    await prod.patch([{ op: "replace", path: "/metadata/managedFields", value: [{}] }])
    const { status, body } = await prod.apply(next, "capi-topology")
    expect([status, body.message]).toEqual([
      409,
      'Apply failed with 1 conflict: conflict with "before-first-apply" using cluster.x-k8s.io/v1beta2: .spec.version',
    ])
  })

  it("does not happen if transfer has brought all entries to one version before", async () => {
    const prod = await inThePast()
    const to = { from: "platform", to: "platform", toVersion: "v1beta2" }
    const made = transfer(await prod.live(), { ...knownBy(definitionOf(versions)), ...to })
    expect([made.ownership, made.relabelled.map(({ owner, from }) => `${owner.manager} ${from}`)]).toEqual([
      [],
      ["platform cluster.x-k8s.io/v1beta1"],
    ])
    expect((await prod.patch(made.patch)).status).toBe(200)
    const down = await redefined(prod, definitionOf(versions, webhook))
    expect((await down.apply(next, "capi-topology")).status).toBe(200)
    const labelled = await down.merge({ metadata: { labels: { seen: "yes" } } }, "kubectl-label")
    expect(entriesOf(labelled.body)).toEqual([
      "platform Apply v1beta2",
      "capi-topology Apply v1beta2",
      "kubectl-label Update v1beta2",
    ])
    const pruned = await down.apply(cluster("v1beta2", {}), "platform")
    expect([pruned.status, pruned.body.spec]).toEqual([200, { version: "v2" }])
  })

  it("can be solved while the webhook is down, since the patch needs no conversion", async () => {
    const definition = definitionOf(versions, webhook)
    const prod = await redefined(await inThePast(), definition)
    const made = transfer(await prod.live(), {
      ...knownBy(definition),
      from: "platform",
      to: "platform",
      toVersion: "v1beta2",
    })
    const { status, body } = await prod.patch(made.patch)
    expect([status, entriesOf(body)]).toEqual([200, ["platform Apply v1beta2", "capi-topology Apply v1beta2"]])
    expect((await prod.apply(next, "capi-topology")).status).toBe(200)
  })
})
