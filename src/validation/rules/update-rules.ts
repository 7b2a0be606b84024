// `update`: how a value may change.
import { own } from "../../value/object.js"
import type { ListValue, MapValue, Side } from "../../value/value.js"
import { type Check, type CompiledChecks, stepsLater, stepsOf } from "./checks.js"
import { type GoType, isNilable } from "./go-type.js"
import { goValue, isUnset } from "./go-value.js"
import { finder, identityOf } from "./identity.js"
import { type RuleUse, requireText, ruleError } from "./rule-use.js"

const constraints = ["NoSet", "NoUnset", "NoModify", "NoAddItem", "NoRemoveItem"]

/** `update`: how a value may change. */
export function update(use: RuleUse): CompiledChecks {
  const { place, level } = use
  const constraint = requireText(use)
  if (!constraints.includes(constraint)) throw ruleError(use, `unknown constraint "${constraint}"`)
  if (place.scope !== "struct fields") {
    const isValue = place.scope === "list values" || place.scope === "map values"
    if (constraint !== "NoModify" || !isValue) throw ruleError(use, `${constraint} does not apply to ${place.scope}`)
    if (isCollection(place.type)) throw ruleError(use, `does not apply to ${place.type.text}`)
    const facts = place.scope === "list values" ? place.parent?.list : null
    if (facts && facts.semantic !== "map") throw ruleError(use, "needs a list of type map")
    return stepsOf({ check: valueUpdate(place.type, [constraint]), stops: true, level })
  }
  const collection = isCollection(place.type)
  if (collection ? constraint === "NoModify" : constraint.endsWith("Item")) {
    throw ruleError(use, `${constraint} does not apply to ${place.type.text}`)
  }
  if (place.type.kind === "struct" && !place.type.pointer && constraint !== "NoModify") {
    throw ruleError(use, `${constraint} does not apply to a struct, which can't be unset`)
  }
  place.updates.add(constraint)
  return stepsLater("this", () => {
    if (place.updates.size === 0) return stepsOf()
    const given = constraints.filter(name => place.updates.has(name))
    place.updates.clear()
    return stepsOf({ check: updateCheck(use, given), stops: true, level })
  })
}

/** Whether the type is a list or a map in Go. */
function isCollection({ kind }: GoType): boolean {
  return kind === "slice" || kind === "map" || kind === "bytes"
}

function updateCheck(use: RuleUse, given: readonly string[]): Check {
  const { type } = use.place
  const whole = valueUpdate(type, given)
  if (!given.some(name => name.endsWith("Item"))) return whole
  const moved = type.kind === "map" ? movedKeys : movedItems(use)
  return (run, next, old) => {
    if (!run.update) return true
    const before = run.errors.length
    whole(run, next, old)
    if (given.includes("NoAddItem")) {
      for (const step of moved(next, old)) run.fail("FieldValueForbidden", "", "item may not be added", "update", step)
    }
    if (given.includes("NoRemoveItem")) {
      for (const step of moved(old, next)) {
        run.fail("FieldValueForbidden", "", "item may not be removed", "update", type.kind === "map" ? step : "")
      }
    }
    return run.errors.length === before
  }
}

/** The keys of `map` that are missing in `other`, as steps of a path. */
function movedKeys(map: Side, other: Side): string[] {
  const keys = Object.keys((map ?? {}) as MapValue)
  return keys.filter(key => own((other ?? {}) as MapValue, key) === undefined).map(key => `[${key}]`)
}

/** Returns a function that gives the indexes of the items of `list` that are missing in `other`. */
function movedItems(use: RuleUse): (list: Side, other: Side) => number[] {
  const { compiler, place } = use
  const element = place.type.element as GoType
  const facts = compiler.listFacts(place)
  if (facts === null || (facts.semantic !== "map" && facts.semantic !== "set")) {
    throw ruleError(use, "items of the list need an identity: listType or unique, set or map")
  }
  const identity = identityOf(facts, element)
  return (list, other) => {
    const find = finder(other as ListValue | undefined, element, identity)
    const items = ((list ?? []) as ListValue).map(raw => goValue(element, raw))
    return items.flatMap((found, i) => (found !== undefined && find(found) === undefined ? [i] : []))
  }
}

const updateMessages: readonly (readonly [string, boolean | null, boolean, string])[] = [
  ["NoSet", false, true, "field cannot be set once created"],
  ["NoUnset", true, false, "field cannot be cleared once set"],
  ["NoModify", true, true, "field cannot be modified once set"],
]

/** Makes the check that compares whether the value is and was set. A struct is always set. */
function valueUpdate(type: GoType, given: readonly string[]): Check {
  const isSet = (value: Side) => (type.kind === "struct" && !type.pointer) || !isUnset(type, value)
  return (run, next, old) => {
    if (!run.update || (old === undefined && !isNilable(type))) return true
    const before = run.errors.length
    for (const [constraint, was, is, detail] of updateMessages) {
      if (given.includes(constraint) && isSet(old) === was && isSet(next) === is) {
        run.fail("FieldValueInvalid", null, detail, "update")
      }
    }
    return run.errors.length === before
  }
}
