// Identifies the object of a record.
import { textAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
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
  const metadata = own(object, "metadata")
  const of = (key: string) => (isMap(metadata) ? textAt(metadata, key) : "")
  const [apiVersion, kind] = [textAt(object, "apiVersion"), textAt(object, "kind")]
  return { apiVersion, kind, namespace: of("namespace"), name: of("name"), uid: of("uid") }
}
