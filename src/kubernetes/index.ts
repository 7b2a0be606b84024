export { type KubernetesResetFields, kubernetesKeepsCreatedStatus, kubernetesResetFields } from "./reset-fields.js"
export {
  type KubernetesKind,
  type KubernetesType,
  type KubernetesTypes,
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
