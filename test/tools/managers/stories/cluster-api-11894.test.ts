/**
 * https://github.com/kubernetes-sigs/cluster-api/issues/11894: before a CRD can drop a version, every object has to lose the entries
 * of managedFields at this version. cluster-api has written a controller for this.
 */
import { describe, expect, it } from "vitest"
import { dropVersion, StillOwnedError, toVersion, transfer } from "../../../../src/tools/managers/index.js"
import type { MapValue } from "../../../../src/value/value.js"
import { cluster, clusterOn, definitionOf, entriesOf, knownBy, redefined } from "./clusters.js"

const both = definitionOf(["v1beta1", "v1beta2"])
const later = definitionOf(["v1beta2"])

/** capi-topology applies at the new version already; entries that others wrote years ago are still at the old one. */
async function inThePast() {
  const prod = clusterOn(["v1beta1", "v1beta2"])
  await prod.apply(cluster("v1beta1", { spec: { version: "v1.30", region: "eu" } }), "capi-topology")
  await prod.merge({ spec: { paused: true } }, "kubectl-edit", { apiVersion: "cluster.x-k8s.io/v1beta1" })
  const status = { status: { phase: "Provisioned" } }
  await prod.merge(status, "capi-cluster", { subresource: "status", apiVersion: "cluster.x-k8s.io/v1beta1" })
  await prod.apply(cluster("v1beta2", { spec: { version: "v1.31", region: "eu" } }), "capi-topology")
  expect(entriesOf(await prod.live())).toEqual([
    "capi-topology Apply v1beta2",
    "kubectl-edit Update v1beta1",
    "capi-cluster Update/status v1beta1",
  ])
  return prod
}

const next = cluster("v1beta2", { spec: { version: "v1.32", region: "eu" } })

describe("cluster-api#11894: a CRD drops a version", () => {
  it("the problem: nobody can apply once the version is gone", async () => {
    const prod = await redefined(await inThePast(), later)
    const { status, body } = await prod.apply(next, "capi-topology")
    expect([status, body.message]).toEqual([
      500,
      "request to convert CR to an invalid group/version: cluster.x-k8s.io/v1beta1",
    ])
  })

  it("requires the names of the managers whose entries may go, since they would lose fields", async () => {
    const live = await (await inThePast()).live()
    const refused = () => dropVersion(live, { ...knownBy(both), apiVersion: "v1beta1" })
    expect(refused).toThrow(StillOwnedError)
    expect(refused).toThrow(
      '"kubectl-edit" (Update, cluster.x-k8s.io/v1beta1) owns .spec.paused; ' +
        '"capi-cluster" (Update, status, cluster.x-k8s.io/v1beta1) owns .status, .status.phase: ' +
        "name the managers that may lose it, or all",
    )
  })

  it("drop-version solves it, before the version goes", async () => {
    const prod = await inThePast()
    const made = dropVersion(await prod.live(), { ...knownBy(both), apiVersion: "v1beta1", managers: { all: true } })
    expect(made.orphaned.map(({ path }) => path)).toEqual([".spec.paused", ".status", ".status.phase"])
    const { status, body } = await prod.patch(made.patch)
    expect([status, entriesOf(body)]).toEqual([200, ["capi-topology Apply v1beta2"]])
    const after = await redefined(prod, later)
    const applied = await after.apply(next, "capi-topology")
    expect([applied.status, applied.body.spec]).toEqual([200, { paused: true, region: "eu", version: "v1.32" }])
  })

  it("to-version solves it in one step, and nobody loses anything", async () => {
    const prod = await inThePast()
    const made = toVersion(await prod.live(), { ...knownBy(both), apiVersion: "v1beta2", managers: { all: true } })
    expect([made.orphaned, entriesOf(made.object)]).toEqual([
      [],
      ["capi-topology Apply v1beta2", "kubectl-edit Update v1beta2", "capi-cluster Update/status v1beta2"],
    ])
    const { status, body } = await prod.patch(made.patch)
    expect([status, (body.metadata as MapValue).managedFields]).toEqual([200, made.managedFields])
    const after = await redefined(prod, later)
    expect((await after.apply(next, "capi-topology")).status).toBe(200)
  })

  it("transfer to the new version solves it too, and then nobody loses anything", async () => {
    const prod = await inThePast()
    const to = { toVersion: "v1beta2", toOperation: "Update" } as const
    for (const manager of ["kubectl-edit", "capi-cluster"]) {
      const made = transfer(await prod.live(), { ...knownBy(both), ...to, from: manager, to: manager })
      expect([made.orphaned, (await prod.patch(made.patch)).status]).toEqual([[], 200])
    }
    const after = await redefined(prod, later)
    expect((await after.apply(next, "capi-topology")).status).toBe(200)
    expect(entriesOf(await after.live()).toSorted()).toEqual([
      "capi-cluster Update/status v1beta2",
      "capi-topology Apply v1beta2",
      "kubectl-edit Update v1beta2",
    ])
    const taken = await after.apply(
      cluster("v1beta2", { spec: { ...(next.spec as object), paused: false } }),
      "capi-topology",
    )
    expect([taken.status, taken.body.message]).toEqual([
      409,
      'Apply failed with 1 conflict: conflict with "kubectl-edit" using cluster.x-k8s.io/v1beta2: .spec.paused',
    ])
  })
})
