// Stories: requests of managers in a file, with what is expected of each.
import { ParseError } from "../../errors.js"
import { type Position, parseYamlWithPositions, type YamlDocument } from "../../io/yaml.js"
import type { UnionPolicyName } from "../../union/policy.js"
import { aString, requireArgument, requireOptions } from "../../value/argument.js"
import type { Steps } from "../../value/change.js"
import { didYouMean } from "../../value/nearest.js"
import { own } from "../../value/object.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import type { OnConflict } from "../ownership/resolve.js"
import type {
  ObjectRef,
  SimulatedApply,
  SimulatedCreate,
  SimulatedDelete,
  SimulatedPatch,
  SimulatedSchemaChange,
  SimulatedUpdate,
} from "./request.js"
import type { Outcome } from "./step.js"
import { type Misfit, misfits, storyShape } from "./story-shape.js"

/** A story: who does what to which objects, and what is expected to come of it. `readStory` reads it from YAML. */
export interface Story {
  /** What it is about, in a few words. */
  readonly title: string
  /** What it is about, at length. */
  readonly about?: string
  /** The managers by name, with what all their requests have in common. If it is given, no other may be in a step. */
  readonly managers?: Readonly<Record<string, StoryManager>>
  /**
   * What to do about unions. Absent: built-in kinds have none, and those of definitions are settled by `extended`. Unless it is `off`,
   * built-in kinds have unions too.
   */
  readonly unions?: UnionPolicyName
  /** CustomResourceDefinitions and OpenAPI documents: the kinds of the story, beside the built-in ones. */
  readonly definitions?: readonly MapValue[]
  /** What `changeSchema` changes to, by name. */
  readonly schemas?: Readonly<Record<string, StorySchema>>
  /**
   * What is filled in where an object lacks it, as an API server does: objects with apiVersion, kind and the defaults. The only item of a
   * list is for all items.
   */
  readonly defaults?: readonly MapValue[]
  /** What is there at the start, with managedFields if somebody owns something. */
  readonly objects?: readonly MapValue[]
  /** What happens, in this order. */
  readonly steps: readonly StoryStep[]
}

/** A manager of a story. */
export interface StoryManager {
  /** Who it is. */
  readonly about?: string
  /** Through which subresource it writes. */
  readonly subresource?: string
  /** Whether it applies by force. */
  readonly force?: boolean
  /** What it does about conflicts. */
  readonly onConflict?: OnConflict
}

/** Types that come later in a story. What is absent is as in the story. */
export interface StorySchema {
  /** The kinds from then on. */
  readonly definitions?: readonly MapValue[]
  /** What to do about unions from then on. */
  readonly unions?: UnionPolicyName
}

/** An apply of a story. */
export interface StoryApply extends Omit<SimulatedApply, "onConflict"> {
  /** What to do about conflicts before the configuration is applied. */
  readonly onConflict?: OnConflict
}

/** A PUT of a story. */
export interface StoryUpdate extends Omit<SimulatedUpdate, "update" | "object"> {
  /** The object that takes the place of the live one. */
  readonly update: object
}

/** A request of a story, with what is expected of it. A step that is refused where that was not expected fails. */
export type StoryStep = (
  | StoryApply
  | StoryUpdate
  | SimulatedPatch
  | SimulatedCreate
  | SimulatedDelete
  | SimulatedSchemaChange
) & {
  /** What happens, for people. */
  readonly about?: string
  /** What is expected of it. */
  readonly expect?: StoryExpectation
}

/** What is expected of a step. What is absent may be anything; but a step may not be refused unless one of these says so. */
export interface StoryExpectation {
  /** What it comes to. */
  readonly outcome?: Outcome
  /** A part of the message of the refusal, or its HTTP status. */
  readonly error?: string | number
  /** All fields that are in conflict, and with whom. */
  readonly conflicts?: readonly StoryConflict[]
  /** The paths of all fields that change. */
  readonly changes?: readonly string[]
  /** The object that `values`, `absent` and `owners` are about; that of the step if absent. */
  readonly object?: ObjectRef
  /** What the object has afterwards, by path. */
  readonly values?: Readonly<Record<string, Value>>
  /** Paths at which the object has nothing afterwards. */
  readonly absent?: readonly string[]
  /** All managers that own a field afterwards, by path; an empty list for nobody. */
  readonly owners?: Readonly<Record<string, string | readonly string[]>>
  /** All that managers have come to own by the step, by manager. */
  readonly gained?: Readonly<Record<string, readonly string[]>>
  /** All that managers own no more by the step, by manager. */
  readonly lost?: Readonly<Record<string, readonly string[]>>
  /** What is done to unions, one line each, as `text` of a StepUnion. */
  readonly unions?: readonly string[]
}

/** A conflict that is expected. */
export interface StoryConflict {
  /** The path of the field. */
  readonly field: string
  /** The name of the manager that owns it. */
  readonly with: string
}

/** How a story is read. */
export interface StoryReadOptions {
  /** The name of the file, for messages. */
  readonly file?: string | undefined
}

/** A story that was read, and where in the text its parts are. */
export interface StoryFile {
  /** The story. */
  readonly story: Story
  /** The name of the file; absent if none was given. */
  readonly file?: string
  /** Where the part begins to which these keys and indexes lead, as `["steps", 0, "expect"]`; undefined if there is none. */
  positionOf(steps: Steps): Position | undefined
}

/** One problem of a story file. */
export interface StoryProblem {
  /** What is wrong. */
  readonly message: string
  /** The line, from 1. */
  readonly line: number
  /** The column, from 1, in UTF-16 units. */
  readonly column: number
}

/** A text that is YAML but no story. The message has all problems, one a line, each with its line and column. */
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
 * The story that a YAML text tells. Throws a StoryError with every problem and its place, and a ParseError for text that is not YAML.
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
 * // early.yaml:3:3: expected one of apply, update, patch, create, delete, changeSchema
 * // early.yaml:4:3: unknown key aply; did you mean apply?
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
    const place = another.positionOf([]) ?? start
    throw new StoryError([{ message: "expected one story, found another document", ...place }], file)
  }
  const found = misfits(document.value, storyShape)
  const story = document.value as unknown as Story
  const problems = found.length > 0 ? found : contradictions(story)
  if (problems.length > 0) throw new StoryError(placed(problems, document), file)
  return { story, ...(file !== undefined && { file }), positionOf: steps => document.positionOf(steps) }
}

function placed(problems: readonly Misfit[], document: YamlDocument): StoryProblem[] {
  return problems
    .map(({ steps, message }) => ({ message, ...(document.positionOf(steps) ?? { line: 1, column: 1 }) }))
    .sort((a, b) => a.line - b.line || a.column - b.column)
}

/** What fits the format and still makes no sense: managers, schemas and options that go with no request. */
function contradictions({ managers, schemas = {}, steps }: Story): Misfit[] {
  return steps.flatMap((step, i): Misfit[] => {
    const at = ["steps", i]
    const given = step as unknown as MapValue
    const found: Misfit[] = []
    const { manager } = given
    if ("changeSchema" in step) {
      const names = ["", ...Object.keys(schemas)]
      if (!names.includes(step.changeSchema)) {
        const message = `there is no schema ${step.changeSchema}${didYouMean(step.changeSchema, names)}`
        found.push({ steps: [...at, "changeSchema"], message })
      }
    } else if (manager === undefined && !("delete" in step)) found.push({ steps: at, message: "manager is missing" })
    if (
      typeof manager === "string" &&
      managers !== undefined &&
      own(managers as unknown as MapValue, manager) === undefined
    ) {
      const message = `${manager} is not among the managers${didYouMean(manager, Object.keys(managers))}`
      found.push({ steps: [...at, "manager"], message })
    }
    for (const key of ["force", "onConflict"]) {
      if (own(given, key) !== undefined && !("apply" in step)) {
        found.push({ steps: [...at, key], message: `${key} is for an apply` })
      }
    }
    if (isMap(own(given, "object")) || typeof own(given, "object") === "string") {
      if (!("patch" in step)) found.push({ steps: [...at, "object"], message: "object is for a patch" })
    }
    return found
  })
}
