export {
  type KubernetesKind,
  type KubernetesType,
  kubernetesKinds,
  kubernetesRelease,
  kubernetesSchema,
  kubernetesTypeName,
  kubernetesTypes,
} from "./types.js"
export {
  type KubernetesTypeUnions,
  type KubernetesUnions,
  kubernetesSchemaWithUnions,
  kubernetesUnions,
} from "./union-overlay.js"
export type { KubernetesUnion, KubernetesUnionMember } from "./union-rows.js"
