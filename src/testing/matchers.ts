// Matchers about the owners of fields, for `expect.extend` of vitest and of Jest. Their messages have the words of `smd explain`.

import { parsePath } from "../fieldpath/parse-path.js"
import { formatPath } from "../fieldpath/path.js"
import { writeJson } from "../json/json.js"
import { type Blame, type BlamedField, blame } from "../tools/ownership/blame.js"
import type { ObjectName } from "../tools/ownership/object-name.js"
import type { Owner } from "../tools/ownership/owners.js"
import { aListOfStrings, aString, optional, requireArgument, requireOptions } from "../value/argument.js"
import { textAt } from "../value/fields.js"
import type { Value } from "../value/value.js"
import { counted } from "../value/words.js"
import { conflictsIn, type StatusConflict, statusIn } from "./status.js"

/** The result of a matcher. */
export interface MatcherResult {
  /** Whether the expectation holds, without regard to `.not`. */
  readonly pass: boolean
  /** Returns the message for an expectation that fails. */
  readonly message: () => string
}

/** The matchers of `expect`, once `expect.extend(ownershipMatchers)` was called. */
export interface OwnershipMatchers {
  /**
   * Expects that a manager owns the field of the received object: the field itself, the atomic list or map around it, or else everything in
   * it. Without a path, expects that the manager owns any field.
   */
  toBeOwnedBy(manager: string, path?: string): void
  /** Expects that the received object, or its field at the path, has exactly these managers, in any order. */
  toHaveManagers(managers: readonly string[], path?: string): void
  /**
   * Expects that the received promise of an apply rejects because of a conflict with the manager, over the field if there is a path. The
   * received value may also be the error or its Status. Errors of this package and of @kubernetes/client-node are understood.
   */
  toConflictWith(manager: string, path?: string): Promise<void>
}

/** The functions for `expect.extend` of vitest or Jest. */
export const ownershipMatchers: {
  /** Checks the owner of a field. */
  toBeOwnedBy(received: unknown, manager: string, path?: string): MatcherResult
  /** Checks the managers of an object or of a field. */
  toHaveManagers(received: unknown, managers: readonly string[], path?: string): MatcherResult
  /** Checks the conflicts of an apply. */
  toConflictWith(received: unknown, manager: string, path?: string): Promise<MatcherResult>
} = { toBeOwnedBy, toHaveManagers, toConflictWith }

function toBeOwnedBy(received: unknown, manager: string, path?: string): MatcherResult {
  requireArgument("manager", manager, aString)
  const { owned, title, fields } = read(received, path)
  const owns = ({ owners }: BlamedField) => owners.some(owner => owner.manager === manager)
  const pass = path === undefined ? fields.some(owns) : fields.length > 0 && fields.every(owns)
  const expected = `expected ${manager} ${pass ? "not to own" : "to own"} ${path === undefined ? `a field of ${title}` : `${path} of ${title}`}`
  const details = () => {
    if (path === undefined) return ownerRows(managersOf(owned))
    if (fields.length === 0) return ["   the object has no such field"]
    return fields.filter(field => owns(field) === pass).flatMap(fieldRows)
  }
  return { pass, message: () => [expected, ...details()].join("\n") }
}

function toHaveManagers(received: unknown, managers: readonly string[], path?: string): MatcherResult {
  requireArgument("managers", managers, aListOfStrings)
  const { owned, title, fields } = read(received, path)
  const owners = path === undefined ? managersOf(owned) : fields.flatMap(field => field.owners)
  const found = new Set(owners.map(owner => owner.manager))
  const wanted = new Set(managers)
  const [missing, others] = [[...wanted].filter(name => !found.has(name)), [...found].filter(name => !wanted.has(name))]
  const pass = missing.length + others.length === 0
  const what = path === undefined ? title : `${path} of ${title}`
  const expected = `expected ${what} ${pass ? "not to have" : "to have"} ${managers.length === 0 ? "no managers" : `the managers ${managers.join(", ")}`}`
  const details = [
    ...ownerRows(owners),
    ...(missing.length > 0 ? [row("missing", missing.join(", "))] : []),
    ...(others.length > 0 ? [row("besides", others.join(", "))] : []),
  ]
  return { pass, message: () => [expected, ...details].join("\n") }
}

async function toConflictWith(received: unknown, manager: string, path?: string): Promise<MatcherResult> {
  requireArgument("manager", manager, aString)
  requireArgument("path", path, optional(aString))
  const field = path === undefined ? undefined : formatPath(parsePath(path))
  const about = field === undefined ? "" : ` over ${field}`
  const refused = await refusalOf(received)
  if (refused === undefined) {
    return { pass: false, message: () => `expected a conflict with ${manager}${about}, but the apply succeeded` }
  }
  const status = statusIn(refused.error)
  const conflicts = status === undefined ? [] : conflictsIn(status)
  const pass = conflicts.some(each => each.manager === manager && (field === undefined || each.field === field))
  const expected = `expected ${pass ? "no conflict" : "a conflict"} with ${manager}${about}`
  const message = () => {
    if (conflicts.length > 0)
      return [expected, ...conflicts.flatMap(conflictRows), `${counted(conflicts.length, "conflict")}.`].join("\n")
    const why = status === undefined ? messageOf(refused.error) : textAt(status, "message")
    return `${expected}, but the request failed for another reason\n   ${why}`
  }
  return { pass, message }
}

/** Returns the reason with which a promise rejects, or a value without `then` itself; undefined if the promise is fulfilled. */
async function refusalOf(received: unknown): Promise<{ readonly error: unknown } | undefined> {
  const isPromise = typeof received === "object" && received !== null && "then" in received
  if (!isPromise) return { error: received }
  try {
    await received
    return undefined
  } catch (error) {
    return { error }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The owners of a received object, its title, and its fields at a path. */
function read(received: unknown, path: string | undefined) {
  requireOptions("the received value", received)
  requireArgument("path", path, optional(aString))
  const owned = blame(received as object)
  return { owned, title: titleOf(owned.target), fields: path === undefined ? owned.fields : fieldsAt(owned, path) }
}

/** Returns the fields that decide about the owner of a path: itself, the atomic field around it, or else the parts that somebody owns. */
function fieldsAt(owned: Blame, path: string): readonly BlamedField[] {
  const found = owned.at(path)
  if (found.within !== undefined) return [found.within]
  if (found.owners.length > 0 || found.value !== undefined) return [found]
  const { steps } = found
  return owned.fields.filter(
    field => field.steps.length > steps.length && steps.every((step, i) => field.steps[i] === step),
  )
}

/** Returns each owner of a field once. */
function managersOf(owned: Blame): Owner[] {
  return owned.byManager().map(({ owner }) => owner)
}

function titleOf({ kind, namespace, name }: ObjectName): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`
}

/** The width of the first column of a row. */
const label = 10

function row(name: string, text: string): string {
  return `   ${name.padEnd(label)}${text}`
}

function fieldRows({ path, owners, value, gone }: BlamedField): string[] {
  const has = gone === true ? "the object no longer has it" : `the object has ${shown(value)}`
  return [`   ${path}`, ...(value !== undefined || gone === true ? [`   ${has}`] : []), ...ownerRows(owners)]
}

/** The operation and subresource of each owner behind its name, as `smd explain` shows them. */
function ownerRows(owners: readonly Owner[]): string[] {
  if (owners.length === 0) return [row("owner", "nobody")]
  const width = Math.max(...owners.map(({ manager }) => manager.length)) + 2
  const name = owners.length === 1 ? "owner" : "owners"
  return owners.map(({ manager, operation, subresource }, i) => {
    const way = subresource === undefined ? operation : `${operation}, ${subresource}`
    return row(i === 0 ? name : "", manager.padEnd(width) + way)
  })
}

function conflictRows({ field, manager, details }: StatusConflict): string[] {
  return [`   ${field}`, row("owner", `${manager}  ${details}`.trimEnd())]
}

const longest = 120

function shown(value: Value | undefined): string {
  const text = value === undefined ? "(absent)" : writeJson(value)
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}
