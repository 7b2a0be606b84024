// The built-in profiles. Each fact stands in the released source of its tool; `sources` names the files.
import { agree, argocd, argocdClient, flux, fromKubectl, kubectl, kubectlClient, plainWays } from "./gitops-profiles.js"
import { fluxHelm, helm, helm3 } from "./helm-profiles.js"
import type { ApplierAlias, ApplierName, ApplierProfile } from "./profile.js"

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
  proof: "programs",
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
    ...plainWays('the annotation pulumi.com/patchForce: "true", or kubernetes:config:enablePatchForce'),
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
  helm3,
  "kubectl-client": kubectlClient,
  "argocd-client": argocdClient,
}

/** Other names of profiles. */
export const otherNames: Readonly<Record<ApplierAlias, ApplierName>> = { helm4: "helm" }
