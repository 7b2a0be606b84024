// Three tabs: the preview of the open draft, the last step, and the table of owners.
import { useEffect, useMemo, useState } from "preact/hooks"
import type { ExplainedConflict } from "structured-merge-diff/ownership"
import type { OwnedObject } from "structured-merge-diff/view"
import { ConflictCard, type Way } from "./conflict-card.js"
import { Explain } from "./explain.js"
import { Matrix } from "./matrix.js"
import type { Draft } from "./state.js"
import { type ChosenView, Report, Verdict, wasIt, wouldBe } from "./step-report.js"
import { Tabs } from "./tabs.js"
import type { Preview, StepResult } from "./view.js"

export type InsightTab = "next" | "step" | "matrix"

export function InsightPane(props: {
  readonly tab: InsightTab
  readonly onTab: (tab: InsightTab) => void
  /** The draft of the preview. */
  readonly draft: Draft | undefined
  readonly preview: Preview
  readonly result: StepResult | undefined
  readonly object: OwnedObject | undefined
  /** The view of the step in the open tab. */
  readonly chosen: ChosenView
  readonly looks: ReadonlyMap<string, number>
  readonly onWay: (way: Way, conflict: ExplainedConflict) => void
  readonly onAll: (way: "relinquish" | "share") => void
  readonly onGoTo: (line: number, column: number) => void
  readonly hovered: string
  readonly onHover: (path: string) => void
}) {
  const { tab, onTab, preview, result, object, looks, chosen } = props
  const { conflicts } = preview
  const contested = useMemo(() => new Set(conflicts.map(({ path }) => path)), [conflicts])
  return (
    <section class="pane insight" aria-label="Preview and results">
      <Explain part="insight" label="the preview and the results" />
      <Tabs
        name="insight"
        label="Preview and results"
        items={[
          {
            id: "next",
            label: (
              <>
                Next {conflicts.length > 0 && <span class="badge danger">{countOf(conflicts.length, "conflict")}</span>}
              </>
            ),
          },
          { id: "step", label: "This step" },
          { id: "matrix", label: "All owners" },
        ]}
        selected={tab}
        onSelect={id => onTab(id as InsightTab)}
      />
      <div role="tabpanel" id="panel-insight" aria-labelledby={`tab-insight-${tab}`} class="tab-panel insight-panel">
        {tab === "next" && <Next {...props} conflicts={conflicts} />}
        {tab === "step" && <ThisStep result={result} looks={looks} chosen={chosen} />}
        {tab === "matrix" && <Matrix object={object} looks={looks} contested={contested} />}
      </div>
    </section>
  )
}

/** The number of conflicts that are shown at first. */
const mostAtFirst = 50

function Next(props: {
  readonly draft: Draft | undefined
  readonly preview: Preview
  readonly conflicts: readonly ExplainedConflict[]
  readonly chosen: ChosenView
  readonly looks: ReadonlyMap<string, number>
  readonly onWay: (way: Way, conflict: ExplainedConflict) => void
  readonly onAll: (way: "relinquish" | "share") => void
  readonly onGoTo: (line: number, column: number) => void
  readonly hovered: string
  readonly onHover: (path: string) => void
}) {
  const { draft, preview, conflicts, looks, onWay, onAll, onGoTo, hovered, onHover } = props
  const { step, problem } = preview
  const [most, setMost] = useState(mostAtFirst)
  useEffect(() => setMost(mostAtFirst), [draft?.manager])
  if (draft === undefined) return null
  if (problem !== undefined) {
    return (
      <>
        <Verdict kind="error" text={`The text of ${draft.manager} can't be sent`} />
        <p class="pre">{problem}</p>
      </>
    )
  }
  if (step === undefined) {
    return <p class="empty">The tab of {draft.manager} is empty. Type an object, or choose a story above.</p>
  }
  if (conflicts.length > 0) {
    return (
      <>
        <Verdict kind="conflict" text={`${draft.manager} would have ${countOf(conflicts.length, "conflict")}`} />
        {conflicts.length > 1 && (
          <div class="controls all-ways">
            <button type="button" onClick={() => onAll("relinquish")}>
              Leave all fields to their owners
            </button>
            <button type="button" onClick={() => onAll("share")}>
              Agree on all values
            </button>
          </div>
        )}
        {conflicts.slice(0, most).map(conflict => (
          <ConflictCard
            key={conflict.path}
            conflict={conflict}
            looks={looks}
            onWay={onWay}
            onGoTo={onGoTo}
            hovered={hovered}
            onHover={onHover}
          />
        ))}
        {conflicts.length > most && (
          <button type="button" class="link" onClick={() => setMost(most + mostAtFirst)}>
            Show {Math.min(mostAtFirst, conflicts.length - most)} of {conflicts.length - most} more
          </button>
        )}
      </>
    )
  }
  return (
    <Report
      step={step}
      looks={looks}
      text={wouldBe(draft.manager, step)}
      chosen={props.chosen}
      causes={preview.causes}
      onGoTo={onGoTo}
    />
  )
}

function ThisStep(props: {
  readonly result: StepResult | undefined
  readonly looks: ReadonlyMap<string, number>
  readonly chosen: ChosenView
}) {
  const { result, looks, chosen } = props
  if (result === undefined) return <p class="empty">The story is at the start. Click Step to play the first step.</p>
  const { step, about, failures, request } = result
  return (
    <>
      {about !== undefined && <p class="step-about">{about}</p>}
      <Report step={step} looks={looks} text={wasIt(step)} chosen={chosen}>
        {failures.length > 0 && (
          <section>
            <h3>Not as the story expects</h3>
            <ul class="plain">
              {failures.map(message => (
                <li key={message} class="pre">
                  {message}
                </li>
              ))}
            </ul>
          </section>
        )}
        <details class="request">
          <summary>The request</summary>
          <pre>{request}</pre>
        </details>
      </Report>
    </>
  )
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`
}
