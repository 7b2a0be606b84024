// The looks of managers. A look is a color and a pattern; managers get looks in order, and their names are always shown too.
import type { Owner } from "../ownership/owners.js"

/** The index of each manager's look, by name. */
export type Looks = ReadonlyMap<string, number>

/** The number of looks. Further managers get the same looks again. */
const count = 8

/**
 * Returns the index of each manager's look by name. Managers keep the looks that they have in `before`; others get free looks, managers of the
 * tabs first.
 */
export function looksOf(managers: readonly string[], owners: readonly Owner[], before: Looks = new Map()): Looks {
  const names = [...new Set([...managers, ...owners.map(({ manager }) => manager)])]
  const used = names.map(name => before.get(name)).filter(look => look !== undefined)
  const free = Array.from({ length: count }, (_, look) => look).filter(look => !used.includes(look))
  let given = used.length
  return new Map(names.map(name => [name, before.get(name) ?? free.shift() ?? given++ % count]))
}

/** Returns an id that is unique among the owners of an object: one manager may own fields by apply, by update and by subresource. */
export function ownerId({ manager, operation, subresource = "" }: Owner): string {
  return `${manager} ${operation} ${subresource}`
}

/** Returns the name of an owner, with the subresource if it has one. */
export function ownerName({ manager, subresource }: Owner): string {
  return subresource === undefined ? manager : `${manager} (${subresource})`
}

/** Returns "applies" or "updates". */
export function ownerVerb({ operation }: Owner): string {
  return operation === "Apply" ? "applies" : "updates"
}
