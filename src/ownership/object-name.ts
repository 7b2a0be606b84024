import { textAt } from "../schema/group-version-kind.js"
import { own } from "../value/object.js"
import { isMap, type MapValue } from "../value/value.js"

/** Which object it is. A part that the object lacks is "". */
export interface ObjectName {
  /** Group and version: `apps/v1`. */
  readonly apiVersion: string
  /** The kind: `Deployment`. */
  readonly kind: string
  /** The namespace; absent if the object has none. */
  readonly namespace?: string
  /** The name. */
  readonly name: string
}

/** What the object says it is. */
export function nameOf(object: MapValue): ObjectName {
  const metadata = own(object, "metadata")
  const namespace = isMap(metadata) ? textAt(metadata, "namespace") : ""
  return {
    apiVersion: textAt(object, "apiVersion"),
    kind: textAt(object, "kind"),
    ...(namespace !== "" && { namespace }),
    name: isMap(metadata) ? textAt(metadata, "name") : "",
  }
}
