export {
  type KubernetesKind,
  kubernetesKinds,
  kubernetesRelease,
  kubernetesSchema,
  kubernetesTypeName,
} from "./types.js"
export {
  type KubernetesTypeUnions,
  type KubernetesUnions,
  kubernetesSchemaWithUnions,
  kubernetesUnions,
} from "./union-overlay.js"
export type { KubernetesUnion, KubernetesUnionMember } from "./union-rows.js"
