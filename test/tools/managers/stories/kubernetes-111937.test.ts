/**
 * https://github.com/kubernetes/kubernetes/issues/111937: an entry of managedFields at a version that the CRD has lost blocks every apply.
 * Until now the only remedy was to clear managedFields, which forgets every owner.
 */
import { describe, expect, it } from "vitest"
import { dropGoneVersions, StillOwnedError, transfer } from "../../../../src/tools/managers/index.js"
import { smd } from "../../../cli/cli.js"
import { cluster, clusterOn, definitionOf, entriesOf, knownBy, redefined } from "./clusters.js"

const gone = definitionOf(["v1beta1"])

/** The operator and its user applied the spec at v1alpha1. The user has gone on to v1beta1, and v1alpha1 is gone. */
async function inThePast() {
  const prod = clusterOn(["v1alpha1", "v1beta1"])
  await prod.apply(cluster("v1alpha1", { spec: { region: "eu", version: "v1" } }), "user")
  await prod.apply(cluster("v1alpha1", { status: { phase: "Ready" } }), "operator", { subresource: "status" })
  await prod.merge({ status: { phase: "Ready" } }, "operator", { subresource: "status" })
  await prod.apply(cluster("v1beta1", { spec: { region: "eu", version: "v2" } }), "user")
  return await redefined(prod, gone)
}

const next = cluster("v1beta1", { spec: { region: "eu" } })

describe("kubernetes#111937: an entry at a version that is gone", () => {
  it("the problem: every apply is refused", async () => {
    const prod = await inThePast()
    expect(entriesOf(await prod.live())).toEqual(["operator Apply/status v1alpha1", "user Apply v1beta1"])
    const { status, body } = await prod.apply(next, "user")
    expect([status, body.message]).toEqual([
      500,
      "request to convert CR to an invalid group/version: cluster.x-k8s.io/v1alpha1",
    ])
  })

  it("reports that no other rewrite helps while the entry exists", async () => {
    const prod = await inThePast()
    const live = await prod.live()
    const request = { from: "user", to: "gitops" }
    const { outcome, patch, findings } = transfer(live, { ...knownBy(gone), ...request })
    expect([outcome, patch, findings.map(({ code }) => code)]).toEqual(["unchanged", [], ["no-effect"]])
    const sent = await prod.patch(transfer(live, request).patch)
    expect([sent.status, entriesOf(sent.body)]).toEqual([200, entriesOf(live)])
  })

  it("drop-gone-versions solves it for the one manager, and for the user", async () => {
    const prod = await inThePast()
    const live = await prod.live()
    expect(() => dropGoneVersions(live, knownBy(gone))).toThrow(StillOwnedError)
    const { patch, managedFields, orphaned } = dropGoneVersions(live, { ...knownBy(gone), managers: "operator" })
    expect(orphaned.map(({ path }) => path)).toEqual([".status.phase"])
    const { status, body } = await prod.patch(patch)
    expect([status, (body.metadata as { managedFields: unknown }).managedFields]).toEqual([200, managedFields])
    const applied = await prod.apply(next, "user")
    expect([applied.status, applied.body.spec]).toEqual([200, { region: "eu" }])
  })

  it("smd managers drop-gone-versions solves it with the definition", async () => {
    const prod = await inThePast()
    const files = { "live.json": JSON.stringify(await prod.live()), "crd.json": JSON.stringify(gone) }
    const args = ["managers", "drop-gone-versions", "--crd", "crd.json", "--output", "patch", "live.json"]
    expect((await smd(args, { files })).err).toBe(
      'live.json:1:1: "operator" (Apply, status, cluster.x-k8s.io/v1alpha1) owns .status.phase; ' +
        "--manager NAME or --all-managers lets go of it\n",
    )
    const { out } = await smd([...args, "--manager", "operator"], { files })
    expect((await prod.patch(JSON.parse(out))).status).toBe(200)
    expect((await prod.apply(next, "user")).status).toBe(200)
  })
})
