// The steps of a write, and which of them failed.
import type { MapValue } from "../value/value.js"

/** The step that refused a request; `place` matches the object with the URL. */
export type WriteStep = "read" | "merge" | "place" | "admission" | "strategy" | "validation"

/** Performs a step. If it throws, the result is a FailedStep. `checked` is the object that the step validates. */
export function during<T>(step: WriteStep, perform: () => T, checked?: MapValue): T {
  try {
    return perform()
  } catch (error) {
    throw new FailedStep(step, error, checked)
  }
}

/** Says in which step `cause` was thrown. */
export class FailedStep extends Error {
  readonly step: WriteStep
  override readonly cause: unknown
  /** The object that validation refused; absent in other steps. */
  readonly refused: MapValue | undefined

  constructor(step: WriteStep, cause: unknown, refused?: MapValue) {
    super(step)
    this.step = step
    this.cause = cause
    this.refused = refused
  }
}
