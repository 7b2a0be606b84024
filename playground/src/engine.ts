// Everything that needs the engine. It runs in a worker, which engine-worker.ts starts: the page sends changes of its scene, and asks for the
// contents of its panes as plain data. Tests and the build call it directly.
import type { MapValue } from "structured-merge-diff"
import type { ExplainedConflict } from "structured-merge-diff/ownership"
import type { Outcome, Snapshot, Step } from "structured-merge-diff/simulator"
import { type OwnedObject, ownedObject } from "structured-merge-diff/view"
import { withoutManagedFields } from "../../src/managedfields/entries/entry.js"
import { YamlLines } from "../../src/tools/view/yaml-lines.js"
import { type Suggestions, suggest } from "./completions.js"
import { type CopyForm, copyText } from "./copy-as.js"
import { type Problem, problemsOf } from "./diagnostics.js"
import type { FactsAt } from "./field-at.js"
import { type FieldFacts, fieldFacts } from "./field-facts.js"
import { stateOfText } from "./imports.js"
import { memo } from "./memo.js"
import {
  type Course,
  changedPaths,
  type DraftResult,
  factsAfter,
  loadServer,
  objectLabel,
  Player,
  previewDraft,
  requestText,
  resolveDraft,
  type ServerPart,
  servedTypes,
  serverParts,
  takeWay,
  typesAt,
  updateText,
} from "./play.js"
import { changed, type SceneChange, sceneOf } from "./scene.js"
import { type Draft, emptyState, type State, type StoryStep } from "./state.js"
import { stepLines } from "./step-lines.js"
import { stateOfStory, storyText } from "./stories.js"
import { type LoadedTypes, loadTypes, type Types } from "./types.js"
import { playedStep, previewOf, type Question, stepReport, type View } from "./view.js"

/** The progress of a long story. */
export interface Progress {
  readonly played: number
  readonly of: number
}

export class Engine {
  private scene = sceneOf(emptyState)
  /** The number of changes of the story. Changes of drafts, and moves between steps, do not change the story. */
  private stories = 0
  private looks = 0
  private readonly player = new Player()
  private playing: Promise<unknown> = Promise.resolve()
  private report: (progress: Progress) => unknown = () => {}
  private sent: Partial<View> = {}
  private editorTypes: Types | undefined
  private shown: MapValue | undefined

  /** Calls `listener` now and then while a long story is played. */
  onProgress(listener: (progress: Progress) => unknown): void {
    this.report = listener
  }

  /** Changes the scene that all other methods are about. */
  sync(change: SceneChange): void {
    this.scene = changed(this.scene, change)
    if (Object.keys(change).some(key => key !== "at" && key !== "draft")) this.stories++
  }

  /**
   * Returns the parts of the view that changed since the last answer. Resolves to undefined if the answer would be stale, because of another
   * call or because the story changed.
   */
  async look(question: Question): Promise<Partial<View> | undefined> {
    const look = ++this.looks
    const { at, draft } = this.scene
    // Calls that wait already are newer than this one.
    await nextTask()
    const played = await this.play()
    if (played === undefined || look !== this.looks) return undefined
    const view = Object.entries(this.viewOf(played, at, draft, question)) as [keyof View, View[keyof View]][]
    const news = Object.fromEntries(view.filter(([key, part]) => !(key in this.sent) || part !== this.sent[key]))
    this.sent = Object.fromEntries(view)
    return news
  }

  private viewOf(played: Played, at: number, draft: Draft | undefined, { object: chosen, compared }: Question): View {
    const { course, types, problem } = played
    const { parts } = this
    const result = course.results[at - 1]
    const snapshot = parts.snapshot(course, at)
    const names = parts.names(snapshot)
    const tried = parts.draft(course, at, draft)
    const after = result?.step.after
    const name = after !== undefined && !names.includes(chosen) ? objectLabel(after) : chosen
    this.shown = snapshot.objects[Math.max(0, names.indexOf(name))]
    const object = parts.object(this.shown, types)
    this.editorTypes = parts.editorTypes(course, at, types)
    return {
      types: parts.types(this.editorTypes, problem),
      played: parts.played(course),
      preview: parts.preview(tried),
      names,
      name,
      object,
      changed: parts.changed(result?.step, object),
      result: parts.result(result),
      lines: parts.lines(compared && (compared === "next" ? tried : result)?.step),
    }
  }

  /** Computes parts of the view again only if the parts that they depend on changed. */
  private readonly parts = {
    types: memo(({ title }: Types, problem: string | undefined) => ({
      title,
      ...(problem !== undefined && { problem }),
    })),
    editorTypes: memo(typesAt),
    servedTypes: memo(servedTypes),
    played: memo(({ results, problem }: Course) => ({
      steps: results.map(playedStep),
      ...(problem !== undefined && { problem }),
    })),
    draft: memo(
      (course: Course, at: number, draft: Draft | undefined): DraftResult =>
        draft === undefined ? {} : previewDraft(course, at, draft),
    ),
    preview: memo(previewOf),
    lines: memo((step: Step | undefined) => step && stepLines(step)),
    snapshot: memo(({ simulation, results }: Course, at: number) => simulation.at(Math.min(at, results.length))),
    names: memo(({ objects }: Snapshot) => objects.map(objectLabel)),
    object: memo(
      (object: MapValue | undefined, { finder }: Types) =>
        object && ownedObject(object, { types: finder, showSecrets: true }),
    ),
    yaml: memo((object: MapValue) => new YamlLines(object)),
    shown: memo(withoutManagedFields),
    changed: memo((step: Step | undefined, object: OwnedObject | undefined) => changedPaths(step, object)),
    result: memo(
      (result: Course["results"][number] | undefined) =>
        result && {
          step: stepReport(result.step),
          ...(result.storyStep.about !== undefined && { about: result.storyStep.about }),
          failures: result.failures.map(({ message }) => message),
          request: requestText(result.step),
        },
    ),
    loadedTypes: memo(loadTypes),
    loadedServer: memo((names: string) => loadServer(names.split(" ") as ServerPart[])),
  }

  /** Plays the story. Resolves to undefined if it changed meanwhile. */
  private play(): Promise<Played | undefined> {
    const { scene, stories } = this
    const isCurrent = () => stories === this.stories
    const pause = async (played: number) => {
      this.report({ played, of: scene.steps.length })
      await nextTask()
      return isCurrent()
    }
    const played = this.playing.then(async () => {
      if (!isCurrent()) return undefined
      const { types, problem } = await this.loadedTypes()
      const admission = await this.parts.loadedServer(serverParts(scene).join(" "))
      const course = await this.player.play(scene, types, admission, pause)
      return course && { types, problem, course }
    })
    this.playing = played.catch(() => {})
    return played
  }

  private loadedTypes(): Promise<LoadedTypes> {
    const { types, unions } = this.scene
    return this.parts.loadedTypes(types, unions !== "off" && unions !== "")
  }

  /** Returns the step that the draft would add to the story. Resolves to undefined if there is no draft, or the story changed meanwhile. */
  async send(): Promise<SentDraft | undefined> {
    const { at, draft } = this.scene
    const played = await this.play()
    if (played === undefined || draft === undefined) return undefined
    const { step, storyStep, problem } = this.parts.draft(played.course, at, draft)
    return { problem, storyStep, outcome: step?.outcome }
  }

  /** Resolves all conflicts of the draft; see `resolveDraft`. */
  async resolve(way: "relinquish" | "share"): Promise<ReturnType<typeof resolveDraft>> {
    const { at, draft } = this.scene
    const played = await this.play()
    return played && draft && resolveDraft(played.course, at, draft, way)
  }

  /** Returns the text after a way out of one conflict; undefined if it can't be edited. */
  takeWay(text: string, conflict: ExplainedConflict, way: "relinquish" | "share"): string | undefined {
    return takeWay(text, conflict, way)
  }

  /** Returns the shown object as the start of an update; undefined if there is none. */
  liveText(): string | undefined {
    return this.shown && updateText(this.shown)
  }

  /** Returns the problems of the text of an editor. */
  async problems(text: string): Promise<Problem[]> {
    return problemsOf(text, this.editorTypes ?? (await this.loadedTypes()).types)
  }

  /** Returns the completions at the offset; undefined if nothing is known. */
  async suggestions(text: string, offset: number): Promise<Suggestions | undefined> {
    return suggest(text, offset, this.editorTypes ?? (await this.loadedTypes()).types)
  }

  /** Returns the facts about the field at the offset; undefined if there is none, or the story changed meanwhile. */
  async facts(text: string, offset: number): Promise<FactsAt | undefined> {
    const { at } = this.scene
    const played = await this.play()
    return (
      played && factsAfter(played.course, at, this.parts.editorTypes(played.course, at, played.types), text, offset)
    )
  }

  /** Returns the facts about the field on a line of the shown object; undefined if there is none, or the object has another line there now. */
  async factsOfLine(index: number, line: string): Promise<FieldFacts | undefined> {
    const { at } = this.scene
    const played = await this.play()
    if (played === undefined || this.shown === undefined) return undefined
    const object = this.parts.shown(this.shown)
    const yaml = this.parts.yaml(object)
    const steps = yaml.stepsAt(index)
    if (yaml.lines[index] !== line || steps === undefined) return undefined
    const { course, types } = played
    const known = this.parts.editorTypes(course, at, types)
    return fieldFacts(known, this.parts.servedTypes(course, at), object, steps, this.shown)
  }

  /** Returns the reason why the text can't be used as types; undefined if it can. */
  async problemOfTypes(text: string): Promise<string | undefined> {
    return (await loadTypes(text, false)).problem
  }

  /** Returns the state of a story file. */
  stateOfStory(text: string): State {
    return stateOfStory(text)
  }

  /** Returns the state of a story file or of objects with managedFields; see `stateOfText`. */
  async stateOfText(text: string): Promise<State> {
    return stateOfText(text, (await this.loadedTypes()).types, this.scene)
  }

  /** Returns the story in this form; see `copyText`. Resolves to undefined if the story changed meanwhile. */
  async copy(form: CopyForm): Promise<string | undefined> {
    const { scene } = this
    const played = await this.play()
    return played && copyText(form, played.course, scene)
  }

  /** Returns the story as the text of a story file. */
  storyText(): string {
    return storyText(this.scene)
  }
}

/** A draft as a step to add to the story. */
export interface SentDraft {
  /** The reason why the draft can't be sent. */
  readonly problem: string | undefined
  /** Undefined if there is a problem or the draft is empty. */
  readonly storyStep: StoryStep | undefined
  readonly outcome: Outcome | undefined
}

/** A story that was played. */
interface Played extends LoadedTypes {
  readonly course: Course
}

/** Lets the worker handle other messages first. */
function nextTask(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve))
}
