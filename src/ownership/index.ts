// What server-side apply decides, told to people and programs: who owns what of an object (`blame`).
//
// Results are plain data, which ownership.schema.json describes. Nothing here decides by itself: owners are those of managedFields.

export { Blame, type BlamedField, type BlamedPath, type BlameOptions, blame, type ManagerFields } from "./blame.js"
export type { Finding } from "./finding.js"
export type { ObjectName } from "./object-name.js"
export type { Owner } from "./owners.js"
export type { Place } from "./place.js"
