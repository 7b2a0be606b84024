// Validation by rules: what the markers of Go types (`+k8s:required`, `+k8s:maxLength=3`, …) say about objects.
export { compileRules, type Validator } from "./compile.js"
export type { FieldError, FieldErrorType, StabilityLevel, ValidationOptions } from "./report.js"
export type { Rule, RuleConstant, RuleDocument, RuleField, RuleType, RuleValue } from "./rules.js"
export { type RuleOverlay, type RuleOverlayField, type RuleOverlayType, rulesForSchema } from "./schema-rules.js"
