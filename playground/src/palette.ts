// How managers look: each has a colour and a pattern, in the order in which they come up; the name is always beside them.
import type { Owner } from "structured-merge-diff/ownership"

/** How many looks there are; after that they begin again. */
export const looks = 8

/** The number of the look of each manager by name: those of the tabs first, then those of the object. */
export function looksOf(managers: readonly string[], owners: readonly Owner[]): ReadonlyMap<string, number> {
  const names = new Set([...managers, ...owners.map(({ manager }) => manager)])
  return new Map(Array.from(names, (name, index) => [name, index % looks]))
}

/** Tells the owners of one object apart, as an API server does: a manager is another one in an update, or by a subresource. */
export function ownerId({ manager, operation, subresource = "" }: Owner): string {
  return `${manager} ${operation} ${subresource}`
}

/** The name of an owner, with what tells it from others of that name. */
export function ownerName({ manager, subresource }: Owner): string {
  return subresource === undefined ? manager : `${manager} (${subresource})`
}

/** "applies" or "updates". */
export function ownerVerb({ operation }: Owner): string {
  return operation === "Apply" ? "applies" : "updates"
}
