// The JSON Patch that rewrites managedFields.
import type { MapValue, Value } from "../../value/value.js"
import { entryOf, type ManagedFieldsEntry } from "./entry.js"
import type { JsonPatchOperation } from "./upgrade.js"

/**
 * Returns the patch that replaces the entries of the object at this resourceVersion with these. To clear managedFields, the patch writes
 * one empty entry as the Kubernetes documentation requires: if a client sends an empty list by PUT, a server assumes that the client does
 * not know managedFields.
 */
export function managedFieldsPatch(
  entries: readonly ManagedFieldsEntry[],
  resourceVersion: string,
  guard: "test" | "replace",
): JsonPatchOperation[] {
  const written: readonly Value[] =
    entries.length === 0 ? [{}] : entries.map(entry => entryOf(entry as MapValue) as Value)
  const replace: JsonPatchOperation = { op: "replace", path: "/metadata/managedFields", value: written }
  if (resourceVersion === "") return [replace]
  const check: JsonPatchOperation = { op: guard, path: "/metadata/resourceVersion", value: resourceVersion }
  return guard === "test" ? [check, replace] : [replace, check]
}
