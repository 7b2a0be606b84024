// The built-in profiles. Each fact stands in the released source of its tool; `sources` names the files.
import { lastAppliedAnnotation } from "../../managedfields/chain/last-applied.js"
import type { ApplierName, ApplierProfile, ReplaceManagersStep, ToolWay } from "./profile.js"

const leaveOut: ToolWay = { way: "relinquish", text: "leave {path} out of the manifest" }
const agree: ToolWay = { way: "share", text: "write the live value at {path}" }

const helmMetadata = {
  labels: { "app.kubernetes.io/managed-by": "Helm" },
  annotations: { "meta.helm.sh/release-name": "{name}", "meta.helm.sh/release-namespace": "{namespace}" },
} as const

const helmWays: readonly ToolWay[] = [
  { way: "relinquish", text: "leave {path} out of the chart's template, or render it only if a value asks for it" },
  { way: "share", text: "set the live value in the chart's values" },
]

/** The entries that Flux and Pulumi take from kubectl. */
const fromKubectl: ReplaceManagersStep["entries"] = [
  { manager: "kubectl", prefix: true, operation: "Apply" },
  { manager: "kubectl", prefix: true, operation: "Update" },
  { manager: "before-first-apply", prefix: true, operation: "Update" },
]

const helm: ApplierProfile = {
  name: "helm",
  tool: "Helm",
  versions: "4.0 to 4.3, with server-side apply",
  manager: "helm",
  force: "on-request",
  configuration: helmMetadata,
  before: [{ step: "upgrade-managers", managers: ["helm"], if: "never-applied" }],
  ways: [
    ...helmWays,
    { way: "overwrite", text: "helm upgrade --force-conflicts" },
    {
      way: "overwrite",
      text: "helm upgrade --server-side=false, which writes without asking and owns fields by updates",
    },
  ],
  sources: [
    "https://github.com/helm/helm/blob/v4.3.1/pkg/kube/client.go",
    "https://github.com/helm/helm/blob/v4.3.1/pkg/action/upgrade.go",
    "https://github.com/helm/helm/blob/v4.3.1/pkg/action/validate.go",
  ],
  proof: "programs",
}

const kubectl: ApplierProfile = {
  name: "kubectl",
  tool: "kubectl",
  versions: "1.37, kubectl apply --server-side",
  manager: "kubectl",
  force: "on-request",
  after: [
    { step: "keep-last-applied", manager: "kubectl-last-applied", onlyAs: "kubectl" },
    { step: "upgrade-managers", managers: "owners-of-last-applied", reapplies: true },
  ],
  ways: [leaveOut, agree, { way: "overwrite", text: "kubectl apply --server-side --force-conflicts" }],
  sources: ["https://github.com/kubernetes/kubectl/blob/v0.37.2/pkg/cmd/apply/apply.go"],
  proof: "programs",
}

const argocd: ApplierProfile = {
  name: "argocd",
  tool: "Argo CD",
  versions: "3.5 with ServerSideApply=true",
  manager: "argocd-controller",
  force: "always",
  configuration: { annotations: { "argocd.argoproj.io/tracking-id": "{id}" } },
  before: [{ step: "upgrade-managers", managers: ["kubectl-client-side-apply"] }],
  after: [{ step: "upgrade-managers", managers: "owners-of-last-applied", reapplies: true }],
  ways: [
    {
      way: "relinquish",
      text: "spec.ignoreDifferences with jsonPointers: [{pointer}], and RespectIgnoreDifferences=true in spec.syncPolicy.syncOptions",
    },
    { way: "relinquish", text: "leave {path} out of the manifest" },
  ],
  sources: [
    "https://github.com/argoproj/argo-cd/blob/v3.5.1/gitops-engine/pkg/sync/sync_context.go",
    "https://github.com/argoproj/argo-cd/blob/v3.5.1/gitops-engine/pkg/utils/kube/resource_ops.go",
    "https://github.com/argoproj/argo-cd/blob/v3.5.7/controller/sync.go",
  ],
  proof: "sources",
}

const fluxGroup = "kustomize.toolkit.fluxcd.io"

const flux: ApplierProfile = {
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
    { way: "relinquish", text: "leave {path} out of the manifest" },
  ],
  sources: [
    "https://github.com/fluxcd/pkg/blob/ssa/v0.78.0/ssa/manager_apply.go",
    "https://github.com/fluxcd/pkg/blob/ssa/v0.78.0/ssa/patch.go",
    "https://github.com/fluxcd/kustomize-controller/blob/v1.9.6/internal/controller/kustomization_controller.go",
  ],
  proof: "programs",
}

const fluxHelm: ApplierProfile = {
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
  sources: [
    "https://github.com/fluxcd/helm-controller/blob/v1.6.3/internal/action/upgrade.go",
    "https://github.com/fluxcd/helm-controller/blob/v1.6.3/internal/postrender/common_renderer.go",
    ...(helm.sources ?? []),
  ],
}

const crossplane: ApplierProfile = {
  name: "crossplane",
  tool: "Crossplane",
  versions: "2.4, composed resources",
  managerPrefix: "apiextensions.crossplane.io/composed",
  force: "always",
  before: [{ step: "clear-managers" }],
  ways: [{ way: "relinquish", text: "leave {path} out of the composed resource that the function returns" }],
  sources: [
    "https://github.com/crossplane/crossplane/blob/v2.3.4/internal/ssa/managed_fields.go",
    "https://github.com/crossplane/crossplane/blob/v2.3.4/internal/controller/apiextensions/composite/composition_functions.go",
  ],
  proof: "sources",
}

const pulumi: ApplierProfile = {
  name: "pulumi",
  tool: "Pulumi",
  versions: "kubernetes provider 4.32, with server-side apply",
  managerPrefix: "pulumi-kubernetes-",
  force: "on-request",
  before: [
    {
      step: "replace-managers",
      entries: [
        ...fromKubectl,
        { manager: "pulumi-kubernetes", prefix: true, operation: "Update" },
        { manager: "pulumi-resource-kubernetes", prefix: true, operation: "Update" },
      ],
    },
  ],
  ways: [
    { way: "relinquish", text: "ignoreChanges with {path} in the options of the resource" },
    leaveOut,
    agree,
    { way: "overwrite", text: 'the annotation pulumi.com/patchForce: "true", or kubernetes:config:enablePatchForce' },
  ],
  sources: ["https://github.com/pulumi/pulumi-kubernetes/blob/v4.32.0/provider/pkg/await/await.go"],
  proof: "sources",
}

const terraform: ApplierProfile = {
  name: "terraform",
  tool: "Terraform",
  versions: "kubernetes provider 3.2, kubernetes_manifest",
  manager: "Terraform",
  force: "on-request",
  ways: [
    {
      way: "relinquish",
      text: 'leave {path} out of the manifest; computed_fields = ["{dots}"] lets a server change its value',
    },
    agree,
    { way: "overwrite", text: "field_manager { force_conflicts = true }" },
  ],
  sources: ["https://github.com/hashicorp/terraform-provider-kubernetes/blob/v3.2.1/manifest/provider/apply.go"],
  proof: "sources",
}

const kapp: ApplierProfile = {
  name: "kapp",
  tool: "kapp",
  versions: "0.60, which has no server-side apply",
  manager: "kapp",
  writes: "update",
  force: "always",
  ways: [{ way: "relinquish", text: "a rebaseRule of type copy with the path of {path} and sources [existing, new]" }],
  sources: ["https://github.com/carvel-dev/kapp/blob/v0.60.0/pkg/kapp/clusterapply/add_or_update_change.go"],
  proof: "sources",
}

const clientGo: ApplierProfile = {
  name: "client-go",
  tool: "client-go",
  versions: "0.37, and controller-runtime 0.25",
  force: "on-request",
  ways: [
    { way: "relinquish", text: "leave {path} out of the apply configuration" },
    { way: "share", text: "set the live value at {path} in the apply configuration" },
    { way: "overwrite", text: "metav1.ApplyOptions{Force: true}, or client.ForceOwnership of controller-runtime" },
  ],
  sources: ["https://github.com/kubernetes-sigs/controller-runtime/blob/v0.25.2/pkg/client/client.go"],
  proof: "programs",
}

/** The built-in profiles by name. */
export const applierProfiles: Readonly<Record<ApplierName, ApplierProfile>> = {
  helm,
  kubectl,
  argocd,
  flux,
  "flux-helm": fluxHelm,
  crossplane,
  pulumi,
  terraform,
  kapp,
  "client-go": clientGo,
}
