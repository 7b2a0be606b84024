export { type KubernetesKind, kubernetesKinds, kubernetesRelease, kubernetesSchema, kubernetesTypeName } from "./types.js"
