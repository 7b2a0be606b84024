// Finds the problems of a document and their places.
import { type Issue, ValidationError } from "../../errors.js"
import { plainProblem } from "../../io/plain-message.js"
import type { Type } from "../../typed/type.js"
import { TypedValue, type ValidationOptions } from "../../typed/typed-value.js"
import { type Steps, valueAtSteps } from "../../value/change.js"
import { didYouMean } from "../../value/nearest.js"
import { type Document, type FilePlace, formatPlace, InputError } from "./document.js"
import { Places, typeBelow } from "./locate.js"

/** One thing wrong with a value of a document. */
export interface Problem {
  /** The place of the value, or of the value above if it is missing. */
  readonly place: FilePlace
  /** The path of the value: `.spec.replicas`; "" for the document itself. */
  readonly path: string
  readonly message: string
  /** The path and the message in plain words, for people; absent if they are the same. */
  readonly plain?: { readonly path: string; readonly message: string }
}

/** Returns the document as a value of `type`. Throws an InputError with every problem and its place. */
export function typedDocument(document: Document, type: Type, options: ValidationOptions = {}): TypedValue {
  try {
    return TypedValue.of(document.value, type, options)
  } catch (error) {
    if (error instanceof ValidationError) throw new InputError(formatIssues(document, error.issues, type))
    throw error
  }
}

/** Returns a line for each issue: place, path, message, and for fields that `type` lacks a hint. */
export function formatIssues(document: Document, issues: readonly Issue[], type?: Type): string[] {
  return problemsOf(document, issues, type).map(formatProblem)
}

/** Returns the issues with their places. Messages about fields that `type` lacks get a hint. */
export function problemsOf(document: Document, issues: readonly Issue[], type?: Type): Problem[] {
  const places = new Places(document.value, type)
  const shown = document.secrets.hide(document.value)
  return issues.map(({ path, message: full }) => {
    const steps = [...places.locate(path), ...itemOf(full)]
    const isHidden = valueAtSteps(shown, steps) !== valueAtSteps(document.value, steps)
    // Numbers are hidden only at their places, so a message must not quote them.
    const message = isHidden ? full.replace(/, got &.*$/s, ", got a hidden value") : full
    const isFound = path.endsWith(`.${steps.at(-1)}`)
    const hint = type === undefined || message !== unknownField || !isFound ? "" : aboutUnknownField(type, steps)
    const plain = isHidden ? undefined : plainly(document, steps, path, `${message}${hint}`)
    return { place: document.placeOf(steps), path, message: `${message}${hint}`, ...(plain && { plain }) }
  })
}

/** Formats the problem on one line, not yet escaped for a terminal. */
export function formatProblem(problem: Problem): string {
  return `${formatPlace(problem.place)}: ${formatPlainly(problem)}`
}

/** Formats the path and the message of a problem for people. */
export function formatPlainly({ plain, ...problem }: Problem): string {
  const { path, message } = plain ?? problem
  return path === "" ? message : `${path}: ${message}`
}

/** Returns the path and the message in plain words; undefined if they are the same. */
function plainly(document: Document, steps: Steps, path: string, message: string): Problem["plain"] {
  const value = valueAtSteps(document.value, steps)
  const plain = plainProblem({ path, message }, steps.at(-1), value, document.writtenAt?.(steps))
  return plain.message === message && plain.path === path ? undefined : plain
}

/** The index of the list item that a message names, as a step; empty if the message names no item. */
function itemOf(message: string): Steps {
  const index = /^element (\d+): /.exec(message)?.[1]
  return index === undefined ? [] : [Number(index)]
}

const unknownField = "field not declared in schema"

/** Says which type lacks the field, and suggests a field with a similar name. */
function aboutUnknownField(root: Type, steps: Steps): string {
  const type = steps.slice(0, -1).reduce<Type | undefined>(typeBelow, root)
  const hint = didYouMean(String(steps[steps.length - 1]), type?.map?.fields.keys() ?? [])
  return `${type?.name ? `, in ${type.name}` : ""}${hint}`
}
