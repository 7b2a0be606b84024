// Identifies the object of a record.

import { metaText } from "../../schema/metadata.js"
import { textAt } from "../../value/fields.js"
import { isMap, type Value } from "../../value/value.js"

/** Identifies an object. A part that it lacks is "". */
export interface Identity {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

const nobody: Identity = { apiVersion: "", kind: "", namespace: "", name: "", uid: "" }

/** Returns the identity of the object; for any other value, all parts are "". */
export function identityOf(object: Value | undefined): Identity {
  if (!isMap(object)) return nobody
  return {
    apiVersion: textAt(object, "apiVersion"),
    kind: textAt(object, "kind"),
    namespace: metaText(object, "namespace"),
    name: metaText(object, "name"),
    uid: metaText(object, "uid"),
  }
}
