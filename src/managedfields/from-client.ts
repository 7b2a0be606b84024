// Turns objects of Kubernetes clients into plain JSON. No client is imported: their classes describe themselves.
import { invalidValue, type ValidationError } from "../errors.js"
import { maxDepth, tooDeep } from "../value/depth.js"
import { put } from "../value/object.js"
import { notJson } from "../value/plain.js"
import type { Value } from "../value/value.js"
import { formatTime } from "./entries/time.js"

/** The description of a property that the classes of `@kubernetes/client-node` give: its names in the class and in JSON, and its type. */
interface Attribute {
  readonly name: string
  readonly baseName: string
  readonly type: string
}

/**
 * Returns a plain JSON copy of an object from a client such as `@kubernetes/client-node`. All other functions take plain JSON. Instances of
 * the client's classes become plain objects, with their properties named as in JSON (`_from` is `from`). A Date becomes RFC 3339 text, with
 * whole seconds, or with six digits if the client declares it a MicroTime. Undefined keys are left out, and undefined items of lists become
 * null. Nothing is shared with the input.
 *
 * The type stays the client's, as with the results of a FieldManager, so the compiler still takes a time for a Date, although it is now
 * text. Names in object literals are left unchanged, since their class is unknown.
 *
 * Throws a StructuredMergeError for values that have no form in JSON, such as a Map, a function or NaN, and for more than 1,000 levels; a
 * RangeError for a Date outside the years 0 to 9999.
 *
 * @example
 * ```ts
 * import { fromClient } from "structured-merge-diff/managedfields"
 *
 * const fromCluster = { metadata: { name: "web", creationTimestamp: new Date(0) } }
 * console.log(JSON.stringify(fromClient(fromCluster)))
 * // {"metadata":{"name":"web","creationTimestamp":"1970-01-01T00:00:00Z"}}
 * ```
 */
export function fromClient<T extends object>(object: T): T {
  return plainOf(object, undefined, 0) as T
}

function plainOf(value: unknown, type: string | undefined, depth: number): Value {
  if (depth > maxDepth) throw tooDeep()
  if (value instanceof Date) return isMicroTime(value, type) ? formatMicroTime(value) : formatTime(value)
  if (Array.isArray(value)) {
    const itemType = type === undefined ? undefined : /^Array<(.*)>$/.exec(type)?.[1]
    return value.map(item => (item === undefined ? null : plainOf(item, itemType, depth + 1)))
  }
  if (typeof value !== "object" || value === null) return scalarOf(value)
  if (Symbol.iterator in value || ArrayBuffer.isView(value)) throw notJsonError(value)
  return copyOf(value, depth)
}

function copyOf(object: object, depth: number): Value {
  const attributes = attributesOf(object)
  const out: Record<string, Value> = {}
  for (const [key, value] of Object.entries(object)) {
    if (value === undefined) continue
    const attribute = attributes.find(({ name }) => name === key)
    put(out, attribute?.baseName ?? key, plainOf(value, attribute?.type, depth + 1))
  }
  return out
}

/** The descriptions that the object's class gives of its properties; empty for an object literal. */
function attributesOf(object: object): readonly Attribute[] {
  const clientClass: unknown = Object.hasOwn(object, "constructor") ? undefined : object.constructor
  if (typeof clientClass !== "function" || !("getAttributeTypeMap" in clientClass)) return []
  const { getAttributeTypeMap } = clientClass
  return typeof getAttributeTypeMap === "function" ? (getAttributeTypeMap.call(clientClass) as Attribute[]) : []
}

const microTime = "V1MicroTime"

/** Whether the time is a MicroTime: by the type of the property, or by the class of the time if that type is not known. */
function isMicroTime(time: Date, type: string | undefined): boolean {
  return (type ?? time.constructor.name) === microTime
}

function formatMicroTime(time: Date): string {
  const milliseconds = String(time.getUTCMilliseconds()).padStart(3, "0")
  return formatTime(time).replace("Z", `.${milliseconds}000Z`)
}

function scalarOf(value: unknown): Value {
  if (notJson(value) !== null) throw notJsonError(value)
  return value as Value
}

function notJsonError(value: unknown): ValidationError {
  return invalidValue(notJson(value) ?? "expected a JSON value")
}
