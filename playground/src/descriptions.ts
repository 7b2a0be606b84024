// Reads descriptions of fields from OpenAPI documents and CustomResourceDefinitions.
import { isList, isMap, type MapValue, type Value } from "structured-merge-diff"
import { item } from "./yaml-path.js"

type Steps = readonly (string | typeof item)[]

/** Returns the descriptions of the fields of one map of a kind, by name. Empty if the documents do not describe them. */
export function describeFields(
  documents: readonly Value[],
  apiVersion: string,
  kind: string,
  steps: Steps,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const document of documents) {
    const root = isMap(document) ? rootOf(document, apiVersion, kind) : undefined
    const node = root === undefined ? undefined : follow(document as MapValue, root, steps)
    const properties = node === undefined ? undefined : mapAt(node, "properties")
    for (const [name, schema] of Object.entries(properties ?? {})) {
      const description = isMap(schema) ? textAt(schema, "description") : undefined
      if (description !== undefined) found.set(name, description)
    }
  }
  return found
}

function rootOf(document: MapValue, apiVersion: string, kind: string): MapValue | undefined {
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
    if (node === undefined) return undefined
    const next: MapValue | undefined =
      step === item
        ? mapAt(node, "items")
        : (mapAt(mapAt(node, "properties") ?? {}, step) ?? mapAt(node, "additionalProperties"))
    node = next && resolved(document, next)
  }
  return node
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
