// Recipes, which are functions that change a draft of an object, and the JSON patches that do the same.
import { Immer } from "immer"
import { tooDeep } from "../../value/depth.js"
import { identicalValues } from "../../value/equal.js"
import { own } from "../../value/object.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../../value/value.js"
import { jsonPointer } from "../ownership/config-changes.js"
import type { Recipe } from "./request.js"

const immer = new Immer({ autoFreeze: false })

/** The object that the recipe makes of `live`, which stays as it is. Throws a StructuredMergeError if it nests too deeply. */
export function madeBy(recipe: Recipe<never>, live: MapValue): unknown {
  let isDone = false
  try {
    return immer.produce(live, (draft: MapValue) => {
      const made = recipe(draft as never)
      isDone = true
      return made as MapValue | undefined
    })
  } catch (error) {
    // Immer walks through the whole object, and has no bound but the stack.
    throw isDone && error instanceof RangeError ? tooDeep() : error
  }
}

/** The JSON patch (RFC 6902) that makes `after` of `before`. A list that has another length is replaced. */
export function patchBetween(before: MapValue, after: MapValue): MapValue[] {
  const operations: MapValue[] = []
  collect(before, after, [], operations)
  return operations
}

function collect(before: Value, after: Value, steps: readonly (string | number)[], operations: MapValue[]): void {
  if (identicalValues(before, after)) return
  if (isMap(before) && isMap(after)) collectInMap(before, after, steps, operations)
  else if (isList(before) && isList(after) && before.length === after.length) {
    before.forEach((item, i) => collect(item, (after as ListValue)[i] as Value, [...steps, i], operations))
  } else operations.push({ op: "replace", path: jsonPointer(steps), value: after })
}

function collectInMap(
  before: MapValue,
  after: MapValue,
  steps: readonly (string | number)[],
  operations: MapValue[],
): void {
  for (const key in before) {
    const now = own(after, key)
    if (now === undefined) operations.push({ op: "remove", path: jsonPointer([...steps, key]) })
    else collect(before[key] as Value, now, [...steps, key], operations)
  }
  for (const key in after) {
    if (own(before, key) === undefined) {
      operations.push({ op: "add", path: jsonPointer([...steps, key]), value: after[key] as Value })
    }
  }
}
