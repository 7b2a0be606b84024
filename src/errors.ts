// The error classes. Everything the engine throws on bad data is a StructuredMergeError with a `code`;
// wrong use by the calling code is a TypeError or RangeError.

/** What kind of problem it is; `bad-request` for a request that is wrong whatever the state of the object. */
export type ErrorCode = "invalid-value" | "conflict" | "invalid-schema" | "parse" | "union" | "bad-request"
const errorCodes: readonly ErrorCode[] = [
  "invalid-value",
  "conflict",
  "invalid-schema",
  "parse",
  "union",
  "bad-request",
]

/** One problem of a value: where (`.spec.ports[name="a"]`, "" for the root) and what. */
export interface Issue {
  /** Where, as messages print a path: `.spec.ports[name="a"]`, "" for the root. */
  readonly path: string
  /** What is wrong there, without the path. */
  readonly message: string
}

/**
 * The base of all errors about data: what the engine throws on bad values, schemas, texts and requests. Arguments of the wrong
 * type are a TypeError or a RangeError instead.
 */
export class StructuredMergeError extends Error {
  /** What kind of problem it is. Safe to compare where a program may hold several copies of the package. */
  readonly code: ErrorCode
  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
    this.code = code
  }
}

/**
 * What `make` makes, an error that has no stack. Capturing one takes longer than the whole of a small apply, so errors that are
 * an answer rather than a failure, or that another one will replace, do without.
 */
export function withoutStack<E extends Error>(make: () => E): E {
  const limit: unknown = Reflect.get(Error, "stackTraceLimit")
  // Where an engine has no such limit, or it is read-only, the error just gets its stack.
  if (typeof limit !== "number" || !Reflect.set(Error, "stackTraceLimit", 0)) return make()
  try {
    return make()
  } finally {
    Reflect.set(Error, "stackTraceLimit", limit)
  }
}

/**
 * Whether this is an error of the package, with this code where one is given. Errors are told by their code and not by their
 * class, since a program may hold several copies of the package.
 */
export function hasCode(error: unknown, code?: ErrorCode): error is StructuredMergeError {
  if (typeof error !== "object" || error === null) return false
  const { code: found, message } = error as { readonly code?: unknown; readonly message?: unknown }
  if (typeof message !== "string") return false
  return code === undefined ? errorCodes.some(known => known === found) : found === code
}

/** A value that does not fit its type. Carries every problem found, in the order of the walk. */
export class ValidationError extends StructuredMergeError {
  /** Every problem found, in the order of the walk. Never empty. */
  readonly issues: readonly Issue[]
  constructor(issues: readonly Issue[], options?: ErrorOptions) {
    super("invalid-value", formatIssues(issues), options)
    this.issues = issues
  }
}

/** A schema that can't be used: malformed document, unknown type, type mismatch between operands. */
export class SchemaError extends StructuredMergeError {
  constructor(message: string, options?: ErrorOptions) {
    super("invalid-schema", message, options)
  }
}

/** Text that can't be read: JSON, YAML, FieldsV1, path elements. */
export class ParseError extends StructuredMergeError {
  constructor(message: string, options?: ErrorOptions) {
    super("parse", message, options)
  }
}

/** A one-of group that can't be normalized. Carries every problem found. */
export class UnionError extends StructuredMergeError {
  /** Every problem found, in the order of the walk. Never empty. */
  readonly issues: readonly Issue[]
  constructor(issues: readonly Issue[], message: string = formatIssues(issues), options?: ErrorOptions) {
    super("union", message, options)
    this.issues = issues
  }
}

/** Several issues under a heading, one issue bare: the layout of upstream's messages. */
export function formatIssues(issues: readonly Issue[]): string {
  const lines = issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`))
  return lines.length === 1 ? lines.join() : ["errors:", ...lines].join("\n  ")
}
