// Three tabs: the preview of the open draft, the last step, and the table of owners.
import type { ExplainedConflict } from "structured-merge-diff/ownership"
import type { Step, StoryStepResult } from "structured-merge-diff/simulator"
import type { OwnedObject } from "structured-merge-diff/view"
import { ownerId } from "../../src/tools/view/looks.js"
import { yamlValue } from "../../src/tools/view/yaml-value.js"
import { ConflictCard, type Way } from "./conflict-card.js"
import { Explain } from "./explain.js"
import { Matrix } from "./matrix.js"
import { Outcome } from "./outcome.js"
import { OwnerTag } from "./owner-tag.js"
import { PathText } from "./path-text.js"
import type { Preview } from "./play.js"
import type { Draft } from "./store.js"
import { Tabs } from "./tabs.js"

export type InsightTab = "next" | "step" | "matrix"

export function InsightPane(props: {
  readonly tab: InsightTab
  readonly onTab: (tab: InsightTab) => void
  readonly draft: Draft | undefined
  readonly preview: Preview
  readonly result: StoryStepResult | undefined
  /** The request of the step as YAML. */
  readonly request: string
  readonly object: OwnedObject | undefined
  readonly looks: ReadonlyMap<string, number>
  readonly onWay: (way: Way, conflict: ExplainedConflict) => void
  readonly onAll: (way: "relinquish" | "share") => void
  readonly onGoTo: (line: number, column: number) => void
  readonly hovered: string
  readonly onHover: (path: string) => void
}) {
  const { tab, onTab, preview, result, request, object, looks } = props
  const conflicts = preview.explanation?.conflicts ?? []
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
        {tab === "step" && <ThisStep result={result} request={request} looks={looks} />}
        {tab === "matrix" && (
          <Matrix object={object} looks={looks} contested={new Set(conflicts.map(({ path }) => path))} />
        )}
      </div>
    </section>
  )
}

function Next(props: {
  readonly draft: Draft | undefined
  readonly preview: Preview
  readonly conflicts: readonly ExplainedConflict[]
  readonly looks: ReadonlyMap<string, number>
  readonly onWay: (way: Way, conflict: ExplainedConflict) => void
  readonly onAll: (way: "relinquish" | "share") => void
  readonly onGoTo: (line: number, column: number) => void
  readonly hovered: string
  readonly onHover: (path: string) => void
}) {
  const { draft, preview, conflicts, looks, onWay, onAll, onGoTo, hovered, onHover } = props
  const { step, problem } = preview
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
        {conflicts.map(conflict => (
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
      </>
    )
  }
  return <StepReport step={step} looks={looks} text={wouldBe(draft.manager, step)} />
}

function ThisStep(props: { result: StoryStepResult | undefined; request: string; looks: ReadonlyMap<string, number> }) {
  const { result, request, looks } = props
  if (result === undefined) return <p class="empty">The story is at the start. Click Step to play the first step.</p>
  const { step, storyStep, failures } = result
  return (
    <>
      {storyStep.about !== undefined && <p class="step-about">{storyStep.about}</p>}
      <StepReport step={step} looks={looks} text={wasIt(step)} />
      {failures.length > 0 && (
        <section>
          <h3>Not as the story expects</h3>
          <ul class="plain">
            {failures.map(({ message }) => (
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
    </>
  )
}

function StepReport({ step, looks, text }: { step: Step; looks: ReadonlyMap<string, number>; text: string }) {
  const { error, outcome } = step
  return (
    <>
      <Verdict kind={outcome} text={text} />
      {step.conflicts.length > 0 ? (
        <ul class="plain conflicts">
          {step.conflicts.map(({ path, owner, live, configured }) => (
            <li key={`${path} ${ownerId(owner)}`}>
              <PathText path={path} />
              <span class="owner-fact">
                <OwnerTag owner={owner} looks={looks} />
                <span class="muted">
                  owns it. The object has {live === undefined ? "nothing" : yamlValue(live)}, and {step.manager} set{" "}
                  {configured === undefined ? "nothing" : yamlValue(configured)}.
                </span>
              </span>
            </li>
          ))}
        </ul>
      ) : (
        error !== undefined && <p class="pre">{error.message}</p>
      )}
      <Outcome
        changes={step.changes}
        transfers={step.ownership}
        unions={step.unions.map(union => union.text)}
        looks={looks}
      />
    </>
  )
}

function Verdict({ kind, text }: { readonly kind: Step["outcome"]; readonly text: string }) {
  return <h3 class={`verdict ${kind}`}>{text}</h3>
}

function wouldBe(manager: string, { outcome }: Step): string {
  switch (outcome) {
    case "created":
      return `No conflicts: ${manager} would create the object`
    case "changed":
      return `No conflicts: ${manager} would change the object`
    case "unchanged":
      return `No conflicts: ${manager} would change nothing`
    case "deleted":
      return `${manager} would delete the object`
    default:
      return `${manager} would be refused`
  }
}

function wasIt({ index, manager, outcome }: Step): string {
  const who = `Step ${index}: ${manager === "" ? "someone" : manager}`
  switch (outcome) {
    case "created":
      return `${who} created the object`
    case "changed":
      return `${who} changed the object`
    case "unchanged":
      return `${who} changed nothing`
    case "deleted":
      return `${who} deleted the object`
    case "conflict":
      return `${who} had conflicts and changed nothing`
    default:
      return `${who} was refused`
  }
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`
}
