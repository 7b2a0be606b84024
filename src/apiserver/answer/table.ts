// Objects as the Table that kubectl prints: a row for each, with the printer columns of custom resources, and with the columns that
// built-in kinds have.

import { columnsOfKind } from "../../kinds/families/columns.js"
import { ageColumn, ageOf, type Column, nameColumn } from "../../kinds/kind/column.js"
import type { Resource } from "../../kinds/resource/resource.js"
import { kindOf } from "../../schema/group-version-kind.js"
import { metadataOf } from "../../schema/metadata.js"
import { valueAtSteps } from "../../value/change.js"
import { listAt, mapAt, textAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"

/** The Table of an object or a list, with ages as of `now`. `includeObject` says what of each object its row brings along. */
export function tableOf(
  resource: Resource,
  object: MapValue,
  version: string,
  includeObject: string,
  now: Date,
): MapValue {
  const items = own(object, "items")
  const isWhole = isList(items) && object.kind === resource.listKind
  const objects = isWhole ? (items.filter(isMap) as MapValue[]) : [object]
  const columns = columnsOf(resource, object)
  const { resourceVersion, continue: next, remainingItemCount } = mapAt(object, "metadata")
  const metadata: Record<string, Value> = {}
  if (resourceVersion !== undefined) metadata.resourceVersion = resourceVersion
  if (isWhole && next !== undefined) metadata.continue = next
  if (isWhole && remainingItemCount !== undefined) metadata.remainingItemCount = remainingItemCount
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${version}`,
    metadata,
    columnDefinitions: columns.map(({ name, type, format = "", description = "", priority = 0 }) => {
      return { name, type, format, description, priority }
    }),
    rows: objects.map(each => ({
      cells: columns.map(({ cell }) => cell(each, now.getTime())),
      ...rowObject(each, version, includeObject),
    })),
  }
}

function rowObject(object: MapValue, version: string, includeObject: string): { object?: MapValue } {
  if (includeObject === "None") return {}
  if (includeObject === "Object") return { object }
  const metadata = metadataOf(object)
  return { object: { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${version}`, metadata } }
}

function columnsOf({ group, kind, listKind, custom }: Resource, object: MapValue): readonly Column[] {
  const given = kindOf(object)
  // A subresource may have a kind of its own, as scale has.
  if (given.kind !== kind && given.kind !== listKind) return columnsOfKind(given.group, given.kind)
  if (custom === undefined) return columnsOfKind(group, kind)
  const declared = listAt(custom.version, "additionalPrinterColumns").filter(isMap)
  return [nameColumn, ...(declared.length === 0 ? [{ ...ageColumn, type: "date" }] : declared.map(customColumn))]
}

function customColumn(column: MapValue): Column {
  const type = textAt(column, "type")
  const path = stepsOf(textAt(column, "jsonPath"))
  const priority = own(column, "priority")
  const jsonPath = `Custom resource definition column (in JSONPath format): ${textAt(column, "jsonPath")}`
  return {
    name: textAt(column, "name"),
    type,
    format: textAt(column, "format"),
    description: textAt(column, "description") || jsonPath,
    priority: typeof priority === "number" ? priority : 0,
    cell: (object, now) => cellOf(path === undefined ? undefined : follow(object, path), type, now),
  }
}

/** What a cell shows of a value; null where there is nothing to show. */
function cellOf(value: Value | undefined, type: string, now: number): Value {
  if (value === undefined || value === null) return null
  if (type === "date") return typeof value === "string" ? ageOf(value, now) : null
  if (type === "string") return isMap(value) || isList(value) ? JSON.stringify(value) : String(value)
  return typeof value === "number" || typeof value === "bigint" || typeof value === "boolean" ? value : null
}

/** A step of a JSON path: a key, an index, or the items that have this text at a key. */
type Step = string | number | { readonly key: string; readonly equals: string }

const stepPattern =
  /^(?:\.([-\w]+(?:\\\.[-\w/]+)*)|\[(\d+)\]|\['([^']*)'\]|\[\?\(@\.([\w.]+)\s*==\s*["']([^"']*)["']\)\])/

/** The steps of a simple JSON path; undefined for one with more than keys, indexes and tests for equality. */
function stepsOf(path: string): Step[] | undefined {
  const steps: Step[] = []
  let rest = path
  while (rest !== "") {
    const found = stepPattern.exec(rest)
    if (found === null) return undefined
    const [all, name, index, quoted, key, equals] = found
    if (name !== undefined) steps.push(name.replaceAll("\\.", "."))
    else if (index !== undefined) steps.push(Number(index))
    else if (quoted !== undefined) steps.push(quoted)
    else steps.push({ key: key as string, equals: equals as string })
    rest = rest.slice(all.length)
  }
  return steps
}

function follow(value: Value, steps: readonly Step[]): Value | undefined {
  let found: Value | undefined = value
  for (const step of steps) {
    if (typeof step === "object") {
      const { key, equals } = step
      const items: readonly Value[] = isList(found) ? found : []
      found = items.find(item => String(valueAtSteps(item, key.split(".")) ?? "") === equals)
    } else found = valueAtSteps(found, [step])
  }
  return found
}
