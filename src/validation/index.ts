// Validates objects by rules: the markers of Go types (`+k8s:required`, `+k8s:maxLength=3`, …).
export { compileRules } from "./compile.js"
export {
  type FieldError,
  type FieldErrorType,
  fieldErrorMessage,
  type StabilityLevel,
  type Validator,
  type ValidatorOptions,
} from "./rules/report.js"
export type { Rule, RuleConstant, RuleDocument, RuleField, RuleType, RuleValue } from "./rules/rules.js"
export { type RuleOverlay, type RuleOverlayField, type RuleOverlayType, rulesForSchema } from "./schema-rules.js"
export type { HandwrittenError, Mismatch, PathNormalization } from "./shadow/compare.js"
export { type ValidationCounters, ValidationMetrics } from "./shadow/metrics.js"
export { type HandwrittenValidator, type ShadowOptions, shadowed, type ValidationGates } from "./shadow/shadowed.js"
