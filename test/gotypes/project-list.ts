/** Projects whose Go types are compared with the CRDs that they publish, and why some places differ. */
import type { ModuleVersion } from "./modules.js"

/** A project at a release. */
export interface Project {
  readonly name: string
  /** The modules of its types and CRDs. The first one selects the versions of other modules. */
  readonly modules: readonly ModuleVersion[]
  /** The folders of the CRDs, in any of the modules. */
  readonly crds: readonly string[]
  /** The reasons why places differ, by patterns. The first one that matches counts, and each must match a place. */
  readonly reasons: readonly (keyof typeof reasons)[]
}

/** Patterns of differences, as `Kind.path: CRD / Go`. docs/gotypes.md explains each reason. */
export const reasons = {
  "int-or-string": [/: any JSON \/ (untyped|numeric)$/],
  "raw object": [/: map \/ any JSON$/],
  "nested metadata": [
    /\.metadata: separable map \/ separable struct$/,
    /\.metadata\.\w+: none \/ a field$/,
    /\.metadata\.finalizers: atomic list \/ associative list$/,
  ],
  "atomic embedding": [
    /\.(configMap|configMapRef|secret|secretRef|targetMatchConstraints): atomic struct \/ separable struct$/,
  ],
  "patch strategy": [
    /\.(conditions|validationMessages): atomic list \/ associative list by type$/,
    /\.subscribers: atomic list \/ associative list by uid$/,
  ],
  "own JSON": [/(url|uri|Uri|source|schema|lastTransitionTime): string \/ any JSON$/],
  "trimmed by hand": [
    /^(Configuration|PodAutoscaler|Revision|Service)\.spec\..*: none \/ a field$/,
    /^(Configuration|Revision|Service)\.spec\..*: (separable|atomic) map \/ (separable|atomic) struct$/,
    /^(Configuration|Revision|Service)\.spec\..*: atomic list \/ associative list by /,
  ],
  "written by hand": [
    /: none \/ a field$/,
    /: a field \/ none$/,
    /: (separable map|separable struct with any other fields) \/ (separable|atomic) struct$/,
    /: separable struct \/ atomic struct$/,
    /: any JSON \/ string$/,
    /: string \/ untyped$/,
    /: atomic list \/ associative list by /,
  ],
  "open status": [/\.status.*: separable struct with any other fields \/ separable struct$/],
  "other spellings": [/\.(mirror_percent|jwks_uri): a field \/ none$/],
  "newer field": [/\.status\.addresses: none \/ a field$/],
  "union markers": [
    /\.schedulingGroup: no union \/ atMostOne of podGroupName$/,
    /: exactlyOne of lua, wasm, .* \/ atMostOne of lua, wasm$/,
  ],
} satisfies Record<string, readonly RegExp[]>

const kyvernoApi = "github.com/kyverno/api@v0.0.1-alpha.3.0.20260723090831-fb2785727f98"
const monitoring = "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring@v0.85.0"

export const projects: readonly Project[] = [
  {
    name: "cert-manager 1.21.2",
    modules: ["github.com/cert-manager/cert-manager@v1.21.2"],
    crds: ["deploy/crds"],
    reasons: ["int-or-string"],
  },
  {
    name: "Gateway API 1.5.0",
    modules: ["sigs.k8s.io/gateway-api@v1.5.0"],
    crds: ["config/crd/experimental"],
    reasons: [],
  },
  {
    name: "Cluster API 1.14.2",
    modules: ["sigs.k8s.io/cluster-api@v1.14.2", "sigs.k8s.io/cluster-api/api@v1.14.2"],
    crds: ["core/config/crd/bases", "controlplane/kubeadm/config/crd/bases", "bootstrap/kubeadm/config/crd/bases"],
    reasons: ["int-or-string"],
  },
  {
    name: "Argo CD 3.3.0",
    modules: ["github.com/argoproj/argo-cd/v3@v3.3.0"],
    crds: ["manifests/crds"],
    reasons: ["int-or-string"],
  },
  {
    name: "KEDA 2.21.0",
    modules: ["github.com/kedacore/keda/v2@v2.21.0"],
    crds: ["config/crd/bases"],
    reasons: ["int-or-string", "nested metadata", "atomic embedding", "union markers"],
  },
  {
    name: "Crossplane 2.0.2",
    modules: ["github.com/crossplane/crossplane/v2@v2.0.2"],
    crds: ["cluster/crds"],
    reasons: ["int-or-string", "nested metadata", "atomic embedding"],
  },
  {
    name: "Prometheus operator 0.85.0",
    modules: ["github.com/prometheus-operator/prometheus-operator@v0.85.0", monitoring],
    crds: ["example/prometheus-operator-crd-full"],
    reasons: ["int-or-string", "nested metadata", "atomic embedding"],
  },
  {
    name: "Knative Serving 1.18",
    modules: ["knative.dev/serving@v0.45.0"],
    crds: ["config/core/300-resources"],
    reasons: ["int-or-string", "patch strategy", "own JSON", "atomic embedding", "nested metadata", "trimmed by hand"],
  },
  {
    name: "Knative Eventing 1.18",
    modules: ["knative.dev/eventing@v0.45.0"],
    crds: ["config/core/resources"],
    reasons: ["raw object", "patch strategy", "own JSON", "written by hand"],
  },
  {
    name: "external-secrets 0.20.4",
    modules: ["github.com/external-secrets/external-secrets@v0.20.4"],
    crds: ["config/crds/bases"],
    reasons: [],
  },
  {
    name: "Kyverno 1.19.1",
    modules: ["github.com/kyverno/kyverno@v1.19.1", kyvernoApi],
    crds: ["config/crds/kyverno", "config/crds/policies.kyverno.io"],
    reasons: ["raw object", "atomic embedding"],
  },
  {
    name: "Istio 1.31.1",
    modules: ["istio.io/client-go@v1.31.1", "istio.io/api@v1.31.1"],
    crds: ["kubernetes"],
    reasons: ["int-or-string", "patch strategy", "open status", "other spellings", "newer field", "union markers"],
  },
  {
    name: "Flux source-controller 1.7.0",
    modules: ["github.com/fluxcd/source-controller@v1.7.0", "github.com/fluxcd/source-controller/api@v1.7.0"],
    crds: ["config/crd/bases"],
    reasons: [],
  },
]
