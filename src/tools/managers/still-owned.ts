// Errors of operations that would take too much, or mix versions.

import { StructuredMergeError } from "../../errors.js"
import { quoteGo } from "../../value/quote.js"
import { listAnd } from "../../value/words.js"
import type { ManagerFields } from "../ownership/blame.js"
import type { Owner } from "../ownership/owners.js"

/** The number of paths that a message lists for one manager. */
const mostPaths = 5

/** An operation would take fields from managers that were not named. To allow it, name them in `managers`, or pass `{ all: true }`. */
export class StillOwnedError extends StructuredMergeError<"bad-request"> {
  /** The managers that would lose fields, with those fields. Never empty. */
  readonly owners: readonly ManagerFields[]
  /** @internal */
  constructor(owners: readonly ManagerFields[]) {
    super("bad-request", `${owners.map(describeLoss).join("; ")}: name the managers that may lose it, or all`)
    this.owners = owners
  }
}

/**
 * One entry would have to hold fields of several versions. Either select one of the versions (`apiVersion`), or set the version of all
 * fields (`toVersion`) if they have the same names in all of them.
 */
export class VersionsDifferError extends StructuredMergeError<"bad-request"> {
  /** The entries with their different versions, including the entry that would receive the fields. */
  readonly owners: readonly Owner[]
  /** @internal */
  constructor(owners: readonly Owner[]) {
    const parts = listAnd(owners.map(owner => `${ownerLabel(owner)} at ${owner.apiVersion}`))
    super("bad-request", `fields of different versions can't be in one entry: ${parts}`)
    this.owners = owners
  }
}

function describeLoss({ owner, fields }: ManagerFields): string {
  const paths = fields.slice(0, mostPaths).map(({ path }) => path)
  const more = fields.length - paths.length
  return `${ownerLabel(owner)} owns ${paths.join(", ")}${more > 0 ? ` and ${more} more` : ""}`
}

function ownerLabel({ manager, operation, apiVersion, subresource }: Owner): string {
  const way = subresource === undefined ? operation : `${operation}, ${subresource}`
  return `${quoteGo(manager)} (${way}, ${apiVersion})`
}
