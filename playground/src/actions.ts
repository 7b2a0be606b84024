// The actions of the page's controls, which change its state.
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
import type { Engine, Failure } from "./use-engine.js"

/** The parts of the page that actions read and change. */
interface PageParts {
  readonly store: Store
  readonly engine: Engine | undefined
  readonly types: Types | undefined
  readonly course: Course | undefined
  readonly preview: Preview
  /** The live object that is shown. */
  readonly shown: MapValue | undefined
  readonly say: (text: string) => void
  readonly show: (tab: InsightTab) => void
  readonly goTo: (goal: Goal | undefined) => void
  readonly failed: (failure: Failure) => void
}

export type RunActions = ReturnType<typeof runActions>

export function runActions(parts: PageParts) {
  const { store, engine, types, course, shown, say, show, goTo, failed } = parts

  /** Plays the draft whose tab is open and adds it as a step. Replaces all later steps. */
  const run = () => {
    const { drafts, draft: index } = store.state
    const draft = drafts[index]
    if (engine === undefined || types === undefined || course === undefined || draft === undefined) return
    const { steps, at } = branchOf(store.state)
    const { step, storyStep, problem } = engine.previewDraft(course, at, draft)
    if (step === undefined || storyStep === undefined) {
      say(problem ?? `The tab of ${draft.manager} is empty.`)
      return show("next")
    }
    const dropped = steps.length - at
    store.setBranch({ steps: [...steps.slice(0, at), storyStep], at: at + 1 }, `the step of ${draft.manager}`)
    show(step.outcome === "conflict" ? "next" : "step")
    const gone =
      dropped > 0
        ? ` ${dropped} later ${dropped === 1 ? "step was" : "steps were"} removed. Undo brings them back; to keep them, start a new branch first.`
        : ""
    say(`${draft.manager} ${sentences[step.outcome]}.${gone}`)
  }

  const go = (at: number): void => {
    store.setBranch({ at })
    show("step")
    const step = course?.results[at - 1]?.step
    say(
      step === undefined
        ? "At the start, before the first step."
        : `Step ${at}: ${step.manager} ${sentences[step.outcome]}.`,
    )
  }

  const fork = (): void => {
    const { branches } = store.state
    const { steps, at } = branchOf(store.state)
    const name = `branch ${branches.length + 1}`
    store.set(
      { branches: [...branches, { name, steps: steps.slice(0, at), at }], branch: branches.length },
      "the new branch",
    )
    say(`${name} continues from step ${at}. The branch before keeps its steps.`)
  }

  /** Applies a way out of a conflict: edits the text, or sets force. */
  const take = (way: Way, conflict: ExplainedConflict) => {
    const { drafts, draft: index } = store.state
    const draft = drafts[index]
    if (draft === undefined) return
    if (engine === undefined) return say("The engine is still loading.")
    if (way === "overwrite") {
      store.setDraft(index, { force: true })
      return say(`${draft.manager} will take all fields in conflict by force.`)
    }
    const text = engine.takeWay(draft.text, conflict, way)
    if (text === undefined) return say("The text can't be edited.")
    store.setDraft(index, { text })
    const { source } = conflict
    if (source !== undefined) goTo({ line: source.line, column: source.column })
    say(way === "relinquish" ? `Removed ${conflict.path} from the text.` : `Set ${conflict.path} to the live value.`)
  }

  const resolveAll = (way: "relinquish" | "share") => {
    const { drafts, draft: index } = store.state
    const draft = drafts[index]
    if (engine === undefined || types === undefined || course === undefined || draft === undefined) return
    const resolved = engine.resolveDraft(course, branchOf(store.state).at, draft, way)
    if (resolved?.text === undefined) return say(resolved?.problem ?? "The text can't be edited.")
    store.setDraft(index, { text: resolved.text })
    say(resolved.outcome === "resolved" ? "No conflicts are left." : "Some conflicts are left.")
  }

  const fromLive = (): void => {
    if (engine !== undefined && shown !== undefined)
      store.setDraft(store.state.draft, { text: engine.updateText(shown) })
  }

  const loadStory = (id: string): void => {
    if (id === "new") {
      store.replace(emptyState)
      say("Started a new story.")
      return
    }
    Promise.all([loadExample(id), import("./engine.js")]).then(
      ([text, { stateOfStory }]) => {
        if (text === undefined) return
        store.replace(stateOfStory(text))
        const { steps, at } = branchOf(store.state)
        show(steps[at - 1]?.expect?.conflicts === undefined ? "step" : "next")
        say(`Opened ${store.state.title}, ${steps.length} steps.`)
      },
      () => failed({ what: "The story", retry: () => loadStory(id) }),
    )
  }

  const share = async (): Promise<void> => {
    const url = new URL(location.href)
    url.hash = await toFragment(store.state)
    history.replaceState(null, "", url)
    try {
      await navigator.clipboard.writeText(url.href)
      const length = `${url.href.length.toLocaleString("en")} characters`
      say(
        url.href.length > longLink
          ? `Copied a link of ${length}, which some programs cut off: Download gives a file instead.`
          : `Copied a link of ${length}, which contains the whole story.`,
      )
    } catch {
      say("The browser does not allow copying. The link is in the address bar.")
    }
  }

  const download = (): void => {
    if (engine === undefined) return
    const link = document.createElement("a")
    link.href = URL.createObjectURL(new Blob([engine.storyText(store.state)], { type: "application/yaml" }))
    link.download = fileNameOf(store.state.title)
    link.click()
    URL.revokeObjectURL(link.href)
    const { types: text, server } = store.state
    const lost = [
      ...(engine.isGo(text) ? ["the Go types"] : []),
      ...(server === "merge" ? ["the choice of merge only"] : []),
    ]
    const remark =
      lost.length === 0 ? "" : ` It does not contain ${lost.join(" and ")}, which story files do not support.`
    say(`Downloaded ${link.download}.${remark}`)
  }

  return { run, go, fork, take, resolveAll, fromLive, loadExample: loadStory, share, download }
}

/** Links of more characters than this are often cut off. */
const longLink = 32_000

/** Returns the name of a story file: `an-autoscaler-and-gitops.yaml`. */
function fileNameOf(title: string): string {
  const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? ["story"]
  return `${words.join("-")}.yaml`
}

const sentences: Readonly<Record<Step["outcome"], string>> = {
  created: "created the object",
  changed: "changed the object",
  unchanged: "changed nothing",
  deleted: "deleted the object",
  conflict: "had a conflict, so nothing changed",
  error: "was refused, so nothing changed",
}

/** Returns a step as the time line shows it: the request, and the outcome if the step has been played. */
export function describeStep(storyStep: StoryStep, result: StoryStepResult | undefined): TimelineStep {
  const manager = "manager" in storyStep ? (storyStep.manager ?? "") : ""
  return {
    manager: manager === "" && "delete" in storyStep ? "someone" : manager,
    verb: verbOf(storyStep),
    outcome: result?.step.outcome ?? "",
    isAsExpected: result === undefined || result.failures.length === 0,
  }
}

function verbOf(storyStep: StoryStep): string {
  if ("apply" in storyStep) return storyStep.force === true ? "applies by force" : "applies"
  if ("update" in storyStep) return "updates"
  if ("patch" in storyStep) return "patches"
  if ("create" in storyStep) return "creates"
  return "delete" in storyStep ? "deletes" : "changes the schema"
}
