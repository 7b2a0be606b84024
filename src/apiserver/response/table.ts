// Builds the Table that kubectl prints: a row for each object, with the columns of its built-in kind or the printer columns of its
// definition.

import { columnsOfKind, described } from "../../kinds/families/columns.js"
import { ageColumn, ageOf, type Column, nameColumn } from "../../kinds/kind/column.js"
import type { Resource } from "../../kinds/resource/resource.js"
import { kindOf } from "../../schema/group-version-kind.js"
import { metadataOf } from "../../schema/metadata.js"
import { valueAtSteps } from "../../value/change.js"
import { listAt, mapAt, textAt, withKeys } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"

/** Builds the Table of an object or a list, with ages as of `now`. `includeObject` says how much of its object each row contains. */
export function tableOf(
  resource: Resource,
  object: MapValue,
  version: string,
  includeObject: string,
  now: Date,
): MapValue {
  const items = own(object, "items")
  const isObjectList = isList(items) && object.kind === resource.listKind
  const objects = isObjectList ? (items.filter(isMap) as MapValue[]) : [object]
  const columns = columnsOf(resource, object)
  const { resourceVersion, continue: next, remainingItemCount } = mapAt(object, "metadata")
  const metadata: Record<string, Value> = {}
  if (resourceVersion !== undefined) metadata.resourceVersion = resourceVersion
  if (isObjectList && next !== undefined && next !== "") metadata.continue = next
  if (isObjectList && remainingItemCount !== undefined) metadata.remainingItemCount = remainingItemCount
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${version}`,
    metadata,
    columnDefinitions: columns
      .filter(column => column.isUndefined !== true)
      .map(({ name, type, format = "", description = "", priority = 0 }) => ({
        name,
        type,
        format,
        description,
        priority,
      })),
    rows: objects.map(each => ({
      cells: columns.map(({ cell }) => cell(each, now.getTime())),
      ...rowObject(resource, each, version, includeObject),
    })),
  }
}

function rowObject(
  resource: Resource,
  object: MapValue,
  version: string,
  includeObject: string,
): { object?: MapValue } {
  if (includeObject === "None") return {}
  return { object: includeObject === "Object" ? object : partialMetadataOf(resource, object, version) }
}

/** Returns the metadata of an object alone, as a PartialObjectMetadata of this version of meta.k8s.io. */
export function partialMetadataOf({ builtIn }: Resource, object: MapValue, version: string): MapValue {
  const metadata = metadataOf(object)
  const partial = { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${version}` }
  if (builtIn?.hiddenAnnotation === undefined) return { ...partial, metadata }
  const shown = withKeys(mapAt(metadata, "annotations"), { [builtIn.hiddenAnnotation]: undefined })
  const annotations = Object.keys(shown).length === 0 ? undefined : shown
  return { ...partial, metadata: withKeys(metadata, { annotations }) }
}

function columnsOf({ group, kind, listKind, custom }: Resource, object: MapValue): readonly Column[] {
  const shown = kindOf(object)
  // A subresource may have a kind of its own, such as Scale.
  if (shown.kind !== kind && shown.kind !== listKind) return columnsOfKind(shown.group, shown.kind)
  if (custom === undefined) return columnsOfKind(group, kind)
  const declared = listAt(custom.version, "additionalPrinterColumns").filter(isMap)
  if (declared.length === 0) return described([nameColumn, { ...ageColumn, type: "date" }])
  return [...described([nameColumn]), ...declared.map(customColumn)]
}

function customColumn(column: MapValue): Column {
  const type = textAt(column, "type")
  const steps = parseJsonPath(textAt(column, "jsonPath"))
  const priority = own(column, "priority")
  const jsonPath = `Custom resource definition column (in JSONPath format): ${textAt(column, "jsonPath")}`
  return {
    name: textAt(column, "name"),
    type,
    format: textAt(column, "format"),
    description: textAt(column, "description") || jsonPath,
    priority: typeof priority === "number" ? priority : 0,
    cell: (object, now) => cellValue(steps === undefined ? undefined : valueAtJsonPath(object, steps), type, now),
  }
}

/** Converts a value to a cell; null for an empty cell. */
function cellValue(value: Value | undefined, type: string, now: number): Value {
  if (value === undefined || value === null) return null
  if (type === "date") return typeof value === "string" ? ageOf(value, now) : null
  if (type === "string") return isMap(value) || isList(value) ? JSON.stringify(value) : String(value)
  return typeof value === "number" || typeof value === "bigint" || typeof value === "boolean" ? value : null
}

/** A step of a JSON path: a key, an index, or a filter for the first item that has this text at a key. */
type JsonPathStep = string | number | { readonly key: string; readonly equals: string }

const stepPattern =
  /^(?:\.([-\w]+(?:\\\.[-\w/]+)*)|\[(\d+)\]|\['([^']*)'\]|\[\?\(@\.([\w.]+)\s*==\s*["']([^"']*)["']\)\])/

/** Parses a simple JSON path; undefined for a path with anything but keys, indexes and equality filters. */
function parseJsonPath(path: string): JsonPathStep[] | undefined {
  const steps: JsonPathStep[] = []
  let rest = path
  while (rest !== "") {
    const match = stepPattern.exec(rest)
    if (match === null) return undefined
    const [all, name, index, quoted, key, equals] = match
    if (name !== undefined) steps.push(name.replaceAll("\\.", "."))
    else if (index !== undefined) steps.push(Number(index))
    else if (quoted !== undefined) steps.push(quoted)
    else steps.push({ key: key as string, equals: equals as string })
    rest = rest.slice(all.length)
  }
  return steps
}

function valueAtJsonPath(value: Value, steps: readonly JsonPathStep[]): Value | undefined {
  let current: Value | undefined = value
  for (const step of steps) {
    if (typeof step === "object") {
      const { key, equals } = step
      const items: readonly Value[] = isList(current) ? current : []
      current = items.find(item => String(valueAtSteps(item, key.split(".")) ?? "") === equals)
    } else current = valueAtSteps(current, [step])
  }
  return current
}
