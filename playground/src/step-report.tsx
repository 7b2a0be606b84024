// The result of a step, or of the step that a draft would make: a summary, and the object before and after it.
import type { ComponentChildren } from "preact"
import { useMemo } from "preact/hooks"
import type { Step } from "structured-merge-diff/simulator"
import type { ShownLine } from "../../src/tools/view/lines.js"
import { type Looks, ownerId } from "../../src/tools/view/looks.js"
import { yamlValue } from "../../src/tools/view/yaml-value.js"
import { Grid } from "./grid.js"
import { changedLines, linesAfter, linesBefore } from "./line-views.js"
import { Outcome } from "./outcome.js"
import { OwnerTag } from "./owner-tag.js"
import { PathText } from "./path-text.js"
import { type Cause, Refusal } from "./refusal.js"
import { Tabs } from "./tabs.js"
import type { StepReport } from "./view.js"

/** The views of a step. */
export type StepView = "summary" | "diff" | "before" | "after"

const views: readonly { readonly id: StepView; readonly label: string }[] = [
  { id: "summary", label: "Summary" },
  { id: "diff", label: "Diff" },
  { id: "before", label: "Before" },
  { id: "after", label: "After" },
]

/** The view that is chosen, and its lines. */
export interface ChosenView {
  readonly view: StepView
  readonly onView: (view: StepView) => void
  /** The lines of the object before and after the step; undefined until they are known. */
  readonly lines: readonly ShownLine[] | undefined
}

export function Report(props: {
  readonly step: StepReport
  readonly looks: Looks
  /** The outcome in a sentence. */
  readonly text: string
  readonly chosen: ChosenView
  /** The end of the summary. */
  readonly children?: ComponentChildren
  /** The causes of a refusal with places in the editor. */
  readonly causes?: readonly Cause[] | undefined
  readonly onGoTo?: (line: number, column: number) => void
}) {
  const { step, looks, text, chosen } = props
  const { view, onView, lines } = chosen
  const verdict = <Verdict kind={step.outcome} text={text} />
  if (!step.hasObject) {
    return (
      <>
        {verdict}
        <Summary {...props} />
      </>
    )
  }
  return (
    <>
      {verdict}
      <Tabs
        name="step-view"
        label="Views of the step"
        items={views}
        selected={view}
        onSelect={id => onView(id as StepView)}
      />
      <div
        role="tabpanel"
        id="panel-step-view"
        aria-labelledby={`tab-step-view-${view}`}
        class={view === "summary" ? "" : "scroll step-lines"}
      >
        {view === "summary" ? (
          <Summary {...props} />
        ) : (
          lines !== undefined && <Lines step={step} looks={looks} view={view} lines={lines} />
        )}
      </div>
    </>
  )
}

function Summary({ step, looks, causes, onGoTo, children }: Parameters<typeof Report>[0]) {
  const { error, warnings, findings } = step
  return (
    <>
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
        error !== undefined && <Refusal error={error} {...(causes && { causes })} {...(onGoTo && { onGoTo })} />
      )}
      <Messages title="Warnings" texts={warnings.filter(text => !text.startsWith("union "))} />
      <Messages title="Not checked" texts={findings.map(({ message }) => message)} />
      <Outcome changes={step.changes} transfers={step.ownership} unions={step.unions} looks={looks} />
      {children}
    </>
  )
}

function Messages({ title, texts }: { readonly title: string; readonly texts: readonly string[] }) {
  if (texts.length === 0) return null
  return (
    <section>
      <h3>{title}</h3>
      <ul class="plain warnings">
        {texts.map(text => (
          <li key={text} class="pre">
            {text}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Lines(props: {
  readonly step: StepReport
  readonly looks: Looks
  readonly view: Exclude<StepView, "summary">
  readonly lines: readonly ShownLine[]
}) {
  const { step, looks, view, lines } = props
  const shown = useMemo(() => linesOf[view](lines), [lines, view])
  const contested = useMemo(() => new Set(step.conflicts.map(({ path }) => path)), [step])
  if (view === "diff" && lines.every(({ change }) => change === undefined)) {
    return <p class="empty">Nothing changed: the object is the same before and after.</p>
  }
  if (shown.length === 0) {
    return <p class="empty">{view === "before" ? "The object did not exist." : "The object no longer exists."}</p>
  }
  return <Grid label={labels[view]} lines={shown} looks={looks} contested={contested} hovered="" />
}

const linesOf = { diff: changedLines, before: linesBefore, after: linesAfter }
const labels = {
  diff: "Lines that the step changes",
  before: "The object before the step",
  after: "The object after the step",
}

export function Verdict({ kind, text }: { readonly kind: Step["outcome"]; readonly text: string }) {
  return <h3 class={`verdict ${kind}`}>{text}</h3>
}

/** Returns what the request of a draft would do. */
export function wouldBe(manager: string, { outcome }: Pick<Step, "outcome">): string {
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

/** Returns what a step did. */
export function wasIt({ index, manager, outcome }: Pick<Step, "index" | "manager" | "outcome">): string {
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
