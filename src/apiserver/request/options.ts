// The options of a request that writes: its query parameters, and who it says it is.

import { badRequest, invalid, type Problem } from "../../requests/failure.js"
import { quoteGo } from "../../value/quote.js"

export interface WriteOptions {
  /** The manager whose fields the request writes. */
  readonly manager: string
  readonly dryRun: boolean
  /** Whether it is server-side apply. */
  readonly applies: boolean
  readonly force: boolean
  readonly fieldValidation: "Strict" | "Warn" | "Ignore"
}

export type OptionsKind = "CreateOptions" | "UpdateOptions" | "PatchOptions"

/** How long names of managers may be, in bytes. */
const longestManager = 128

/** Reads and checks the options. Throws a RequestFailure that lists what is wrong with them. */
export function writeOptions(
  query: URLSearchParams,
  userAgent: string,
  kind: OptionsKind,
  applies = false,
): WriteOptions {
  const problems: Problem[] = []
  const force = booleanOf(query, "force")
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
    const given = dryRun.map(value => quoteGo(value)).join(",")
    const message = `Unsupported value: [${given}]: supported values: "All"`
    problems.push(problem("FieldValueNotSupported", "dryRun", message))
  }
  const fieldValidation = query.get("fieldValidation") ?? ""
  if (!["", "Strict", "Warn", "Ignore"].includes(fieldValidation)) {
    const message = `Unsupported value: ${quoteGo(fieldValidation)}: supported values: "Ignore", "Strict", "Warn"`
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

/** What is wrong with the name of a manager. */
export function managerProblems(manager: string, field: string): Problem[] {
  if (new TextEncoder().encode(manager).length > longestManager) {
    return [problem("FieldValueTooLong", field, `Too long: may not be more than ${longestManager} bytes`)]
  }
  const bytes = new TextEncoder()
  let position = 0
  for (const character of manager) {
    if (!printable.test(character)) {
      const code = (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0")
      const message = `Invalid value: ${quoteGo(manager)}: invalid character U+${code} (at position ${position})`
      return [problem("FieldValueInvalid", field, message)]
    }
    position += bytes.encode(character).length
  }
  return []
}

// What Go's unicode.IsPrint accepts: letters, marks, numbers, punctuation, symbols, and the ASCII space.
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u

function problem(reason: string, field: string, message: string): Problem {
  return { reason, field, message }
}

/** Who writes if the request does not say: the program's name in its User-Agent. */
export function managerOf(userAgent: string): string {
  const [program = ""] = userAgent.split("/")
  return Array.from(program)
    .filter(character => printable.test(character))
    .join("")
    .slice(0, longestManager)
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

/** A parameter that is true or false; undefined if it is absent or empty. */
export function booleanOf(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name) ?? ""
  if (text === "") return undefined
  const found = Object.hasOwn(booleans, text) ? booleans[text] : undefined
  // Go's parser of query parameters takes every other text for true.
  return found ?? true
}

/** A parameter that is a whole number; undefined if it is absent or empty. */
export function integerOf(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name) ?? ""
  if (text === "") return undefined
  if (!/^[+-]?\d{1,15}$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${quoteGo(text)}: invalid syntax`)
  return Number(text)
}
