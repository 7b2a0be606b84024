// The page: asks the engine for the contents of the panes, and connects the controls to actions.
import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { looksOf } from "../../src/tools/view/looks.js"
import { describeStep, type RunActions, runActions } from "./actions.js"
import { CopyDialog, ImportDialog, TypesDialog } from "./dialogs.js"
import type { Goal } from "./editor.js"
import type { Progress } from "./engine.js"
import { examples } from "./examples.js"
import { firstPreview, firstStory } from "./first-story.js"
import { Header } from "./header.js"
import { InsightPane, type InsightTab } from "./insight-pane.js"
import { LivePane } from "./live-pane.js"
import { ManagerPane } from "./manager-pane.js"
import { commonLength } from "./scene.js"
import { Splitters } from "./splitter.js"
import { branchOf, emptyState } from "./state.js"
import type { StepView } from "./step-report.js"
import { type Store, useStore } from "./store.js"
import { toggleTheme } from "./theme.js"
import { Timeline } from "./timeline.js"
import { Tour } from "./tour.js"
import { type Failure, useEngine, useView } from "./use-engine.js"
import type { Preview } from "./view.js"

const nothing: ReadonlySet<string> = new Set()
const noPreview: Preview = { conflicts: [] }

export function App(props: { readonly store: Store; readonly message: string; readonly isFirstVisit: boolean }) {
  const { store, message } = props
  const state = useStore(store)
  const [loading, setLoading] = useState<Failure>()
  const engine = useEngine(setLoading)
  const [tab, setTab] = useState<InsightTab>("next")
  const [said, setSaid] = useState(message)
  const [goal, setGoal] = useState<Goal>()
  const [dialog, setDialog] = useState<"types" | "import">()
  const [uncopied, setUncopied] = useState<string>()
  const example =
    state.title === emptyState.title ? "new" : (examples.find(({ title }) => title === state.title)?.id ?? "")
  const [chosenObject, setChosenObject] = useState("")
  const [isPlaying, setPlaying] = useState(false)
  const [isTouring, setTouring] = useState(props.isFirstVisit)
  const [hovered, setHovered] = useState("")
  const [stepView, setStepView] = useState<StepView>("summary")

  const { steps, at } = branchOf(state)
  const { unions, drafts, draft: index } = state
  const draft = drafts[index]
  const compared = tab === "matrix" || stepView === "summary" ? undefined : tab
  const view = useView(engine, state, { object: chosenObject, compared }, setLoading)
  const { types, object, result, names = [], name = "", changed = nothing } = view
  // Until the next answer, the panes show the last one, so the steps and the tab may be those of another state.
  const lastState = view.state ?? state
  const lastDraft = lastState.drafts[lastState.draft]
  const isSameTab = lastDraft?.manager === draft?.manager
  const lastSteps = branchOf(lastState).steps
  const played = useMemo(
    () => view.played?.steps.slice(0, commonLength(lastSteps, steps)) ?? [],
    [view.played, lastSteps, steps],
  )
  const preview = state === firstStory ? firstPreview : (view.preview ?? noPreview)
  const knownLooks = useRef<ReadonlyMap<string, number>>(new Map())
  const managers = drafts.map(({ manager }) => manager)
  const looks = useMemo(() => {
    const before = knownLooks.current
    const given = looksOf(managers, object?.managers.map(({ owner }) => owner) ?? [], before)
    const isSame = given.size === before.size && [...given].every(([name, look]) => before.get(name) === look)
    if (!isSame) knownLooks.current = given
    return knownLooks.current
  }, [managers.join("\n"), object])
  const contested = useMemo(
    () => new Map(isSameTab ? preview.conflicts.map(({ path, source }) => [path, source?.line]) : []),
    [preview, isSameTab],
  )
  const contestedPaths = useMemo(() => new Set(contested.keys()), [contested])

  const actions: RunActions = runActions({
    store,
    isReady: engine !== undefined,
    played,
    say: setSaid,
    showText: setUncopied,
    show: setTab,
    goTo: setGoal,
    failed: setLoading,
  })
  const latest = useRef(actions)
  latest.current = actions
  useEffect(() => {
    if (!isPlaying) return
    const timer = setInterval(() => {
      const branch = branchOf(store.state)
      if (branch.at < branch.steps.length) latest.current.go(branch.at + 1)
      else setPlaying(false)
    }, 900)
    return () => clearInterval(timer)
  }, [isPlaying, store])

  // With thousands of steps, this takes longer than the rest of the page.
  const timeline = useMemo(
    () => (
      <Timeline
        steps={steps.map((storyStep, i) => describeStep(storyStep, played[i]))}
        at={at}
        looks={looks}
        branches={state.branches}
        branch={state.branch}
        isPlaying={isPlaying}
        onGo={to => {
          setPlaying(false)
          latest.current.go(to)
        }}
        onPlay={() => setPlaying(!isPlaying)}
        onFork={() => latest.current.fork()}
        onBranch={branch => store.set({ branch })}
      />
    ),
    [steps, played, at, looks, state.branches, state.branch, isPlaying, store],
  )

  return (
    <>
      <a class="skip" href="#managers-title">
        Skip to the managers
      </a>
      <Header
        title={state.title}
        typesTitle={types?.title ?? "Loading …"}
        unions={unions}
        server={state.server}
        examples={examples}
        example={example}
        undoable={store.undoable}
        redoable={store.redoable}
        actions={{
          onExample: id => actions.loadExample(id),
          onPolicy: policy => store.set({ unions: policy }, "the choice of unions"),
          onServer: chosen => store.set({ server: chosen }, "the choice of the server"),
          onTypes: () => setDialog("types"),
          onImport: () => setDialog("import"),
          onShare: () => void actions.share(),
          onCopy: form => void actions.copyAs(form),
          onDownload: () => void actions.download(),
          onTheme: toggleTheme,
          onTour: () => setTouring(true),
          onUndo: () => setSaid(`Undid ${store.undo() ?? "nothing"}.`),
          onRedo: () => setSaid(`Redid ${store.redo() ?? "nothing"}.`),
        }}
      />
      <main>
        {isTouring && <Tour onClose={() => setTouring(false)} />}
        <div class="notes">
          {loading !== undefined && (
            <p class="note danger" role="alert">
              {loading.what} could not be loaded.{" "}
              <button
                type="button"
                class="link"
                onClick={() => {
                  setLoading(undefined)
                  loading.retry()
                }}
              >
                Retry
              </button>
            </p>
          )}
          {state.about !== "" && <p class="about">{state.about}</p>}
          {types?.problem !== undefined && <p class="note danger">The pasted types can't be used: {types.problem}</p>}
          {view.played?.problem !== undefined && (
            <p class="note danger">
              Step {view.played.steps.length + 1} can't be played: {view.played.problem}
            </p>
          )}
        </div>
        <ManagerPane
          store={store}
          drafts={drafts}
          index={index}
          engine={engine}
          types={types}
          looks={looks}
          goal={goal}
          contested={contested}
          hovered={hovered}
          onFailure={setLoading}
          onRun={() => void latest.current.run()}
          onFromLive={object && (() => void actions.fromLive())}
        />
        <LivePane
          object={object}
          looks={looks}
          changed={changed}
          contested={contestedPaths}
          hovered={hovered}
          onHover={setHovered}
          facts={async (...line) => engine?.remote.factsOfLine(...line)}
          names={names}
          name={name}
          onName={setChosenObject}
          empty={
            view.played === undefined ? "Loading the engine …" : "There is no object yet. A first apply creates it."
          }
        />
        <InsightPane
          tab={tab}
          onTab={setTab}
          draft={lastDraft}
          preview={preview}
          result={result}
          chosen={{
            view: stepView,
            onView: setStepView,
            lines: view.lines,
          }}
          object={object}
          looks={looks}
          onWay={(way, conflict) => void actions.take(way, conflict, lastDraft)}
          onAll={way => void actions.resolveAll(way)}
          hovered={hovered}
          onHover={setHovered}
          onGoTo={(line, column) => setGoal({ line, column })}
        />
        {timeline}
        <Splitters />
      </main>
      {view.busy !== undefined && <Busy {...view.busy} />}
      <p role="status" class="status" key="status">
        {said}
      </p>
      {uncopied !== undefined && <CopyDialog text={uncopied} onClose={() => setUncopied(undefined)} />}
      {dialog === "types" && <TypesDialog store={store} onClose={() => setDialog(undefined)} />}
      {dialog === "import" && <ImportDialog store={store} onDone={setSaid} onClose={() => setDialog(undefined)} />}
    </>
  )
}

/** Says that the panes wait for the engine. */
function Busy({ played, of }: Partial<Progress>) {
  const text =
    played === undefined || of === undefined
      ? "Computing …"
      : `Playing step ${(played + 1).toLocaleString("en")} of ${of.toLocaleString("en")}`
  return (
    <div class="busy">
      <progress aria-label={text} value={played} max={of} />
      <span aria-hidden="true">{text}</span>
    </div>
  )
}
