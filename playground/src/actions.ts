// The actions of the page's controls, which change its state.
import type { Remote } from "comlink"
import type { ExplainedConflict } from "structured-merge-diff/ownership"
import type { Outcome } from "structured-merge-diff/simulator"
import { verbOf, verbs } from "../../src/tools/simulator/simulation/request.js"
import type { Way } from "./conflict-card.js"
import type { CopyForm } from "./copy-as.js"
import type { Goal } from "./editor.js"
import type { Engine } from "./engine.js"
import { loadExample } from "./examples.js"
import type { InsightTab } from "./insight-pane.js"
import { toFragment } from "./share.js"
import { branchOf, type Draft, emptyState, isGo, type Server, type StoryStep } from "./state.js"
import type { Store } from "./store.js"
import type { TimelineStep } from "./timeline.js"
import { type Failure, type PageEngine, startEngine } from "./use-engine.js"
import type { PlayedStep } from "./view.js"

/** The parts of the page that actions read and change. */
interface PageParts {
  readonly store: Store
  /** Whether the engine is loaded. */
  readonly isReady: boolean
  readonly played: readonly PlayedStep[]
  readonly say: (text: string) => void
  /** Shows a text for copying by hand. */
  readonly showText: (text: string) => void
  readonly show: (tab: InsightTab) => void
  readonly goTo: (goal: Goal | undefined) => void
  readonly failed: (failure: Failure) => void
}

export type RunActions = ReturnType<typeof runActions>

export function runActions(parts: PageParts) {
  const { store, isReady, played, say, showText, show, goTo, failed } = parts

  /** Resolves when the engine is loaded, so that no click before that is lost; to undefined if it can't be, which `useEngine` reports. */
  const loadedEngine = async (): Promise<PageEngine | undefined> => {
    if (!isReady) say("Waiting for the engine …")
    return await startEngine().catch(() => undefined)
  }

  /** Asks the engine about the state at the time of the call. Resolves to undefined if the engine can't be loaded. */
  const ask = async <T>(question: (engine: Remote<Engine>) => Promise<T>): Promise<T | undefined> => {
    const { state } = store
    const engine = await loadedEngine()
    const answer = engine && question(engine.with(state))
    // The state may have changed meanwhile, and the page's other questions are about the present one.
    engine?.with(store.state)
    return await answer
  }

  /** Plays the draft whose tab is open and adds it as a step. Replaces all later steps. */
  const run = async (): Promise<void> => {
    const { drafts, draft: index } = store.state
    const draft = drafts[index]
    if (draft === undefined) return
    const { steps, at } = branchOf(store.state)
    const sent = await ask(engine => engine.send())
    if (sent === undefined || branchOf(store.state).steps !== steps) return
    const { storyStep, outcome, problem } = sent
    if (storyStep === undefined || outcome === undefined) {
      say(problem ?? `The tab of ${draft.manager} is empty.`)
      return show("next")
    }
    const dropped = steps.length - at
    store.setBranch({ steps: [...steps.slice(0, at), storyStep], at: at + 1 }, `the step of ${draft.manager}`)
    show(outcome === "conflict" ? "next" : "step")
    const gone =
      dropped > 0
        ? ` ${dropped} later ${dropped === 1 ? "step was" : "steps were"} removed. Undo brings them back; to keep them, start a new branch first.`
        : ""
    say(`${draft.manager} ${sentences[outcome]}.${gone}`)
  }

  const go = (at: number): void => {
    store.setBranch({ at })
    show("step")
    const step = played[at - 1]
    if (at === 0) say("At the start, before the first step.")
    else say(step === undefined ? `Step ${at}.` : `Step ${at}: ${step.manager} ${sentences[step.outcome]}.`)
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

  /** Applies a way out of a conflict of this draft: edits the text, or sets force. */
  const take = async (way: Way, conflict: ExplainedConflict, draft: Draft | undefined): Promise<void> => {
    const { drafts, draft: index } = store.state
    if (draft === undefined || draft.manager !== drafts[index]?.manager) return
    if (way === "overwrite") {
      store.setDraft(index, { force: true })
      return say(`${draft.manager} will take all fields in conflict by force.`)
    }
    const engine = await loadedEngine()
    const text = await engine?.remote.takeWay(draft.text, conflict, way)
    if (store.state.drafts[index] !== draft) return say("The text has changed meanwhile. Choose a way out again.")
    if (engine === undefined) return
    if (text === undefined) return say("The text can't be edited.")
    store.setDraft(index, { text })
    const { source } = conflict
    if (source !== undefined) goTo({ line: source.line, column: source.column })
    say(way === "relinquish" ? `Removed ${conflict.path} from the text.` : `Set ${conflict.path} to the live value.`)
  }

  const resolveAll = async (way: "relinquish" | "share"): Promise<void> => {
    const { drafts, draft: index } = store.state
    const draft = drafts[index]
    const resolved = await ask(engine => engine.resolve(way))
    if (resolved === undefined || store.state.drafts[index] !== draft) return
    if (resolved.text === undefined) return say(resolved.problem ?? "The text can't be edited.")
    store.setDraft(index, { text: resolved.text })
    say(resolved.outcome === "resolved" ? "No conflicts are left." : "Some conflicts are left.")
  }

  const fromLive = async (): Promise<void> => {
    const { drafts, draft: index } = store.state
    const engine = await loadedEngine()
    const text = await engine?.remote.liveText()
    if (text !== undefined && store.state.drafts[index] === drafts[index]) store.setDraft(index, { text })
  }

  const loadStory = (id: string): void => {
    chosenStory = id
    if (id === "new") {
      store.replace(emptyState)
      say("Started a new story.")
      return
    }
    const load = async () => {
      const [text, { remote }] = await Promise.all([loadExample(id), startEngine()])
      return text === undefined ? undefined : await remote.stateOfStory(text)
    }
    load().then(
      state => {
        if (state === undefined || id !== chosenStory) return
        store.replace(state)
        const { steps, at } = branchOf(store.state)
        show(steps[at - 1]?.expect?.conflicts === undefined ? "step" : "next")
        say(`Opened ${store.state.title}, ${steps.length} steps.`)
      },
      () => failed({ what: "The story", retry: () => loadStory(id) }),
    )
  }

  /** Copies a text, or shows it if the browser does not allow that. */
  const copy = async (text: string, what: string): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text)
      say(`Copied ${what}.`)
    } catch {
      showText(text)
      say("The browser does not allow copying.")
    }
  }

  const share = async (): Promise<void> => {
    const url = new URL(location.href)
    url.hash = await toFragment(store.state)
    history.replaceState(null, "", url)
    const isLong = url.href.length > longLink
    const length = `${url.href.length.toLocaleString("en")} characters`
    await copy(
      url.href,
      `a link of ${length}, which ${isLong ? "some programs cut off: Download gives a file instead" : "contains the whole story"}`,
    )
  }

  const copyAs = async (form: CopyForm): Promise<void> => {
    const { types, server } = store.state
    const { at } = branchOf(store.state)
    const text = await ask(engine => engine.copy(form))
    if (text === undefined) return
    const upTo = form === "story" ? "" : ` up to step ${at}`
    await copy(text, `the story${upTo} as ${copies[form]}${form === "story" ? leftOut(types, server) : ""}`)
  }

  const download = async (): Promise<void> => {
    const { title, types, server } = store.state
    const text = await ask(engine => engine.storyText())
    if (text === undefined) return
    const link = document.createElement("a")
    link.href = URL.createObjectURL(new Blob([text], { type: "application/yaml" }))
    link.download = fileNameOf(title)
    link.click()
    URL.revokeObjectURL(link.href)
    say(`Downloaded ${link.download}${leftOut(types, server)}.`)
  }

  return { run, go, fork, take, resolveAll, fromLive, loadExample: loadStory, share, copyAs, download }
}

/** Returns the parts of the page that a story file lacks, as the end of a sentence. */
function leftOut(types: string, server: Server): string {
  const parts = [...(isGo(types) ? ["the Go types"] : []), ...(server === "merge" ? ["the choice of merge only"] : [])]
  return parts.length === 0 ? "" : `, without ${parts.join(" and ")}, which story files do not support`
}

const copies: Readonly<Record<CopyForm, string>> = {
  kubectl: "commands of kubectl",
  test: "a test for vitest",
  story: "a story file",
}

/** The story that was chosen last. Another one may still be loading. */
let chosenStory = ""

/** Links of more characters than this are often cut off. */
const longLink = 32_000

/** Returns the name of a story file: `an-autoscaler-and-gitops.yaml`. */
function fileNameOf(title: string): string {
  const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? ["story"]
  return `${words.join("-")}.yaml`
}

const sentences: Readonly<Record<Outcome, string>> = {
  created: "created the object",
  changed: "changed the object",
  unchanged: "changed nothing",
  deleted: "deleted the object",
  conflict: "had a conflict, so nothing changed",
  error: "was refused, so nothing changed",
}

/** Returns a step as the time line shows it: the request, and the outcome if the step has been played. */
export function describeStep(storyStep: StoryStep, played: PlayedStep | undefined): TimelineStep {
  const manager = "manager" in storyStep ? (storyStep.manager ?? "") : ""
  return {
    manager: manager === "" && "delete" in storyStep ? "someone" : manager,
    verb: `${verbs[verbOf(storyStep)]}${"force" in storyStep && storyStep.force === true ? " by force" : ""}`,
    outcome: played?.outcome ?? "",
    isAsExpected: played?.isAsExpected ?? true,
  }
}
