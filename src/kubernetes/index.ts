export { type KubernetesResetFields, kubernetesKeepsCreatedStatus, kubernetesResetFields } from "./reset-fields.js"
export {
  type KubernetesKind,
  type KubernetesType,
  type KubernetesTypes,
  kubernetesKinds,
  kubernetesRelease,
  kubernetesSchema,
  kubernetesSchemaWithUnions,
  kubernetesTypeName,
  kubernetesTypes,
} from "./types.js"
export { kubernetesUnions } from "./union-overlay.js"
