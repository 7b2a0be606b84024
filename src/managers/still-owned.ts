// What an operation refuses to do unless it is asked for by name.
import { StructuredMergeError } from "../errors.js"
import type { ManagerFields } from "../ownership/blame.js"
import type { Owner } from "../ownership/owners.js"
import { quoteGo } from "../value/quote.js"

/** How many paths of a manager a message names. */
const mostPaths = 5

/**
 * An operation would take from managers that were not named what they own. Name them in `managers`, or say `{ all: true }`, to do it all
 * the same.
 */
export class StillOwnedError extends StructuredMergeError<"bad-request"> {
  /** Who would lose what. Never empty. */
  readonly owners: readonly ManagerFields[]
  /** @internal */
  constructor(owners: readonly ManagerFields[]) {
    super("bad-request", `${owners.map(describe).join("; ")}: name the managers that may lose it, or all`)
    this.owners = owners
  }
}

/**
 * Fields at several versions would have to go into one entry. Select one of the versions (`apiVersion`), or say which the fields are
 * to count as (`toVersion`) where they have the same names in all of them.
 */
export class VersionsDifferError extends StructuredMergeError<"bad-request"> {
  /** The entries that are at different versions, with the one that would take all. */
  readonly owners: readonly Owner[]
  /** @internal */
  constructor(owners: readonly Owner[]) {
    const parts = owners.map(owner => `${nameOf(owner)} at ${owner.apiVersion}`).join(" and ")
    super("bad-request", `fields of different versions don't go into one entry: ${parts}`)
    this.owners = owners
  }
}

function describe({ owner, fields }: ManagerFields): string {
  const paths = fields.slice(0, mostPaths).map(({ path }) => path)
  const more = fields.length - paths.length
  return `${nameOf(owner)} owns ${paths.join(", ")}${more > 0 ? ` and ${more} more` : ""}`
}

function nameOf({ manager, operation, apiVersion, subresource }: Owner): string {
  const way = subresource === undefined ? operation : `${operation}, ${subresource}`
  return `${quoteGo(manager)} (${way}, ${apiVersion})`
}
