// Finds the problems of a manifest and their offsets in the text.
import { StructuredMergeError, TypedValue, ValidationError, type Value } from "structured-merge-diff"
import { parseYamlWithPositions, type YamlDocument } from "structured-merge-diff/io"
import { Places } from "../../src/cli/input/locate.js"
import { plainProblem, type WrittenText } from "../../src/io/plain-message.js"
import type { TextRange } from "../../src/io/yaml-place.js"
import { valueAtSteps } from "../../src/value/change.js"
import { typeOfObject } from "./completions.js"
import type { Types } from "./types.js"

/** One problem, with its start and end offset in the text. */
export interface Problem {
  readonly from: number
  readonly to: number
  readonly severity: "error" | "warning"
  readonly message: string
}

/** Returns the problems of a text to apply or update. An empty text has no problems. */
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
      {
        ...rangeOf(second, []),
        severity: "error",
        message: "This is a second document: a request has only one object.",
      },
    ]
  }
  return problemsOfObject(first, first.value, text, types)
}

function problemsOfObject(document: YamlDocument, value: Value, text: string, types: Types): Problem[] {
  const type = typeOfObject(value, types)
  if (type === undefined) {
    const message = "This apiVersion and kind are unknown: fields are not checked, and the object can't be applied."
    return [{ ...headOf(document), severity: "warning", message }]
  }
  try {
    TypedValue.of(value, type)
    return []
  } catch (error) {
    if (!(error instanceof ValidationError))
      return [{ ...headOf(document), severity: "error", message: messageOf(error) }]
    const places = new Places(value)
    return error.issues.map(({ path, message }) => {
      const steps = places.locate(path)
      const written = writtenAt(document, steps, text)
      const plain = plainProblem({ path, message }, steps.at(-1), valueAtSteps(value, steps), written)
      return {
        ...rangeOf(document, steps),
        severity: "error",
        message: `${plain.path === "" ? "" : `${plain.path}: `}${plain.message}`,
      }
    })
  }
}

function writtenAt(document: YamlDocument, steps: readonly (string | number)[], text: string): WrittenText {
  const ranges = document.placeOf(steps)
  const textIn = (range: TextRange) => text.slice(range.start.offset, range.end.offset)
  if (ranges === undefined) return {}
  return { value: textIn(ranges.value), ...(ranges.key !== undefined && { key: textIn(ranges.key) }) }
}

/** Returns the range of the `kind`, or of the whole document if it has none. */
function headOf(document: YamlDocument): Pick<Problem, "from" | "to"> {
  return rangeOf(document, document.placeOf(["kind"]) === undefined ? [] : ["kind"])
}

function rangeOf(document: YamlDocument, steps: readonly (string | number)[]): Pick<Problem, "from" | "to"> {
  const place = document.placeOf(steps)
  if (place === undefined) return { from: 0, to: 0 }
  const { start, end } = place.key ?? place.value
  return { from: start.offset, to: end.offset }
}

/** Reads the line and the column from the message of a syntax error. */
function syntaxProblem(text: string, error: unknown): Problem {
  const message = messageOf(error)
  const [, line, column] = /line (\d+)(?:, column (\d+))?/.exec(message) ?? []
  const lines = text.split("\n")
  const before = lines.slice(0, Number(line ?? 1) - 1).reduce((sum, { length }) => sum + length + 1, 0)
  const from = Math.min(text.length, before + Number(column ?? 1) - 1)
  const end = text.indexOf("\n", from)
  return { from, to: Math.max(from, end < 0 ? text.length : end), severity: "error", message }
}

/** Returns the message of an error of the package. Throws any other error again, since it is a bug. */
function messageOf(error: unknown): string {
  if (error instanceof StructuredMergeError) return error.message
  throw error
}
