// Errors as the API server reports them: the Status that it sends, and the text that kubectl prints.

import { hasCode, StructuredMergeError, UnionError } from "../../errors.js"
import { formatGoPath, formatPath, type Path } from "../../fieldpath/path.js"
import {
  type Conflict,
  ConflictError,
  formatConflicts,
  isStructuredMergeError,
  reasonOf,
  type UnionCause,
} from "../../merge/conflict.js"
import { kindOf, nameInGroup } from "../../schema/group-version-kind.js"
import { metaText } from "../../schema/metadata.js"
import { bodyOf } from "../../union/check-union.js"
import type { UnionValidationError } from "../../union/validate.js"
import { formatValue } from "../../value/format.js"
import type { MapValue, Value } from "../../value/value.js"
import { counted } from "../../value/words.js"
import type { ManagedFieldsEntry } from "../entries/entry.js"
import { formatManager, parseManagerId } from "../entries/manager-id.js"

/** The body of the API server's answer to a failed request. */
export interface Status {
  /** Always `Status`. */
  readonly kind: "Status"
  /** Always `v1`. */
  readonly apiVersion: "v1"
  /** Always empty. */
  readonly metadata: Readonly<Record<string, never>>
  /** Always `Failure`. */
  readonly status: "Failure"
  /** The problem, for people. */
  readonly message: string
  /** The problem in one word, for programs: `Conflict`, `Invalid`, `BadRequest`. Absent if an API server gives none. */
  readonly reason?: string
  /** The object, and each of its problems. */
  readonly details?: StatusDetails
  /** The HTTP status code. */
  readonly code: number
}

/** The object of a Status, and each of its problems. */
export interface StatusDetails {
  /** The name of the object, if it is known. */
  readonly name?: string
  /** The API group of the object; absent for the core group. */
  readonly group?: string
  /** The kind of the object. */
  readonly kind?: string
  /** Each field that is in conflict or invalid. */
  readonly causes: readonly StatusCause[]
}

/** One problem in a Status. */
export interface StatusCause {
  /** The kind of problem in one word, for programs: `FieldManagerConflict`, `FieldValueInvalid`. */
  readonly reason: string
  /** The problem, for people. */
  readonly message: string
  /** The path in the object: `.spec.replicas` for a conflict, `spec.volumes[0]` for an invalid value. */
  readonly field: string
}

/** A request that is wrong regardless of the state of the object: HTTP 400. */
export class BadRequestError extends StructuredMergeError<"bad-request"> {
  constructor(message: string) {
    super("bad-request", message)
  }
}

/** An apply without the name of a manager: HTTP 422, as an API server answers it. */
export class MissingManagerError extends StructuredMergeError<"bad-request"> {
  /** The details of the Status: the missing option. */
  readonly details: StatusDetails

  constructor() {
    const message = "Required value: is required for apply patch"
    const field = "fieldManager"
    super("bad-request", `PatchOptions.meta.k8s.io "" is invalid: ${field}: ${message}`)
    this.details = {
      group: "meta.k8s.io",
      kind: "PatchOptions",
      causes: [{ reason: "FieldValueRequired", message, field }],
    }
  }
}

/** A field that an apply wants to change but another manager owns, with both values. */
export class FieldConflict implements Conflict {
  /** The identifier of the entry in managedFields that owns the field, which is JSON. `owner.manager` is the name of its manager. */
  readonly manager: string
  /** The elements of the path of the field, in the field names of the owner's version. `field` is its text. */
  readonly path: Path
  /** Set if the engine, not the configuration, changes the field because of a union. */
  declare readonly union?: UnionCause
  /** The owner's parts, read from the identifier: an entry of managedFields without fields and time. */
  readonly owner: ManagedFieldsEntry
  readonly #found: Conflict

  constructor(found: Conflict) {
    this.manager = found.manager
    this.path = found.path
    if (found.union !== undefined) this.union = found.union
    this.owner = parseManagerId(found.manager) ?? {}
    this.#found = found
  }

  /** The path as text, such as `.spec.replicas`: the form of `formatPath`, which the results of `plan`, `explain` and `blame` have too. */
  get field(): string {
    return formatPath(this.path)
  }

  /**
   * The value of the live object at the path, in the owner's version; undefined if it has none. Looked up when it is read, and shared with
   * the live object.
   */
  get live(): Value | undefined {
    return this.#found.live
  }

  /**
   * The value that the apply would set at the path: from the configuration, or written by the engine because of a union. Undefined if the
   * apply would remove the field. Looked up when it is read, and shared with the configuration.
   */
  get configured(): Value | undefined {
    return this.#found.configured
  }
}

/**
 * An apply that would change fields of other managers: HTTP 409. The message is the API server's. Each conflict has the path as
 * text in `field`, and the parts of the owner in `owner`: `owner.manager` is its name.
 */
export class ApplyConflictError extends ConflictError {
  /** Each field in conflict, sorted by manager. */
  declare readonly conflicts: readonly FieldConflict[]

  constructor(conflicts: readonly Conflict[], options?: ErrorOptions) {
    super(conflicts.map(conflict => new FieldConflict(conflict)))
    this.message = `Apply failed with ${counted(conflicts.length, "conflict")}: ${formatConflicts(this.conflicts, formatManager)}`
    if (options !== undefined && "cause" in options) this.cause = options.cause
  }

  /** The body of the API server's answer. */
  toStatus(): Status {
    return statusOf(this)
  }

  /** Returns the text that `kubectl apply --server-side` prints. */
  toKubectlText(): string {
    return `error: ${this.message}\n${kubectlAdvice}`
  }
}

/**
 * A request whose result would be invalid: HTTP 422. Nothing is stored. The message has the form of the API server's, and the cause is the
 * UnionError with the problems.
 */
export class InvalidError extends UnionError {
  /** The details of the Status: the object, and a cause for each problem. */
  readonly details: StatusDetails

  /** `object` is the object in the request. */
  constructor(object: MapValue, cause: UnionError) {
    const { group, kind } = kindOf(object)
    const name = metaText(object, "name")
    const causes = causesOf(cause)
    const lines = causes.map(({ field, message }) => (field === "" ? message : `${field}: ${message}`))
    const what = `${nameInGroup(kind, group)} ${formatValue(name)}`
    const problems = lines.length === 1 ? lines.join() : `[${lines.join(", ")}]`
    super(cause.issues, `${what} is invalid: ${problems}`, { cause })
    this.details = { ...(name !== "" && { name }), ...(group !== "" && { group }), kind, causes }
  }

  /** The body of the API server's answer. */
  toStatus(): Status {
    return statusOf(this)
  }
}

/** Whether an API server answers the error with HTTP 422 and `details`. */
export function isInvalid(error: Error): error is InvalidError | MissingManagerError {
  return (hasCode(error, "union") || hasCode(error, "bad-request")) && "details" in error
}

/** Lists the problems of unions one by one. Paths of problems found during settling have list items by key. */
function causesOf(error: UnionError): StatusCause[] {
  if ("errors" in error) {
    return (error as UnionValidationError).errors.map(problem => ({
      reason: problem.type,
      message: bodyOf(problem),
      field: problem.field,
    }))
  }
  return error.issues.map(({ path, message }) => ({
    reason: "FieldValueInvalid",
    message: bodyOf({ type: "FieldValueInvalid", badValue: "", detail: message }),
    field: path.replace(/^\./, ""),
  }))
}

/** Returns the Status with which the API server answers an error. Errors from another copy of the package are recognized too. */
export function statusOf(error: Error): Status {
  if (isStructuredMergeError(error) && error.code === "conflict") {
    const causes = error.conflicts.map(({ manager, path, union }) => ({
      reason: "FieldManagerConflict",
      message: `conflict with ${formatManager(manager)}${union === undefined ? "" : `: ${reasonOf(union)}`}`,
      field: formatGoPath(path),
    }))
    return { ...failure, message: error.message, reason: "Conflict", details: { causes }, code: 409 }
  }
  if (isInvalid(error)) {
    return { ...failure, message: error.message, reason: "Invalid", details: error.details, code: 422 }
  }
  if (hasCode(error, "bad-request")) return { ...failure, message: error.message, reason: "BadRequest", code: 400 }
  return { ...failure, message: error.message, code: 500 }
}

const failure = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure" } as const

const kubectlAdvice = `Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the \`--force-conflicts\` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).
See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts`
