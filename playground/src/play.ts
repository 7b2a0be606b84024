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
import { type Simulation, type SimulationRequest, type Step, simulate } from "structured-merge-diff/simulator"
import type { OwnedObject } from "./live-rows.js"
import { branchOf, type Draft, type State, type StoryStep } from "./store.js"
import type { Types } from "./types.js"

/** All steps of the course of events that is shown. */
export interface Course {
  readonly steps: readonly Step[]
  readonly simulation: Simulation
  /** What was expected of each step and is not so. */
  readonly failures: readonly (readonly string[])[]
  /** Why the steps after these can't be played. */
  readonly problem?: string
}

/** Plays all steps of the course that is shown, those that are undone included: `at` looks at any moment. */
export function playCourse(state: State, types: Types): Course {
  const simulation = simulate({ types: types.finder, unions: state.unions, objects: state.objects })
  for (const step of branchOf(state).steps) {
    try {
      simulation.play(step as unknown as SimulationRequest)
    } catch (error) {
      return { simulation, steps: simulation.steps, failures: [], problem: messageOf(error) }
    }
  }
  return { simulation, steps: simulation.steps, failures: [] }
}

/** What a draft would come to. */
export interface Preview {
  /** Set where the text can't be played. */
  readonly problem?: string
  /** What the simulator makes of it. */
  readonly step?: Step
  /** What the conflicts are about; absent where it is in none. */
  readonly explanation?: Explanation
}

/** Plays the draft on a fork of the simulation at a moment. */
export function previewDraft(course: Course, at: number, draft: Draft, state: State, types: Types): Preview {
  try {
    const request = requestOf(draft, course.simulation, at)
    if (request === undefined) return {}
    const fork = forkAt(course, at)
    const live = liveFor(fork, request)
    const step = fork.play(request)
    if (step.outcome !== "conflict" || !("apply" in request)) return { step }
    const source = { text: draft.text, file: "" }
    const explanation = explain(live, request.apply, { ...ownershipRequest(draft, state, types), source })
    return { step, explanation }
  } catch (error) {
    return { problem: messageOf(error) }
  }
}

/** The text of the draft with all conflicts decided this way; undefined where it can't be edited. */
export function resolveDraft(course: Course, at: number, draft: Draft, state: State, types: Types, way: OnConflict) {
  const request = requestOf(draft, course.simulation, at)
  if (request === undefined || !("apply" in request)) return undefined
  const live = liveFor(forkAt(course, at), request)
  const options = { ...ownershipRequest(draft, state, types), source: { text: draft.text } }
  const { source, outcome } = resolve(live, request.apply, { ...options, onConflict: way })
  return { text: source?.text, problem: source?.impossible, outcome }
}

/** The text of a draft after a way out of one conflict; undefined where it can't be edited. */
export function takeWay(text: string, conflict: ExplainedConflict, way: "relinquish" | "share"): string | undefined {
  const edits = conflict.ways[way].source?.edits
  return edits && applyTextEdits(text, edits)
}

/** The request that a draft makes; undefined where it has no text. Throws what is wrong with it. */
export function requestOf(draft: Draft, simulation: Simulation, at: number): SimulationRequest | undefined {
  const value = parseYaml(draft.text)
  if (value === null) return undefined
  const { manager, verb, force, subresource } = draft
  const who = { manager, ...(subresource !== "" && { subresource }) }
  if (verb === "patch") {
    if (typeof value !== "object") throw new TypeError("a patch is a map of fields, or a list of operations")
    return { ...who, patch: value, ...objectFor(value, simulation, at) }
  }
  if (!isMap(value)) throw new TypeError("an object is a map with apiVersion, kind and metadata")
  return verb === "apply" ? { ...who, apply: value, ...(force && { force }) } : { ...who, update: value }
}

/** Which object a patch is for, where it says so itself: a merge patch may have apiVersion, kind and name. */
function objectFor(patch: object, simulation: Simulation, at: number) {
  const { kind, metadata } = patch as { readonly kind?: unknown; readonly metadata?: unknown }
  const name = isMap(metadata as MapValue) ? (metadata as MapValue).name : undefined
  if (simulation.at(at).objects.length < 2 || typeof kind !== "string" || typeof name !== "string") return {}
  return { object: { kind, name } }
}

/** The step as a story has it: what was asked for. */
export function storyStep({ request }: Step): StoryStep {
  return request as unknown as StoryStep
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

/** The simulation as it was at a moment, to go on from there. */
function forkAt({ simulation, steps }: Course, at: number): Simulation {
  simulation.undo(steps.length - at)
  try {
    return simulation.fork()
  } finally {
    simulation.redo(steps.length - at)
  }
}

function liveFor(simulation: Simulation, request: SimulationRequest): MapValue | undefined {
  const config = "apply" in request ? (request.apply as MapValue) : undefined
  const metadata = config?.metadata
  if (config === undefined || !isMap(metadata) || typeof metadata.name !== "string") return undefined
  const { apiVersion, kind } = config
  if (typeof apiVersion !== "string" || typeof kind !== "string") return undefined
  const namespace = typeof metadata.namespace === "string" ? { namespace: metadata.namespace } : {}
  return simulation.get({ apiVersion, kind, name: metadata.name, ...namespace })
}

function ownershipRequest({ manager, subresource }: Draft, { unions }: State, types: Types): OwnershipRequest {
  return { types: types.finder, unions, manager, ...(subresource !== "" && { subresource }) }
}

/** The live object as a text to begin an update with. */
export function updateText(object: MapValue): string {
  const { metadata } = object
  if (!isMap(metadata)) return formatYaml(object)
  const { managedFields: _, ...rest } = metadata
  return formatYaml({ ...object, metadata: rest })
}

/** The message of an error about data, or about the arguments of a request; anything else is a bug, and thrown again. */
export function messageOf(error: unknown): string {
  if (error instanceof StructuredMergeError || error instanceof TypeError || error instanceof RangeError) {
    return error.message
  }
  throw error
}
