// The profiles of kubectl, Argo CD and Flux, which apply manifests.
import { lastAppliedAnnotation } from "../../managedfields/chain/last-applied.js"
import type { ApplierProfile, ReplaceManagersStep, SkipRule, ToolWay } from "./profile.js"

const leaveOut: ToolWay = { way: "relinquish", text: "leave {path} out of the manifest" }
export const agree: ToolWay = { way: "share", text: "write the live value at {path}" }
/** The ways of tools that users tell to force. */
export function plainWays(force: string): readonly ToolWay[] {
  return [leaveOut, agree, { way: "overwrite", text: force }]
}

/** kubectl apply without --server-side, which patches by the annotation that it keeps. */
export const kubectlClient: ApplierProfile = {
  name: "kubectl-client",
  tool: "kubectl apply, client-side",
  versions: "1.18 to 1.37",
  manager: "kubectl-client-side-apply",
  writes: "update",
  force: "always",
  ways: [leaveOut],
  sources: ["https://github.com/kubernetes/kubectl/blob/v0.37.2/pkg/cmd/apply/apply.go"],
  proof: "sources",
}

/** The manager that kubectl makes the owner of its annotation. */
export const lastAppliedManager = "kubectl-last-applied"

export const kubectl: ApplierProfile = {
  name: "kubectl",
  tool: "kubectl",
  versions: "1.37, kubectl apply --server-side",
  manager: "kubectl",
  force: "on-request",
  after: [
    { step: "keep-last-applied", manager: lastAppliedManager, onlyAs: "kubectl" },
    { step: "upgrade-managers", managers: "owners-of-last-applied", reapplies: true },
  ],
  ways: plainWays("kubectl apply --server-side --force-conflicts"),
  commands: [{ text: "kubectl apply --server-side -f FILE", force: "--force-conflicts" }],
  sources: ["https://github.com/kubernetes/kubectl/blob/v0.37.2/pkg/cmd/apply/apply.go"],
  proof: "programs",
}

const argocdMetadata = { annotations: { "argocd.argoproj.io/tracking-id": "{id}" } } as const
const argocdHooks: readonly SkipRule[] = [
  { marked: { "argocd.argoproj.io/hook": "*", "helm.sh/hook": "*" }, on: "configuration" },
]
const argocdWaves = "argocd.argoproj.io/sync-wave"
const argocdWays: readonly ToolWay[] = [
  {
    way: "relinquish",
    text: "spec.ignoreDifferences with jsonPointers: [{pointer}], and RespectIgnoreDifferences=true in spec.syncPolicy.syncOptions",
  },
  leaveOut,
]
const argocdSources = [
  "https://github.com/argoproj/argo-cd/blob/v3.5.1/gitops-engine/pkg/sync/sync_context.go",
  "https://github.com/argoproj/argo-cd/blob/v3.5.1/gitops-engine/pkg/utils/kube/resource_ops.go",
  "https://github.com/argoproj/argo-cd/blob/v3.5.7/controller/sync.go",
] as const

/** Argo CD without ServerSideApply=true: kubectl's client-side apply under another name. */
export const argocdClient: ApplierProfile = {
  name: "argocd-client",
  tool: "Argo CD, client-side",
  versions: "3.5 without ServerSideApply=true",
  manager: "argocd-controller",
  writes: "update",
  force: "always",
  configuration: argocdMetadata,
  skips: argocdHooks,
  waves: argocdWaves,
  ways: argocdWays,
  sources: argocdSources,
  proof: "sources",
}

export const argocd: ApplierProfile = {
  name: "argocd",
  tool: "Argo CD",
  versions: "3.5 with ServerSideApply=true",
  manager: "argocd-controller",
  force: "always",
  configuration: argocdMetadata,
  skips: argocdHooks,
  waves: argocdWaves,
  ignored: "live-value",
  before: [{ step: "upgrade-managers", managers: ["kubectl-client-side-apply"] }],
  after: [{ step: "upgrade-managers", managers: "owners-of-last-applied", reapplies: true }],
  ways: argocdWays,
  commands: [{ text: "argocd app set {name} --sync-option ServerSideApply=true" }, { text: "argocd app sync {name}" }],
  sources: argocdSources,
  proof: "programs",
}

/** The entries that Flux and Pulumi take from kubectl. */
export const fromKubectl: ReplaceManagersStep["entries"] = [
  { manager: "kubectl", prefix: true, operation: "Apply" },
  { manager: "kubectl", prefix: true, operation: "Update" },
  { manager: "before-first-apply", prefix: true, operation: "Update" },
]

const fluxGroup = "kustomize.toolkit.fluxcd.io"

export const flux: ApplierProfile = {
  name: "flux",
  tool: "Flux (kustomize-controller)",
  versions: "kustomize-controller 1.9, ssa 0.78",
  manager: "kustomize-controller",
  force: "always",
  configuration: {
    goTypes: true,
    labels: { [`${fluxGroup}/name`]: "{name}", [`${fluxGroup}/namespace`]: "{namespace}" },
  },
  skips: [
    { marked: { [`${fluxGroup}/reconcile`]: "disabled" } },
    { marked: { [`${fluxGroup}/ssa`]: "Ignore" } },
    { marked: { [`${fluxGroup}/ssa`]: "IfNotPresent" }, on: "configuration", existing: true },
  ],
  sends: "drift",
  ignored: "unless-applied",
  recreates: { [`${fluxGroup}/force`]: "enabled" },
  before: [
    {
      step: "replace-managers",
      entries: [...fromKubectl, { manager: "kustomize-controller", prefix: true, operation: "Update" }],
      annotations: [lastAppliedAnnotation, `${fluxGroup}/checksum`, "fluxcd.io/sync-checksum"],
      labels: ["fluxcd.io/sync-gc-mark"],
      unless: { [`${fluxGroup}/ssa`]: "Merge" },
    },
  ],
  ways: [
    { way: "relinquish", text: "spec.ignore of the Kustomization with paths: [{pointer}]" },
    { way: "relinquish", text: `the annotation ${fluxGroup}/ssa: Ignore, for the whole object` },
    leaveOut,
  ],
  commands: [{ text: "flux reconcile kustomization {name} --namespace {namespace} --with-source" }],
  sources: [
    "https://github.com/fluxcd/pkg/blob/ssa/v0.78.0/ssa/manager_apply.go",
    "https://github.com/fluxcd/pkg/blob/ssa/v0.78.0/ssa/patch.go",
    "https://github.com/fluxcd/kustomize-controller/blob/v1.9.6/internal/controller/kustomization_controller.go",
  ],
  proof: "programs",
}
