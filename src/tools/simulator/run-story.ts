import { kindsOf } from "../../kinds/kinds.js"
import { kindsWith } from "../../kinds/kubernetes.js"
import type { TypeFinder } from "../../managedfields/types/object-types.js"
import { changeApiVersion, type ObjectConverter } from "../../managedfields/types/version-converter.js"
import { objectKindOf } from "../../schema/group-version-kind.js"
import type { UnionPolicyName } from "../../union/policy.js"
import {
  aFunction,
  aListOfObjects,
  anObject,
  either,
  optional,
  requireArgument,
  requireOptions,
  types,
} from "../../value/argument.js"
import type { Steps } from "../../value/change.js"
import { own } from "../../value/object.js"
import type { MapValue } from "../../value/value.js"
import { withDefaults } from "./defaults.js"
import { type Unmet, unmet } from "./expectations.js"
import { frozen, kept, withoutUndefined } from "./kept.js"
import type { SimulationRequest } from "./request.js"
import { type Simulation, simulate } from "./simulation.js"
import type { Step } from "./step.js"
import type { Story, StoryFile, StoryManager, StorySchema, StoryStep } from "./story.js"
import { lastRequests } from "./story-controllers.js"
import type { SimulationSchema } from "./world.js"

/** Everything that a story needs and its text does not have. */
export interface StoryOptions {
  /**
   * The built-in kinds: `kubernetesTypes`. A function is called with whether the story names a policy that settles unions. Without this
   * option, a story has only the kinds of its definitions.
   */
  readonly types?: (TypeFinder | ((unions: boolean) => TypeFinder)) | undefined
  /** Fields that requests can't write; see FieldManagerOptions. Those of built-in kinds and of definitions are known. */
  readonly resetFields?: SimulationSchema["resetFields"] | undefined
  /** Fills in defaults, before those of the story; see FieldManagerOptions. */
  readonly defaults?: SimulationSchema["defaults"] | undefined
  /** Called after each step, with the number of all. */
  readonly onStep?: ((step: StoryStepResult, steps: number) => void) | undefined
}

/** An expectation that was not met. */
export interface StoryFailure extends Unmet {
  /** Where in the story it is expected: `["steps", 2, "expect", "outcome"]`. */
  readonly steps: Steps
  /** The line of the file, from 1; absent for a story that was not read from a text. */
  readonly line?: number
  /** The column, from 1, in UTF-16 units. */
  readonly column?: number
}

/** A step of a story, and what it came to. */
export interface StoryStepResult {
  /** The step as the story has it. */
  readonly told: StoryStep
  /** The step that it made. */
  readonly step: Step
  /** The expectations that were not met. */
  readonly failures: readonly StoryFailure[]
}

/** A story that was played. */
export interface StoryResult {
  /** The story, as it was when it was played. */
  readonly story: Story
  /** Whether every expectation was met. */
  readonly passed: boolean
  /** Every step, in the order of the story. */
  readonly steps: readonly StoryStepResult[]
  /**
   * The simulation that played the story, to go on from its end. Each manager of the story is a controller of it, which asks again for the
   * last things that it asked for: of each object, by each kind of request, through each subresource. Of an update that is what it changed.
   */
  readonly simulation: Simulation
}

/**
 * Plays a story to its end, whether or not what is expected comes true. Throws an OpenAPIError for definitions that can't be used, and a
 * TypeError where a step does not say which of several objects it means.
 *
 * @example
 * ```ts
 * import { kubernetesTypes } from "structured-merge-diff/kubernetes"
 * import { readStory, runStory } from "structured-merge-diff/simulator"
 *
 * const file = readStory(`
 * title: Two managers and a color
 * steps:
 * - manager: gitops
 *   apply: &config {apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {color: red}}
 * - manager: ann
 *   patch: {data: {color: blue}}
 * - manager: gitops
 *   apply: *config
 *   expect: {outcome: changed}
 * `)
 * const { passed, steps } = runStory(file, { types: kubernetesTypes })
 * console.log(passed)
 * // false
 * for (const { line, message } of steps.flatMap(({ failures }) => failures)) console.log(`line ${line}: ${message}`)
 * // line 10: outcome: expected "changed", found "conflict"
 * ```
 */
export function runStory(given: Story | StoryFile, options: StoryOptions = {}): StoryResult {
  requireArgument("story", given, anObject)
  requireOptions("options", options, { types: optional(either(types, aFunction)) })
  const { story: told, positionOf } = "positionOf" in given ? given : { story: given, positionOf: () => undefined }
  requireOptions("story", told, { steps: aListOfObjects })
  const story = keptStory(told)
  const { objects = [], schemas = {} } = story
  const later = Object.entries(schemas).map(([name, schema]) => [name, schemaOf(story, schema, options)] as const)
  const simulation = simulate({ ...schemaOf(story, {}, options), objects, schemas: Object.fromEntries(later) })
  const steps = story.steps.map((told, i): StoryStepResult => {
    const step = simulation.play(requestOf(told, story.managers))
    const failures = unmet(step, told.expect ?? {}, simulation.now(), simulation.types).map((failure): StoryFailure => {
      const at = ["steps", i, "expect", ...failure.steps]
      const position = positionOf(at) ?? positionOf(["steps", i, "expect"]) ?? positionOf(["steps", i])
      return { ...failure, steps: at, ...position }
    })
    const result = { told, step, failures }
    options.onStep?.(result, story.steps.length)
    return result
  })
  for (const [manager, requests] of lastRequests(simulation.steps)) simulation.controller(manager, () => requests)
  return { story, passed: steps.every(({ failures }) => failures.length === 0), steps, simulation }
}

/** A copy of the story. Steps that refer to one configuration still do. */
function keptStory(story: Story): Story {
  const copies = new Map<unknown, unknown>()
  const copyOf = <T>(part: T): T => {
    if (!copies.has(part)) copies.set(part, kept(part))
    return copies.get(part) as T
  }
  const steps = story.steps.map(step => {
    const parts = Object.entries(step).map(([key, part]) => [key, copyOf(part)])
    return frozen(Object.fromEntries(parts) as StoryStep)
  })
  return frozen({ ...kept({ ...story, steps: [] }), steps })
}

/** The requests of a story, with what its managers have in common, as `permute` takes them. */
export function requestsOf(story: Story): SimulationRequest[] {
  requireOptions("story", story, { steps: aListOfObjects })
  const { steps, managers } = story
  return steps.map(step => requestOf(step, managers))
}

function requestOf(told: StoryStep, managers: Readonly<Record<string, StoryManager>> = {}): SimulationRequest {
  const { about: _, expect: __, ...request } = withoutUndefined(told)
  if (!("manager" in request) || request.manager === undefined) return request
  const common = own(managers as unknown as MapValue, request.manager) as unknown as StoryManager | undefined
  if (common === undefined || "delete" in request) return request
  const { force, onConflict, subresource } = common
  const ofAll = { ...(subresource !== undefined && { subresource }) }
  if (!("apply" in request)) return { ...ofAll, ...request } as SimulationRequest
  const ofApplies = { ...(force !== undefined && { force }), ...(onConflict !== undefined && { onConflict }) }
  return { ...ofAll, ...ofApplies, ...request } as SimulationRequest
}

/** The kinds that definitions give, over the built-in ones. */
function schemaOf(story: Story, schema: StorySchema, options: StoryOptions): SimulationSchema {
  const { definitions = [], defaults = [], unions }: StorySchema & Story = { ...story, ...schema }
  const builtIn = builtInTypes(options, unions) ?? noTypes
  const types = definitions.length === 0 ? builtIn : kindsWith(builtIn, definitions)
  return {
    types,
    converter: converterOf(types),
    ...(unions !== undefined && { unions }),
    defaults: object => withDefaults(options.defaults?.(object) ?? object, defaults),
    resetFields: options.resetFields,
  }
}

const noTypes: TypeFinder = { find: () => undefined }

/** Converts objects as a server does; those of kinds of which only types are known, by changing nothing but their version. */
function converterOf(types: TypeFinder): ObjectConverter {
  const byName = changeApiVersion(types)
  const kinds = kindsOf(types)
  return {
    convert(object, apiVersion) {
      const resource = kinds.resource({ ...objectKindOf(object), apiVersion })
      return (resource === undefined || resource.plain ? byName : resource.converter).convert(object, apiVersion)
    },
  }
}

function builtInTypes({ types }: StoryOptions, unions: UnionPolicyName | undefined): TypeFinder | undefined {
  return typeof types === "function" ? types(unions !== undefined && unions !== "off") : types
}
