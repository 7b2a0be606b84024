// Rules about a list: how its items are told apart, and that no two are the same.
import type { ListValue } from "../../value/value.js"
import { type Check, type CompiledChecks, stepsLater, stepsOf } from "./checks.js"
import type { GoType } from "./go-type.js"
import { goJson, goValue } from "./go-value.js"
import { duplicatesIn, identityOf } from "./identity.js"
import type { ListFacts } from "./place.js"
import { fieldNamed, type RuleUse, requireKind, requireStructItems, requireText, ruleError } from "./rule-use.js"

export function listType(use: RuleUse): CompiledChecks {
  const { place } = use
  const value = requireText(use)
  // Bytes are a text in JSON, but a list in Go.
  if (place.type.kind === "bytes" && value === "atomic") return stepsOf()
  const facts = factsOf(use)
  if (facts.ownership !== undefined) throw ruleError(use, "cannot be given more than once")
  if (!["atomic", "set", "map"].includes(value)) throw ruleError(use, `unknown list type "${value}"`)
  facts.ownership = value
  if (value !== "atomic") setSemantic(use, facts, value as "set" | "map")
  else facts.semantic ??= "atomic"
  return stepsLater("this", () => uniqueness(use))
}

export function unique(use: RuleUse): CompiledChecks {
  const facts = factsOf(use)
  const value = requireText(use)
  if (value !== "set" && value !== "map") throw ruleError(use, `unknown kind "${value}"`)
  setSemantic(use, facts, value)
  return stepsLater("this", () => uniqueness(use))
}

function setSemantic(use: RuleUse, facts: ListFacts, semantic: "set" | "map"): void {
  if (facts.semantic !== undefined && facts.semantic !== "atomic") {
    throw ruleError(use, "unique may not be used with listType=set or listType=map")
  }
  if (semantic === "map") requireStructItems(use)
  facts.semantic = semantic
}

export function listMapKey(use: RuleUse): CompiledChecks {
  requireKind(use, ["slice"])
  const field = fieldNamed(use, requireStructItems(use), requireText(use))
  if (!["string", "bool", "integer", "float", "opaque"].includes(field.type.kind)) {
    throw ruleError(use, `only primitive types can be keys, not ${field.type.text}`)
  }
  use.place.facts().keys.push(field)
  return stepsOf()
}

export function customUnique(use: RuleUse): CompiledChecks {
  requireKind(use, ["slice"])
  use.place.facts().custom = true
  return stepsOf()
}

function factsOf(use: RuleUse): ListFacts {
  requireKind(use, ["slice"])
  const facts = use.place.facts()
  facts.level = use.level
  return facts
}

/** Makes the check for duplicates, once for all rules about the list. */
function uniqueness(use: RuleUse): CompiledChecks {
  const { compiler, place } = use
  const facts = place.list as ListFacts
  if (place.scope === "struct fields" && compiler.typeFacts(place) !== null) {
    throw ruleError(use, `the type ${place.type.text} already says how its items are told apart`)
  }
  if (facts.done) return stepsOf()
  facts.done = true
  if (facts.keys.length > 0 && facts.semantic !== "map") throw ruleError(use, "listMapKey needs a list of type map")
  if (facts.keys.length === 0 && facts.semantic === "map") throw ruleError(use, "a list of type map needs a listMapKey")
  if (facts.ownership === undefined) throw ruleError(use, "listType must be given: atomic, set or map")
  if (facts.custom || facts.semantic === "atomic") return stepsOf()
  const element = place.type.element as GoType
  const identity = identityOf(facts, element)
  const check: Check = (run, next) => {
    const before = run.errors.length
    for (const i of duplicatesIn(next as ListValue, element, identity)) {
      run.fail("FieldValueDuplicate", goJson(element, goValue(element, (next as ListValue)[i])), "", "", i)
    }
    return run.errors.length === before
  }
  return stepsOf({ check, level: facts.level, atNil: "passes" })
}
