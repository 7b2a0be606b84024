// Unions on their own, without apply and update: policies, normalization, validation, reports as text, and overlay documents, which add
// unions to a schema that can't express them.
export type { TypeUnions, UnionDef, UnionMember, UnionOverlay } from "../schema/union.js"
export type { UnionFieldError, UnionRule, UnionValidationOptions } from "./check-union.js"
export {
  type AnyStruct,
  type DiscriminatedUnion,
  type FieldName,
  type ItemKeys,
  type ItemUnion,
  type ListFieldName,
  type PlainUnion,
  type SelectedMember,
  type StringFieldName,
  type UnionSpec,
  union,
  type ValueOf,
} from "./define.js"
export {
  type ApplyUnionOptions,
  type NormalizedUnions,
  normalizeUnions,
  normalizeUnionsApply,
  type UnionOptions,
} from "./normalize.js"
export { applyUnionOverlay, type OverlayOptions, parseUnionOverlay } from "./overlay.js"
export { type UnionPolicy, type UnionPolicyName, unionPolicies, unionPolicy } from "./policy.js"
export {
  type ClearedMember,
  type DiscriminatorChange,
  formatUnionChange,
  type ReportedMember,
  type UnionChange,
  unionFieldPath,
} from "./report.js"
export { UnionValidationError, validateUnions } from "./validate.js"
