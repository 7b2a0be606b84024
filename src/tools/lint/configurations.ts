// Checks configurations: finds union members that exclude each other.

import { fieldElement, indexElement } from "../../fieldpath/create-element.js"
import type { PathElement } from "../../fieldpath/element.js"
import { formatPath } from "../../fieldpath/path.js"
import type { CompiledUnion } from "../../schema/compiled-union.js"
import { elementOfItem } from "../../typed/list-items.js"
import type { ListShape, Type } from "../../typed/type.js"
import type { TypedValue } from "../../typed/typed-value.js"
import { maxDepth, tooDeep } from "../../value/depth.js"
import { own } from "../../value/object.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../../value/value.js"
import { listAnd } from "../../value/words.js"
import { type Branch, branchOf } from "./branch.js"
import { finding, type LintFinding } from "./finding.js"
import { findRepeatedItems } from "./repeated.js"

/**
 * Finds contradictions between a configuration and the unions of its type: several members of a union are set, or the discriminator selects
 * another member than the one that is set. Finds items of associative lists with equal keys too. A configuration may omit fields that the object already has, so missing fields are never
 * reported. The check includes the contents of atomic lists and maps.
 *
 * @example
 * ```ts
 * import { compileSchema, TypedValue } from "structured-merge-diff"
 * import { kubernetesSchemaWithUnions } from "structured-merge-diff/kubernetes"
 * import { lintConfiguration } from "structured-merge-diff/lint"
 *
 * const type = compileSchema(kubernetesSchemaWithUnions()).type("io.k8s.api.apps.v1.DeploymentSpec")
 * const spec = TypedValue.of({ strategy: { type: "Recreate", rollingUpdate: { maxSurge: 1 } } }, type)
 * for (const { code, path, message } of lintConfiguration(spec)) console.log(`${code} ${path}: ${message}`)
 * // config-other-member .strategy: type is "Recreate", which selects nothing, and rollingUpdate is set
 * ```
 */
export function lintConfiguration({ type, value }: TypedValue): LintFinding[] {
  const found: LintFinding[] = []
  findContradictions(found, type, value)
  findRepeatedItems(found, type, value)
  return found
}

/** Like `lintConfiguration`, but appends to `found`. */
export function findContradictions(found: LintFinding[], type: Type, value: Value): void {
  const branch = branchOf(type)
  if (branch !== null) visit({ found, type, value, steps: [] }, branch, value)
}

/** A walk over a value. */
interface Traversal {
  readonly found: LintFinding[]
  readonly type: Type
  readonly value: Value
  /** The steps to the current value. A path is built only for a finding. */
  readonly steps: (string | number)[]
}

function visit(traversal: Traversal, branch: Branch, value: Value): void {
  const { steps } = traversal
  if (steps.length > maxDepth) throw tooDeep()
  if (isMap(value)) {
    for (let i = 0; i < branch.unions.length; i++) checkUnion(traversal, branch.unions[i] as CompiledUnion, value)
    for (const key in value) {
      const below = branch.fields.get(key) ?? branch.rest
      if (below === null || branch.others.has(key)) continue
      steps.push(key)
      visit(traversal, below, value[key] as Value) // `for...in` found the key
      steps.pop()
    }
  } else if (isList(value) && branch.item !== null) {
    for (let i = 0; i < value.length; i++) {
      steps.push(i)
      visit(traversal, branch.item, value[i] as Value)
      steps.pop()
    }
  }
}

/** Returns the path to the current value. Items of associative lists appear by their keys. */
function pathOf({ type, value, steps }: Traversal): string {
  const path: PathElement[] = []
  let at: Value = value
  let of: Type = type
  for (const step of steps) {
    if (typeof step === "string") {
      path.push(fieldElement(step))
      of = (of.map?.fields.get(step)?.type ?? of.map?.rest) as Type // the traversal came this way
      at = own(at as MapValue, step) as Value
    } else {
      const list = of.list as ListShape
      at = (at as ListValue)[step] as Value
      path.push(elementOfItem(list, at) ?? indexElement(step))
      of = list.item
    }
  }
  return formatPath(path)
}

function checkUnion(traversal: Traversal, union: CompiledUnion, map: MapValue): void {
  const { found } = traversal
  const set = union.setIn(map)
  if (set.length > 1) {
    const message = `${listAnd(set)} are set, and only one of ${union.members.join(", ")} may be`
    found.push(finding("config-several-members", pathOf(traversal), message, "leave all but one of them out"))
  }
  const { discriminator } = union
  const selected = union.selectedIn(map)
  if (discriminator === undefined || selected === "") return
  const member = union.memberOf(selected)
  const { values, emptyValues, noneValue } = union.def
  const isKnown = member !== undefined || values?.includes(selected) || emptyValues?.includes(selected)
  if (!isKnown && noneValue !== selected && (values ?? emptyValues) !== undefined) {
    const legal = values ?? [...union.members.map(name => union.valueOf(name)), ...(emptyValues ?? [])]
    const message = `${discriminator} is ${JSON.stringify(selected)}, which is not one of its values: ${legal.join(", ")}`
    found.push(finding("config-value-unknown", pathOf(traversal), message, "write one of these values"))
    return
  }
  const [only] = set
  if (set.length !== 1 || only === undefined || only === member) return
  const says = member === undefined ? "selects nothing" : `selects ${member}`
  const message = `${discriminator} is ${JSON.stringify(selected)}, which ${says}, and ${only} is set`
  const remedy = `leave ${only} out, or let ${discriminator} be ${JSON.stringify(union.valueOf(only))}`
  found.push(finding("config-other-member", pathOf(traversal), message, remedy))
}
