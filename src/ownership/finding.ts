import { readManagedFields } from "../managedfields/entries/entry.js"
import { textAt } from "../schema/group-version-kind.js"
import { own } from "../value/object.js"
import { isMap, type MapValue, type Value } from "../value/value.js"

/** Something that makes the answer doubtful, or incomplete. */
export interface Finding {
  /**
   * What was found, for programs. `managed-fields-missing`: the object was stored, but comes without its owners.
   * `managed-fields-unreadable`: its managedFields are no list of entries, so they count as none. `force-refused`: the apply is in
   * conflict, and by force it would be refused for another reason.
   */
  readonly code: "managed-fields-missing" | "managed-fields-unreadable" | "force-refused"
  /** What was found and what to do about it, for people. */
  readonly message: string
}

/** What makes the owners that an object names doubtful. Empty if nothing does. */
export function findingsAbout(object: MapValue | undefined): Finding[] {
  const metadata = object === undefined ? undefined : own(object, "metadata")
  if (!isMap(metadata)) return []
  const given = own(metadata, "managedFields")
  if (given !== undefined && given !== null && readManagedFields(object as MapValue) === undefined) return [unreadable]
  return textAt(metadata, "resourceVersion") !== "" && isNone(given) ? [missing] : []
}

function isNone(managedFields: Value | undefined): boolean {
  return (
    managedFields === undefined ||
    managedFields === null ||
    (Array.isArray(managedFields) && managedFields.length === 0)
  )
}

const missing: Finding = {
  code: "managed-fields-missing",
  message:
    "The object has a resourceVersion but no managedFields, so it does not say who owns what. " +
    "Fetch it with --show-managed-fields, or over the API.",
}

const unreadable: Finding = {
  code: "managed-fields-unreadable",
  message: "metadata.managedFields of the object is no list of entries, so it does not say who owns what.",
}

/** That force would not help either. */
export function forceRefused(error: Error): Finding {
  return { code: "force-refused", message: `By force the apply is refused too: ${error.message}` }
}
