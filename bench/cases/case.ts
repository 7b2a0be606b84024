import type { Case, Plan } from "../plan.js"
import { fieldManagerCase } from "./field-manager.js"
import { fromValueCase } from "./from-value.js"
import { openAPICase } from "./openapi.js"
import { setCase } from "./sets.js"
import { singleCase } from "./single.js"
import { storyCase } from "./story.js"

/** A case ready to run. */
export interface Runnable {
  /** The operation. `i` counts the calls, for cases that go through several operands. Returns the result, so that it is used. */
  run(i: number): unknown
  /** What the operation results in, as JSON text: the same text as the Go peer gives. */
  answer(): string
}

export function prepare(plan: Plan, what: Case): Runnable {
  switch (what.kind) {
    case "story":
      return storyCase(plan, what)
    case "single":
      return singleCase(plan, what)
    case "set":
      return setCase(plan, what)
    case "fromValue":
      return fromValueCase(what)
    case "fieldManager":
      return fieldManagerCase(plan, what)
    case "openapi":
      return openAPICase(plan, what)
  }
}
