// Rules about a list: how its items are told apart, and that no two are the same.
import type { ListValue } from "../../value/value.js"
import { type Check, type CompiledChecks, stepsLater, stepsOf } from "./checks.js"
import type { GoType } from "./go-type.js"
import { goJson, goValue } from "./go-value.js"
import { duplicatesIn, identityOf } from "./identity.js"
import { fieldNamed, type ListFacts, type RuleCompiler, type RulePlace, ruleError } from "./place.js"
import type { StabilityLevel } from "./report.js"
import type { Rule } from "./rules.js"
import { needs, textOf } from "./value-rules.js"

export function listType(compiler: RuleCompiler, place: RulePlace, rule: Rule, level?: StabilityLevel): CompiledChecks {
  const value = textOf(place, rule)
  // Bytes are a text in JSON, but a list in Go.
  if (place.type.kind === "bytes" && value === "atomic") return stepsOf()
  const facts = factsOf(place, rule, level)
  if (facts.ownership !== undefined) throw ruleError(place, rule, "cannot be given more than once")
  if (!["atomic", "set", "map"].includes(value)) throw ruleError(place, rule, `unknown list type "${value}"`)
  facts.ownership = value
  if (value !== "atomic") setSemantic(place, rule, facts, value as "set" | "map")
  else facts.semantic ??= "atomic"
  return stepsLater("this", () => uniqueness(compiler, place, rule))
}

export function unique(compiler: RuleCompiler, place: RulePlace, rule: Rule, level?: StabilityLevel): CompiledChecks {
  const facts = factsOf(place, rule, level)
  const value = textOf(place, rule)
  if (value !== "set" && value !== "map") throw ruleError(place, rule, `unknown kind "${value}"`)
  setSemantic(place, rule, facts, value)
  return stepsLater("this", () => uniqueness(compiler, place, rule))
}

function setSemantic(place: RulePlace, rule: Rule, facts: ListFacts, semantic: "set" | "map"): void {
  if (facts.semantic !== undefined && facts.semantic !== "atomic") {
    throw ruleError(place, rule, "unique may not be used with listType=set or listType=map")
  }
  if (semantic === "map") itemStruct(place, rule)
  facts.semantic = semantic
}

export function listMapKey(place: RulePlace, rule: Rule): CompiledChecks {
  needs(place, rule, ["slice"])
  const name = textOf(place, rule)
  const field = fieldNamed(place, rule, itemStruct(place, rule), name)
  if (!["string", "bool", "integer", "float", "opaque"].includes(field.type.kind)) {
    throw ruleError(place, rule, `only primitive types can be keys, not ${field.type.text}`)
  }
  place.facts().keys.push(field)
  return stepsOf()
}

export function customUnique(place: RulePlace, rule: Rule): CompiledChecks {
  needs(place, rule, ["slice"])
  place.facts().custom = true
  return stepsOf()
}

function factsOf(place: RulePlace, rule: Rule, level: StabilityLevel | undefined): ListFacts {
  needs(place, rule, ["slice"])
  const facts = place.facts()
  facts.level = level
  return facts
}

export function itemStruct(place: RulePlace, rule: Rule): GoType {
  const element = place.type.element as GoType
  if (element.kind !== "struct") throw ruleError(place, rule, "only lists of structs have keys")
  return element
}

/** Makes the check for duplicates, once for all rules about the list. */
function uniqueness(compiler: RuleCompiler, place: RulePlace, rule: Rule): CompiledChecks {
  const facts = place.list as ListFacts
  if (place.scope === "struct fields" && compiler.typeFacts(place) !== null) {
    throw ruleError(place, rule, `the type ${place.type.text} says already how its items are told apart`)
  }
  if (facts.done) return stepsOf()
  facts.done = true
  if (facts.keys.length > 0 && facts.semantic !== "map")
    throw ruleError(place, rule, "listMapKey needs a list of type map")
  if (facts.keys.length === 0 && facts.semantic === "map")
    throw ruleError(place, rule, "a list of type map needs a listMapKey")
  if (facts.ownership === undefined) throw ruleError(place, rule, "listType must be given: atomic, set or map")
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
