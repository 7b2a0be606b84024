// Checks of configurations, that is of what somebody applies: members of a union that exclude each other.
import { fieldElement, indexElement, type PathElement } from "../fieldpath/element.js"
import { formatPath } from "../fieldpath/path.js"
import type { CompiledUnion } from "../schema/compiled-union.js"
import { elementOfItem } from "../typed/list-items.js"
import type { Type } from "../typed/type.js"
import type { TypedValue } from "../typed/typed-value.js"
import { maxDepth, tooDeep } from "../value/depth.js"
import { isList, isMap, type MapValue, type Value } from "../value/value.js"
import { finding, type LintFinding } from "./finding.js"

/**
 * Where a configuration contradicts itself about the unions of its type: it sets several members of one, or its discriminator says
 * another than is set. It may leave out what is there already, so that nothing is said of what it lacks. Atomic lists and maps are
 * looked into.
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
  visit(found, type, value, [])
  return found
}

function visit(found: LintFinding[], type: Type, value: Value, path: readonly PathElement[]): void {
  if (path.length > maxDepth) throw tooDeep()
  if (isMap(value) && type.map !== null) {
    const { oneOfs, fields, rest } = type.map
    for (const union of oneOfs) checkUnion(found, union, value, path)
    for (const key in value) {
      const child = value[key] as Value // met directly
      visit(found, fields.get(key)?.type ?? rest, child, [...path, fieldElement(key)])
    }
  } else if (isList(value) && type.list !== null) {
    const { list } = type
    value.forEach((item, i) => visit(found, list.item, item, [...path, elementOfItem(list, item) ?? indexElement(i)]))
  }
}

function checkUnion(found: LintFinding[], union: CompiledUnion, map: MapValue, path: readonly PathElement[]): void {
  const set = union.setIn(map)
  const at = formatPath(path)
  if (set.length > 1) {
    const message = `${set.join(" and ")} are set, and only one of ${union.members.join(", ")} may be`
    found.push(finding("config-several-members", at, message, "leave all but one of them out"))
  }
  const { discriminator } = union
  const selected = union.selectedIn(map)
  if (discriminator === undefined || selected === "") return
  const member = union.memberOf(selected)
  const { values, emptyValues, noneValue } = union.def
  const isKnown = member !== undefined || values?.includes(selected) || emptyValues?.includes(selected)
  if (!isKnown && noneValue !== selected && (values ?? emptyValues) !== undefined) {
    const legal = values ?? [...union.members.map(name => union.valueOf(name)), ...(emptyValues ?? [])]
    const message = `${discriminator} is ${JSON.stringify(selected)}, which selects nothing and is not listed: ${legal.join(", ")}`
    found.push(finding("config-value-unknown", at, message, "write one of these values"))
    return
  }
  const [only] = set
  if (set.length !== 1 || only === undefined || only === member) return
  const says = member === undefined ? "selects nothing" : `selects ${member}`
  const message = `${discriminator} is ${JSON.stringify(selected)}, which ${says}, and ${only} is set`
  const remedy = `leave ${only} out, or let ${discriminator} be ${JSON.stringify(union.valueOf(only))}`
  found.push(finding("config-other-member", at, message, remedy))
}
