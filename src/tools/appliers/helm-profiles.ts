// The profiles of Helm, and of Flux where it uses Helm.
import type { ApplierProfile, SkipRule, ToolWay } from "./profile.js"

const helmMetadata = {
  labels: { "app.kubernetes.io/managed-by": "Helm" },
  annotations: { "meta.helm.sh/release-name": "{release}", "meta.helm.sh/release-namespace": "{target}" },
} as const

const helmWays: readonly ToolWay[] = [
  { way: "relinquish", text: "leave {path} out of the chart's template, or render it only if a value asks for it" },
  { way: "share", text: "set the live value in the chart's values" },
]

const helmHooks: readonly SkipRule[] = [{ marked: { "helm.sh/hook": "*" }, on: "configuration" }]

/** Helm 3 patches objects with a merge of three: its last manifest, the new one and the live object. */
export const helm3: ApplierProfile = {
  name: "helm3",
  tool: "Helm 3",
  versions: "3.2 to 3.22",
  manager: "helm",
  writes: "update",
  force: "always",
  configuration: helmMetadata,
  skips: helmHooks,
  namespace: "release",
  ways: helmWays,
  sources: ["https://github.com/helm/helm/blob/v3.22.0/pkg/kube/client.go"],
  proof: "sources",
}

export const helm: ApplierProfile = {
  name: "helm",
  tool: "Helm 4",
  versions: "4.0 to 4.3, with server-side apply",
  manager: "helm",
  force: "on-request",
  configuration: helmMetadata,
  skips: helmHooks,
  namespace: "release",
  before: [{ step: "upgrade-managers", managers: ["helm"], if: "never-applied" }],
  ways: [
    ...helmWays,
    { way: "overwrite", text: "helm upgrade --force-conflicts" },
    {
      way: "overwrite",
      text: "helm upgrade --server-side=false, which writes without asking and owns fields by updates",
    },
  ],
  commands: [
    { text: "helm upgrade {release} CHART --namespace {target} --server-side=true", force: "--force-conflicts" },
  ],
  sources: [
    "https://github.com/helm/helm/blob/v4.3.1/pkg/kube/client.go",
    "https://github.com/helm/helm/blob/v4.3.1/pkg/action/upgrade.go",
    "https://github.com/helm/helm/blob/v4.3.1/pkg/action/validate.go",
  ],
  proof: "programs",
}

export const fluxHelm: ApplierProfile = {
  ...helm,
  name: "flux-helm",
  tool: "Flux (helm-controller)",
  versions: "helm-controller 1.6, with Helm 4",
  manager: "helm-controller",
  force: "always",
  configuration: {
    ...helmMetadata,
    labels: {
      ...helmMetadata.labels,
      "helm.toolkit.fluxcd.io/name": "{name}",
      "helm.toolkit.fluxcd.io/namespace": "{namespace}",
    },
  },
  before: [{ step: "upgrade-managers", managers: ["helm-controller"], if: "never-applied" }],
  ways: [
    ...helmWays,
    { way: "relinquish", text: "spec.postRenderers of the HelmRelease with a patch that removes {pointer}" },
  ],
  commands: [
    { text: "set spec.upgrade.serverSideApply: enabled in the HelmRelease" },
    { text: "flux reconcile helmrelease {name} --namespace {namespace} --with-source" },
  ],
  sources: [
    "https://github.com/fluxcd/helm-controller/blob/v1.6.3/internal/action/upgrade.go",
    "https://github.com/fluxcd/helm-controller/blob/v1.6.3/internal/postrender/common_renderer.go",
    ...(helm.sources ?? []),
  ],
}
