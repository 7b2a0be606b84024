// The error classes. Everything the engine throws on bad data is a StructuredMergeError with a `code`;
// wrong use by the calling code is a TypeError or RangeError.

/** The kind of a problem. `bad-request` means the request itself is wrong. */
export type ErrorCode = "invalid-value" | "conflict" | "invalid-schema" | "parse" | "union" | "bad-request"
const errorCodes: readonly ErrorCode[] = [
  "invalid-value",
  "conflict",
  "invalid-schema",
  "parse",
  "union",
  "bad-request",
]

/** One problem of a value. */
export interface Issue {
  /** The path, as messages print it: `.spec.ports[name="a"]`, "" for the root. */
  readonly path: string
  /** The problem, without the path. */
  readonly message: string
}

/**
 * The base of all errors about data: what the engine throws on bad values, schemas, texts and requests. Arguments of the wrong
 * type are a TypeError or a RangeError instead.
 */
export class StructuredMergeError<Code extends ErrorCode = ErrorCode> extends Error {
  /** The kind of the problem. Unlike the class, it can be compared where a program holds several copies of the package. */
  readonly code: Code
  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
    this.code = code
  }
}

/**
 * Creates an error without capturing a stack. Capturing one takes longer than a whole small apply, so errors that are answers
 * rather than failures, and errors that another one will replace, do without.
 */
export function withoutStack<E extends Error>(make: () => E): E {
  const limit: unknown = Reflect.get(Error, "stackTraceLimit")
  // If the engine has no such limit, or it is read-only, the error simply gets its stack.
  if (typeof limit !== "number" || !Reflect.set(Error, "stackTraceLimit", 0)) return make()
  try {
    return make()
  } finally {
    Reflect.set(Error, "stackTraceLimit", limit)
  }
}

/**
 * Whether `error` is an error of the package, with this code if one is given. Checks the code and not the class, since a
 * program may hold several copies of the package.
 */
export function hasCode<Code extends ErrorCode>(error: unknown, code?: Code): error is StructuredMergeError<Code> {
  if (typeof error !== "object" || error === null) return false
  const { code: found, message } = error as { readonly code?: unknown; readonly message?: unknown }
  if (typeof message !== "string") return false
  return code === undefined ? errorCodes.some(known => known === found) : found === code
}

/** A value that does not fit its type. Carries every problem found, in the order of the walk. */
export class ValidationError extends StructuredMergeError<"invalid-value"> {
  /** Every problem found, in the order of the walk. Never empty. */
  readonly issues: readonly Issue[]
  constructor(issues: readonly Issue[], message: string = formatIssues(issues), options?: ErrorOptions) {
    super("invalid-value", message, options)
    this.issues = issues
  }
}

/** The error for a problem of a value as a whole. */
export function invalidValue(message: string): ValidationError {
  return new ValidationError([{ path: "", message }])
}

/** A schema that can't be used: a malformed document, an unknown type, or operands of different types. */
export class SchemaError extends StructuredMergeError<"invalid-schema"> {
  constructor(message: string, options?: ErrorOptions) {
    super("invalid-schema", message, options)
  }
}

/** Text that can't be read: JSON, YAML, FieldsV1, path elements. */
export class ParseError extends StructuredMergeError<"parse"> {
  constructor(message: string, options?: ErrorOptions) {
    super("parse", message, options)
  }
}

/** A one-of group that can't be normalized. Carries every problem found. */
export class UnionError extends StructuredMergeError<"union"> {
  /** Every problem found, in the order of the walk. Never empty. */
  readonly issues: readonly Issue[]
  constructor(issues: readonly Issue[], message: string = formatIssues(issues), options?: ErrorOptions) {
    super("union", message, options)
    this.issues = issues
  }
}

/** Formats issues as upstream's messages do: a single issue without a heading, several below one, each on its own line. */
export function formatIssues(issues: readonly Issue[]): string {
  const lines = issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`))
  return lines.length === 1 ? lines.join() : ["errors:", ...lines].join("\n  ")
}
