import { type Comparison, equalValues, FieldSet, formatFieldsV1, TypedValue } from "../../src/index.js"
import { reconcileFieldSetWithSchema } from "../../src/typed/typed-value.js"
import type { Plan, SingleCase } from "../fixtures/plan-types.js"
import { freshObject, sortedJson, typeOfObject } from "./objects.js"
import type { Runnable } from "./runnable.js"

/** One operation on an object. A second operand is a copy that shares nothing with the first. */
export function singleCase(plan: Plan, { operation, object: name }: SingleCase): Runnable {
  const object = freshObject(plan, name)
  const same = freshObject(plan, name)
  const type = typeOfObject(plan, name)
  const empty = TypedValue.of(null, type)
  const set = object.toFieldSet()
  switch (operation) {
    case "validate":
      return runnable(() => TypedValue.of(object.value, type), describeObject)
    case "toFieldSet":
      return runnable(() => object.toFieldSet(), describeSet)
    case "compareSame":
      return runnable(() => object.compare(same), describeComparison)
    case "compareFromEmpty":
      return runnable(() => empty.compare(object), describeComparison)
    case "mergeSame":
      return runnable(() => object.merge(same), describeObject)
    case "mergeFromEmpty":
      return runnable(() => empty.merge(object), describeObject)
    case "removeAll":
      return runnable(() => object.removeItems(set), describeObject)
    case "extractLeaves": {
      const leaves = set.leaves()
      return runnable(() => object.extractItems(leaves), describeObject)
    }
    case "reconcileNoop":
      // A set remembers that it agrees with a type, so each call gets a new set.
      return runnable(
        () => reconcileFieldSetWithSchema(new FieldSet(set.entries), type),
        changed => (changed === null ? '"unchanged"' : '"changed"'),
      )
    case "equals":
      return runnable(() => equalValues(object.value, same.value), String)
  }
}

function runnable<T>(run: () => T, describe: (result: T) => string): Runnable {
  return { run, answer: () => describe(run()) }
}

function describeObject(object: TypedValue): string {
  return sortedJson(object.value)
}

function describeSet(set: FieldSet): string {
  return JSON.stringify(formatFieldsV1(set))
}

function describeComparison({ added, modified, removed }: Comparison): string {
  return JSON.stringify([added, modified, removed].map(set => formatFieldsV1(set)))
}
