// Cleans up ownership: rewrites the managedFields of a live object, as plain data, and predicts the consequences for each manager.
//
// An operation takes the live object and options, and returns one record (change.ts). The record has the object as an API server would
// store it, the JSON Patch to send, the fields that managers gain and lose, and the next applies of these managers. operations.ts contains
// the operations but the change of versions (to-version.ts). select.ts selects the entries and fields, still-owned.ts has the errors, and
// patch.ts formats the patch as text and as a kubectl command. migrate.ts plans the move of an object from one tool to another.

export type { WriterRole } from "../ownership/writers.js"
export type { ManagersChange, ManagersFinding, ManagersOperation, ManagersOptions, Relabelled } from "./change.js"
export { type MigrateRequest, migrate } from "./migrate.js"
export type {
  CoOwner,
  LeftBehind,
  LeftEntry,
  LeftField,
  Migration,
  MigrationCommand,
  TakenField,
  TakenFrom,
} from "./migration.js"
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
