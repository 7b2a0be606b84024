// What is wrong with a manifest, and where in its text.
import { StructuredMergeError, TypedValue, ValidationError, type Value } from "structured-merge-diff"
import { parseYamlWithPositions, type YamlDocument } from "structured-merge-diff/io"
import { Places } from "../../src/cli/input/locate.js"
import { typeOfObject } from "./completions.js"
import type { Types } from "./types.js"

/** One problem, from one offset of the text to another. */
export interface Problem {
  readonly from: number
  readonly to: number
  readonly severity: "error" | "warning"
  readonly message: string
}

/** All problems of the text that a manager applies or updates. An empty text has none. */
export function problemsOf(text: string, types: Types): Problem[] {
  let documents: YamlDocument[]
  try {
    documents = parseYamlWithPositions(text)
  } catch (error) {
    return [syntaxProblem(text, error)]
  }
  const [first, second] = documents.filter(({ value }) => value !== undefined && value !== null)
  if (first?.value === undefined) return []
  if (second !== undefined) {
    return [
      { ...rangeOf(second, []), severity: "error", message: "A manager applies one object here, this is another." },
    ]
  }
  return problemsOfObject(first, first.value, types)
}

function problemsOfObject(document: YamlDocument, value: Value, types: Types): Problem[] {
  const type = typeOfObject(value, types)
  if (type === undefined) {
    const message = "There is no type for this apiVersion and kind: fields are not checked, and nothing can be applied."
    return [{ ...headOf(document), severity: "warning", message }]
  }
  try {
    TypedValue.of(value, type)
    return []
  } catch (error) {
    if (!(error instanceof ValidationError))
      return [{ ...headOf(document), severity: "error", message: messageOf(error) }]
    const places = new Places(value)
    return error.issues.map(({ path, message }) => ({
      ...rangeOf(document, places.locate(path)),
      severity: "error",
      message: `${path === "" ? "" : `${path}: `}${message}`,
    }))
  }
}

/** Where the kind is written, or the document begins. */
function headOf(document: YamlDocument): Pick<Problem, "from" | "to"> {
  return rangeOf(document, document.placeOf(["kind"]) === undefined ? [] : ["kind"])
}

function rangeOf(document: YamlDocument, steps: readonly (string | number)[]): Pick<Problem, "from" | "to"> {
  const place = document.placeOf(steps)
  if (place === undefined) return { from: 0, to: 0 }
  const { start, end } = place.key ?? place.value
  return { from: start.offset, to: end.offset }
}

/** The messages of `io` say the line and the column. */
function syntaxProblem(text: string, error: unknown): Problem {
  const message = messageOf(error)
  const [, line, column] = /line (\d+)(?:, column (\d+))?/.exec(message) ?? []
  const lines = text.split("\n")
  const before = lines.slice(0, Number(line ?? 1) - 1).reduce((sum, { length }) => sum + length + 1, 0)
  const from = Math.min(text.length, before + Number(column ?? 1) - 1)
  const end = text.indexOf("\n", from)
  return { from, to: Math.max(from, end < 0 ? text.length : end), severity: "error", message }
}

/** The message of an error of the package; others are bugs, and thrown again. */
function messageOf(error: unknown): string {
  if (error instanceof StructuredMergeError) return error.message
  throw error
}
