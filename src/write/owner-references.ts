// Repeated owner references, which a server removes.
import { formatGoJson } from "../json/json.js"
import { metadataOf, withMetadata } from "../schema/metadata.js"
import { mapsAt, textAt } from "../value/fields.js"
import type { MapValue } from "../value/value.js"

/** Returns the object without repeated owner references, and calls `warn` if there are any. `when` says after which step, if any. */
export function withoutRepeatedOwners(
  object: MapValue,
  warn: (message: string) => void,
  when: "" | " after mutating admission happens",
): MapValue {
  const owners = new Map<string, MapValue>()
  const repeated: string[] = []
  for (const owner of mapsAt(metadataOf(object), "ownerReferences")) {
    const text = formatGoJson(owner)
    if (owners.has(text)) repeated.push(textAt(owner, "uid"))
    else owners.set(text, owner)
  }
  if (repeated.length === 0) return object
  const rule = "API server dedups owner references in 1.20+, and may reject such requests as early as 1.24"
  warn(
    `.metadata.ownerReferences contains duplicate entries${when}; ${rule}; please fix your requests; duplicate UID(s) observed: ${repeated.join(", ")}`,
  )
  return withMetadata(object, { ownerReferences: [...owners.values()] })
}
