// Words that texts contain for other reasons, even if they are also hidden values. Such values are hidden only at their places.
import { isList, isMap, type Value } from "../../value/value.js"

/** Words of results and reports. */
export const ownWords: readonly string[] = (
  "name data kind type spec metadata string error warning info create created change changed unchanged conflict refused remove removed stay " +
  "deleted configured defaulted atomic order kept union safe unsure impossible Apply Update apply update plan blame explanation lint none " +
  "null true false default hidden nobody owner owners manager managers live path steps message text json yaml github Opaque Secret"
).split(" ")

/** The keys of values that identify objects and managers. */
const publicKeys: ReadonlySet<string> = new Set([
  "apiVersion",
  "kind",
  "name",
  "namespace",
  "manager",
  "operation",
  "type",
])

/** Adds the names of all fields in the value, and the names of kinds, objects and managers. */
export function addPublicWords(value: Value, words: Set<string>): void {
  if (isList(value)) for (const item of value) addPublicWords(item, words)
  if (!isMap(value)) return
  for (const [key, child] of Object.entries(value)) {
    words.add(key)
    if (typeof child === "string" && publicKeys.has(key)) words.add(child)
    else addPublicWords(child, words)
  }
}
