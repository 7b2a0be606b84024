import { SchemaError } from "../../errors.js"

/** A reason why a document can't be converted. */
export interface OpenAPIIssue {
  /** The name of the document; see `ConversionOptions`. */
  readonly document: string
  /** The place in the document, as a JSON pointer; "" for the document as a whole. */
  readonly path: string
  /** The problem, without the place. */
  readonly message: string
}

/**
 * Thrown for a document that can't be converted.
 *
 * If upstream refuses the document too, `message` is upstream's; `explain` also gives the place of each problem.
 */
export class OpenAPIError extends SchemaError {
  /** Every problem found. Never empty. */
  readonly issues: readonly OpenAPIIssue[]

  constructor(message: string, issues: readonly OpenAPIIssue[], options?: ErrorOptions) {
    super(message, options)
    this.issues = issues
  }

  /** Returns the issues as text, one per line: document, place, problem. */
  explain(): string {
    return this.issues.map(({ document, path, message }) => `${placeOf(document, path)}: ${message}`).join("\n")
  }
}

/** Formats a document and a JSON pointer into it for messages: `apis/apps/v1#/components/schemas/a`. */
export function placeOf(document: string, path: string): string {
  return path === "" ? document : `${document}#${path}`
}
