/** Stories of objects that a tool applies: what happened before, and the configuration of the tool's next apply. */
import type { MapValue, Value } from "../../../src/value/value.js"
import { ownStories, storiesOfOthers } from "./own-stories.js"
import { autoscaler, configMap, deployment, forget, olderAutoscaler, scaled, secret, service } from "./story-objects.js"

/** A step before the apply in question. `tool` is an earlier apply of the tool itself, or of the tool that is named. */
export type StoryStep =
  | {
      readonly tool: MapValue
      readonly by?: "helm3" | "kubectl-client" | "flux-helm3" | "argocd-client"
      readonly force?: boolean
      readonly serverSide?: string
    }
  | { readonly apply: MapValue; readonly manager: string; readonly force?: boolean }
  | { readonly create: MapValue; readonly manager: string }
  | { readonly patch: Value; readonly manager: string; readonly subresource?: string }

/** A story. `config` is the configuration that the tool applies at the end. */
export interface ApplierStory {
  readonly name: string
  readonly steps: readonly StoryStep[]
  readonly config: MapValue
  readonly force?: boolean
  /** The fields that the Kustomization leaves to others, as JSON pointers. */
  readonly ignore?: readonly string[]
}

/** The tools that stories are recorded with, and the managers' names that stories use for them. */
export const storyTools = {
  helm: { manager: "helm", release: "shop" },
  kubectl: { manager: "kubectl", release: "" },
  flux: { manager: "kustomize-controller", release: "shop" },
  "flux-helm": { manager: "helm-controller", release: "shop" },
  argocd: { manager: "argocd-controller", release: "shop" },
  crossplane: { manager: "apiextensions.crossplane.io/composed/5f2c", release: "" },
  "client-go": { manager: "my-operator", release: "" },
} as const
export type StoryTool = keyof typeof storyTools

/** Returns the stories for a tool. */
export function storiesFor(tool: StoryTool): readonly ApplierStory[] {
  const { manager } = storyTools[tool]
  /** The trace of the tool's own client-side apply. */
  const updated = (object: MapValue): StoryStep => ({ create: object, manager })
  return [
    { name: "a new ConfigMap", steps: [], config: configMap({ color: "red" }) },
    { name: "a new Deployment", steps: [], config: deployment({ replicas: 3 }) },
    {
      name: "the same configuration again",
      steps: [{ tool: deployment({ replicas: 3 }) }],
      config: deployment({ replicas: 3 }),
    },
    { name: "a changed value", steps: [{ tool: configMap({ color: "red" }) }], config: configMap({ color: "blue" }) },
    {
      name: "a field that is left out",
      steps: [{ tool: configMap({ color: "red", size: "1" }) }],
      config: configMap({ color: "red" }),
    },
    {
      name: "a field that is left out and that another applies too",
      steps: [{ tool: configMap({ color: "red", size: "1" }) }, { apply: configMap({ size: "1" }), manager: "ci" }],
      config: configMap({ color: "red" }),
    },
    {
      name: "a value that another applies too",
      steps: [{ apply: configMap({ color: "red" }), manager: "ci" }],
      config: configMap({ color: "red" }),
    },
    {
      name: "a value that differs from the one another applies",
      steps: [{ apply: configMap({ color: "red" }), manager: "ci" }],
      config: configMap({ color: "blue" }),
    },
    {
      name: "a value that differs from the one another applies, by force",
      steps: [{ apply: configMap({ color: "red", size: "1" }), manager: "ci" }],
      config: configMap({ color: "blue" }),
      force: true,
    },
    {
      name: "a value that somebody edited",
      steps: [{ tool: configMap({ color: "red" }) }, { patch: { data: { color: "green" } }, manager: "kubectl-edit" }],
      config: configMap({ color: "red" }),
    },
    {
      name: "a field that somebody added",
      steps: [{ tool: configMap({ color: "red" }) }, { patch: { data: { size: "2" } }, manager: "kubectl-edit" }],
      config: configMap({ color: "red" }),
    },
    {
      name: "replicas of an autoscaler",
      steps: [{ tool: deployment({ replicas: 3 }) }, scaled],
      config: deployment({ replicas: 3 }),
    },
    {
      name: "replicas that are left to an autoscaler",
      steps: [{ tool: deployment({ replicas: 3 }) }, scaled],
      config: deployment(),
    },
    {
      name: "replicas that are left out before an autoscaler has scaled",
      steps: [{ tool: deployment({ replicas: 3 }) }],
      config: deployment(),
    },
    {
      name: "an object of kubectl's client-side apply",
      steps: [{ tool: configMap({ color: "red" }), by: "kubectl-client" }],
      config: configMap({ color: "red" }),
    },
    {
      name: "an object of kubectl's client-side apply, with another value and without a field",
      steps: [{ tool: configMap({ color: "red", size: "1" }), by: "kubectl-client" }],
      config: configMap({ color: "blue" }),
    },
    {
      name: "an object of kubectl's client-side apply that somebody edited",
      steps: [
        { tool: deployment({ replicas: 3 }), by: "kubectl-client" },
        { patch: { spec: { replicas: 4 } }, manager: "kubectl-edit" },
      ],
      config: deployment({ replicas: 3 }),
    },
    {
      name: "an object that kubectl applied",
      steps: [{ apply: configMap({ color: "red", size: "1" }), manager: "kubectl" }],
      config: configMap({ color: "red" }),
    },
    {
      name: "an object without owners",
      steps: [{ create: configMap({ color: "red", size: "1" }), manager: "kubectl-create" }, forget],
      config: configMap({ color: "red" }),
    },
    {
      name: "an object without owners, with another value",
      steps: [{ create: configMap({ color: "red" }), manager: "kubectl-create" }, forget],
      config: configMap({ color: "blue" }),
      force: true,
    },
    {
      name: "an object that the tool has updated",
      steps: [updated(configMap({ color: "red", size: "1" }))],
      config: configMap({ color: "red" }),
    },
    {
      name: "an object that the tool has updated, with another value",
      steps: [updated(deployment({ replicas: 3, paused: true }))],
      config: deployment({ replicas: 5 }),
    },
    {
      name: "an object that the tool has updated and somebody edited",
      steps: [updated(deployment({ replicas: 3 })), { patch: { spec: { replicas: 4 } }, manager: "kubectl-edit" }],
      config: deployment({ replicas: 3 }),
    },
    {
      name: "an object that the tool has both applied and updated",
      steps: [{ tool: configMap({ color: "red" }) }, { patch: { data: { size: "1" } }, manager }],
      config: configMap({ color: "red" }),
    },
    {
      name: "a port that is removed",
      steps: [
        {
          tool: service({
            ports: [
              { name: "a", port: 80 },
              { name: "b", port: 81 },
            ],
          }),
        },
      ],
      config: service({ ports: [{ name: "a", port: 80 }] }),
    },
    {
      name: "variables in another order",
      steps: [
        {
          tool: deployment(
            {},
            {},
            {
              env: [
                { name: "A", value: "1" },
                { name: "B", value: "2" },
              ],
            },
          ),
        },
      ],
      config: deployment(
        {},
        {},
        {
          env: [
            { name: "B", value: "2" },
            { name: "A", value: "3" },
          ],
        },
      ),
    },
    {
      name: "a sidecar of another",
      steps: [
        { tool: deployment() },
        {
          patch: [{ op: "add", path: "/spec/template/spec/containers/-", value: { name: "proxy", image: "proxy:1" } }],
          manager: "mesh",
        },
      ],
      config: deployment({}, {}, { image: "web:2" }),
    },
    { name: "a new Secret of texts", steps: [], config: secret({ stringData: { password: "secret" } }) },
    {
      name: "an autoscaler at an older version",
      steps: [{ apply: olderAutoscaler, manager: "ci" }],
      config: autoscaler,
      force: true,
    },
    {
      name: "a status of a controller",
      steps: [
        { tool: deployment({ replicas: 1 }) },
        { patch: { status: { replicas: 1, observedGeneration: 1 } }, manager: "controller", subresource: "status" },
      ],
      config: deployment({ replicas: 2 }),
    },
    {
      name: "a selector that cannot change",
      steps: [{ tool: deployment() }],
      config: deployment({ selector: { matchLabels: { app: "other" } } }),
    },
    {
      name: "a label of another",
      steps: [
        { tool: configMap({ color: "red" }) },
        { apply: configMap({}, { labels: { team: "a" } }), manager: "ci" },
      ],
      config: configMap({ color: "blue" }, { labels: { team: "b" } }),
    },
    { name: "a value of the wrong type", steps: [], config: configMap({ color: 5 }) },
    ...ownStories[tool],
    ...storiesOfOthers,
  ]
}
