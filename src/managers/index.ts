// Clean up who owns what: managedFields of a live object rewritten, as plain data, with what that means for each manager.
//
// An operation takes the live object and options, and returns one record (change.ts): the object as an API server would store it, the
// JSON Patch to send, who gains and loses what, and what the next applies of these managers would do. operations.ts has the operations,
// select.ts what of the entries they are about, still-owned.ts their refusals, patch.ts the patch as text and as a command of kubectl.

export type { ManagersChange, ManagersFinding, ManagersOperation, ManagersOptions, Relabelled } from "./change.js"
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
