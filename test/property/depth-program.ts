// Runs every operation on values of the greatest allowed depth, and prints each failure on a line. Runs in a process of its own, because
// the main thread has the smallest stack, and a stack overflow may end the process.

import {
  compileSchema,
  deducedType,
  equalValues,
  FieldSet,
  fieldElement,
  fieldSetFromValue,
  formatFieldsV1,
  formatValue,
  noManagers,
  parseFieldsV1,
  StructuredMergeError,
  type Type,
  TypedValue,
  Updater,
  type Value,
} from "../../src/index.js"
import { formatYaml, parseYaml } from "../../src/io/index.js"
import { maxYamlDepth } from "../../src/io/syntax/depth.js"
import { formatJson, parseJson } from "../../src/json/json.js"
import { withNamedFields } from "../../src/typed/named-fields.js"
import { reconcileFieldSetWithSchema } from "../../src/typed/typed-value.js"
import { compareValues } from "../../src/value/compare.js"
import { maxDepth } from "../../src/value/depth.js"
import { deepFreeze } from "../support/deep-freeze.js"
import { listBy, named, scalar, schemaOf, struct, text } from "../typed/notation.js"

/** A way to nest: a type, the value around each level, and the innermost value. */
interface Nesting {
  readonly type: Type
  readonly levels: number
  around(value: Value): Value
  bottom(name: string): Value
}

const types = compileSchema(
  schemaOf({ items: listBy(["k"], struct({ k: text, in: named("items") })), tight: struct({ s: text }) }),
)

const nestings: Record<string, Nesting> = {
  maps: { type: deducedType(), levels: maxDepth - 1, around: value => ({ a: value }), bottom: name => name },
  lists: {
    type: types.type("__untyped_atomic_"),
    levels: maxDepth - 1,
    around: value => [value],
    bottom: name => name,
  },
  items: {
    type: types.type("items"),
    levels: maxDepth / 2 - 1,
    around: value => [{ k: "a", in: value }],
    bottom: k => [{ k }],
  },
}

function nested({ levels, around, bottom }: Nesting, name: string): Value {
  let value = deepFreeze(bottom(name))
  for (let i = 0; i < levels; i++) value = Object.freeze(around(value))
  return value
}

function attempt(what: string, run: () => unknown): void {
  try {
    run()
  } catch (error) {
    process.stdout.write(`${what}: ${error instanceof Error ? error.message.slice(0, 200) : String(error)}\n`)
  }
}

/** Runs operations that must refuse the value. */
function refused(what: string, run: () => unknown): void {
  attempt(what, () => {
    try {
      run()
    } catch (error) {
      if (error instanceof StructuredMergeError && !error.message.includes("call stack")) return
      throw error
    }
    throw new Error("was accepted")
  })
}

const request = { manager: "a", apiVersion: "v1", managers: noManagers }
const updater = new Updater()

function doAll(kind: string, nesting: Nesting): void {
  const { type } = nesting
  const [a, b] = [nested(nesting, "x"), nested(nesting, "y")]
  const [one, two] = [TypedValue.of(a, type), TypedValue.of(b, type)]
  const [loose, looser] = [TypedValue.unvalidated(a, type), TypedValue.unvalidated(b, type)]
  let set = FieldSet.empty
  const steps: Record<string, () => unknown> = {
    merge: () => one.merge(two, { keepEqual: true }),
    compare: () => one.compare(two),
    "merge what was not checked": () => loose.merge(looser),
    "compare what was not checked": () => loose.compare(looser),
    "take the set": () => (set = one.toFieldSet().union(fieldSetFromValue(a))),
    "do the algebra": () => {
      const other = two.toFieldSet()
      const all = set.union(other)
      all.difference(set).intersection(other).recursiveDifference(set.leaves())
      return [all.equals(set), all.size, String(all), all.has([fieldElement("a")])]
    },
    "write and read the set": () => parseFieldsV1(formatFieldsV1(set)),
    "add named fields": () => withNamedFields(type, set),
    reconcile: () => reconcileFieldSetWithSchema(set, type),
    remove: () => one.removeItems(set.leaves()),
    extract: () => one.extractItems(set, { appendKeyFields: true }),
    "compare values": () => [compareValues(a, b), equalValues(a, b), formatValue(a)],
    "write and read JSON": () => parseJson(formatJson(a)),
    "apply and update": () => {
      const { object, managers } = updater.apply(one, two, request)
      const again = updater.apply(object, one, { ...request, manager: "b", managers, force: true })
      return updater.update(again.object, two, { ...request, managers: again.managers })
    },
  }
  for (const [step, run] of Object.entries(steps)) attempt(`${kind}: ${step}`, run)
  refused(`${kind}: print in a message`, () => TypedValue.of({ s: [a, a] }, types.type("tight")))
  refused(`${kind}: refuse what is one level deeper`, () =>
    TypedValue.of(nesting.around(nesting.around(nesting.around(a))), type),
  )
}

for (const [kind, nesting] of Object.entries(nestings)) attempt(kind, () => doAll(kind, nesting))
for (const open of ["[", "- ", "{a: "]) {
  for (const levels of [maxYamlDepth + 1, 10 * maxDepth]) refused("read YAML", () => parseYaml(open.repeat(levels)))
}
attempt("read and write YAML", () => {
  for (const text of [`${"- ".repeat(maxYamlDepth)}x`, `${"[".repeat(maxYamlDepth)}${"]".repeat(maxYamlDepth)}`]) {
    formatYaml(parseYaml(text))
  }
})
refused("write YAML", () => formatYaml(parseJson(`${"[".repeat(maxDepth)}1${"]".repeat(maxDepth)}`)))
attempt("read JSON", () => parseJson("[".repeat(maxDepth) + "]".repeat(maxDepth)))
attempt("use scalars", () => TypedValue.of(1, compileSchema({ types: [{ name: "t", ...scalar }] }).type("t")))
process.stdout.write("done\n")
