/** Plans moves between tools, with live objects that the released tools have written (test/vectors/appliers.json). */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { kubernetes } from "../../../src/kinds/kubernetes.js"
import { FieldManager } from "../../../src/managedfields/index.js"
import { type MigrateRequest, migrate } from "../../../src/tools/managers/migrate.js"
import { transfer } from "../../../src/tools/managers/operations.js"
import { plan } from "../../../src/tools/ownership/plan.js"
import type { MapValue } from "../../../src/value/value.js"
import { deepFreeze } from "../../support/deep-freeze.js"
import { type RecordedStory, vectorsFile } from "../appliers/recorded.js"
import { schemaErrors } from "../ownership/schema.js"

const recorded = JSON.parse(readFileSync(vectorsFile, "utf8")) as RecordedStory[]

/** Plans the move of the object of a story, to the configuration of the story. */
function move(
  story: string,
  request: Pick<MigrateRequest, "from" | "to"> & Partial<MigrateRequest>,
  config?: MapValue,
) {
  const [tool, name] = story.split(": ")
  const found = recorded.find(each => each.tool === tool && each.name === name)
  if (found === undefined) throw new Error(`no story ${story}`)
  const clock = () => new Date("2026-01-02T03:04:05Z")
  const options = { types: kubernetes, clock, origin: { name: "shop", namespace: found.namespace }, ...request }
  const given = [found.live as MapValue, config ?? found.config] as const
  const migration = migrate(deepFreeze(given[0]), deepFreeze(given[1]), options)
  expect(schemaErrors(migration)).toBe("")
  const { from: _, to, ...rest } = options
  expect(migration.plan).toEqual(plan(given[0], given[1], { ...rest, as: to }))
  return migration
}

const texts = ({ commands }: ReturnType<typeof migrate>, when: string) =>
  commands.filter(command => command.when === when).map(({ text }) => text)

describe("from Helm 3 to Helm 4", () => {
  const tools = { from: "helm3", to: "helm4" } as const

  it("leaves nothing behind", () => {
    const moved = move("helm: a release of Helm 3, with another value and without a field", tools)
    const changes = moved.plan.changes.filter(({ because }) => because !== "defaulted")
    expect(changes.map(({ action, path }) => `${action} ${path}`)).toEqual([
      "remove .spec.paused",
      "change .spec.replicas",
    ])
    expect([moved.from, moved.to, moved.taken, moved.left]).toEqual(["helm3", "helm", [], { entries: [], fields: [] }])
    expect(texts(moved, "apply")).toEqual([
      `helm upgrade shop CHART --namespace ${moved.target.namespace} --server-side=true`,
    ])
  })

  it("fails over replicas of an autoscaler, and says how to leave them alone", () => {
    const moved = move("helm: a release of Helm 3 that an autoscaler scaled", tools)
    expect(moved.plan.outcome).toBe("conflict")
    expect(moved.taken).toMatchObject([
      { owner: { manager: "autoscaler" }, role: "autoscaler", fields: [{ path: ".spec.replicas", from: 7, to: 3 }] },
    ])
    expect(texts(moved, "before")[0]).toContain("leave .spec.replicas out of the chart's template")
    expect(texts(moved, "apply")[0]).toContain("--server-side=true --force-conflicts")
  })

  it("keeps the replicas of an autoscaler that the chart leaves out", () => {
    const { plan, taken } = move("helm: a release of Helm 3 that an autoscaler scaled, without replicas", tools)
    expect([plan.outcome, taken]).toEqual(["change", []])
  })

  it("takes manual edits by force only", () => {
    const name = "helm: a release of Helm 3 that somebody edited, by force"
    expect(move(name, tools).plan.outcome).toBe("conflict")
    const forced = move(name, { ...tools, force: true })
    expect(forced.plan.outcome).toBe("change")
    expect(forced.taken).toMatchObject([
      { role: "person", fields: [{ path: ".data.color", from: "green", to: "red" }] },
    ])
    expect(texts(forced, "before")).toEqual([])
  })
})

describe("from client-side kubectl", () => {
  const edited = "kubectl: an object of kubectl's client-side apply that somebody edited"
  const changed = "kubectl: an object of kubectl's client-side apply, with another value and without a field"

  it("keeps the annotation of client-side apply with kubectl", () => {
    const moved = move(changed, { from: "kubectl-client", to: "kubectl" })
    expect(moved.left.fields.map(({ steps }) => steps.at(-1))).toEqual([
      "f:kubectl.kubernetes.io/last-applied-configuration",
    ])
    expect(texts(moved, "after")).toEqual([
      `kubectl annotate configmap/web --namespace=${moved.target.namespace} kubectl.kubernetes.io/last-applied-configuration-`,
    ])
  })

  it("takes edits with Argo CD, which forces", () => {
    const moved = move(edited, { from: "kubectl-client", to: "argocd" })
    expect(moved.plan.outcome).toBe("change")
    expect(moved.taken).toMatchObject([{ role: "person", fields: [{ path: ".spec.replicas", from: 4, to: 3 }] }])
    expect(texts(moved, "apply")).toEqual([
      "argocd app set shop --sync-option ServerSideApply=true",
      "argocd app sync shop",
    ])
  })

  it("takes edits with Flux, which takes over the entries of kubectl", () => {
    const { taken, left } = move(edited, { from: "kubectl-client", to: "flux" })
    expect(taken.map(({ role, owner }) => [role, owner.manager])).toEqual([["person", "kubectl-edit"]])
    expect(left).toEqual({ entries: [], fields: [] })
  })
})

describe("from Helm to Argo CD", () => {
  it("leaves Helm's entry, its marks, and the fields that the new configuration lacks", () => {
    const name = "helm: a release of Helm 3, with another value and without a field"
    const moved = move(name, { from: "helm3", to: "argocd" })
    expect(moved.left.entries.map(({ owner }) => [owner.manager, owner.operation])).toEqual([["helm", "Update"]])
    expect(moved.left.fields.map(({ path }) => path)).toEqual([
      ".metadata.annotations.meta.helm.sh/release-name",
      ".metadata.annotations.meta.helm.sh/release-namespace",
      ".metadata.labels.app.kubernetes.io/managed-by",
      ".spec.paused",
    ])
    expect(texts(moved, "after")).toEqual([
      `smd managers transfer --from helm --to argocd-controller deployment.apps/web --namespace=${moved.target.namespace} --output kubectl`,
    ])
  })

  it("finds the old tool under another name", () => {
    const name = "client-go: the same configuration again"
    const config = recorded.find(each => each.tool === "client-go" && each.name === "the same configuration again")
      ?.config as MapValue
    const moved = move(name, { from: "helm3", to: "argocd", fromManagers: ["my-operator"] }, config)
    expect(moved.left.entries.map(({ owner }) => owner.manager)).toEqual(["my-operator"])
  })
})

describe("entries that are in the way", () => {
  const map = (data: object) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" }, data })
  const old = map({ color: "red", size: "1" })
  const engine = new FieldManager({ types: kubernetes })
  const live = engine.update(undefined, old, { manager: "kubectl-client-side-apply" }).object
  const next = map({ color: "blue" })
  const request = { types: kubernetes, from: "kubectl-client", to: "client-go", manager: "gitops" } as const
  const handover = "smd managers transfer --from kubectl-client-side-apply --to gitops configmap/web --output kubectl"

  it("are handed over before an apply that fails because of them", () => {
    const moved = migrate(live, next, request)
    expect([moved.plan.outcome, moved.commands]).toEqual(["conflict", [{ when: "before", text: handover }]])
    const { object } = transfer(live, { types: kubernetes, from: "kubectl-client-side-apply", to: "gitops" })
    expect(plan(object, next, request)).toMatchObject({ outcome: "change", object: { data: { color: "blue" } } })
  })

  it("are handed over afterwards if the apply succeeds", () => {
    for (const moved of [migrate(live, next, { ...request, force: true }), migrate(live, old, request)]) {
      const entries = moved.left.entries.length
      expect([entries, moved.commands]).toEqual(entries === 0 ? [0, []] : [1, [{ when: "after", text: handover }]])
    }
  })

  it("make force unnecessary, unless others are in the way too", () => {
    const helm = { types: kubernetes, from: "kubectl-client", to: "helm4" } as const
    expect(texts(migrate(live, next, helm), "apply").join()).not.toContain("--force-conflicts")
    const edited = engine.update(live, map({ color: "red", size: "2" }), { manager: "kubectl-edit" }).object
    const moved = migrate(edited, map({ color: "blue", size: "3" }), helm)
    expect(texts(moved, "apply").join()).toContain("--force-conflicts")
    expect(texts(moved, "before")).toEqual([handover.replace("gitops", "helm")])
  })

  it("of subresources stay", () => {
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "web" },
      spec: { containers: [{ name: "web", image: "a" }] },
    }
    const created = engine.update(undefined, pod, { manager: "helm" }).object as MapValue
    const status = { ...created, status: { message: "ok" } }
    const stored = engine.update(created, status, { manager: "helm", subresource: "status" }).object
    const moved = migrate(stored, pod, { ...request, from: "helm3" })
    expect(texts(moved, "after")).toEqual([
      "smd managers transfer --from helm --to gitops --subresource '' pod/web --output kubectl",
    ])
  })
})

describe("other owners by updates", () => {
  const map = (data: object) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" }, data })
  const engine = new FieldManager({ types: kubernetes })
  const live = engine.update(undefined, map({ color: "red", size: "1" }), { manager: "legacy-controller" }).object
  const request = { types: kubernetes, from: "kubectl-client", to: "client-go", manager: "gitops" } as const

  it("are named if they own a field of the configuration", () => {
    const moved = migrate(live, map({ color: "red" }), request)
    expect(schemaErrors(moved)).toBe("")
    expect(moved.left.entries).toEqual([])
    expect(moved.coOwners).toMatchObject([
      {
        owner: { manager: "legacy-controller" },
        role: "program",
        fields: [{ path: ".data.color" }, { path: ".data.size" }],
      },
    ])
    expect(migrate(live, map({ shape: "round" }), request).coOwners).toBe(undefined)
  })

  it("are named if a tool sends nothing because no value drifts", () => {
    const { plan, coOwners } = migrate(live, map({ color: "red", size: "1" }), { ...request, to: "flux" })
    expect([plan.as?.skipped, coOwners?.length]).toEqual(["no value drifts", 1])
  })

  it("belong to the old tool if the request names them", () => {
    const fromManagers = ["legacy-controller"]
    const both = engine.update(live, map({ color: "red", size: "2" }), { manager: "kubectl-client-side-apply" }).object
    const moved = migrate(both, map({ color: "red", size: "2" }), { ...request, fromManagers })
    expect([moved.coOwners, moved.left.entries.map(({ owner }) => owner.manager)]).toEqual([
      undefined,
      ["kubectl-client-side-apply", "legacy-controller"],
    ])
  })
})

describe("a move", () => {
  const config = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "init" } }
  const hook = (key: string) => ({ ...config, metadata: { name: "init", annotations: { [key]: "pre-upgrade" } } })

  it.each([
    ["helm4", "helm.sh/hook"],
    ["argocd", "helm.sh/hook"],
    ["argocd", "argocd.argoproj.io/hook"],
  ] as const)("to %s leaves out a hook with %s", (to, key) => {
    const { plan, commands } = migrate(undefined, hook(key), { types: kubernetes, from: "helm3", to })
    expect([plan.as?.skipped, commands]).toEqual([`${key}: pre-upgrade`, []])
  })

  it("names the wave of an object", () => {
    const metadata = { name: "web", annotations: { "argocd.argoproj.io/sync-wave": "-1" } }
    const given = { apiVersion: "v1", kind: "ConfigMap", metadata }
    expect(migrate(undefined, given, { types: kubernetes, from: "helm3", to: "argocd" }).wave).toBe("-1")
    expect(migrate(undefined, given, { types: kubernetes, from: "helm3", to: "helm" }).wave).toBe(undefined)
  })

  it("quotes names for the shell", () => {
    const origin = { name: "a b", namespace: "$(x)" }
    const given = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" } }
    const moved = migrate(undefined, given, { types: kubernetes, from: "helm3", to: "helm4", origin })
    expect(texts(moved, "apply")).toEqual(["helm upgrade 'a b' CHART --namespace '$(x)' --server-side=true"])
  })

  it("has plain words for a tool without a release", () => {
    const given = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" } }
    const { commands } = migrate(undefined, given, { types: kubernetes, from: "helm3", to: "helm4" })
    expect(commands).toEqual([
      { when: "apply", text: "helm upgrade NAME CHART --namespace NAMESPACE --server-side=true" },
    ])
  })

  it("names the release and namespace that marks of the live object name, for want of an origin", () => {
    const annotations = { "meta.helm.sh/release-name": "blog", "meta.helm.sh/release-namespace": "press" }
    const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web", annotations } }
    const helm = migrate(map, map, { types: kubernetes, from: "helm3", to: "helm4" })
    expect(texts(helm, "apply")).toEqual(["helm upgrade blog CHART --namespace press --server-side=true"])
    const labels = { "kustomize.toolkit.fluxcd.io/name": "apps", "kustomize.toolkit.fluxcd.io/namespace": "fleet" }
    const labelled = { ...map, metadata: { name: "web", labels } }
    const flux = migrate(labelled, { ...map, data: { a: "1" } }, { types: kubernetes, from: "helm3", to: "flux" })
    expect(texts(flux, "apply")).toEqual(["flux reconcile kustomization apps --namespace fleet --with-source"])
  })

  it("finds a tool whose names have a common beginning", () => {
    const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" }, data: { a: "1" } }
    const { object } = new FieldManager({ types: kubernetes }).apply(undefined, map, {
      manager: "pulumi-kubernetes-8f2c",
    })
    const { left } = migrate(object, map, { types: kubernetes, from: "pulumi", to: "kubectl" })
    expect(left.entries.map(({ owner }) => owner.manager)).toEqual(["pulumi-kubernetes-8f2c"])
  })

  it("leaves nothing behind where the server refuses the apply", () => {
    const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" }, data: { a: "1" } }
    const { object } = new FieldManager({ types: kubernetes }).update(undefined, map, { manager: "helm" })
    const wrong = { ...map, data: { "a b": "1" } }
    const moved = migrate(object, wrong, { types: kubernetes, from: "helm3", to: "argocd" })
    expect([moved.plan.outcome, moved.left]).toEqual(["refused", { entries: [], fields: [] }])
  })

  it("refuses tools that it does not know, and those that do not apply", () => {
    const options = { types: kubernetes, from: "helm3", to: "helm3" } as const
    expect(() => migrate(undefined, config, options)).toThrow("Helm 3 does not apply")
    const unknown = { ...options, from: "hlem3" as "helm3" }
    expect(() => migrate(undefined, config, unknown)).toThrow('no applier is called "hlem3": did you mean helm3?')
  })
})
