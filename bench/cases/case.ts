import type { Case, Plan } from "../fixtures/plan-types.js"
import { fieldManagerCase } from "./field-manager.js"
import { fromValueCase } from "./from-value.js"
import { openAPICase } from "./openapi.js"
import type { Runnable } from "./runnable.js"
import { setCase } from "./sets.js"
import { singleCase } from "./single.js"
import { storyCase } from "./story.js"

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
