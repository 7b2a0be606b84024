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
export { kubernetesSchemaWithUnions, kubernetesUnions } from "./union-overlay.js"
