// The options of a request that writes, from its query parameters and its User-Agent.

import { badRequest, invalid, type Problem, RequestFailure } from "../../kinds/refusal/failure.js"
import { managerOf, managerProblems } from "../../kinds/refusal/manager-name.js"
import { quoteGo } from "../../value/quote.js"
import type { WriteOptions } from "../../write/options.js"

export type OptionsKind = "CreateOptions" | "UpdateOptions" | "PatchOptions"

/** Reads and checks the options. Throws a RequestFailure with a problem for each wrong option. */
export function readWriteOptions(
  query: URLSearchParams,
  userAgent: string,
  kind: OptionsKind,
  applies = false,
): WriteOptions {
  const problems: Problem[] = []
  const force = booleanParameter(query, "force")
  const manager = query.get("fieldManager") ?? ""
  if (kind === "PatchOptions" && !applies && force !== undefined) {
    problems.push(problem("FieldValueForbidden", "force", "Forbidden: may not be specified for non-apply patch"))
  }
  if (applies && manager === "") {
    problems.push(problem("FieldValueRequired", "fieldManager", "Required value: is required for apply patch"))
  }
  problems.push(...managerProblems(manager, "fieldManager"))
  const dryRun = query.getAll("dryRun")
  if (dryRun.some(value => value !== "All")) {
    const values = dryRun.map(value => quoteGo(value)).join(",")
    const message = `Unsupported value: [${values}]: supported values: "All"`
    problems.push(problem("FieldValueNotSupported", "dryRun", message))
  }
  const fieldValidation = query.get("fieldValidation") ?? ""
  if (!["", "Strict", "Warn", "Ignore"].includes(fieldValidation)) {
    const message = `Unsupported value: ${quoteGo(fieldValidation)}: supported values: "", "Ignore", "Strict", "Warn"`
    problems.push(problem("FieldValueNotSupported", "fieldValidation", message))
  }
  if (problems.length > 0) throw invalid({ group: "meta.k8s.io", name: kind }, "", problems)
  return {
    manager: manager === "" ? managerOf(userAgent) : manager,
    dryRun: dryRun.length > 0,
    applies,
    force: force === true,
    fieldValidation: fieldValidation === "" ? "Warn" : (fieldValidation as WriteOptions["fieldValidation"]),
  }
}

function problem(reason: string, field: string, message: string): Problem {
  return { reason, field, message }
}

const booleans: Readonly<Record<string, boolean>> = {
  true: true,
  "1": true,
  t: true,
  T: true,
  TRUE: true,
  True: true,
  false: false,
  "0": false,
  f: false,
  F: false,
  FALSE: false,
  False: false,
}

/** Returns a boolean parameter; undefined if it is absent or empty. */
export function booleanParameter(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name) ?? ""
  if (text === "") return undefined
  const value = Object.hasOwn(booleans, text) ? booleans[text] : undefined
  // Go: any other text is true.
  return value ?? true
}

/** Returns the resourceVersion of a read; undefined if it is absent or empty. Throws the failure that `refusal` makes of a malformed one. */
export function versionParameter(
  query: URLSearchParams,
  refusal: (why: string) => RequestFailure = why => new RequestFailure(500, why),
): number | undefined {
  const text = query.get("resourceVersion") ?? ""
  if (text === "") return undefined
  if (/^\d{1,19}$/.test(text)) return Number(text)
  const value = quoteGo(text)
  throw refusal(`resourceVersion: Invalid value: ${value}: strconv.ParseUint: parsing ${value}: invalid syntax`)
}

/** Returns an integer parameter; undefined if it is absent or empty. Throws a RequestFailure for a text that is not an integer. */
export function integerParameter(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name) ?? ""
  if (text === "") return undefined
  if (!/^[+-]?\d{1,15}$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${quoteGo(text)}: invalid syntax`)
  return Number(text)
}
