// The JSON Patch that rewrites managedFields: as data, as text, and as a command of kubectl.
import { StructuredMergeError } from "../errors.js"
import { formatGoJson } from "../json/json.js"
import { entryOf, type ManagedFieldsEntry } from "../managedfields/entries/entry.js"
import type { JsonPatchOperation } from "../managedfields/entries/upgrade.js"
import type { ObjectName } from "../ownership/object-name.js"
import { parseKind } from "../schema/group-version-kind.js"
import { quoteGo } from "../value/quote.js"
import type { MapValue, Value } from "../value/value.js"

/**
 * The patch that puts these entries in place of those of the object at this resourceVersion. A server takes an empty list for one that
 * a client did not know of where it is written by PUT; one empty entry is what its documentation asks for to clear managedFields.
 */
export function patchFor(
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

/** The patch as text on one line, byte for byte as kubectl writes such a patch. */
export function formatPatch(patch: readonly JsonPatchOperation[]): string {
  return formatGoJson(patch as readonly object[] as readonly MapValue[], { sorted: false })
}

/** A patch, and which object it is for: what every `ManagersChange` has. */
export interface TargetedPatch {
  /** Which object it is for. */
  readonly target: ObjectName
  /** What is done to it. */
  readonly patch: readonly JsonPatchOperation[]
}

/**
 * The command that sends the patch, for a POSIX shell; "" for a patch without steps. Throws a StructuredMergeError for names that no
 * object of a server has.
 */
export function kubectlPatch({ target, patch }: TargetedPatch): string {
  if (patch.length === 0) return ""
  const { apiVersion, kind, namespace, name } = target
  const { group } = parseKind(apiVersion, kind)
  const resource = `${kind.toLowerCase()}${group === "" ? "" : `.${group}`}`
  if (!/^[a-z0-9.-]+$/.test(resource) || resource.startsWith("-")) throw unnamable("kind", resource)
  for (const part of [name, namespace ?? "default"]) {
    if (/^\.{0,2}$/.test(part) || /[\p{C}\p{Zl}\p{Zp}/%]/u.test(part)) throw unnamable("name", part)
  }
  const words = [`${resource}/${name}`, ...(namespace === undefined ? [] : [`--namespace=${namespace}`])]
  return ["kubectl", "patch", ...words, "--type=json", "-p", formatPatch(patch)].map(quoteForShell).join(" ")
}

function unnamable(what: string, text: string): StructuredMergeError {
  return new StructuredMergeError("bad-request", `no object of a server has the ${what} ${quoteGo(text)}`)
}

/** The word as a shell reads it back: as it is where no character means anything to a shell, and else in single quotes. */
function quoteForShell(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
