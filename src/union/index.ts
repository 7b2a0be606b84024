// Unions beyond the merge: overlay documents, which give a schema unions it does not spell, and validation.
export {
  applyUnionOverlay,
  type OverlayOptions,
  parseUnionOverlay,
  type TypeUnions,
  type UnionOverlay,
} from "./overlay.js"
export {
  type UnionFieldError,
  type UnionRule,
  UnionValidationError,
  type UnionValidationOptions,
  validateUnions,
} from "./validate.js"
