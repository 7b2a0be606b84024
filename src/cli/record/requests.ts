// Turns the writes of a log into requests of the simulator.
import { withoutManagedFields } from "../../managedfields/entries/entry.js"
import { metadataOf, withMetadata } from "../../schema/metadata.js"
import type { ObjectName } from "../../tools/ownership/object-name.js"
import { keyOf } from "../../tools/simulator/simulation/objects.js"
import type { SimulationRequest } from "../../tools/simulator/simulation/request.js"
import { listAt, mapAt, textAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import { mergePatchBetween } from "../../write/patches/merge-patch.js"
import type { LoggedWrite } from "./log.js"

/** Returns the request for a write: an apply as it was sent, and for any other write a patch with its changes. */
export function requestFor(
  write: LoggedWrite,
  before: MapValue | undefined,
  target: ObjectName,
): SimulationRequest | undefined {
  const { verb, manager, request, state, subresource, force } = write
  const common = { manager, ...(subresource !== "" && { subresource }) }
  const sent = request !== undefined && isMap(request as Value) ? (request as MapValue) : undefined
  if (verb === "apply") {
    return sent && { ...common, apply: withIdentity(plain(sent), target), ...(force && { force }) }
  }
  if (state === undefined) {
    const isOfObject = sent === undefined || textAt(sent, "kind") === target.kind || textAt(sent, "kind") === ""
    if (subresource === "scale") {
      const replicas = own(mapAt(sent ?? {}, "spec"), "replicas")
      return replicas === undefined ? undefined : { ...common, object: keyOf(target), patch: { spec: { replicas } } }
    }
    if (sent === undefined || !isOfObject || before === undefined) return undefined
    return verb === "update" ? { ...common, update: plain(sent) } : { ...common, object: keyOf(target), patch: sent }
  }
  const next = plain(state)
  if (before === undefined) return { ...common, create: next }
  const patch = mergePatchBetween(plain(before), next)
  return patch === undefined ? { ...common, update: next } : { ...common, object: keyOf(target), patch }
}

/** A resourceVersion that is valid, but so high that no object reaches it. */
const unusedVersion = "9223372036854775807"

/** Returns a refused request. If it was refused as outdated, it gets a resourceVersion that no object has. */
export function refusedRequest(write: LoggedWrite, target: ObjectName): SimulationRequest | undefined {
  const { verb, manager, request, subresource, force, code } = write
  if (request === undefined) return undefined
  const sent = isMap(request as Value) ? plain(request as MapValue) : undefined
  const common = { manager, ...(subresource !== "" && { subresource }) }
  if (verb === "apply") return sent && { ...common, apply: withIdentity(sent, target), ...(force && { force }) }
  if (verb === "create") return sent && { ...common, create: sent }
  const late = (object: MapValue) => (code === 409 ? withMetadata(object, { resourceVersion: unusedVersion }) : object)
  if (verb === "update") return sent && { ...common, update: late(sent) }
  return { ...common, object: keyOf(target), patch: sent === undefined ? request : late(sent) }
}

/** Returns the configuration with the name of the object. As people write it, apiVersion, kind and metadata come first. */
export function withIdentity(config: MapValue, { name, namespace }: ObjectName): MapValue {
  const named = withMetadata(config, { name, ...(namespace !== undefined && { namespace }) })
  const { apiVersion = null, kind = null, metadata = null, ...rest } = named
  return { apiVersion, kind, metadata, ...rest }
}

/** Whether a delete removed the object at once. */
export function isGone({ state }: LoggedWrite): boolean {
  if (state === undefined) return true
  const metadata = metadataOf(state)
  const grace = own(metadata, "deletionGracePeriodSeconds")
  return listAt(metadata, "finalizers").length === 0 && (grace === undefined || grace === 0)
}

/** Returns the conflicts of a Status in the form of a story's expectations. */
export function conflictsOf(status: MapValue): { readonly field: string; readonly with: string }[] {
  const causes = listAt(mapAt(status, "details"), "causes").filter(isMap)
  return causes
    .filter(cause => textAt(cause, "reason") === "FieldManagerConflict")
    .map(cause => {
      const quoted = /^conflict with ("(?:[^"\\]|\\.)*")/.exec(textAt(cause, "message"))?.[1] ?? '""'
      return { field: textAt(cause, "field"), with: nameIn(quoted) }
    })
}

function nameIn(quoted: string): string {
  try {
    return String(JSON.parse(quoted))
  } catch {
    return quoted.slice(1, -1)
  }
}

const serverFields = {
  uid: undefined,
  creationTimestamp: undefined,
  generation: undefined,
  resourceVersion: undefined,
  selfLink: undefined,
}

/** Returns the object with its managedFields, but without the metadata that an API server writes. */
export function withEntries(object: MapValue): MapValue {
  return withMetadata(object, serverFields)
}

/** Returns the object without managedFields and without the metadata that an API server writes. */
export function plain(object: MapValue): MapValue {
  return withEntries(withoutManagedFields(object))
}
