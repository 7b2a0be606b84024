import { textAt } from "../schema/group-version-kind.js"
import { own, put } from "../value/object.js"
import { isMap, type MapValue, type Value } from "../value/value.js"

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

/** What a manager has applied, with name and namespace of the live object, which nobody owns and an apply needs, in front of the rest. */
export function withName(extracted: MapValue, live: MapValue): MapValue {
  const from = own(live, "metadata")
  const to = own(extracted, "metadata")
  const metadata: Record<string, Value> = {}
  for (const key of ["name", "namespace"]) {
    const value = isMap(from) ? own(from, key) : undefined
    if (value !== undefined) metadata[key] = value
  }
  if (isMap(to)) for (const key in to) put(metadata, key, to[key] as Value)
  const {
    apiVersion = own(live, "apiVersion") ?? null,
    kind = own(live, "kind") ?? null,
    metadata: _,
    ...rest
  } = extracted
  return { apiVersion, kind, metadata, ...rest }
}
