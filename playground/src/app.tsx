// The page: loads the engine, computes the panes from the state, and connects the controls to actions.
import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { looksOf } from "../../src/tools/view/looks.js"
import { describeStep, type RunActions, runActions } from "./actions.js"
import { ImportDialog, TypesDialog } from "./dialogs.js"
import type { Goal } from "./editor.js"
import { examples } from "./examples.js"
import { firstPreview, firstStory } from "./first-story.js"
import { Header } from "./header.js"
import { InsightPane, type InsightTab } from "./insight-pane.js"
import { LivePane } from "./live-pane.js"
import { ManagerPane } from "./manager-pane.js"
import { Splitters } from "./splitter.js"
import type { StepView } from "./step-report.js"
import { branchOf, emptyState, type Store, useStore } from "./store.js"
import { toggleTheme } from "./theme.js"
import { Timeline } from "./timeline.js"
import { Tour } from "./tour.js"
import { type Failure, useEngine, useServer, useTypes } from "./use-engine.js"

export function App(props: { readonly store: Store; readonly message: string; readonly isFirstVisit: boolean }) {
  const { store, message } = props
  const state = useStore(store)
  const [loading, setLoading] = useState<Failure>()
  const engine = useEngine(setLoading)
  const { types, problem: typesProblem } = useTypes(engine, state)
  const server = useServer(engine, state, setLoading)
  const [tab, setTab] = useState<InsightTab>("next")
  const [said, setSaid] = useState(message)
  const [goal, setGoal] = useState<Goal>()
  const [dialog, setDialog] = useState<"types" | "import">()
  const example =
    state.title === emptyState.title ? "new" : (examples.find(({ title }) => title === state.title)?.id ?? "")
  const [chosenObject, setChosenObject] = useState("")
  const [isPlaying, setPlaying] = useState(false)
  const [isTouring, setTouring] = useState(props.isFirstVisit)
  const [hovered, setHovered] = useState("")
  const [stepView, setStepView] = useState<StepView>("summary")

  const { steps, at } = branchOf(state)
  const { objects, unions, drafts, draft: index } = state
  const draft = drafts[index]
  // `playCourse` reads only these parts of the state.
  const course = useMemo(
    () => (engine && types && server ? engine.playCourse(state, types, server.admission) : undefined),
    [engine, types, server, steps, objects, unions, state.server, state.rest],
  )
  // `previewDraft` reads only these parts of the state.
  const preview = useMemo(() => {
    if (engine && types && course && draft) return engine.previewDraft(course, at, draft)
    return state === firstStory ? firstPreview : {}
  }, [engine, types, course, at, draft, state === firstStory])
  const snapshot = useMemo(() => course?.simulation.at(Math.min(at, course.results.length)), [course, at])
  const result = course?.results[at - 1]
  const step = result?.step
  const names = useMemo(() => (engine && snapshot ? snapshot.objects.map(engine.objectLabel) : []), [engine, snapshot])
  const wanted = engine && step?.after && !names.includes(chosenObject) ? engine.objectLabel(step.after) : chosenObject
  const shown = snapshot?.objects[Math.max(0, names.indexOf(wanted))]
  const owned = useMemo(
    () =>
      engine && types && shown ? engine.ownedObject(shown, { types: types.finder, showSecrets: true }) : undefined,
    [engine, types, shown],
  )
  const knownLooks = useRef<ReadonlyMap<string, number>>(new Map())
  const looks = useMemo(() => {
    const names = drafts.map(({ manager }) => manager)
    knownLooks.current = looksOf(names, owned?.managers.map(({ owner }) => owner) ?? [], knownLooks.current)
    return knownLooks.current
  }, [drafts, owned])
  const conflicts = preview.explanation?.conflicts
  const contested = useMemo(() => new Map(conflicts?.map(({ path, source }) => [path, source?.line])), [conflicts])
  const contestedPaths = useMemo(() => new Set(contested.keys()), [contested])
  const request = useMemo(() => (engine && step ? engine.requestText(step) : ""), [engine, step])
  const editorTypes = useMemo(
    () => (engine && types && course ? engine.typesAt(course, at, types) : types),
    [engine, types, course, at],
  )
  const changed = useMemo(() => engine?.changedPaths(step, owned) ?? new Set<string>(), [engine, step, owned])

  const compared = tab === "next" ? preview.step : step
  const isCompared = engine !== undefined && tab !== "matrix" && stepView !== "summary"
  const lines = useMemo(
    () => (isCompared && compared ? engine.stepLines(compared) : undefined),
    [engine, isCompared, compared],
  )

  const actions: RunActions = runActions({
    store,
    engine,
    types,
    course,
    preview,
    shown,
    say: setSaid,
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
          onDownload: () => actions.download(),
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
          {typesProblem !== undefined && <p class="note danger">The pasted types can't be used: {typesProblem}</p>}
          {course?.problem !== undefined && (
            <p class="note danger">
              Step {course.results.length + 1} can't be played: {course.problem}
            </p>
          )}
        </div>
        <ManagerPane
          store={store}
          drafts={drafts}
          index={index}
          types={editorTypes}
          looks={looks}
          goal={goal}
          contested={contested}
          hovered={hovered}
          onFailure={setLoading}
          onRun={() => latest.current.run()}
          onFromLive={shown && (() => actions.fromLive())}
        />
        <LivePane
          object={owned}
          looks={looks}
          changed={changed}
          contested={contestedPaths}
          hovered={hovered}
          onHover={setHovered}
          names={names}
          name={wanted}
          onName={setChosenObject}
          empty={course === undefined ? "Loading the engine …" : "There is no object yet. A first apply creates it."}
        />
        <InsightPane
          tab={tab}
          onTab={setTab}
          draft={draft}
          preview={preview}
          result={result}
          request={request}
          chosen={{
            view: stepView,
            onView: setStepView,
            hasObject: (compared?.before ?? compared?.after) !== undefined,
            lines,
          }}
          object={owned}
          looks={looks}
          onWay={actions.take}
          onAll={actions.resolveAll}
          hovered={hovered}
          onHover={setHovered}
          onGoTo={(line, column) => setGoal({ line, column })}
        />
        <Timeline
          steps={steps.map((storyStep, i) => describeStep(storyStep, course?.results[i]))}
          at={at}
          looks={looks}
          branches={state.branches}
          branch={state.branch}
          isPlaying={isPlaying}
          onGo={to => {
            setPlaying(false)
            actions.go(to)
          }}
          onPlay={() => setPlaying(!isPlaying)}
          onFork={actions.fork}
          onBranch={branch => store.set({ branch })}
        />
        <Splitters />
      </main>
      <p role="status" class="status" key="status">
        {said}
      </p>
      {dialog === "types" && <TypesDialog store={store} engine={engine} onClose={() => setDialog(undefined)} />}
      {dialog === "import" && (
        <ImportDialog
          store={store}
          engine={engine}
          types={types}
          onDone={setSaid}
          onClose={() => setDialog(undefined)}
        />
      )}
    </>
  )
}
