// A story played by the simulator, and what the page shows of it. The page itself decides nothing about fields and owners.
import { isMap, type MapValue, StructuredMergeError } from "structured-merge-diff"
import { applyTextEdits, formatYaml, parseYaml } from "structured-merge-diff/io"
import {
  type ExplainedConflict,
  type Explanation,
  explain,
  type OnConflict,
  type OwnershipRequest,
  resolve,
} from "structured-merge-diff/ownership"
import {
  runStory,
  type Simulation,
  type SimulationRequest,
  type Step,
  type Story,
  type StoryStepResult,
} from "structured-merge-diff/simulator"
import type { OwnedObject } from "./live-rows.js"
import type { Draft, State, StoryStep } from "./store.js"
import { storyOf } from "./stories.js"
import type { Types } from "./types.js"

/** All steps of the course of events that is shown. */
export interface Course {
  readonly story: Story
  readonly results: readonly StoryStepResult[]
  readonly simulation: Simulation
  /** Why the steps after these can't be played. */
  readonly problem?: string
}

/**
 * Plays all steps of the course that is shown, those that are undone included: `at` looks at any moment. A link may hold anything: what can't
 * be played is a problem, and what comes before it is played.
 */
export function playCourse(state: State, types: Types): Course {
  const options = { types: types.builtIn }
  let story: Story = { title: "", steps: [] }
  let played = 0
  try {
    story = storyOf(state)
    const { simulation, steps } = runStory(story, { ...options, onStep: () => played++ })
    return { story, simulation, results: steps }
  } catch (error) {
    // Without a step played, the types or the objects may be at fault.
    const before = played > 0 ? { ...story, steps: story.steps.slice(0, played) } : { title: "", steps: [] }
    const { simulation, steps } = runStory(before, options)
    return { story, simulation, results: steps, problem: messageOf(error) }
  }
}

/** What a draft would come to. */
export interface Preview {
  /** Set where the text can't be played. */
  readonly problem?: string
  /** What the simulator makes of it. */
  readonly step?: Step
  /** The step as the story would have it. */
  readonly told?: StoryStep
  /** What the conflicts are about; absent where it is in none. */
  readonly explanation?: Explanation
}

/** Plays the draft on a fork of the simulation at a moment. */
export function previewDraft(course: Course, at: number, draft: Draft): Preview {
  try {
    const fork = forkAt(course, at)
    const told = requestOf(draft, fork, course.story)
    if (told === undefined) return {}
    const step = fork.play(told as SimulationRequest)
    if (step.outcome !== "conflict" || !("apply" in told)) return { step, told }
    const source = { text: draft.text }
    return { step, told, explanation: explain(step.before, told.apply, { ...request(draft, fork, course), source }) }
  } catch (error) {
    return { problem: messageOf(error) }
  }
}

/** The text of the draft with all conflicts decided this way; `problem` says why it can't be edited. */
export function resolveDraft(course: Course, at: number, draft: Draft, onConflict: OnConflict) {
  const { step, told } = previewDraft(course, at, draft)
  if (step === undefined || told === undefined || !("apply" in told)) return undefined
  const options = { ...request(draft, forkAt(course, at), course), source: { text: draft.text }, onConflict }
  const { source, outcome } = resolve(step.before, told.apply, options)
  return { text: source?.text, problem: source?.impossible, outcome }
}

/** The text of a draft after a way out of one conflict; undefined where it can't be edited. */
export function takeWay(text: string, conflict: ExplainedConflict, way: "relinquish" | "share"): string | undefined {
  const edits = conflict.ways[way].source?.edits
  return edits && applyTextEdits(text, edits)
}

/** The request that a draft makes; undefined where it has no text. Throws what is wrong with it. */
function requestOf(draft: Draft, simulation: Simulation, { managers = {} }: Story): StoryStep | undefined {
  const value = parseYaml(draft.text)
  if (value === null) return undefined
  const { manager, verb, force, subresource } = draft
  const who = { manager, ...((subresource !== "" || Object.hasOwn(managers, manager)) && { subresource }) }
  if (verb === "patch") {
    if (typeof value !== "object") throw new TypeError("a patch is a map of fields, or a list of operations")
    return { ...who, patch: value, ...objectFor(value, simulation) }
  }
  if (!isMap(value)) throw new TypeError("an object is a map with apiVersion, kind and metadata")
  if (verb === "apply") return { ...who, apply: value, ...(force && { force }) }
  return verb === "create" ? { ...who, create: value } : { ...who, update: value }
}

/** Which of several objects a merge patch is for, where it says so itself by kind and name. */
function objectFor(patch: object, simulation: Simulation) {
  const { kind, metadata } = patch as { readonly kind?: unknown; readonly metadata?: MapValue }
  const name = isMap(metadata ?? null) ? metadata?.name : undefined
  if (simulation.objects.length < 2 || typeof kind !== "string" || typeof name !== "string") return {}
  return { object: { kind, name } }
}

/** The simulation as it was at a moment, to go on from there. */
function forkAt({ simulation, results }: Course, at: number): Simulation {
  const later = results.length - Math.min(at, results.length)
  simulation.undo(later)
  try {
    return simulation.fork()
  } finally {
    simulation.redo(later)
  }
}

/** What `explain` and `resolve` have to know of the request: the types and the policy at this moment. */
function request({ manager, subresource }: Draft, simulation: Simulation, { story }: Course): OwnershipRequest {
  const unions = story.schemas?.[simulation.now().schema]?.unions ?? story.unions
  const common = { types: simulation.types, manager, ...(subresource !== "" && { subresource }) }
  return { ...common, ...(unions !== undefined && { unions }) }
}

/** The types that count at a moment, for the editor: a step may have changed them. */
export function typesAt(course: Course, at: number, types: Types): Types {
  const fork = forkAt(course, at)
  return fork.now().schema === "" ? types : { ...types, finder: fork.types }
}

/** The object in a few words, which tell it from others: "Deployment shop". */
export function objectLabel({ kind, metadata }: MapValue): string {
  const { name, namespace } = isMap(metadata) ? metadata : ({} as MapValue)
  const where = namespace === undefined || namespace === "default" ? "" : `${String(namespace)}/`
  return `${String(kind)} ${where}${String(name)}`
}

/** The fields of the object that the step has changed, with those inside. */
export function changedPaths(step: Step | undefined, object: OwnedObject | undefined): ReadonlySet<string> {
  if (step === undefined || object === undefined || step.before === undefined) return new Set()
  const changes = step.changes.filter(({ action }) => action !== "remove").map(({ path }) => path)
  const isBelow = (path: string, above: string) =>
    path.startsWith(above) && (path.length === above.length || ".[".includes(path.charAt(above.length)))
  const paths = object.rows.flatMap(row => row.paths)
  return new Set(paths.filter(path => changes.some(above => isBelow(path, above))))
}

/** The live object as a text to begin an update with. */
export function updateText(object: MapValue): string {
  const { metadata } = object
  if (!isMap(metadata)) return formatYaml(object)
  const { managedFields: _, ...rest } = metadata
  return formatYaml({ ...object, metadata: rest })
}

/** What a step asks for, as a text. */
export function requestText(step: Step): string {
  return formatYaml(step.request as unknown as MapValue)
}

/** The message of an error about data, or about the arguments of a request; anything else is a bug, and thrown again. */
function messageOf(error: unknown): string {
  if (error instanceof StructuredMergeError || error instanceof TypeError || error instanceof RangeError) {
    return error.message
  }
  throw error
}
