// For programs that apply repeatedly: sends only applies that change something.
//
// Applier decides (decide.ts) by predicting the effect of the apply on the live object, and remembers the server's responses (memory.ts).
// send.ts has clients.

export { Applier } from "./applier.js"
export type {
  ApplyConfiguration,
  KeyedList,
  KeysOf,
  KeysOfItem,
  ObjectMetadata,
  OwnerReference,
  PartOf,
  UnkeyedList,
} from "./apply-configuration.js"
export { typesOfDefinitions } from "./definition-types.js"
export type { ListKeys } from "./list-keys.js"
export type {
  Applied,
  ApplierApplyOptions,
  ApplierOnConflict,
  ApplierOptions,
  Reason,
  Send,
  SendReason,
  SendRequest,
  SkipReason,
} from "./request.js"
export {
  type FetchOptions,
  type ObjectClient,
  RefusedError,
  type RetryOptions,
  sendByClient,
  sendByFetch,
  withRetries,
} from "./send.js"
