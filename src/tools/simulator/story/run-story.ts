import { kindsOf } from "../../../kinds/kinds.js"
import { kindsWith } from "../../../kinds/kubernetes.js"
import type { TypeFinder } from "../../../managedfields/types/object-types.js"
import { changeApiVersion, type ObjectConverter } from "../../../managedfields/types/version-converter.js"
import { objectKindOf } from "../../../schema/group-version-kind.js"
import type { UnionPolicyName } from "../../../union/policy.js"
import {
  aFunction,
  aListOfObjects,
  anObject,
  aTypeFinder,
  either,
  optional,
  requireArgument,
  requireOptions,
} from "../../../value/argument.js"
import type { Steps } from "../../../value/change.js"
import { own } from "../../../value/object.js"
import type { MapValue } from "../../../value/value.js"
import type { Admission } from "../../../write/attributes.js"
import { deepFreeze, frozenCopy, withoutUndefined } from "../simulation/frozen-copy.js"
import type { SimulationRequest } from "../simulation/request.js"
import { type Simulation, simulate } from "../simulation/simulation.js"
import type { Step } from "../simulation/step.js"
import type { SimulationSchema } from "../simulation/world.js"
import { withDefaults } from "./defaults.js"
import { type UnmetExpectation, unmetExpectations } from "./expectations.js"
import type { Story, StoryFile, StoryManager, StorySchema, StoryStep } from "./story.js"
import { lastRequests } from "./story-controllers.js"

/** The parts of a simulation that a story file does not contain. */
export interface StoryOptions {
  /**
   * The built-in kinds: `kubernetesTypes`. A function is called with whether the story names a union policy other than `off`. Without this
   * option, a story has only the kinds of its definitions.
   */
  readonly types?: (TypeFinder | ((unions: boolean) => TypeFinder)) | undefined
  /** Fields that requests can't write; see FieldManagerOptions. Not needed for built-in kinds and for kinds of definitions. */
  readonly resetFields?: SimulationSchema["resetFields"] | undefined
  /** Adds defaults to an object, before the defaults of the story; see FieldManagerOptions. */
  readonly defaults?: SimulationSchema["defaults"] | undefined
  /** The admission of the cluster, from `loadAdmission`; see SimulationSchema. */
  readonly admission?: Admission | undefined
  /** Called after each step with its result and the number of all steps. */
  readonly onStep?: ((step: StoryStepResult, steps: number) => void) | undefined
}

/** An expectation that was not met. */
export interface StoryFailure extends UnmetExpectation {
  /** The steps to the expectation in the story: `["steps", 2, "expect", "outcome"]`. */
  readonly steps: Steps
  /** The line of the file, from 1; absent if the story was not read from text. */
  readonly line?: number
  /** The column, from 1, in UTF-16 units; absent if the story was not read from text. */
  readonly column?: number
}

/** A step of a story, and its result. */
export interface StoryStepResult {
  /** The step in the story. */
  readonly storyStep: StoryStep
  /** The step of the simulation. */
  readonly step: Step
  /** The expectations that were not met. */
  readonly failures: readonly StoryFailure[]
}

/** The result of a story. */
export interface StoryResult {
  /** A frozen copy of the story. */
  readonly story: Story
  /** Whether every expectation was met. */
  readonly passed: boolean
  /** The results of all steps, in the order of the story. */
  readonly steps: readonly StoryStepResult[]
  /**
   * The simulation after the last step. Each manager of the story is one of its controllers, which repeats the manager's last requests: one
   * for each object, kind of request and subresource. An update is repeated as a patch with its changes.
   */
  readonly simulation: Simulation
}

/**
 * Plays all steps of a story, even if expectations are not met. Throws an OpenAPIError for definitions that can't be used, and a TypeError
 * if a step does not say which of several objects it is for.
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
export function runStory(input: Story | StoryFile, options: StoryOptions = {}): StoryResult {
  requireArgument("story", input, anObject)
  requireOptions("options", options, {
    types: optional(either(aTypeFinder, aFunction)),
    admission: optional(anObject),
  })
  const { story: inputStory, positionOf } =
    "positionOf" in input ? input : { story: input, positionOf: () => undefined }
  requireOptions("story", inputStory, { steps: aListOfObjects })
  const run = new StoryRun(inputStory, options, positionOf)
  for (const storyStep of inputStory.steps) {
    const result = run.play(storyStep)
    options.onStep?.(result, inputStory.steps.length)
  }
  const { simulation, steps } = run
  for (const [manager, requests] of lastRequests(simulation.steps)) simulation.controller(manager, () => requests)
  const story = deepFreeze({ ...run.story, steps: steps.map(({ storyStep }) => storyStep) })
  return { story, passed: steps.every(({ failures }) => failures.length === 0), steps, simulation }
}

/** Plays the steps of a story one after another. */
export class StoryRun {
  /** A frozen copy of the story without its steps. */
  readonly story: Story
  readonly simulation: Simulation
  private readonly results: StoryStepResult[] = []
  private readonly positionOf: StoryFile["positionOf"]
  /** The frozen copies of the parts of steps: steps that share a configuration (an anchor in YAML) still share it. */
  private readonly copies = new Map<unknown, unknown>()

  constructor(story: Story, options: StoryOptions = {}, positionOf: StoryFile["positionOf"] = () => undefined) {
    this.story = deepFreeze(frozenCopy({ ...story, steps: [] }))
    this.positionOf = positionOf
    const { objects = [], schemas = {} } = this.story
    const later = Object.entries(schemas).map(
      ([name, schema]) => [name, schemaOf(this.story, schema, options)] as const,
    )
    const schema = schemaOf(this.story, {}, options)
    this.simulation = simulate({ ...schema, objects, schemas: Object.fromEntries(later) })
  }

  /** The results of the steps that were played. */
  get steps(): readonly StoryStepResult[] {
    return this.results
  }

  /** Plays the next step. Throws as `runStory` does, without adding a step. */
  play(given: StoryStep): StoryStepResult {
    const { simulation } = this
    const index = this.results.length
    const storyStep = this.frozenStep(given)
    const step = simulation.play(requestOf(storyStep, this.story.managers))
    const failures = unmetExpectations(step, storyStep.expect ?? {}, simulation.now(), simulation.types).map(
      (failure): StoryFailure => {
        const at = ["steps", index, "expect", ...failure.steps]
        const position =
          this.positionOf(at) ?? this.positionOf(["steps", index, "expect"]) ?? this.positionOf(["steps", index])
        return { ...failure, steps: at, ...position }
      },
    )
    const result = { storyStep, step, failures }
    this.results.push(result)
    return result
  }

  /** Takes back all steps after the first `count`. */
  cut(count: number): void {
    this.simulation.undo(this.results.length - count)
    this.results.length = count
  }

  private frozenStep(step: StoryStep): StoryStep {
    const parts = Object.entries(step).map(([key, part]) => [key, this.copyOf(part)])
    return deepFreeze(Object.fromEntries(parts) as StoryStep)
  }

  private copyOf<T>(part: T): T {
    if (!this.copies.has(part)) this.copies.set(part, frozenCopy(part))
    return this.copies.get(part) as T
  }
}

/** Returns the requests of a story, completed with the options of its managers, as `permute` takes them. */
export function requestsOf(story: Story): SimulationRequest[] {
  requireOptions("story", story, { steps: aListOfObjects })
  const { steps, managers } = story
  return steps.map(step => requestOf(step, managers))
}

function requestOf(storyStep: StoryStep, managers: Readonly<Record<string, StoryManager>> = {}): SimulationRequest {
  const { about: _, expect: __, ...request } = withoutUndefined(storyStep)
  if (!("manager" in request) || request.manager === undefined) return request
  const common = own(managers as unknown as MapValue, request.manager) as unknown as StoryManager | undefined
  if (common === undefined || "delete" in request) return request
  const { as, force, onConflict, subresource } = common
  const ofAll = { ...(subresource !== undefined && { subresource }) }
  if (!("apply" in request)) return { ...ofAll, ...request } as SimulationRequest
  const ofTool = as !== undefined && { as }
  const ofApplies = {
    ...ofTool,
    ...(force !== undefined && { force }),
    ...(onConflict !== undefined && { onConflict }),
  }
  return { ...ofAll, ...ofApplies, ...request } as SimulationRequest
}

/** Returns the kinds of the definitions in addition to the built-in kinds, with the options of the story. */
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
    admission: options.admission,
  }
}

const noTypes: TypeFinder = { find: () => undefined }

/** Converts objects as a server does. For kinds with known types only, it changes nothing but the version. */
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
