/** Documents of tools: Applications, Kustomizations and HelmReleases. */
import { describe, expect, it } from "vitest"
import { kubernetes } from "../../../src/kinds/kubernetes.js"
import { readOrigin } from "../../../src/tools/appliers/origin.js"
import { plan } from "../../../src/tools/ownership/plan.js"
import type { MapValue } from "../../../src/value/value.js"

const application = (spec: MapValue) => ({
  apiVersion: "argoproj.io/v1alpha1",
  kind: "Application",
  metadata: { name: "shop", namespace: "argocd" },
  spec,
})
const kustomization = (spec: MapValue) => ({
  apiVersion: "kustomize.toolkit.fluxcd.io/v1",
  kind: "Kustomization",
  metadata: { name: "shop", namespace: "flux-system" },
  spec,
})
const helmRelease = (spec: MapValue) => ({
  apiVersion: "helm.toolkit.fluxcd.io/v2",
  kind: "HelmRelease",
  metadata: { name: "shop", namespace: "flux-system" },
  spec,
})
const pointers = ["/spec/replicas"]
const ignoring = { ignoreDifferences: [{ group: "apps", kind: "Deployment", jsonPointers: pointers }] }
const options = ["ServerSideApply=true", "RespectIgnoreDifferences=true"]

describe("an Application", () => {
  it("has a namespace for its objects, and fields that it ignores", () => {
    const spec = { destination: { namespace: "web" }, ...ignoring, syncPolicy: { syncOptions: options } }
    expect(readOrigin(application(spec))).toEqual({
      as: "argocd",
      origin: {
        name: "shop",
        namespace: "argocd",
        targetNamespace: "web",
        ignores: [{ group: "apps", kind: "Deployment", pointers }],
      },
      notes: [],
    })
  })

  it.each([
    [{}, "syncOptions lacks ServerSideApply=true"],
    [{ syncPolicy: { syncOptions: ["Replace=true"] } }, "replaces objects"],
    [ignoring, "without RespectIgnoreDifferences=true"],
    [
      { ignoreDifferences: [{ kind: "A", jqPathExpressions: [".a"] }], syncPolicy: { syncOptions: options } },
      "ignoreDifferences has jqPathExpressions, which are not followed",
    ],
  ])("with %j gets a note", (spec, note) => {
    expect(readOrigin(application(spec)).notes.join("\n")).toContain(note)
  })

  it("keeps the live values of fields that it ignores", () => {
    const labels = { app: "web" }
    const config = (replicas: number) => ({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web", namespace: "web" },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:1" }] } },
      },
    })
    const { origin } = readOrigin(application({ ...ignoring, syncPolicy: { syncOptions: options } }))
    const live = plan(undefined, config(7), { types: kubernetes, manager: "autoscaler" }).object
    const kept = plan(live, config(3), { types: kubernetes, as: "argocd", origin })
    expect(kept.changes.map(({ path }) => path)).toEqual([".metadata.annotations"])
    const { ignores: _, ...plain } = origin
    const taken = plan(live, config(3), { types: kubernetes, as: "argocd", origin: plain })
    expect(taken.changes.map(({ path }) => path)).toEqual([".metadata.annotations", ".spec.replicas"])
  })
})

it("has no ignored fields in an Application without rules, or one that only hides differences", () => {
  const bare = { name: "shop", namespace: "argocd" }
  expect(readOrigin(application({ syncPolicy: { syncOptions: options } })).origin).toEqual(bare)
  expect(readOrigin(application(ignoring)).origin).toEqual(bare)
})

describe("a Kustomization", () => {
  it("moves objects, ignores fields and recreates objects", () => {
    const spec = {
      targetNamespace: "web",
      force: true,
      ignore: [{ paths: pointers }, { paths: ["/data"], target: { kind: "ConfigMap" } }],
    }
    expect(readOrigin(kustomization(spec))).toEqual({
      as: "flux",
      origin: {
        name: "shop",
        namespace: "flux-system",
        targetNamespace: "web",
        movesObjects: true,
        recreates: true,
        ignores: [{ pointers }, { kind: "ConfigMap", pointers: ["/data"] }],
      },
      notes: [],
    })
  })

  it.each([
    [{ patches: [], postBuild: {} }, "patches and postBuild of the Kustomization are not followed"],
    [{ ignore: [{ paths: pointers, target: { labelSelector: "a=b" } }] }, "select by labels"],
  ])("with %j gets a note", (spec, note) => {
    expect(readOrigin(kustomization(spec)).notes.join("\n")).toContain(note)
  })

  it.each(["patches", "images", "components", "postBuild", "namePrefix", "nameSuffix", "commonMetadata"])(
    "is built by others: %s",
    key => {
      const { origin, notes } = readOrigin(kustomization({ [key]: [] }))
      expect(origin).toEqual({ name: "shop", namespace: "flux-system" })
      expect(notes).toEqual([
        `${key} of the Kustomization are not followed: use the output of flux build kustomization`,
      ])
    },
  )

  it("ignores no fields for selectors that are expressions", () => {
    const note = "rules of ignore that select by labels, versions or expressions are not followed"
    for (const name of ["web.*", "a|b", 1]) {
      const read = readOrigin(kustomization({ ignore: [{ paths: pointers, target: { name } }] }))
      expect(read).toMatchObject({ origin: { name: "shop", namespace: "flux-system" }, notes: [note] })
      expect(read.origin.ignores).toBeUndefined()
    }
  })

  it("recreates an object whose apply is invalid", () => {
    const service = (clusterIP: string) => ({
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "web" },
      spec: { clusterIP, ports: [{ port: 80 }] },
    })
    const live = plan(undefined, service("10.0.0.1"), {
      types: kubernetes,
      as: "flux",
      origin: { name: "shop" },
    }).object
    const request = { types: kubernetes, as: "flux" } as const
    const refused = plan(live, service("10.0.0.2"), { ...request, origin: { name: "shop" } })
    expect([refused.outcome, refused.as?.steps]).toEqual(["refused", []])
    const recreated = plan(live, service("10.0.0.2"), { ...request, origin: { name: "shop", recreates: true } })
    expect([recreated.outcome, recreated.as?.steps.map(({ step }) => step)]).toEqual(["create", ["recreate"]])
  })
})

describe("a HelmRelease", () => {
  it.each([
    [{}, { name: "shop", namespace: "flux-system" }],
    [{ releaseName: "web" }, { name: "shop", namespace: "flux-system", release: "web" }],
    [
      { targetNamespace: "web" },
      { name: "shop", namespace: "flux-system", release: "web-shop", targetNamespace: "web" },
    ],
  ])("with %j has a release", (spec, origin) => {
    expect(readOrigin(helmRelease(spec))).toMatchObject({ as: "flux-helm", origin })
  })

  it("puts the release and itself into labels and annotations", () => {
    const { origin } = readOrigin(helmRelease({ targetNamespace: "web" }))
    const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "web" } }
    expect(plan(undefined, config, { types: kubernetes, as: "flux-helm", origin }).object).toMatchObject({
      metadata: {
        annotations: { "meta.helm.sh/release-name": "web-shop", "meta.helm.sh/release-namespace": "web" },
        labels: { "helm.toolkit.fluxcd.io/name": "shop", "helm.toolkit.fluxcd.io/namespace": "flux-system" },
      },
    })
  })

  it("gets notes unless it applies server-side without further steps", () => {
    expect(readOrigin(helmRelease({ upgrade: { serverSideApply: "enabled" } })).notes).toEqual([])
    expect(readOrigin(helmRelease({ postRenderers: [{}] })).notes).toHaveLength(2)
  })
})

it("refuses other documents", () => {
  const message = "an origin is an object with a name: Application of argoproj.io"
  const nameless = { ...application({}), metadata: {} }
  for (const document of [{}, nameless, { ...application({}), apiVersion: "app.k8s.io/v1" }]) {
    expect(() => readOrigin(document)).toThrow(message)
  }
})
