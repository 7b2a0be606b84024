// Reads stories: files with requests of managers and the expected result of each request.

import { ParseError } from "../../../errors.js"
import { type Position, parseYamlWithPositions, type YamlDocument } from "../../../io/yaml.js"
import type { UnionPolicyName } from "../../../union/policy.js"
import { aString, requireArgument, requireOptions } from "../../../value/argument.js"
import type { Steps } from "../../../value/change.js"
import { didYouMean } from "../../../value/nearest.js"
import { own } from "../../../value/object.js"
import { type ShapeProblem, shapeProblems } from "../../../value/shape.js"
import { isMap, type MapValue, type Value } from "../../../value/value.js"
import type { ApplierName } from "../../appliers/profile.js"
import type { OnConflict } from "../../ownership/resolve.js"
import type { ObjectRef, SimulatedApply, SimulatedUpdate, SimulationRequest } from "../simulation/request.js"
import type { Outcome } from "../simulation/step.js"
import { storyShape } from "./story-shape.js"

/** A story: requests of managers and their expected results. `readStory` reads it from YAML. */
export interface Story {
  /** The subject of the story, in a few words. */
  readonly title: string
  /** A longer description for people. */
  readonly about?: string
  /** The managers by name, with options for all their requests. If present, steps may name no other managers. */
  readonly managers?: Readonly<Record<string, StoryManager>>
  /**
   * The union policy. If absent, built-in kinds have no unions, and the unions of definitions follow `extended`. With any policy but `off`,
   * built-in kinds have unions too.
   */
  readonly unions?: UnionPolicyName
  /** CustomResourceDefinitions and OpenAPI documents that add kinds to the built-in ones. */
  readonly definitions?: readonly MapValue[]
  /** The schemas that `changeSchema` can switch to, by name. */
  readonly schemas?: Readonly<Record<string, StorySchema>>
  /**
   * Defaults that are added to objects that lack them, as an API server does: objects with apiVersion, kind and the default fields. A list
   * in them has one item, the defaults of every item.
   */
  readonly defaults?: readonly MapValue[]
  /** The objects at the start, with managedFields if they have owners. */
  readonly objects?: readonly MapValue[]
  /** The requests, in order. */
  readonly steps: readonly StoryStep[]
}

/** A manager of a story, with options for all its requests. */
export interface StoryManager {
  /** A description for people. */
  readonly about?: string
  /** The subresource that it writes. */
  readonly subresource?: string
  /** The tool whose steps surround its applies. */
  readonly as?: ApplierName
  /** Whether its applies use force. */
  readonly force?: boolean
  /** How its applies resolve conflicts. */
  readonly onConflict?: OnConflict
}

/** A schema that a story switches to. Options that are absent are those of the story. */
export interface StorySchema {
  /** The definitions of the schema. */
  readonly definitions?: readonly MapValue[]
  /** The union policy of the schema. */
  readonly unions?: UnionPolicyName
}

/** An apply in a story. */
export interface StoryApply extends Omit<SimulatedApply, "as" | "onConflict"> {
  /** The tool that applies, with its own steps before and after. */
  readonly as?: ApplierName
  /** How to resolve conflicts before the configuration is applied. */
  readonly onConflict?: OnConflict
}

/** A PUT in a story. */
export interface StoryUpdate extends Omit<SimulatedUpdate, "update" | "object"> {
  /** The object that replaces the live one. */
  readonly update: object
}

/** A request of a story, with its expected result. A step fails if it is refused and no refusal is expected. */
export type StoryStep = (StoryApply | StoryUpdate | Exclude<SimulationRequest, SimulatedApply | SimulatedUpdate>) & {
  /** A description for people. */
  readonly about?: string
  /** The expected result. */
  readonly expect?: StoryExpectation
}

/** The expected result of a step. An absent property is not checked, but a step fails if it is refused and no property expects that. */
export interface StoryExpectation {
  /** How the request ends. */
  readonly outcome?: Outcome
  /** A part of the message of the refusal, or its HTTP status. */
  readonly error?: string | number
  /** All conflicts. */
  readonly conflicts?: readonly StoryConflict[]
  /** The paths of all fields that change. */
  readonly changes?: readonly string[]
  /** The object that `values`, `absent` and `owners` check; by default the object of the step. */
  readonly object?: ObjectRef
  /** Values of the object after the step, by path. */
  readonly values?: Readonly<Record<string, Value>>
  /** Paths without a value in the object after the step. */
  readonly absent?: readonly string[]
  /** All managers that own a field after the step, by path; an empty list if the field has no owner. */
  readonly owners?: Readonly<Record<string, string | readonly string[]>>
  /** All paths that managers gain in the step, by manager. */
  readonly gained?: Readonly<Record<string, readonly string[]>>
  /** All paths that managers lose in the step, by manager. */
  readonly lost?: Readonly<Record<string, readonly string[]>>
  /** All changes to unions, each as the `text` of a StepUnion. */
  readonly unions?: readonly string[]
}

/** An expected conflict. */
export interface StoryConflict {
  /** The path of the field. */
  readonly field: string
  /** The name of the manager that owns it. */
  readonly with: string
}

/** The options of `readStory`. */
export interface StoryReadOptions {
  /** The name of the file, used in messages. */
  readonly file?: string | undefined
}

/** A story that was read from text, with the positions of its parts. */
export interface StoryFile {
  /** The story. */
  readonly story: Story
  /** The name of the file; absent if none was given. */
  readonly file?: string
  /** Returns the position of the part with these steps, such as `["steps", 0, "expect"]`; undefined if the part does not exist. */
  positionOf(steps: Steps): Position | undefined
}

/** One problem of a story file. */
export interface StoryProblem {
  /** A description of the problem. */
  readonly message: string
  /** The line, from 1. */
  readonly line: number
  /** The column, from 1, in UTF-16 units. */
  readonly column: number
}

/** Thrown for a text that is valid YAML but not a story. The message lists all problems, one per line, with line and column. */
export class StoryError extends ParseError {
  /** Every problem, in the order of the text. */
  readonly problems: readonly StoryProblem[]
  constructor(problems: readonly StoryProblem[], file?: string) {
    const where = file === undefined ? "" : `${file}:`
    super(problems.map(({ message, line, column }) => `${where}${line}:${column}: ${message}`).join("\n"))
    this.problems = problems
  }
}

/**
 * Reads a story from YAML. Throws a StoryError with the position of every problem, or a ParseError if the text is not valid YAML.
 * `structured-merge-diff/story.schema.json` describes the format.
 *
 * @example
 * ```ts
 * import { readStory } from "structured-merge-diff/simulator"
 *
 * try {
 *   readStory("title: Too early\nsteps:\n- manager: me\n  aply: {}\n", { file: "early.yaml" })
 * } catch (error) {
 *   if (error instanceof Error) console.log(error.message)
 * }
 * // early.yaml:3:3: .steps[0] must have exactly one of apply, update, patch, create, delete, changeSchema
 * // early.yaml:4:3: .steps[0].aply: unknown key; did you mean apply?
 * ```
 */
export function readStory(text: string, options: StoryReadOptions = {}): StoryFile {
  requireArgument("text", text, aString)
  requireOptions("options", options)
  const { file } = options
  const documents = parseYamlWithPositions(text).filter(({ value }) => value !== undefined && value !== null)
  const [document, another] = documents
  const start = { line: 1, column: 1 }
  if (document?.value === undefined) throw new StoryError([{ message: "there is no story", ...start }], file)
  if (another !== undefined) {
    const position = another.positionOf([]) ?? start
    throw new StoryError([{ message: "expected one story, found another document", ...position }], file)
  }
  const ofShape = shapeProblems(document.value, storyShape)
  const story = document.value as unknown as Story
  const problems = ofShape.length > 0 ? ofShape : contradictions(story)
  if (problems.length > 0) throw new StoryError(withPositions(problems, document), file)
  return { story, ...(file !== undefined && { file }), positionOf: steps => document.positionOf(steps) }
}

function withPositions(problems: readonly ShapeProblem[], document: YamlDocument): StoryProblem[] {
  return problems
    .map(({ steps, message }) => ({ message, ...(document.positionOf(steps) ?? { line: 1, column: 1 }) }))
    .sort((a, b) => a.line - b.line || a.column - b.column)
}

/** Returns problems of a story that has the right format: unknown managers and schemas, and options that its requests do not have. */
function contradictions({ managers, schemas = {}, steps }: Story): ShapeProblem[] {
  return steps.flatMap((step, i): ShapeProblem[] => {
    const at = ["steps", i]
    const fields = step as unknown as MapValue
    const problems: ShapeProblem[] = []
    const { manager } = fields
    if ("changeSchema" in step) {
      const names = ["", ...Object.keys(schemas)]
      if (!names.includes(step.changeSchema)) {
        const message = `there is no schema ${step.changeSchema}${didYouMean(step.changeSchema, names)}`
        problems.push({ steps: [...at, "changeSchema"], message })
      }
    } else if (manager === undefined && !("delete" in step)) problems.push({ steps: at, message: "manager is missing" })
    if (
      typeof manager === "string" &&
      managers !== undefined &&
      own(managers as unknown as MapValue, manager) === undefined
    ) {
      const message = `${manager} is not among the managers${didYouMean(manager, Object.keys(managers))}`
      problems.push({ steps: [...at, "manager"], message })
    }
    for (const key of ["as", "force", "onConflict"]) {
      if (own(fields, key) !== undefined && !("apply" in step)) {
        problems.push({ steps: [...at, key], message: `${key} is for an apply` })
      }
    }
    if (isMap(own(fields, "object")) || typeof own(fields, "object") === "string") {
      if (!("patch" in step)) problems.push({ steps: [...at, "object"], message: "object is for a patch" })
    }
    return problems
  })
}
