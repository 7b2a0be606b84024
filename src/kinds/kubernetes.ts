import { kubernetesTypes } from "../kubernetes/types.js"
import { Kinds } from "./kinds.js"
import { kindReader } from "./reader.js"

/**
 * The built-in kinds of the bundled Kubernetes release, with everything that an API server knows of them. `kubernetesTypes` has only their
 * types, which is all that a FieldManager needs. `with` adds the kinds of CRDs.
 */
export const kubernetes: Kinds = /* @__PURE__ */ new Kinds(kubernetesTypes, kindReader)
