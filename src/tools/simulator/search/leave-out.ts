// Changes a request so that its manager leaves a field alone: an apply or a create omits the field, and an update or a patch writes it
// with its live value.
import type { PathElement } from "../../../fieldpath/element.js"
import { stepsTo, valueAt } from "../../../fieldpath/lookup.js"
import type { Path } from "../../../fieldpath/path.js"
import { managerId } from "../../../managedfields/entries/manager-id.js"
import { objectOf } from "../../../managedfields/request.js"
import type { TypeFinder } from "../../../managedfields/types/object-types.js"
import { withChanges } from "../../../value/change.js"
import { copyMap, put } from "../../../value/object.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../../../value/value.js"
import { jsonPatch } from "../../../write/patches/json-patch.js"
import { mergePatch } from "../../../write/patches/merge-patch.js"
import { PatchError } from "../../../write/patches/patch-error.js"
import { changesOfConfig } from "../../ownership/config-changes.js"
import { readShares } from "../../ownership/owners.js"
import { Scene } from "../../ownership/scene.js"
import { keyOf, keyOfObject, resolveRef } from "../simulation/objects.js"
import { applyRecipe } from "../simulation/recipe.js"
import type { Recipe, SimulatedPatch, SimulatedUpdate, SimulationRequest } from "../simulation/request.js"
import type { Snapshot } from "../simulation/snapshot.js"

/** Returns the request without the field. `key` is the key of the object that the request is for. */
export function leaveOut(
  request: SimulationRequest,
  key: string,
  path: Path,
  now: Snapshot,
  types: TypeFinder,
): SimulationRequest {
  if ("changeSchema" in request || "delete" in request) return request
  if ("apply" in request || "create" in request) {
    const given = objectOf("apply" in request ? request.apply : request.create)
    const object = withoutField(given, path, now.find(key), request.manager, types)
    return "apply" in request ? { ...request, apply: object } : { ...request, create: object }
  }
  const live = now.find(key)
  if (live === undefined) return request
  const next = nextOf(request, live)
  if (!isMap(next)) return request
  const { manager, subresource, time } = request
  const update = withLiveField(next, live, path) as MapValue
  return { manager, update, ...(subresource !== undefined && { subresource }), ...(time !== undefined && { time }) }
}

/** Returns the key of the object that the request is for. Undefined for deletes, changes of the schema and objects that do not exist. */
export function keyOfRequest(request: SimulationRequest, now: Snapshot): string | undefined {
  if ("changeSchema" in request || "delete" in request) return undefined
  if ("apply" in request) return keyOfObject(objectOf(request.apply))
  if ("create" in request) return keyOfObject(objectOf(request.create))
  if ("update" in request && typeof request.update !== "function") return keyOfObject(objectOf(request.update))
  try {
    return keyOf(resolveRef(now.byKey, request.object))
  } catch (error) {
    // The object does not exist, so it has no field to leave out. Playing the request reports the error.
    if (error instanceof TypeError) return undefined
    throw error
  }
}

/** Returns the object that the request would store; undefined if a patch cannot be applied. */
function nextOf(request: SimulatedUpdate | SimulatedPatch, live: MapValue): Value | undefined {
  if ("update" in request) {
    const { update } = request
    return (typeof update === "function" ? applyRecipe(update as Recipe<never>, live) : update) as Value
  }
  const patch = request.patch as Value
  try {
    return isList(patch) ? jsonPatch(live, patch) : mergePatch(live, patch as MapValue)
  } catch (error) {
    if (error instanceof PatchError) return undefined
    throw error
  }
}

/** Returns the configuration without the field, and without parents that become empty. */
function withoutField(
  config: MapValue,
  path: Path,
  live: MapValue | undefined,
  manager: string,
  types: TypeFinder,
): MapValue {
  const shares = live === undefined ? [] : readShares(live)
  const applier = managerId({ manager, operation: "Apply" })
  return withChanges(
    config,
    changesOfConfig(new Scene({ config, live, shares, applier, types }), [path], []),
  ) as MapValue
}

/** Returns the value with the live value at the path. If `live` has none, the field is removed. */
function withLiveField(value: Value | undefined, live: Value | undefined, path: Path): Value | undefined {
  const [element, ...below] = path
  if (element === undefined) return live
  const here = value === undefined ? undefined : valueAt(value, [element])
  const there = live === undefined ? undefined : valueAt(live, [element])
  // An item that the value lacks is restored as a whole, since one field is not valid without the item's keys.
  const isGone = element.kind === "key" && here === undefined
  const next = isGone ? there : withLiveField(here, there, below)
  if (next === here) return value
  const steps = value === undefined ? undefined : stepsTo(value, [element])
  if (value !== undefined && steps !== undefined) return withChanges(value, [{ steps, value: next }])
  return added(value, element, next as Value)
}

function added(value: Value | undefined, element: PathElement, child: Value): Value {
  if (element.kind !== "field") return [...(isList(value ?? null) ? (value as ListValue) : []), child]
  const out = copyMap(isMap(value) ? value : {})
  put(out, element.name, child)
  return out
}
