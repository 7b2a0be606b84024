import { kubernetesTypes } from "../kubernetes/types.js"
import type { TypeFinder } from "../managedfields/types/object-types.js"
import { Kinds } from "./kinds.js"
import { kindReader } from "./reader.js"

/**
 * The built-in kinds of the bundled Kubernetes release, with everything that an API server knows about them. A FieldManager needs only their
 * types, which `kubernetesTypes` has. `with` adds the kinds of CRDs.
 */
export const kubernetes: Kinds = /* @__PURE__ */ new Kinds(kubernetesTypes, kindReader)

/** Returns the kinds of `types` with those of CRDs and OpenAPI documents; see `Kinds.with`. */
export function kindsWith(types: TypeFinder, documents: readonly object[]): Kinds {
  return (types instanceof Kinds ? types : new Kinds(types, kindReader)).with(documents)
}
