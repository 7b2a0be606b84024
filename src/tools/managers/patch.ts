// A JSON Patch as text, and as a kubectl command.
import { StructuredMergeError } from "../../errors.js"
import { formatGoJson } from "../../json/json.js"
import type { JsonPatchOperation } from "../../managedfields/entries/upgrade.js"
import { nameInGroup, parseKind } from "../../schema/group-version-kind.js"
import { aListOfObjects, requireArgument } from "../../value/argument.js"
import { quoteForShell, quoteGo } from "../../value/quote.js"
import type { MapValue } from "../../value/value.js"
import type { ObjectName } from "../ownership/object-name.js"

/** Returns the patch of a record as one line of text, byte for byte as kubectl writes it. Throws a TypeError for the record itself. */
export function formatPatch(patch: readonly JsonPatchOperation[]): string {
  requireArgument("patch", patch, aListOfObjects)
  return formatGoJson(patch as readonly object[] as readonly MapValue[], { sorted: false })
}

/** A patch and the object that it is for. Every `ManagersChange` is one. */
export interface TargetedPatch {
  /** The object to patch. */
  readonly target: ObjectName
  /** The steps of the patch. */
  readonly patch: readonly JsonPatchOperation[]
}

/**
 * Returns the command that sends the patch, for a POSIX shell; "" for a patch without steps. Throws a StructuredMergeError for names that
 * no object on a server can have.
 */
export function kubectlPatch({ target, patch }: TargetedPatch): string {
  if (patch.length === 0) return ""
  return ["kubectl", "patch", ...resourceWords(target), "--type=json", "-p", formatPatch(patch)]
    .map(quoteForShell)
    .join(" ")
}

/** Returns the words that name the object to kubectl. Throws a StructuredMergeError for names that no object on a server can have. */
export function resourceWords({ apiVersion, kind, namespace, name }: ObjectName): string[] {
  const { group } = parseKind(apiVersion, kind)
  const resource = nameInGroup(kind.toLowerCase(), group)
  if (!/^[a-z0-9.-]+$/.test(resource) || resource.startsWith("-")) throw unnamable("kind", resource)
  for (const part of [name, namespace ?? "default"]) {
    if (/^\.{0,2}$/.test(part) || /[\p{C}\p{Zl}\p{Zp}/%]/u.test(part)) throw unnamable("name", part)
  }
  return [`${resource}/${name}`, ...(namespace === undefined ? [] : [`--namespace=${namespace}`])]
}

function unnamable(what: string, text: string): StructuredMergeError {
  return new StructuredMergeError("bad-request", `no object can have the ${what} ${quoteGo(text)}`)
}
