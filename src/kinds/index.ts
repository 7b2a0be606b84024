export type { Kinds } from "./kinds.js"
export { kubernetes } from "./kubernetes.js"
export { loadCel } from "./rules/library.js"
