// Runs recipes (functions that change a draft of an object) and records their changes as JSON patches.
import { Immer } from "immer"
import { tooDeep } from "../../../value/depth.js"
import { identicalValues } from "../../../value/equal.js"
import { own } from "../../../value/object.js"
import { formatPointer } from "../../../value/pointer.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../../../value/value.js"
import type { Recipe } from "./request.js"

const immer = new Immer({ autoFreeze: false })

/** Returns the object that the recipe produces from `live`, without changing `live`. Throws a StructuredMergeError if it nests too deeply. */
export function applyRecipe(recipe: Recipe<never>, live: MapValue): unknown {
  let isDone = false
  try {
    return immer.produce(live, (draft: MapValue) => {
      const returned = recipe(draft as never)
      isDone = true
      return returned as MapValue | undefined
    })
  } catch (error) {
    // After the recipe, immer recurses through the whole object without a depth limit and may overflow the stack.
    throw isDone && error instanceof RangeError ? tooDeep() : error
  }
}

/** Returns the JSON patch (RFC 6902) that changes `before` to `after`. It replaces lists whose length differs as a whole. */
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
  } else operations.push({ op: "replace", path: formatPointer(steps), value: after })
}

function collectInMap(
  before: MapValue,
  after: MapValue,
  steps: readonly (string | number)[],
  operations: MapValue[],
): void {
  for (const key in before) {
    const now = own(after, key)
    if (now === undefined) operations.push({ op: "remove", path: formatPointer([...steps, key]) })
    else collect(before[key] as Value, now, [...steps, key], operations)
  }
  for (const key in after) {
    if (own(before, key) === undefined) {
      operations.push({ op: "add", path: formatPointer([...steps, key]), value: after[key] as Value })
    }
  }
}
