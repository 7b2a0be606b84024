// The contents of the page's panes, as plain data that the worker sends.
import type { ExplainedConflict } from "structured-merge-diff/ownership"
import type { Outcome, Step, StoryStepResult } from "structured-merge-diff/simulator"
import type { OwnedObject } from "structured-merge-diff/view"
import type { ShownLine } from "../../src/tools/view/lines.js"
import type { DraftResult } from "./play.js"
import type { Cause } from "./refusal.js"

/** The contents of the panes. An answer of the engine has only the parts that changed since the answer before. */
export interface View {
  readonly types: TypesInfo
  readonly played: PlayedSteps
  /** The preview of the draft whose tab is open. */
  readonly preview: Preview
  /** The names of all objects. */
  readonly names: readonly string[]
  /** The name of the object that is shown. */
  readonly name: string
  readonly object: OwnedObject | undefined
  /** The paths of the fields in the object that the last step changed. */
  readonly changed: ReadonlySet<string>
  /** The last step that is not undone. */
  readonly result: StepResult | undefined
  /** The lines of the object before and after the compared step; see `Question`. */
  readonly lines: readonly ShownLine[] | undefined
}

/** The page's choices for a view of the scene. */
export interface Question {
  /** The name of the object to show. */
  readonly object: string
  /** The step whose object to compare before and after it: the next one or the last one. */
  readonly compared?: "next" | "step" | undefined
}

/** The types of the story. They are a new object if the editor must check its text again. */
export interface TypesInfo {
  readonly title: string
  /** The reason why the pasted types can't be used. */
  readonly problem?: string
}

/** The results of all steps, also of steps that are undone. */
interface PlayedSteps {
  readonly steps: readonly PlayedStep[]
  /** The reason why the steps after them can't be played. */
  readonly problem?: string
}

export interface PlayedStep {
  /** "" if the request names no manager. */
  readonly manager: string
  readonly outcome: Outcome
  readonly isAsExpected: boolean
}

/** The result that a draft would have. */
export interface Preview {
  /** The reason why the text can't be played; absent if it can. */
  readonly problem?: string
  /** Absent if the text is empty. */
  readonly step?: StepReport
  /** The conflicts with their ways out. */
  readonly conflicts: readonly ExplainedConflict[]
  /** The causes of another refusal, with their places in the text. */
  readonly causes?: readonly Cause[]
}

/** A step of the simulation. */
export interface StepReport
  extends Pick<
    Step,
    "index" | "manager" | "outcome" | "error" | "conflicts" | "changes" | "ownership" | "warnings" | "findings"
  > {
  readonly unions: readonly string[]
  /** Whether there is an object before or after the step. */
  readonly hasObject: boolean
}

/** A step of the story, with its result. */
export interface StepResult {
  readonly step: StepReport
  readonly about?: string
  /** The expectations that were not met. */
  readonly failures: readonly string[]
  /** The request as YAML. */
  readonly request: string
}

export function previewOf({ problem, step, explanation }: DraftResult): Preview {
  const causes = explanation?.refusal?.causes
  return {
    ...(problem !== undefined && { problem }),
    ...(step !== undefined && { step: stepReport(step) }),
    conflicts: explanation?.conflicts ?? [],
    ...(causes !== undefined && { causes }),
  }
}

export function stepReport(step: Step): StepReport {
  const { index, manager, outcome, error, conflicts, changes, ownership, warnings, findings, unions } = step
  return {
    index,
    manager,
    outcome,
    error,
    conflicts,
    changes,
    ownership,
    warnings,
    findings,
    unions: unions.map(({ text }) => text),
    hasObject: (step.before ?? step.after) !== undefined,
  }
}

export function playedStep({ step, failures }: StoryStepResult): PlayedStep {
  return { manager: step.manager, outcome: step.outcome, isAsExpected: failures.length === 0 }
}
