// Cleans up ownership: rewrites the managedFields of a live object, as plain data, and predicts the consequences for each manager.
//
// An operation takes the live object and options, and returns one record (change.ts). The record has the object as an API server would
// store it, the JSON Patch to send, the fields that managers gain and lose, and the next applies of these managers. operations.ts contains
// the operations (to-version.ts the one that changes versions), select.ts selects the entries and fields, still-owned.ts has the errors, and patch.ts formats the patch as text and as a
// kubectl command. migrate.ts plans the move of an object from one tool to another.

export type { ManagersChange, ManagersFinding, ManagersOperation, ManagersOptions, Relabelled } from "./change.js"
export {
  type LeftBehind,
  type LeftEntry,
  type LeftField,
  type MigrateRequest,
  type Migration,
  type MigrationCommand,
  migrate,
  type TakenField,
  type TakenFrom,
  type WriterRole,
} from "./migrate.js"
export type { NextApply } from "./next-apply.js"
export {
  type DropGoneVersionsOptions,
  type DropVersionOptions,
  dropGoneVersions,
  dropVersion,
  type ReleaseOptions,
  release,
  type TransferOptions,
  transfer,
  type UpgradeOptions,
  upgrade,
} from "./operations.js"
export { formatPatch, kubectlPatch, type TargetedPatch } from "./patch.js"
export type { AllManagers, EntrySelection, ManagerNames } from "./select.js"
export { StillOwnedError, VersionsDifferError } from "./still-owned.js"
export { type ToVersionOptions, toVersion } from "./to-version.js"
