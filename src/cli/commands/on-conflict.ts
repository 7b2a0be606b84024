// `--on-conflict`: decides the conflicts of configurations before they are applied.

import type { ConflictOwner } from "../../tools/ownership/conflicts.js"
import type { Resolution, ResolvedField } from "../../tools/ownership/resolve.js"
import { listAnd } from "../../value/words.js"
import { type Document, InputError } from "../input/document.js"
import { Places } from "../input/locate.js"
import { isKubernetes } from "../input/managed-fields.js"
import { showValue } from "../output/flow.js"
import type { Secrets } from "../secrets/secrets.js"
import { printable } from "../terminal/layout.js"
import { type ObjectApply, ownershipRequest } from "./apply-object.js"

export const onConflict = ["fail", "relinquish", "share", "overwrite"] as const

/** A request, and lines for people about its decided conflicts. */
export interface DecidedRequest {
  readonly request: ObjectApply
  readonly report: readonly string[]
}

/** Returns a function that replaces the configuration of a request as `--on-conflict` says. */
export async function decider(
  choice: (typeof onConflict)[number] | undefined,
  secrets: Secrets,
): Promise<(request: ObjectApply, document: Document) => DecidedRequest> {
  if (choice === undefined || choice === "fail") return request => ({ request, report: [] })
  const { resolve } = await import("../../tools/ownership/resolve.js")
  return (request, document) => {
    if (!isKubernetes(request.config)) {
      throw new InputError(`${document.at([])}: --on-conflict is for objects that have apiVersion and kind`)
    }
    const { live, config, force } = request
    const resolution = resolve(live, config, { ...ownershipRequest(request, document), onConflict: choice })
    return {
      request: { ...request, config: resolution.config, force: force || resolution.force },
      report: reportOf(secrets.hide(resolution), document),
    }
  }
}

function reportOf({ relinquished, shared, overwritten }: Resolution, document: Document): string[] {
  const places = new Places(document.value)
  const lines = (fields: readonly ResolvedField[], words: (owners: string, field: ResolvedField) => string) =>
    fields.map(field => {
      const { path, owners } = field
      return printable(`${document.at(places.locate(path))}: ${path}: ${words(namesOf(owners), field)}`)
    })
  return [
    ...lines(relinquished, (owners, { live, configured }) => {
      return `left to ${owners}: ${showValue(live)}, not ${showValue(configured)}`
    }),
    ...lines(shared, (owners, { live, configured }) => {
      return `shared with ${owners}: ${showValue(live)}, not ${showValue(configured)}`
    }),
    ...lines(overwritten, (owners, { live, configured }) => {
      return `taken from ${owners}: ${showValue(configured)}, not ${showValue(live)}`
    }),
  ]
}

function namesOf(owners: readonly ConflictOwner[]): string {
  return listAnd([...new Set(owners.map(({ manager }) => manager))])
}
