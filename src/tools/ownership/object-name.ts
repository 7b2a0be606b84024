import { sharedGroup } from "../../kubernetes/scope.js"
import { isApiVersion, type ObjectKind, parseKind } from "../../schema/group-version-kind.js"
import { metadataOf, metaText } from "../../schema/metadata.js"
import { textAt } from "../../value/fields.js"
import { own, put } from "../../value/object.js"
import type { MapValue, Value } from "../../value/value.js"

/** Identifies an object. */
export interface ObjectName {
  /** Group and version: `apps/v1`; "" if the object has none. */
  readonly apiVersion: string
  /** The kind: `Deployment`; "" if the object has none. */
  readonly kind: string
  /** The namespace; absent if the object has none. */
  readonly namespace?: string
  /** The name; "" if the object has none. */
  readonly name: string
}

/** Returns the name that the object gives itself. */
export function objectName(object: MapValue): ObjectName {
  const namespace = metaText(object, "namespace")
  return {
    apiVersion: textAt(object, "apiVersion"),
    kind: textAt(object, "kind"),
    ...(namespace !== "" && { namespace }),
    name: metaText(object, "name"),
  }
}

/**
 * Throws a TypeError if the live object and the configuration are about different objects. A part that one of them lacks is not compared.
 * `endpoint` is the kind that the request is sent to.
 */
export function requireSameObject(live: MapValue, config: MapValue, endpoint?: ObjectKind): void {
  const [from, to] = [objectName(live), { ...objectName(config), ...endpoint }]
  const differs = (a: string | undefined, b: string | undefined) => Boolean(a) && Boolean(b) && a !== b
  const isSameKind = !differs(from.kind, to.kind) && !differs(groupOf(from), groupOf(to))
  if (isSameKind && !differs(from.name, to.name) && !differs(from.namespace, to.namespace)) return
  throw new TypeError(`the live object is ${formatName(from)}, and the configuration is about ${formatName(to)}`)
}

/** Returns a name for the group that is the same for all groups in which the kind was served; "" if the object has no version. */
function groupOf({ apiVersion, kind }: ObjectName): string {
  return isApiVersion(apiVersion) && apiVersion !== "" ? `group ${sharedGroup(parseKind(apiVersion, kind))}` : ""
}

function formatName({ apiVersion, kind, namespace, name }: ObjectName): string {
  return `${apiVersion} ${kind} ${JSON.stringify(namespace === undefined ? name : `${namespace}/${name}`)}`
}

/**
 * Returns the fields that a manager has applied, preceded by name and namespace of the live object: nobody owns these two, and an apply
 * needs them.
 */
export function withName(extracted: MapValue, live: MapValue): MapValue {
  const from = metadataOf(live)
  const to = metadataOf(extracted)
  const metadata: Record<string, Value> = {}
  for (const key of ["name", "namespace"]) {
    const value = own(from, key)
    if (value !== undefined) metadata[key] = value
  }
  for (const key in to) put(metadata, key, to[key] as Value)
  const {
    apiVersion = own(live, "apiVersion") ?? null,
    kind = own(live, "kind") ?? null,
    metadata: _,
    ...rest
  } = extracted
  return { apiVersion, kind, metadata, ...rest }
}
