import { SchemaError } from "../errors.js"

/** A reason why a document can't be converted. */
export interface OpenAPIIssue {
  /** The name of the document; see `ConversionOptions`. */
  readonly document: string
  /** Where in the document, as a JSON pointer; "" for the document as a whole. */
  readonly path: string
  /** What is wrong there, without the place. */
  readonly message: string
}

/**
 * A document that can't be converted.
 *
 * If upstream refuses the document too, `message` is upstream's text; `explain` also says where each problem is.
 */
export class OpenAPIError extends SchemaError {
  /** Every problem found. Never empty. */
  readonly issues: readonly OpenAPIIssue[]

  constructor(message: string, issues: readonly OpenAPIIssue[], options?: ErrorOptions) {
    super(message, options)
    this.issues = issues
  }

  /** The issues as text, one on each line: document, place, problem. */
  explain(): string {
    return this.issues.map(({ document, path, message }) => `${placeOf(document, path)}: ${message}`).join("\n")
  }
}

/** A document and a JSON pointer into it, as messages show them: `apis/apps/v1#/components/schemas/a`. */
export function placeOf(document: string, path: string): string {
  return path === "" ? document : `${document}#${path}`
}
