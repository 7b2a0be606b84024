import { SchemaError } from "../../errors.js"

/** A problem of Go source, with its place. */
export interface GoTypesIssue {
  /** The name of the file. The file of an import has the path of its package as prefix. */
  readonly file: string
  /** The line, counted from 1. */
  readonly line: number
  /** The type with the problem; "" outside of types. */
  readonly type: string
  /** The Go name of the field with the problem; "" outside of fields. */
  readonly field: string
  /** The problem, without the place. */
  readonly message: string
}

/** Thrown for Go source that can't be read as API types: it does not parse, uses unknown names, or has contradictory markers. */
export class GoTypesError extends SchemaError {
  /** Every problem found, file by file in the order of lines. Never empty. */
  readonly issues: readonly GoTypesIssue[]

  constructor(found: readonly GoTypesIssue[]) {
    const files = [...new Set(found.map(({ file }) => file))]
    const issues = found.toSorted((a, b) => files.indexOf(a.file) - files.indexOf(b.file) || a.line - b.line)
    super(`Go types can't be read: ${issues.map(formatGoTypesIssue).join("\n")}`)
    this.issues = issues
  }
}

/** Formats an issue as one line: `types.go:12: Backup.Target: message`. */
export function formatGoTypesIssue({ file, line, type, field, message }: GoTypesIssue): string {
  const subject = [type, field].filter(name => name !== "").join(".")
  return `${file}:${line}: ${subject === "" ? "" : `${subject}: `}${message}`
}

/** A place in the source: a file, a line, a type, a field. */
export type GoTypesPlace = Omit<GoTypesIssue, "message">

/** Collects errors, which make reading fail, and warnings, which don't. Keeps each of them once. */
export class Findings {
  readonly errors: GoTypesIssue[] = []
  readonly warnings: GoTypesIssue[] = []
  private readonly seen = new Set<string>()

  error(place: GoTypesPlace, message: string): void {
    this.add(this.errors, place, message)
  }

  warn(place: GoTypesPlace, message: string): void {
    this.add(this.warnings, place, message)
  }

  private add(to: GoTypesIssue[], { file, line, type, field }: GoTypesPlace, message: string): void {
    const issue = { file, line, type, field, message }
    const text = formatGoTypesIssue(issue)
    if (this.seen.has(text)) return
    this.seen.add(text)
    to.push(issue)
  }
}
