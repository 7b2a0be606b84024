// Finds entries at versions that lack a field of the live object, such as one that a newer version has by default.
import { hasCode, type ValidationError } from "../../errors.js"
import { withoutManagedFields } from "../../managedfields/entries/entry.js"
import type { Type } from "../../typed/type.js"
import { TypedValue } from "../../typed/typed-value.js"
import { mapAt, textAt, withKeys } from "../../value/fields.js"
import type { MapValue } from "../../value/value.js"
import type { LintFinding } from "./finding.js"
import { aboutEntry, entryLabel, type OwnedFields } from "./owners.js"

/**
 * Reports entries at another version than the object's, if the object does not fit the type of that version. An API server then refuses
 * applies with 500, because it compares the object at the version of each entry. It does so only if nothing converts the objects, so the
 * definition has to say that there is no webhook. `typeAt` returns the type of the kind at a version.
 */
export function lintMixedVersions(
  found: LintFinding[],
  live: MapValue,
  owners: readonly OwnedFields[],
  definition: MapValue,
  typeAt: (apiVersion: string) => Type | undefined,
): void {
  if (textAt(mapAt(mapAt(definition, "spec"), "conversion"), "strategy") === "Webhook") return
  const current = textAt(live, "apiVersion")
  if (typeAt(current) === undefined || problemAt(live, typeAt(current) as Type) !== undefined) return
  const problems = new Map<string, string | undefined>()
  for (const owner of owners) {
    const { apiVersion = "" } = owner.entry
    const type = apiVersion === current ? undefined : typeAt(apiVersion)
    if (type === undefined) continue
    if (!problems.has(apiVersion)) problems.set(apiVersion, problemAt(withKeys(live, { apiVersion }), type))
    const problem = problems.get(apiVersion)
    if (problem === undefined) continue
    const message = `${entryLabel(owner.entry)} owns fields at ${apiVersion}, which the object does not fit (${problem}): every apply is refused with 500`
    const remedy = `set the version of the entry: smd managers to-version ${current} --all-managers`
    found.push(aboutEntry("live-mixed-versions", owner, message, remedy, ".apiVersion"))
  }
}

/** Returns the first problem of the object with the type; undefined if it fits. */
function problemAt(object: MapValue, type: Type): string | undefined {
  try {
    TypedValue.of(withoutManagedFields(object), type, { allowDuplicates: true })
    return undefined
  } catch (error) {
    if (!hasCode(error, "invalid-value")) throw error
    const [issue] = (error as ValidationError).issues
    return issue && `${issue.path}: ${issue.message}`
  }
}
