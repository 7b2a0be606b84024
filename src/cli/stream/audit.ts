// Takes objects from the events of an audit log.

import { parseKind } from "../../schema/group-version-kind.js"
import { mapAt, textAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { isMap, type MapValue } from "../../value/value.js"

const writes: ReadonlySet<string> = new Set(["create", "update", "patch", "apply"])

/** Whether the value is an event of an audit log. */
export function isAuditEvent(value: MapValue): boolean {
  return textAt(value, "kind") === "Event" && textAt(value, "apiVersion").startsWith("audit.k8s.io/")
}

/**
 * Returns the object that an event of an audit log has stored; undefined for events that store no object, such as reads, refusals and
 * dry runs; "not-logged" for a write whose object is not in the log, because the level of the event is not RequestResponse.
 */
export function storedObject(event: MapValue): MapValue | "not-logged" | undefined {
  if (!writes.has(textAt(event, "verb")) || textAt(event, "stage") !== "ResponseComplete" || isDryRun(event))
    return undefined
  const code = own(mapAt(event, "responseStatus"), "code")
  if (typeof code === "number" && (code < 200 || code >= 300)) return undefined
  const answer = own(event, "responseObject")
  if (!isMap(answer)) return "not-logged"
  // Subresources such as scale, token and binding answer with an object of another group, or with a Status.
  const { group } = parseKind(textAt(answer, "apiVersion"), textAt(answer, "kind"))
  const isStored = textAt(answer, "kind") !== "Status" && group === textAt(mapAt(event, "objectRef"), "apiGroup")
  return isStored ? answer : undefined
}

function isDryRun(event: MapValue): boolean {
  const uri = textAt(event, "requestURI")
  return uri.includes("dryRun") && new URL(uri, "http://server").searchParams.has("dryRun")
}
