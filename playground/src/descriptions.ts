// Reads descriptions and rules of fields from OpenAPI documents and CustomResourceDefinitions.
import { isList, isMap, type MapValue, type Value } from "structured-merge-diff"
import type { ObjectKind } from "structured-merge-diff/managedfields"
import type { Steps } from "../../src/value/change.js"

/** A field, as a document describes it. */
export interface DescribedField {
  readonly description?: string
  readonly required: boolean
  readonly values: readonly Value[]
  readonly default?: Value
}

/** Returns the field of a kind that the steps lead to, as the last document with the kind describes it; undefined if no document has it. */
export function describeField(documents: readonly Value[], kind: ObjectKind, steps: Steps): DescribedField | undefined {
  for (const document of documents.toReversed()) {
    const root = isMap(document) ? rootOf(document, kind) : undefined
    if (root === undefined) continue
    const parent = follow(document as MapValue, root, steps.slice(0, -1))
    const field = parent && below(parent, steps.at(-1))
    if (parent === undefined || field === undefined) continue
    const { required } = parent
    const { default: standard } = field
    // A reference without a text of its own has the text of the type.
    const type = resolved(document as MapValue, field)
    const description = textAt(field, "description") ?? textAt(type, "description")
    return {
      ...(description !== undefined && { description }),
      required: isList(required) && required.includes(steps.at(-1) ?? ""),
      values: isList(type.enum) ? type.enum : [],
      ...(standard !== undefined && { default: standard }),
    }
  }
  return undefined
}

function rootOf(document: MapValue, { apiVersion, kind }: ObjectKind): MapValue | undefined {
  const [version = "", group = ""] = apiVersion.split("/").reverse()
  if (textAt(document, "kind") === "CustomResourceDefinition") {
    const spec = mapAt(document, "spec") ?? {}
    if (textAt(spec, "group") !== group || textAt(mapAt(spec, "names") ?? {}, "kind") !== kind) return undefined
    const versions = isList(spec.versions) ? spec.versions.filter(isMap) : []
    const served = versions.find(entry => textAt(entry, "name") === version)
    return mapAt(mapAt(served ?? {}, "schema") ?? mapAt(spec, "validation") ?? {}, "openAPIV3Schema")
  }
  for (const schema of Object.values(schemasOf(document))) {
    if (!isMap(schema)) continue
    const kinds = schema["x-kubernetes-group-version-kind"]
    const fits = (entry: Value) =>
      isMap(entry) && entry.kind === kind && entry.version === version && (entry.group ?? "") === group
    if (isList(kinds) && kinds.some(fits)) return schema
  }
  return undefined
}

function follow(document: MapValue, root: MapValue, steps: Steps): MapValue | undefined {
  let node: MapValue | undefined = resolved(document, root)
  for (const step of steps) {
    const next: MapValue | undefined = node && below(node, step)
    node = next && resolved(document, next)
  }
  return node
}

function below(schema: MapValue, step: Steps[number] | undefined): MapValue | undefined {
  if (typeof step === "number") return mapAt(schema, "items")
  return mapAt(mapAt(schema, "properties") ?? {}, step ?? "") ?? mapAt(schema, "additionalProperties")
}

/** Returns the schema that this one refers to. Kubernetes wraps references in `allOf` to add a description. */
function resolved(document: MapValue, schema: MapValue): MapValue {
  const [first] = isList(schema.allOf) ? schema.allOf : []
  const reference = textAt(schema, "$ref") ?? (isMap(first) ? textAt(first, "$ref") : undefined)
  const name = reference?.split("/").at(-1)
  return (name === undefined ? undefined : mapAt(schemasOf(document), name)) ?? schema
}

function schemasOf(document: MapValue): MapValue {
  return mapAt(mapAt(document, "components") ?? {}, "schemas") ?? mapAt(document, "definitions") ?? {}
}

function mapAt(map: MapValue, key: string): MapValue | undefined {
  const value = Object.hasOwn(map, key) ? map[key] : undefined
  return isMap(value) ? value : undefined
}

function textAt(map: MapValue, key: string): string | undefined {
  const value = Object.hasOwn(map, key) ? map[key] : undefined
  return typeof value === "string" ? value : undefined
}
