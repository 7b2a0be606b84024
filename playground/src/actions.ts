// What the controls of the page do to its state.
import type { MapValue } from "structured-merge-diff"
import type { ExplainedConflict } from "structured-merge-diff/ownership"
import type { Step, StoryStepResult } from "structured-merge-diff/simulator"
import type { Way } from "./conflict-card.js"
import type { Goal } from "./editor.js"
import { loadExample } from "./examples.js"
import type { InsightTab } from "./insight-pane.js"
import type { Course, Preview } from "./play.js"
import { toFragment } from "./share.js"
import { branchOf, emptyState, type Store, type StoryStep } from "./store.js"
import type { TimelineStep } from "./timeline.js"
import type { Types } from "./types.js"
import type { Engine } from "./use-engine.js"

/** What the page has when something is done. */
interface Scene {
  readonly store: Store
  readonly engine: Engine | undefined
  readonly types: Types | undefined
  readonly course: Course | undefined
  readonly preview: Preview
  /** The object that is shown. */
  readonly shown: MapValue | undefined
  readonly say: (text: string) => void
  readonly show: (tab: InsightTab) => void
  readonly goTo: (goal: Goal | undefined) => void
  readonly loaded: (example: string) => void
}

export type RunActions = ReturnType<typeof runActions>

export function runActions(scene: Scene) {
  const { store, engine, types, course, shown, say, show, goTo, loaded } = scene

  /** Plays the draft whose tab is open, and makes it a step. Later steps go. */
  const run = () => {
    const { drafts, draft: index } = store.state
    const draft = drafts[index]
    if (engine === undefined || types === undefined || course === undefined || draft === undefined) return
    const { steps, at } = branchOf(store.state)
    const { step, told, problem } = engine.previewDraft(course, at, draft)
    if (step === undefined || told === undefined) {
      say(problem ?? `${draft.manager} has written nothing yet.`)
      return show("next")
    }
    const dropped = steps.length - at
    store.setBranch({ steps: [...steps.slice(0, at), told], at: at + 1 })
    show(step.outcome === "conflict" ? "next" : "step")
    const gone =
      dropped > 0 ? ` ${dropped} later ${dropped === 1 ? "step is" : "steps are"} gone; Fork keeps them.` : ""
    say(`${draft.manager} ${sentences[step.outcome]}.${gone}`)
  }

  const go = (at: number): void => {
    store.setBranch({ at })
    show("step")
    const step = course?.results[at - 1]?.step
    say(step === undefined ? "At the beginning." : `Step ${at}: ${step.manager} ${sentences[step.outcome]}.`)
  }

  const fork = (): void => {
    const { branches } = store.state
    const { steps, at } = branchOf(store.state)
    const name = `fork ${branches.length}`
    store.set({ branches: [...branches, { name, steps: steps.slice(0, at), at }], branch: branches.length })
    say(`${name} goes on from step ${at}. The other course is kept.`)
  }

  /** Takes a way out of a conflict: edits the text, or sets force. */
  const take = (way: Way, conflict: ExplainedConflict) => {
    const { drafts, draft: index } = store.state
    const draft = drafts[index]
    if (engine === undefined || draft === undefined) return
    if (way === "overwrite") {
      store.setDraft(index, { force: true })
      return say(`${draft.manager} takes all fields in conflict by force.`)
    }
    const text = engine.takeWay(draft.text, conflict, way)
    if (text === undefined) return say("The text can't be edited.")
    store.setDraft(index, { text })
    const { source } = conflict
    if (source !== undefined) goTo({ line: source.line, column: source.column })
    say(way === "relinquish" ? `${conflict.path} is left out.` : `${conflict.path} agrees with the object.`)
  }

  const resolveAll = (way: "relinquish" | "share") => {
    const { drafts, draft: index } = store.state
    const draft = drafts[index]
    if (engine === undefined || types === undefined || course === undefined || draft === undefined) return
    const found = engine.resolveDraft(course, branchOf(store.state).at, draft, way)
    if (found?.text === undefined) return say(found?.problem ?? "The text can't be edited.")
    store.setDraft(index, { text: found.text })
    say(found.outcome === "resolved" ? "No conflict is left." : "Some conflicts are left.")
  }

  const fromLive = (): void => {
    if (engine !== undefined && shown !== undefined)
      store.setDraft(store.state.draft, { text: engine.updateText(shown) })
  }

  const loadStory = async (id: string): Promise<void> => {
    if (id === "new") {
      store.set(emptyState)
      loaded("new")
      return say("A new story.")
    }
    const text = await loadExample(id)
    const { stateOfStory } = await import("./engine.js")
    if (text === undefined) return
    store.set(stateOfStory(text))
    loaded(id)
    const { steps, at } = branchOf(store.state)
    show(steps[at - 1]?.expect?.conflicts === undefined ? "step" : "next")
    say(`${store.state.title}, ${steps.length} steps.`)
  }

  const share = async (): Promise<void> => {
    const url = new URL(location.href)
    url.hash = toFragment(store.state)
    history.replaceState(null, "", url)
    try {
      await navigator.clipboard.writeText(url.href)
      say(`The link is copied: ${url.href.length.toLocaleString("en")} characters hold the whole story.`)
    } catch {
      say("The link is in the address bar: the browser does not let it be copied from here.")
    }
  }

  const download = (): void => {
    if (engine === undefined) return
    const link = document.createElement("a")
    link.href = URL.createObjectURL(new Blob([engine.storyText(store.state)], { type: "application/yaml" }))
    link.download = `${
      store.state.title
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, "-")
        .replace(/^-|-$/g, "") || "story"
    }.yaml`
    link.click()
    URL.revokeObjectURL(link.href)
    const isWhole = !engine.isGo(store.state.types)
    say(
      `Downloaded ${link.download}.${isWhole ? "" : " The Go types are not in it: a story file has definitions only."}`,
    )
  }

  return { run, go, fork, take, resolveAll, fromLive, loadExample: loadStory, share, download }
}

const sentences: Readonly<Record<Step["outcome"], string>> = {
  created: "created the object",
  changed: "changed the object",
  unchanged: "changed nothing",
  deleted: "deleted the object",
  conflict: "is in conflict: nothing has changed",
  error: "is refused: nothing has changed",
}

/** A step as the time line shows it: what the story has, and what came of it once it is played. */
export function describeStep(told: StoryStep, result: StoryStepResult | undefined): TimelineStep {
  const manager = "manager" in told ? (told.manager ?? "") : ""
  return {
    manager: manager === "" && "delete" in told ? "somebody" : manager,
    verb: verbOf(told),
    outcome: result?.step.outcome ?? "",
    isAsExpected: result === undefined || result.failures.length === 0,
  }
}

function verbOf(told: StoryStep): string {
  if ("apply" in told) return told.force === true ? "applies by force" : "applies"
  if ("update" in told) return "updates"
  if ("patch" in told) return "patches"
  if ("create" in told) return "creates"
  return "delete" in told ? "deletes" : "changes the schema"
}
