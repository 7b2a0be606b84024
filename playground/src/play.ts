// Plays the story with the simulator and computes what the page shows. All decisions about fields and owners are the simulator's.
import { isMap, type MapValue, StructuredMergeError } from "structured-merge-diff"
import { applyTextEdits, formatYaml, parseYaml } from "structured-merge-diff/io"
import { loadCel } from "structured-merge-diff/kinds"
import type { TypeFinder } from "structured-merge-diff/managedfields"
import {
  type Admission,
  type ExplainedConflict,
  type Explanation,
  explain,
  loadAdmission,
  type OnConflict,
  type OwnershipRequest,
  resolve,
} from "structured-merge-diff/ownership"
import type { Simulation, SimulationRequest, Step, Story, StoryStepResult } from "structured-merge-diff/simulator"
import type { OwnedObject } from "structured-merge-diff/view"
import { withDefaults } from "../../src/tools/simulator/story/defaults.js"
import { needsAdmission, needsCel } from "../../src/tools/simulator/story/needs.js"
import { StoryRun } from "../../src/tools/simulator/story/run-story.js"
import { type FactsAt, factsAt } from "./field-at.js"
import { commonLength, type Scene } from "./scene.js"
import type { Draft, StoryStep } from "./state.js"
import { storyOf } from "./stories.js"
import type { Types } from "./types.js"

/** A story and the results of its steps, also of steps that are undone. */
export interface Course {
  /** The story without its steps. */
  readonly story: Story
  readonly results: readonly StoryStepResult[]
  /** Has the steps of the course until the player plays another one. */
  readonly simulation: Simulation
  /** The admission of the server; absent if nothing in the story counts for it. */
  readonly admission?: Admission | undefined
  /** The reason why the steps after `results` can't be played. */
  readonly problem?: string
}

/** Returns names of the parts of a server that the story or the open draft needs and that `loadServer` loads. */
export function serverParts({ server, types, rest, objects, steps, draft }: Scene): readonly ServerPart[] {
  if (server === "merge") return []
  const story = {
    objects,
    steps,
    ...(types !== "" && { definitions: [] }),
    ...(rest.schemas && { schemas: rest.schemas }),
  }
  return [
    ...(needsCel(story) || mayCompile.test(draft?.text ?? "") ? (["rules"] as const) : []),
    ...(needsAdmission(story) ? (["admission"] as const) : []),
  ]
}
export type ServerPart = "rules" | "admission"
const mayCompile = /CustomResourceDefinition|AdmissionPolicy|WebhookConfiguration/

/** Loads parts of a server. Returns its admission if that is one of them. */
export async function loadServer(parts: readonly ServerPart[]): Promise<Admission | undefined> {
  if (parts.includes("rules")) await loadCel()
  return parts.includes("admission") ? await loadAdmission({ objects: [] }) : undefined
}

/** The time between two calls of `pause`, in milliseconds. */
const slice = 40

/** Plays one story after another. If a story begins with steps of the story before, they are not played again. */
export class Player {
  private run = new StoryRun({ title: "", steps: [] })
  /** The parts of the story that the results depend on, other than its steps. */
  private base: readonly unknown[] = []
  private problemOfBase: string | undefined
  /** The steps that were played. */
  private played: StoryStep[] = []
  private last: { readonly steps: Scene["steps"]; readonly course: Course } | undefined

  /**
   * Plays all steps, including steps that are undone. Links may contain anything, so if a step can't be played, the result has the steps
   * before it and the problem. Calls `pause` with the number of played steps now and then, and resolves to undefined if it resolves to false.
   */
  async play(
    scene: Scene,
    types: Types,
    admission?: Admission,
    pause: (played: number) => Promise<boolean> = async () => true,
  ): Promise<Course | undefined> {
    this.begin(scene, types, admission)
    if (this.last?.steps === scene.steps) return this.last.course
    const { run, played } = this
    const kept = commonLength(played, scene.steps)
    this.last = undefined
    run.cut(kept)
    played.length = kept
    let problem = this.problemOfBase
    let since = performance.now()
    try {
      for (const step of problem === undefined ? scene.steps.slice(kept) : []) {
        if (performance.now() - since > slice) {
          if (!(await pause(played.length))) return undefined
          since = performance.now()
        }
        run.play(step)
        played.push(step)
      }
    } catch (error) {
      problem = messageOf(error)
    }
    const { story, simulation, steps } = run
    const course = { story, simulation, results: [...steps], admission, ...(problem !== undefined && { problem }) }
    this.last = { steps: scene.steps, course }
    return course
  }

  /** Starts again if anything but the steps differs from the story before. */
  private begin(scene: Scene, types: Types, admission: Admission | undefined): void {
    const { server } = scene
    const base = [types, admission, server, scene.types, scene.objects, scene.unions, scene.rest]
    if (commonLength(base, this.base) === base.length) return
    this.base = base
    this.played = []
    this.last = undefined
    this.problemOfBase = undefined
    const options = { types: server === "merge" ? types.builtIn.typesOnly() : types.builtIn, admission }
    try {
      this.run = new StoryRun(storyOf({ ...scene, steps: [] }), options)
    } catch (error) {
      this.problemOfBase = messageOf(error)
      this.run = new StoryRun({ title: "", steps: [] }, options)
    }
  }
}

/** The result that a draft would have. */
export interface DraftResult {
  /** The reason why the text can't be played; absent if it can. */
  readonly problem?: string
  /** The step of the simulation. */
  readonly step?: Step
  /** The step to add to the story. */
  readonly storyStep?: StoryStep
  /** The reasons for a refused apply, with the ways out of its conflicts. */
  readonly explanation?: Explanation
}

/** Plays the draft on a fork of the simulation after step `at`. */
export function previewDraft(course: Course, at: number, draft: Draft): DraftResult {
  try {
    const fork = forkAt(course, at)
    const storyStep = requestOf(draft, fork, course.story)
    if (storyStep === undefined) return {}
    const step = fork.play(storyStep as SimulationRequest)
    if (!step.refused || !("apply" in storyStep) || draft.manager === "") return { step, storyStep }
    const source = { text: draft.text }
    return {
      step,
      storyStep,
      explanation: explain(step.before, storyStep.apply, { ...request(draft, fork, course), source }),
    }
  } catch (error) {
    return { problem: messageOf(error) }
  }
}

/** Resolves all conflicts of the draft in this way. Returns the new text, or in `problem` the reason why it can't be edited. */
export function resolveDraft(course: Course, at: number, draft: Draft, onConflict: OnConflict) {
  const { step, storyStep } = previewDraft(course, at, draft)
  if (step === undefined || storyStep === undefined || !("apply" in storyStep)) return undefined
  const options = { ...request(draft, forkAt(course, at), course), source: { text: draft.text }, onConflict }
  const { source, outcome } = resolve(step.before, storyStep.apply, options)
  return { text: source?.text, problem: source?.impossible, outcome }
}

/** Returns the text of a draft after a way out of one conflict; undefined if the text can't be edited. */
export function takeWay(text: string, conflict: ExplainedConflict, way: "relinquish" | "share"): string | undefined {
  const edits = conflict.ways[way].source?.edits
  return edits && applyTextEdits(text, edits)
}

/** Returns the request of a draft; undefined if the draft has no text. Throws an error that describes the problem of the text. */
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

/** Returns the object that a merge patch is for, if there are several and the patch contains a kind and a name. */
function objectFor(patch: object, simulation: Simulation) {
  const { kind, metadata } = patch as { readonly kind?: unknown; readonly metadata?: MapValue }
  const name = isMap(metadata ?? null) ? metadata?.name : undefined
  if (simulation.objects.length < 2 || typeof kind !== "string" || typeof name !== "string") return {}
  return { object: { kind, name } }
}

/** Returns a fork of the simulation after step `at`. */
function forkAt({ simulation, results }: Course, at: number): Simulation {
  const later = results.length - Math.min(at, results.length)
  simulation.undo(later)
  try {
    return simulation.fork()
  } finally {
    simulation.redo(later)
  }
}

/** Returns the options of `explain` and `resolve`, with which they answer as the simulation does. */
function request({ manager, subresource }: Draft, simulation: Simulation, course: Course): OwnershipRequest {
  const { schemas, unions: given, defaults = [] } = course.story
  const unions = schemas?.[simulation.now().schema]?.unions ?? given
  return {
    types: simulation.types,
    manager,
    // With a function, each way out would be tried in an apply of its own.
    ...(defaults.length > 0 && { defaults: (object: MapValue) => withDefaults(object, defaults) }),
    admission: course.admission?.with(() => simulation.objects),
    ...(subresource !== "" && { subresource }),
    ...(unions !== undefined && { unions }),
  }
}

/** Returns the types after step `at`, for the editor. A step may have changed the schema. */
export function typesAt(course: Course, at: number, types: Types): Types {
  const fork = forkAt(course, at)
  return fork.now().schema === "" ? types : { ...types, finder: fork.types }
}

/** Returns the types of the server after step `at`. */
export function servedTypes(course: Course, at: number): TypeFinder {
  return forkAt(course, at).types
}

/** Returns the facts about the field at an offset of a text, for the story after step `at`. */
export function factsAfter(
  course: Course,
  at: number,
  types: Types,
  text: string,
  offset: number,
): FactsAt | undefined {
  const fork = forkAt(course, at)
  return factsAt(text, offset, types, fork.types, fork.objects)
}

/** Returns a short name of the object for people: "Deployment shop". */
export function objectLabel({ kind, metadata }: MapValue): string {
  const { name, namespace } = isMap(metadata) ? metadata : ({} as MapValue)
  const where = namespace === undefined || namespace === "default" ? "" : `${String(namespace)}/`
  return `${String(kind)} ${where}${String(name)}`
}

/** Returns the paths of the fields that the step changed, and of all fields inside them. */
export function changedPaths(step: Step | undefined, object: OwnedObject | undefined): ReadonlySet<string> {
  if (step === undefined || object === undefined || step.before === undefined) return new Set()
  const changes = new Set(step.changes.filter(({ action }) => action !== "remove").map(({ path }) => path))
  const isChanged = (path: string) =>
    changes.has(path) || Array.from(path.matchAll(/[.[]/g)).some(({ index }) => changes.has(path.slice(0, index)))
  return new Set(object.lines.flatMap(({ fields }) => fields.map(({ path }) => path)).filter(isChanged))
}

/** Returns the live object as YAML without managedFields, as the start of an update. */
export function updateText(object: MapValue): string {
  const { metadata } = object
  if (!isMap(metadata)) return formatYaml(object)
  const { managedFields: _, ...rest } = metadata
  return formatYaml({ ...object, metadata: rest })
}

/** Returns the request of a step as YAML. */
export function requestText(step: Step): string {
  return formatYaml(step.request as unknown as MapValue)
}

/** Returns the message of an error about data or about the arguments of a request. Throws any other error again, since it is a bug. */
function messageOf(error: unknown): string {
  if (error instanceof StructuredMergeError || error instanceof TypeError || error instanceof RangeError) {
    return error.message
  }
  throw error
}
