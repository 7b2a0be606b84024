// Explains the decisions of server-side apply to people and programs: the owners of an object's fields (`blame`), the effect of an apply
// (`plan`), and the effect of a change of types on owners (`schemaDiff`).
//
// Results are plain data that ownership.schema.json describes. This folder makes no decisions of its own; owners come from managedFields.

export type { AdmissionOptions } from "../../write/admission/given-cluster.js"
export type { AdmissionPlugin } from "../../write/admission/plugins.js"
export type { WebhookFunction } from "../../write/admission/webhook-client.js"
export type { Admission } from "../../write/attributes.js"
export type { WriteStep } from "../../write/step.js"
export { loadAdmission } from "./admission.js"
export type { AsApplier, PlannedApplier, PlannedStep, ToolOptions, ToolWayOut } from "./appliers.js"
export { Blame, type BlamedField, type BlamedPath, type BlameOptions, blame, type ManagerFields } from "./blame.js"
export type { PlannedUnion } from "./causes.js"
export type { ConflictOwner } from "./conflicts.js"
export {
  type ExplainedConflict,
  type ExplainedUnion,
  type ExplainRequest,
  type Explanation,
  explain,
} from "./explain.js"
export type { FieldChange } from "./field-changes.js"
export type { DefaultedKey } from "./fields.js"
export type { Finding } from "./finding.js"
export {
  type ArgoRule,
  type FluxRule,
  type FluxTarget,
  type IgnoreFormat,
  type IgnoreOptions,
  type IgnoreRules,
  ignoreRules,
  type OcmFields,
  type OcmResource,
  type OcmRule,
  type OcmStrategy,
} from "./ignore-rules.js"
export type { ObjectName } from "./object-name.js"
export type { Owner } from "./owners.js"
export type { Place } from "./place.js"
export { type AdmittedField, type Plan, type PlannedConflict, type PlanRequest, plan } from "./plan.js"
export {
  type LeftObject,
  type PlanAll,
  type PlanAllRequest,
  type PlannedConfiguration,
  type Prune,
  planAll,
} from "./plan-all.js"
export type { Because, PlannedChange } from "./planned-change.js"
export type { PlannedRefusal, RefusalCause } from "./refusal.js"
export type { OwnershipRequest, RequestedApply } from "./request.js"
export {
  type OnConflict,
  type Resolution,
  type ResolvedField,
  type ResolvedSource,
  type ResolveRequest,
  resolve,
} from "./resolve.js"
export {
  type AffectedObjects,
  type OwnershipEffect,
  type SchemaChange,
  type SchemaChangeCode,
  type SchemaChangeRule,
  type SchemaPlace,
  schemaChangeRules,
} from "./schema-changes.js"
export {
  type ComparedKind,
  type ComparedObjects,
  type ComparedSchema,
  type SchemaDiff,
  type SchemaDiffOptions,
  schemaDiff,
} from "./schema-diff.js"
export type { SourceEdits, SourcePlace, SourceText } from "./source.js"
export type { OwnershipChange, TakenFields } from "./transfers.js"
export type { Applicability, WayOut, WaysOut } from "./ways-out.js"
export { type Writer, type WriterRole, writerRole } from "./writers.js"
