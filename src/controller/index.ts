// For programs that apply again and again: send only what changes something.
//
// Applier decides (decide.ts) by what a FieldManager would do to the live object, and remembers what a server has answered
// (memory.ts). send.ts has clients.

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
  ApplierOptions,
  Reason,
  Send,
  SendReason,
  SendRequest,
  SkipReason,
} from "./request.js"
export { type FetchOptions, type ObjectClient, RefusedError, sendByClient, sendByFetch } from "./send.js"
