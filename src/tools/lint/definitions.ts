// Checks definitions: the unions of CustomResourceDefinitions, of OpenAPI documents, and of Go types that were read.

import { formatJson } from "../../json/json.js"
import { OpenAPIError } from "../../openapi/conversion/errors.js"
import type { ConvertedSchema, Diagnostic } from "../../openapi/conversion/options.js"
import { enumOf, isRequired } from "../../openapi/conversion/property.js"
import { schemaFromCRD } from "../../openapi/crd.js"
import { type DocumentFormat, formatOf } from "../../openapi/document.js"
import { schemaFromOpenAPIv2 } from "../../openapi/v2.js"
import { schemaFromOpenAPIv3 } from "../../openapi/v3.js"
import type { Atom } from "../../schema/schema.js"
import type { TypeUnions, UnionDef, UnionOverlay } from "../../schema/union.js"
import { aListOfObjects, anObject, requireArgument, requireOptions } from "../../value/argument.js"
import { groupBy } from "../../value/groups.js"
import { own } from "../../value/object.js"
import { formatPointer, parsePointer } from "../../value/pointer.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import { counted, listAnd } from "../../value/words.js"
import { finding, type LintFinding } from "./finding.js"
import { lintListTypes } from "./list-types.js"
import { type Root, valueAt } from "./place.js"

/**
 * Finds problems with the unions of a CustomResourceDefinition or an OpenAPI document: those declared as `x-kubernetes-unions`, and those
 * stated as validation. Also checks how its lists and maps are merged. Paths are JSON pointers into the document. Throws an OpenAPIError
 * for documents that can't be converted, and a TypeError for a document of another kind.
 *
 * @example
 * ```ts
 * import { lintDefinition } from "structured-merge-diff/lint"
 *
 * const spec = { type: "object", required: ["http"], properties: { http: { type: "object" }, grpc: { type: "object" } } }
 * const schema = { ...spec, oneOf: [{ required: ["http"] }, { required: ["grpc"] }] }
 * const document = { openapi: "3.0.0", components: { schemas: { Spec: schema } } }
 * for (const { code, message } of lintDefinition(document)) console.log(`${code}: ${message}`)
 * // union-member-required: http is always set, so no other member of its union can be: grpc
 * // union-undiscriminated: no field says which of http, grpc is set, so a client that does not know the member drops it silently
 * ```
 */
export function lintDefinition(document: Value): LintFinding[] {
  const format = formatOf(document)
  if (format === undefined || !isMap(document)) {
    throw new TypeError("expected a CustomResourceDefinition or an OpenAPI document")
  }
  const convert =
    format === "CustomResourceDefinition"
      ? schemaFromCRD
      : format === "OpenAPI v3"
        ? schemaFromOpenAPIv3
        : schemaFromOpenAPIv2
  const lists = withoutUnserved(lintLists(document, format), document)
  let converted: ConvertedSchema
  try {
    converted = convert(document, { unionMode: "from-validation" })
  } catch (error) {
    // A conversion error about lists is reported as a finding, which includes the place.
    if (error instanceof OpenAPIError && lists.some(({ severity }) => severity === "error")) return lists
    throw error
  }
  const roots =
    format === "CustomResourceDefinition" ? versionsOf(document, converted) : definitionsOf(document, format)
  const types = converted.schema.types.flatMap(({ name, ...atom }) => unionsIn(name, atom, []))
  const unions = lintStructs({ types }, roots, definitionMap(document))
  return [
    ...folded(withoutUnserved([...converted.diagnostics.flatMap(findingOf), ...unions], document), document),
    ...lists,
  ]
}

/** Returns the findings without remarks about versions that are not served, because nobody can apply objects at them. */
function withoutUnserved(found: readonly LintFinding[], document: MapValue): LintFinding[] {
  return found.filter(({ severity, path }) => {
    const [spec, versions, index] = parsePointer(path)
    const version =
      severity === "info" && versions === "versions"
        ? valueAt(document, [spec ?? "", versions, index ?? ""])
        : undefined
    return !isMap(version ?? null) || own(version as MapValue, "served") !== false
  })
}

/** Finds problems with how the lists and maps of a definition are merged. */
function lintLists(document: MapValue, format: DocumentFormat): LintFinding[] {
  const definitions = definitionMap(document)
  if (format !== "CustomResourceDefinition") {
    const front = format === "OpenAPI v2" ? ["definitions"] : ["components", "schemas"]
    const own = Object.keys(definitions).filter(name => !name.startsWith(metaTypes))
    return own.flatMap(name => lintListsAt(document, [...front, name], definitions, false))
  }
  const versions = valueAt(document, ["spec", "versions"])
  const steps = (index: number) => ["spec", "versions", String(index), "schema", "openAPIV3Schema"]
  return isList(versions) ? versions.flatMap((_, index) => lintListsAt(document, steps(index), {}, true)) : []
}

/** The types of metadata and requests, which the documents of every cluster contain. */
const metaTypes = "io.k8s.apimachinery."

function lintListsAt(
  document: MapValue,
  steps: readonly string[],
  definitions: MapValue,
  isRefused: boolean,
): LintFinding[] {
  const node = valueAt(document, steps)
  return isMap(node) ? lintListTypes({ node, pointer: formatPointer(steps) }, definitions, isRefused) : []
}

/**
 * Like `lintDefinition`, but checks only how lists and maps are merged. Takes an OpenAPI v3 document, such as the result of `readGoTypes`.
 */
export function lintTopology(openapi: MapValue): LintFinding[] {
  requireArgument("openapi", openapi, anObject)
  return lintLists(openapi, "OpenAPI v3")
}

/**
 * Finds problems with the unions of types that an OpenAPI v3 document describes, such as the result of `readGoTypes`. Paths are JSON
 * pointers into the document.
 */
export function lintUnions(unions: UnionOverlay, openapi: MapValue): LintFinding[] {
  requireOptions("unions", unions, { types: aListOfObjects })
  requireArgument("openapi", openapi, anObject)
  return lintStructs(unions, definitionsOf(openapi, "OpenAPI v3"), definitionMap(openapi))
}

type Roots = (typeName: string) => Root | undefined

function versionsOf(crd: MapValue, { kinds }: ConvertedSchema): Roots {
  return typeName => {
    const index = kinds.findIndex(kind => kind.typeName === typeName)
    const steps = ["spec", "versions", String(index), "schema", "openAPIV3Schema"]
    const node = index < 0 ? undefined : valueAt(crd, steps)
    return isMap(node) ? { node: node as MapValue, pointer: formatPointer(steps) } : undefined
  }
}

function definitionsOf(document: MapValue, format: "OpenAPI v2" | "OpenAPI v3"): Roots {
  const front = format === "OpenAPI v2" ? ["definitions"] : ["components", "schemas"]
  return typeName => {
    const node = valueAt(document, [...front, typeName])
    return isMap(node) ? { node: node as MapValue, pointer: formatPointer([...front, typeName]) } : undefined
  }
}

/** Returns the schemas that references point to. */
function definitionMap(document: MapValue): MapValue {
  const found = valueAt(document, ["components", "schemas"]) ?? own(document, "definitions")
  return isMap(found) ? (found as MapValue) : {}
}

/** Returns the structs with unions in a type, including inline structs. */
function unionsIn(name: string, { list, map }: Atom, at: readonly string[]): TypeUnions[] {
  const found: TypeUnions[] = []
  if (map?.unions !== undefined) found.push({ name, at, unions: map.unions })
  for (const field of map?.fields ?? []) found.push(...unionsIn(name, field.type, [...at, field.name]))
  for (const element of [list?.elementType, map?.elementType]) {
    if (element !== undefined) found.push(...unionsIn(name, element, [...at, "*"]))
  }
  return found
}

function findingOf({ code, path, message }: Diagnostic): LintFinding[] {
  if (code === "wrong-union") {
    return [finding("union-invalid", path, message, "fix the declaration; until then the union has no effect")]
  }
  if (code === "unknown-union-key") {
    return [finding("union-invalid", path, message, "correct the key; until then it has no effect")]
  }
  if (code !== "no-union") return []
  const remedy =
    "nothing, if this is intended; if it is a union, write ExactlyOneOf, AtMostOneOf or x-kubernetes-unions"
  return [finding("union-lookalike", path, message, remedy)]
}

/**
 * Returns the findings, with one remark for each rule and union: a type that is used in several places has copies of them in each. Remarks
 * about different rules of one struct stay apart.
 */
function folded(found: readonly LintFinding[], document: MapValue): LintFinding[] {
  const groups = groupBy(found, ({ code, path, message }) => {
    const rule = code === "union-lookalike" ? valueAt(document, parsePointer(path)) : undefined
    return formatJson([code, message, code === "union-undiscriminated" ? "" : (rule ?? path)])
  })
  return [...groups.values()].flatMap(([first, ...copies]) => {
    if (first === undefined || copies.length === 0) return first ?? []
    return { ...first, message: `${first.message}; ${counted(copies.length, "copy", "copies")} elsewhere` }
  })
}

function lintStructs({ types }: UnionOverlay, roots: Roots, definitions: MapValue): LintFinding[] {
  return types.flatMap(({ name, at = [], unions }) => {
    const root = roots(name)
    const struct = root && structAt(root, at)
    return struct === undefined ? [] : unions.flatMap(union => lintUnion(union, struct, definitions))
  })
}

function structAt({ node, pointer }: Root, at: readonly string[]): Root | undefined {
  let found: Root = { node, pointer }
  for (const step of at) {
    const element = isMap(own(found.node, "items") ?? null) ? "items" : "additionalProperties"
    const steps = step === "*" ? [element] : ["properties", step]
    const next = valueAt(found.node, steps)
    if (!isMap(next)) return undefined
    found = { node: next as MapValue, pointer: `${found.pointer}${formatPointer(steps)}` }
  }
  return found
}

/** Finds problems with a union, given the schema of its struct. */
function lintUnion(union: UnionDef, { node, pointer }: Root, definitions: MapValue): LintFinding[] {
  const { discriminator, fields = [], emptyValues = [], cardinality } = union
  const found: LintFinding[] = []
  const names = fields.map(({ fieldName }) => fieldName)
  const items = fields.some(({ item }) => item !== undefined)
  const at = (field: string) => `${pointer}${formatPointer(["properties", field])}`
  const always = items ? [] : names.filter(name => isAlwaysThere(node, name))
  const [first] = always
  if (always.length > 1) {
    const message = `${listAnd(always)} are always set, and are members of one union, so nothing can be valid`
    found.push(finding("union-unsatisfiable", pointer, message, "make them optional, and give them no default"))
  } else if (first !== undefined && names.length > 1) {
    const others = names.filter(name => name !== first).join(", ")
    const message = `${first} is always set, so no other member of its union can be: ${others}`
    found.push(
      finding("union-member-required", at(first), message, "make it optional (+optional), and give it no default"),
    )
  }
  if (discriminator === undefined) {
    const message = `no field says which of ${items ? "the items" : names.join(", ")} is set, so a client that does not know the member drops it silently`
    if (!items) found.push(finding("union-undiscriminated", pointer, message, "add a discriminator, if the API is new"))
    return found
  }
  const values = valuesOf(node, discriminator, definitions)
  found.push(...unknownValues(union, at(discriminator), values))
  const selecting = [...fields.map(({ discriminatorValue = "" }) => discriminatorValue), ...emptyValues]
  const isSelectable = selecting.some(value => values?.includes(value))
  if (cardinality === "exactlyOne" && values !== undefined && !isSelectable) {
    const message = `one member has to be set, and no value that ${discriminator} can have selects one, so nothing can be valid`
    found.push(
      finding("union-unsatisfiable", at(discriminator), message, "let its enum have the values of the members"),
    )
  }
  if (cardinality === "exactlyOne" && !isAlwaysThere(node, discriminator)) {
    const message = `one member has to be set, but ${discriminator}, which selects it, may be absent`
    const remedy = `make ${discriminator} required, or give it a default`
    found.push(finding("union-discriminator-optional", at(discriminator), message, remedy))
  }
  return found
}

function unknownValues(union: UnionDef, at: string, values: readonly Value[] | undefined): LintFinding[] {
  const { discriminator = "", fields = [], emptyValues = [], noneValue } = union
  if (values === undefined) return []
  const found = fields.flatMap(({ fieldName, discriminatorValue }) =>
    discriminatorValue === undefined || values.includes(discriminatorValue)
      ? []
      : [`${fieldName} is selected by ${JSON.stringify(discriminatorValue)}, which ${discriminator} can't be`],
  )
  const members = fields.map(({ discriminatorValue }) => discriminatorValue)
  const known = new Set<Value | undefined>([...members, ...emptyValues, noneValue])
  const declared = emptyValues.length > 0 || noneValue !== undefined
  const strange = declared ? values.filter(value => !known.has(value)) : []
  for (const value of strange)
    found.push(`${discriminator} can be ${JSON.stringify(value)}, which neither selects a member nor stands for none`)
  const remedy = "limit the enum of the discriminator to values that select a member or none"
  return found.map(message => finding("union-value-unknown", at, message, remedy))
}

function valuesOf(node: MapValue, field: string, definitions: MapValue): readonly Value[] | undefined {
  return enumOf(valueAt(node, ["properties", field]), definitions)
}

/** Whether an object of the schema always has the field. */
function isAlwaysThere(node: MapValue, field: string): boolean {
  const fallback = valueAt(node, ["properties", field, "default"])
  return isRequired(node, field) || (fallback !== undefined && fallback !== null)
}
