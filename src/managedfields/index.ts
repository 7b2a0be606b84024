// Server-side apply on whole Kubernetes objects, with ownership in metadata.managedFields, as an API server does it.
//
// FieldManager takes and returns plain objects. A request passes through a chain of links (chain/chain.ts), one file each. The last one
// (chain/structured-merge.ts) calls the engine's Updater. managedFields are decoded before and encoded after that (entries/).
// chain/status.ts has the errors as HTTP answers. Further files are extract.ts, entries/upgrade.ts (from client-side apply),
// subresources/scale-handler.ts, and from-client.ts for objects of other libraries. Types come from a TypeFinder: the bundled ones, or a
// TypeConverter over OpenAPI documents.

export { type DecodedFields, decodeFields, encodeFields } from "../fieldpath/fieldsv1/object.js"
export type { Parity, ParityOptions } from "../json/json.js"
export type { ObjectKind } from "../schema/group-version-kind.js"
export {
  ApplyConflictError,
  BadRequestError,
  type FieldConflict,
  InvalidError,
  MissingManagerError,
  type Status,
  type StatusCause,
  type StatusDetails,
  statusOf,
} from "./chain/status.js"
export { type ManagedFieldsEntry, readManagedFields } from "./entries/entry.js"
export { decodeManagedFields, encodeManagedFields, type Managed } from "./entries/managed.js"
export { formatManager, managerId, parseManagerId } from "./entries/manager-id.js"
export {
  findFieldsOwners,
  type JsonPatchOperation,
  type UpgradeManagedFieldsOptions,
  upgradeManagedFields,
  upgradeManagedFieldsPatch,
} from "./entries/upgrade.js"
export { type ExtractOptions, extract } from "./extract.js"
export { FieldManager } from "./field-manager.js"
export { fromClient } from "./from-client.js"
export type {
  ApplyAttempt,
  ApplyOptions,
  FieldManagerOptions,
  FieldManagerResult,
  LenientResult,
  PreparedRequest,
  ResetFields,
  UpdateOptions,
} from "./request.js"
export { customResourceResetFields } from "./subresources/custom-resource.js"
export { resetToLive } from "./subresources/reset.js"
export { type ReplicasPaths, ScaleHandler } from "./subresources/scale-handler.js"
export { deducedTypes, type FoundKind, NoTypeError, type TypeFinder } from "./types/object-types.js"
export {
  type ChangeApiVersionOptions,
  changeApiVersion,
  type Hub,
  type ObjectConverter,
} from "./types/version-converter.js"
