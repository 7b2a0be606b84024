// The operations of the conformance protocol on sets, values and typed values.
import { compareElements, equalElements, formatElement } from "../../src/fieldpath/element.js"
import { fieldSetFromValue } from "../../src/fieldpath/from-value.js"
import { equalManagers, managersDifference } from "../../src/fieldpath/managers.js"
import { comparePaths, equalPaths, formatGoPath, type Path } from "../../src/fieldpath/path.js"
import { FieldSet } from "../../src/fieldpath/set.js"
import { parseYaml } from "../../src/io/yaml.js"
import { withNamedFields } from "../../src/typed/named-fields.js"
import { reconcileFieldSetWithSchema, type TypedValue } from "../../src/typed/typed-value.js"
import type { NormalizedUnions } from "../../src/union/normalize.js"
import { compareStrings, compareValues } from "../../src/value/compare.js"
import { equalValues } from "../../src/value/equal.js"
import { formatValue } from "../../src/value/format.js"
import { isList } from "../../src/value/value.js"
import { elementText, jsonText, readJson, setText } from "./parity.js"
import { normalizeApplyAsReleased, normalizeAsReleased } from "./released-unions.js"
import {
  type Answer,
  managersAnswer,
  pathAnswer,
  type Request,
  RequestError,
  readElement,
  readFilter,
  readPath,
  readSchema,
} from "./request.js"

export type Operation = (request: Request) => Answer

function setAnswer(set: FieldSet): Answer {
  return { set: setText(set) }
}

function onTwoSets(compute: (a: FieldSet, b: FieldSet) => FieldSet): Operation {
  return request => setAnswer(compute(request.set("a"), request.set("b")))
}

const setOperations: Record<string, Operation> = {
  union: onTwoSets((a, b) => a.union(b)),
  intersection: onTwoSets((a, b) => a.intersection(b)),
  difference: onTwoSets((a, b) => a.difference(b)),
  recursiveDifference: onTwoSets((a, b) => a.recursiveDifference(b)),
  leaves: request => setAnswer(request.set("a").leaves()),
  roundTrip: request => setAnswer(request.set("a")),
  copy: request => setAnswer(request.set("a")),
  equals: request => ({ result: request.set("a").equals(request.set("b")) }),
  size: request => ({ result: request.set("a").size, empty: request.set("a").isEmpty() }),
  has: request => ({ result: request.set("a").has(request.path("path")) }),
  insert: request => setAnswer(request.set("a").insert(request.path("path"))),
  withPrefix: request => {
    const [first] = request.path("path")
    if (first === undefined) throw new RequestError("path has no element")
    return setAnswer(request.set("a").withPrefix(first))
  },
  filter: request => setAnswer(readFilter(request.get("filter") ?? null).filter(request.set("a"))),
  iterate: request => {
    const paths = [...request.set("a")]
    return { paths: paths.map(pathAnswer), strings: paths.map(formatGoPath) }
  },
  setFromPaths: request =>
    setAnswer(FieldSet.of(request.list("paths").map(path => (isList(path) ? readPath(path) : [])))),
  setFromValue: request => setAnswer(fieldSetFromValue(request.value("value"))),
  managersEquals: request => ({ result: equalManagers(request.managers("a"), request.managers("b")) }),
  managersDifference: request => ({
    result: managersAnswer(managersDifference(request.managers("a"), request.managers("b"))),
  }),
}

const pathOperations: Record<string, Operation> = {
  pathString: request => ({ result: formatGoPath(request.path("path")) }),
  pathElement: request => {
    const element = readElement(request.text("a"))
    return { serialized: elementText(element), string: formatElement(element) }
  },
  pathElementCompare: request => {
    const a = readElement(request.text("a"))
    const b = readElement(request.text("b"))
    return { result: compareElements(a, b), equals: equalElements(a, b) }
  },
  pathCompare: request => {
    const a: Path = request.path("a")
    const b: Path = request.path("b")
    return { result: comparePaths(a, b), equals: equalPaths(a, b) }
  },
}

const valueOperations: Record<string, Operation> = {
  valueCompare: request => {
    const a = request.value("a")
    const b = request.value("b")
    return { result: compareValues(a, b), equals: equalValues(a, b) }
  },
  valueToString: request => ({ result: formatValue(request.value("value")), json: jsonText(request.value("value")) }),
  valueFromJSON: request => ({ value: readJson(request.text("json")) }),
  readYAML: request => ({ value: parseYaml(request.text("text")) }),
}

function normalizedAnswer(lhs: TypedValue, next: TypedValue, { object }: NormalizedUnions): Answer {
  return { value: object.value, lhsAfter: lhs.value, newAfter: next.value }
}

const typedOperations: Record<string, Operation> = {
  parseSchema: request => ({ ok: true, types: readSchema(request.text("schema")).typeNames.toSorted(compareStrings) }),
  validate: request => {
    request.typed("value", request.type()).validate({ allowDuplicates: request.allowsDuplicates("value") })
    return { ok: true }
  },
  parse: request => ({ value: request.typed("value", request.type()).value }),
  toFieldSet: request => setAnswer(request.typed("value", request.type()).toFieldSet()),
  merge: request => {
    const type = request.type()
    return { value: request.typed("lhs", type).merge(request.typed("rhs", type)).value }
  },
  compare: request => {
    const type = request.type()
    const comparison = request.typed("lhs", type).compare(request.typed("rhs", type))
    return {
      added: setText(comparison.added),
      modified: setText(comparison.modified),
      removed: setText(comparison.removed),
      same: comparison.isSame(),
      string: comparison.toString(),
    }
  },
  removeItems: request => ({ value: request.typed("value", request.type()).removeItems(request.set("set")).value }),
  extractItems: request => {
    const options = { appendKeyFields: request.flag("appendKeyFields") }
    return { value: request.typed("value", request.type()).extractItems(request.set("set"), options).value }
  },
  reconcileFieldSetWithSchema: request => {
    const type = request.type()
    request.typed("value", type)
    const reconciled = reconcileFieldSetWithSchema(request.set("set"), type)
    return { set: reconciled === null ? null : setText(reconciled) }
  },
  normalizeUnions: request => {
    const type = request.type()
    const lhs = request.typed("lhs", type)
    const next = request.typed("new", type)
    return normalizedAnswer(lhs, next, normalizeAsReleased(request.policy("v4"), lhs, next))
  },
  normalizeUnionsApply: request => {
    const type = request.type()
    const lhs = request.typed("lhs", type)
    const next = request.flag("self") ? lhs : request.typed("new", type)
    return normalizedAnswer(lhs, next, normalizeApplyAsReleased(request.policy("v4"), lhs, next))
  },
  ensureNamedFieldsAreMembers: request => setAnswer(withNamedFields(request.type(), request.set("set"))),
}

export const operations: Readonly<Record<string, Operation>> = {
  ...setOperations,
  ...pathOperations,
  ...valueOperations,
  ...typedOperations,
}
