/** The stories that only one tool has. */
import type { ApplierStory, StoryTool } from "./stories.js"
import { configMap, deployment, scaled } from "./story-objects.js"

const merge = { annotations: { "kustomize.toolkit.fluxcd.io/ssa": "Merge" } }
export const ownStories: Readonly<Record<StoryTool, readonly ApplierStory[]>> = {
  helm: [
    {
      name: "a release of Helm 3",
      steps: [{ tool: deployment({ replicas: 3 }), by: "helm3" }],
      config: deployment({ replicas: 3 }),
    },
    {
      name: "a release of Helm 3, with another value and without a field",
      steps: [{ tool: deployment({ replicas: 3, paused: true }), by: "helm3" }],
      config: deployment({ replicas: 4 }),
    },
    {
      name: "a release of Helm 3 that an autoscaler scaled",
      steps: [{ tool: deployment({ replicas: 3 }), by: "helm3" }, scaled],
      config: deployment({ replicas: 3 }),
    },
    {
      name: "a release of Helm 3 that an autoscaler scaled, without replicas",
      steps: [{ tool: deployment({ replicas: 3 }), by: "helm3" }, scaled],
      config: deployment(),
    },
    {
      name: "a release of Helm 3 that somebody edited, by force",
      steps: [
        { tool: configMap({ color: "red" }), by: "helm3" },
        { patch: { data: { color: "green" } }, manager: "kubectl-edit" },
      ],
      config: configMap({ color: "red" }),
      force: true,
    },
  ],
  kubectl: [
    {
      name: "an object of client-side apply that another owns too",
      steps: [
        { tool: configMap({ color: "red", size: "1" }), by: "kubectl-client" },
        { apply: configMap({ size: "1" }), manager: "ci" },
      ],
      config: configMap({ color: "red" }),
    },
  ],
  flux: [
    {
      name: "ignored replicas of an autoscaler",
      steps: [{ tool: deployment({ replicas: 3 }) }, scaled],
      config: deployment({ replicas: 3 }),
      ignore: ["/spec/replicas"],
    },
    {
      name: "ignored replicas of an autoscaler, and another change",
      steps: [{ tool: deployment({ replicas: 3 }) }, scaled],
      config: deployment({ replicas: 3, paused: true }),
      ignore: ["/spec/replicas"],
    },
    {
      name: "an ignored field that another applies, and another change",
      steps: [
        { tool: configMap({ color: "red", size: "1" }) },
        { apply: configMap({ color: "green" }), manager: "ci", force: true },
      ],
      config: configMap({ color: "red", size: "2" }),
      ignore: ["/data/color"],
    },
    {
      name: "an ignored field that nobody has changed, and another change",
      steps: [{ tool: configMap({ color: "red", size: "1" }) }],
      config: configMap({ color: "red", size: "2" }),
      ignore: ["/data/color", "/data/shape"],
    },
    {
      name: "an ignored field of a new object",
      steps: [],
      config: configMap({ color: "red", size: "2" }),
      ignore: ["/data/color"],
    },
    {
      name: "an ignored field of client-side apply that somebody edited",
      steps: [
        { tool: deployment({ replicas: 3 }), by: "kubectl-client" },
        { patch: { spec: { replicas: 4 } }, manager: "kubectl-edit" },
      ],
      config: deployment({ replicas: 3 }),
      ignore: ["/spec/replicas"],
    },
    {
      name: "a selector that cannot change, of an object that is to be recreated",
      steps: [{ tool: deployment({ replicas: 3 }) }, scaled],
      config: deployment(
        {
          selector: { matchLabels: { app: "other" } },
          template: { metadata: { labels: { app: "other" } }, spec: { containers: [{ name: "web", image: "web:1" }] } },
        },
        { annotations: { "kustomize.toolkit.fluxcd.io/force": "enabled" } },
      ),
    },
    {
      name: "an object that is to be merged",
      steps: [{ tool: configMap({ color: "red", size: "1" }), by: "kubectl-client" }],
      config: configMap({ color: "red" }, merge),
    },
    {
      name: "an object that is to be left alone",
      steps: [{ apply: configMap({ color: "green" }), manager: "ci" }],
      config: configMap({ color: "red" }, { annotations: { "kustomize.toolkit.fluxcd.io/ssa": "Ignore" } }),
    },
    {
      name: "an object that is only to be created",
      steps: [{ apply: configMap({ color: "green" }), manager: "ci" }],
      config: configMap({ color: "red" }, { annotations: { "kustomize.toolkit.fluxcd.io/ssa": "IfNotPresent" } }),
    },
    {
      name: "an object whose reconciliation is disabled in the cluster",
      steps: [
        {
          create: configMap(
            { color: "green" },
            { annotations: { "kustomize.toolkit.fluxcd.io/reconcile": "disabled" } },
          ),
          manager: "ann",
        },
      ],
      config: configMap({ color: "red" }),
    },
  ],
  "flux-helm": [
    {
      name: "a release of Helm 3",
      steps: [{ tool: deployment({ replicas: 3 }), by: "flux-helm3" }],
      config: deployment({ replicas: 3 }),
    },
    {
      name: "a release of Helm 3 that an autoscaler scaled, with another value and without a field",
      steps: [{ tool: deployment({ replicas: 3, paused: true }), by: "flux-helm3" }, scaled],
      config: deployment({ replicas: 4 }),
    },
    {
      name: "a release of Helm 3 that somebody edited",
      steps: [
        { tool: configMap({ color: "red" }), by: "flux-helm3" },
        { patch: { data: { color: "green", size: "1" } }, manager: "kubectl-edit" },
      ],
      config: configMap({ color: "red" }),
    },
  ],
  argocd: [
    {
      name: "an object of Argo CD's client-side apply",
      steps: [{ tool: configMap({ color: "red", size: "1" }), by: "argocd-client" }],
      config: configMap({ color: "red" }),
    },
    {
      name: "an object of Argo CD's client-side apply that an autoscaler scaled",
      steps: [{ tool: deployment({ replicas: 3, paused: true }), by: "argocd-client" }, scaled],
      config: deployment({ replicas: 3 }),
    },
    {
      name: "an object of Argo CD's client-side apply that somebody edited",
      steps: [
        { tool: configMap({ color: "red" }), by: "argocd-client" },
        { patch: { data: { color: "green", size: "1" } }, manager: "kubectl-edit" },
      ],
      config: configMap({ color: "red" }),
    },
    {
      name: "an object of Helm 3",
      steps: [{ tool: deployment({ replicas: 3, paused: true }), by: "helm3" }],
      config: deployment({ replicas: 3 }),
    },
  ],
  crossplane: [
    {
      name: "an object of the second apply after the owners were cleared",
      steps: [
        { tool: configMap({ color: "red", size: "1" }), by: "kubectl-client" },
        { tool: configMap({ color: "red" }) },
      ],
      config: configMap({ color: "red" }),
    },
  ],
  "client-go": [],
}

/** The stories of objects that other tools have written. */
export const storiesOfOthers: readonly ApplierStory[] = [
  {
    name: "an object of Helm 3 with the same values",
    steps: [{ tool: deployment({ replicas: 3 }), by: "helm3" }],
    config: deployment({ replicas: 3 }),
    force: true,
  },
  {
    name: "an object of Helm 3 that an autoscaler scaled, with another value and without a field",
    steps: [{ tool: deployment({ replicas: 3, paused: true }), by: "helm3" }, scaled],
    config: deployment({ replicas: 4 }),
  },
  {
    name: "an object of Helm 3 that somebody edited, without a field",
    steps: [
      { tool: configMap({ color: "red", size: "1" }), by: "helm3" },
      { patch: { data: { color: "green", shape: "round" } }, manager: "kubectl-edit" },
    ],
    config: configMap({ color: "red" }),
    force: true,
  },
  {
    name: "an object of Argo CD's client-side apply, with another value and without a field",
    steps: [{ tool: configMap({ color: "red", size: "1" }), by: "argocd-client" }],
    config: configMap({ color: "blue" }),
    force: true,
  },
]
