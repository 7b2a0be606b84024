// The reasons for which a server refuses a write, with their places in the document.
import type { Kinds } from "../../kinds/kinds.js"
import { type Problem as Cause, type RequestFailure, refusedFields } from "../../kinds/refusal/failure.js"
import { nowhere } from "../../kinds/refusal/field-error.js"
import type { Status } from "../../managedfields/chain/status.js"
import { notServed } from "../../tools/ownership/finding.js"
import { fieldOf, stepsInConfig } from "../../tools/ownership/refusal.js"
import type { Type } from "../../typed/type.js"
import type { MapValue } from "../../value/value.js"
import type { RefusedWrite } from "../../write/write.js"
import type { Document } from "./document.js"
import type { Problem } from "./problems.js"

/** One reason for which a server refuses an object. */
export interface Refusal extends Problem {
  /** The server's word for programs, such as `FieldValueInvalid`. */
  readonly reason: string
}

/** Returns the reasons for which a server refused to write the document, whose object has this type. */
export function refusalsOf(document: Document, { failure, refused }: RefusedWrite, type: Type): readonly Refusal[] {
  return placeCauses(document, { causes: causesOf(failure), refused: refused ?? (document.value as MapValue) }, type)
}

/** Returns the refusal of a document whose kind no server serves. */
export function notServedAt(document: Document, kinds: Kinds): Refusal {
  const { message } = notServed(document.value as MapValue, kinds)
  return { place: document.placeOf(["apiVersion"]), path: ".apiVersion", message, reason: "NotFound" }
}

/** Returns the causes of the failure, or the failure itself as the only cause. */
export function causesOf(failure: RequestFailure): readonly Cause[] {
  const { reason = "", message } = failure.status as unknown as Status
  const causes = refusedFields(failure)
  return causes.length > 0 ? causes : [{ reason, field: nowhere, message }]
}

/** Returns the causes with their places in the document. */
export function placeCauses(document: Document, { causes, refused }: RefusedObject, type: Type): readonly Refusal[] {
  const config = document.value as MapValue
  const distinct = new Map(causes.map(cause => [`${cause.field}: ${cause.message}`, cause]))
  return Array.from(distinct.values(), cause => {
    const { reason, message } = cause
    const field = fieldOf(cause)
    const place = document.placeOf(stepsInConfig(field, refused, config, type))
    return { place, path: field === "" ? "" : `.${field}`, message, reason }
  })
}

/** A server's refusal. */
export interface RefusedObject {
  /** Empty if the server accepts the object. */
  readonly causes: readonly Cause[]
  /** The object with the fields that causes name. */
  readonly refused: MapValue
}
