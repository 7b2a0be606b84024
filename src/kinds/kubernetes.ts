import { kubernetesTypes } from "../kubernetes/types.js"
import type { TypeFinder } from "../managedfields/types/object-types.js"
import { Kinds } from "./kinds.js"
import { kindReader } from "./reader.js"

/**
 * The built-in kinds of the bundled Kubernetes release, with everything that an API server knows about them. `with` adds the kinds of CRDs.
 *
 * `kubernetesTypes` (`/kubernetes`) and `kubernetes` (`/kinds`) have the same built-in kinds. `plan`, `explain`, `simulate` and the owners view answer
 * alike with either, with defaults and validation. Only `kubernetes` also checks what CustomResourceDefinitions and admission policies contain, adds
 * custom resources (`kubernetes.with(crds)`) and goes with `planAll`. `blame` and `FieldManager` use types alone, so `kubernetesTypes` is enough
 * for them, and makes a smaller bundle. `createApiServer` knows the built-in kinds already, and takes definitions as `crds`.
 */
export const kubernetes: Kinds = /* @__PURE__ */ new Kinds(kubernetesTypes, kindReader)

/** Returns the kinds of `types` with those of CRDs and OpenAPI documents; see `Kinds.with`. */
export function kindsWith(types: TypeFinder, documents: readonly object[]): Kinds {
  return (types instanceof Kinds ? types : new Kinds(types, kindReader)).with(documents)
}
