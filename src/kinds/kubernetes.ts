import { kubernetesTypes } from "../kubernetes/types.js"
import type { TypeFinder } from "../managedfields/types/object-types.js"
import { Kinds } from "./kinds.js"
import { kindReader } from "./reader.js"

/**
 * The built-in kinds of the bundled Kubernetes release, with everything that an API server knows of them. `kubernetesTypes` has only their
 * types, which is all that a FieldManager needs. `with` adds the kinds of CRDs.
 */
export const kubernetes: Kinds = /* @__PURE__ */ new Kinds(kubernetesTypes, kindReader)

/** The kinds of CRDs and OpenAPI documents over those of `types`; see `Kinds.with`. */
export function kindsWith(types: TypeFinder, documents: readonly object[]): Kinds {
  return (types instanceof Kinds ? types : new Kinds(types, kindReader)).with(documents)
}
