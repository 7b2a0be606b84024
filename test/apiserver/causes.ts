// Names the reasons for which a response differs from a real API server's.
import { isList, isMap, type MapValue, type Value } from "../../src/value/value.js"
import type { Outcome } from "./replay-story.js"

export function causeOf({ differs, step, status, response }: Outcome): string {
  const theirs = isMap(step.response) ? step.response : {}
  const ours = isMap(response) ? response : {}
  if (differs === "status") {
    if (status === 501) return `not served: ${step.verb}`
    if (step.status < 300)
      return `${step.verb} ${step.subresource ?? ""}: ${step.status} there, ${status} here: ${headOf(ours)}`
    if (step.status === 422) return "validation of values (422)"
    return `${step.verb}: ${step.status} there, ${status} here: ${headOf(theirs)}`
  }
  if (differs === "body") return `Status body of ${step.status}: ${headOf(theirs)}`
  return `managedFields after ${step.verb} ${step.subresource ?? ""}: ${ownersOf(theirs) === ownersOf(ours) ? "fields" : "owners"} of ${theirs.kind}`
}

function headOf({ message = "" }: MapValue): string {
  return String(message)
    .replace(/[a-z]+\.?[\w.]* "[^"]*"/g, "_")
    .replace(/\(.*?\)/g, "()")
    .slice(0, 60)
}

function ownersOf(object: MapValue): string {
  const entries: Value = isMap(object.metadata) ? (object.metadata.managedFields ?? []) : []
  return (isList(entries) ? entries : [])
    .map(entry => (isMap(entry) ? `${entry.manager} ${entry.operation}` : ""))
    .join()
}
