// Operations on sets of random paths. The Go peer makes the same sets (oracle/cmd/bench/sets.go): both draw numbers from the
// same generator in the same order.
import {
  FieldSet,
  fieldElement,
  formatFieldsV1,
  indexElement,
  keyElement,
  type Path,
  type PathElement,
  parseFieldsV1,
  parseFieldsV1Key,
  valueElement,
} from "../../src/index.js"
import type { Plan, SetCase } from "../fixtures/plan-types.js"
import { Random } from "../fixtures/random.js"
import type { Runnable } from "./runnable.js"

interface Fixture {
  /** The elements of each operand, created separately for each. */
  readonly elements: readonly (readonly PathElement[])[]
  readonly paths: readonly (readonly Path[])[]
  readonly sets: readonly FieldSet[]
  readonly texts: readonly string[]
  /** The indexes of the two operands of each call. */
  readonly draws: readonly number[]
  /** One path for each draw. */
  readonly probes: readonly Path[]
}

const drawn = 1024 // a power of two, so that a mask wraps the call count
const answered = 50

let fixture: { readonly size: number; readonly data: Fixture } | undefined

export function setCase(plan: Plan, what: SetCase): Runnable {
  if (fixture?.size !== what.size) fixture = { size: what.size, data: makeFixture(plan, what) }
  const { elements, paths, sets, texts, draws, probes } = fixture.data
  const first = (i: number) => draws[i & (drawn - 1)] as number
  const second = (i: number) => draws[drawn + (i & (drawn - 1))] as number
  const set = (index: number) => sets[index] as FieldSet
  switch (what.operation) {
    case "insert":
      return ofSets(i => {
        forgetTexts(elements, i)
        return FieldSet.of(paths[first(i)] as readonly Path[])
      })
    case "has":
      return runnable(i => set(first(i)).has(probes[i & (drawn - 1)] as Path), String)
    case "serialize":
      return runnable(i => {
        forgetTexts(elements, i)
        return formatFieldsV1(set(first(i)))
      }, JSON.stringify)
    case "deserialize":
      return ofSets(i => parseFieldsV1(texts[first(i)] as string))
    case "union":
      return ofSets(i => set(first(i)).union(set(second(i))))
    case "intersection":
      return ofSets(i => set(first(i)).intersection(set(second(i))))
    case "difference":
      return ofSets(i => set(first(i)).difference(set(second(i))))
    case "recursiveDifference":
      return ofSets(i => set(first(i)).recursiveDifference(set(second(i))))
    case "leaves":
      return ofSets(i => set(first(i)).leaves())
  }
}

function ofSets(run: (i: number) => FieldSet): Runnable {
  return runnable(run, set => JSON.stringify(formatFieldsV1(set)))
}

/** Returns a case whose answer is the result of the first calls. */
function runnable<T>(run: (i: number) => T, describe: (result: T) => string): Runnable {
  return { run, answer: () => `[${Array.from({ length: answered }, (_, i) => describe(run(i))).join(",")}]` }
}

function makeFixture({ sets: { seed, operands, alphabet } }: Plan, { size, shortest, longest }: SetCase): Fixture {
  const random = new Random(seed + size)
  const elements: PathElement[][] = []
  const paths: Path[][] = []
  const makePath = (from: readonly PathElement[]): Path => {
    const length = shortest + random.below(longest - shortest)
    return Array.from({ length }, () => random.pick(from))
  }
  for (let i = 0; i < operands; i++) {
    const own = alphabet.map(freshElement)
    elements.push(own)
    paths.push(Array.from({ length: size }, () => makePath(own)))
  }
  const sets = paths.map(list => FieldSet.of(list))
  const draws = Array.from({ length: 2 * drawn }, () => random.below(operands))
  const own = alphabet.map(freshElement)
  const probes = Array.from({ length: drawn }, () => makePath(own))
  return { elements, paths, sets, texts: sets.map(set => formatFieldsV1(set)), draws, probes }
}

/** Returns the element of a FieldsV1 key: a new object, unless all equal elements of its kind are the same object. */
function freshElement(text: string): PathElement {
  const element = parseFieldsV1Key(text)
  switch (element?.kind) {
    case undefined:
      throw new Error(`no path element: ${text}`)
    case "field":
      return fieldElement(element.name)
    case "key":
      return keyElement(Object.fromEntries(element.fields.map(({ name, value }) => [name, value])))
    case "value":
      return valueElement(element.value)
    case "index":
      return indexElement(Number(element.index))
  }
}

/**
 * Drops the cached text and entry of elements, each time the calls start over: new elements, which real objects have, would
 * not have them.
 */
function forgetTexts(elements: readonly (readonly PathElement[])[], i: number): void {
  if ((i & (drawn - 1)) !== 0) return
  for (const own of elements) {
    for (const element of own) {
      if (element.kind === "field" || (element.kind === "key" && element.fields.length === 1)) continue
      element.forget()
    }
  }
}
