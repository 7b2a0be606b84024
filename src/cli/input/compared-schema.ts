// Reads one side of `smd schema diff`: the types of a file or folder, and their places.

import { formatGoTypesIssue } from "../../gotypes/source/errors.js"
import type { ConversionOptions } from "../../openapi/conversion/options.js"
import { referenceOf } from "../../openapi/conversion/property.js"
import { formatApiVersion } from "../../schema/group-version-kind.js"
import type { SchemaPlace } from "../../tools/ownership/schema-changes.js"
import type { ComparedSchema } from "../../tools/ownership/schema-diff.js"
import { applyUnionOverlay } from "../../union/overlay.js"
import { type Steps, valueAtSteps } from "../../value/change.js"
import { own } from "../../value/object.js"
import { isList, isMap, type Value } from "../../value/value.js"
import { printable } from "../terminal/layout.js"
import { convertAll } from "./convert-documents.js"
import type { Document, FilePlace } from "./document.js"
import { explained, summarize, type TypeDocument, typeDocumentsOf } from "./document-types.js"
import type { Input } from "./input.js"
import { pointerSteps } from "./locate.js"
import { asGoInput, readGo } from "./rules.js"
import { schemaOf } from "./types.js"

/** The types of one side, with their places. A type or field that the side lacks has the place of the nearest one above it. */
export interface SchemaSide extends ComparedSchema {
  placeOf(place: SchemaPlace): FilePlace
}

/** The options that `readSide` reads. */
export interface SideValues {
  readonly go: readonly string[]
  readonly recursive: boolean
}

/**
 * Reads the types of a path: CustomResourceDefinitions and OpenAPI documents, a schema document, or Go types. In a folder with Go files
 * only these are read, in any other folder its manifests.
 */
export async function readSide(
  path: string,
  args: SideValues,
  input: Input,
  options: ConversionOptions,
): Promise<SchemaSide> {
  const files = (await input.filesOf(path, args.recursive, [".go", ".json", ".yaml", ".yml"])) ?? [path]
  if (files.some(file => file.endsWith(".go"))) return await readGoSide(path, args, input)
  const documents: Document[] = []
  for (const file of files) documents.push(...(await input.generated(file)))
  const [first] = documents
  if (first !== undefined && documents.length === 1 && isSchema(first)) return schemaSide(first)
  return documentSide(typeDocumentsOf(documents, path), input, options)
}

function isSchema({ value }: Document): boolean {
  return isMap(value) && own(value, "kind") === undefined && isList(own(value, "types"))
}

function schemaSide(document: Document): SchemaSide {
  const { schema } = schemaOf(document)
  const placeOf = ({ type }: SchemaPlace) => {
    const index = schema.types.findIndex(({ name }) => name === type)
    return document.placeOf(index < 0 ? [] : ["types", index])
  }
  return { schema, placeOf }
}

function documentSide(documents: readonly TypeDocument[], input: Input, options: ConversionOptions): SchemaSide {
  const { schema, kinds, diagnostics } = explained(documents, () => convertAll(documents, options))
  for (const line of summarize(documents, diagnostics)) input.remark(`${line}\n`)
  const placeOf = ({ type, steps }: SchemaPlace) => {
    const kind = kinds.find(kind => `${formatApiVersion(kind)} ${kind.kind}` === type)
    const typeName = kind?.typeName ?? type
    for (const document of documents) {
      const start = schemaSteps(document.value, typeName, type)
      if (start !== undefined) return document.placeOf(followSteps(document.value, start, steps))
    }
    return (documents[0] as TypeDocument).placeOf([])
  }
  return { schema, kinds, placeOf }
}

async function readGoSide(path: string, args: SideValues, input: Input): Promise<SchemaSide> {
  const imports = args.go.filter(given => given.includes("="))
  const { schema, unions, openapi, placeOf, kinds, warnings } = await asGoInput(readGo({}, input, [path, ...imports]))
  for (const issue of warnings) input.remark(`${printable(`warning: ${formatGoTypesIssue(issue)}`)}\n`)
  return {
    schema: applyUnionOverlay(schema, unions),
    kinds,
    placeOf: ({ type, steps }) => {
      const typeName = kinds.find(kind => `${formatApiVersion(kind)} ${kind.kind}` === type)?.typeName ?? type
      const [, , name = "", ...inside] = followSteps(openapi, ["components", "schemas", typeName], steps)
      const at = inside.flatMap((step, i) => (step === "properties" ? String(inside[i + 1]) : isInner(step) ? "*" : []))
      const found = placeOf(String(name), at) ?? placeOf(String(name))
      return { file: found?.file ?? path, position: found && { line: found.line, column: 1 } }
    },
  }
}

function isInner(step: string | number): boolean {
  return step === "items" || step === "additionalProperties"
}

/** The steps to the schema of a type; undefined if the document does not have it. */
function schemaSteps(root: Value, typeName: string, kind: string): Steps | undefined {
  for (const start of [
    ["components", "schemas", typeName],
    ["definitions", typeName],
  ]) {
    if (valueAtSteps(root, start) !== undefined) return start
  }
  const group = valueAtSteps(root, ["spec", "group"])
  const versions = valueAtSteps(root, ["spec", "versions"])
  if (!isList(versions)) return undefined
  const name = valueAtSteps(root, ["spec", "names", "kind"])
  const index = versions.findIndex(
    version => `${String(group)}/${String(valueAtSteps(version, ["name"]))} ${String(name)}` === kind,
  )
  return index < 0 ? undefined : ["spec", "versions", index, "schema", "openAPIV3Schema"]
}

/** Follows the steps of a schema through a document as far as they exist, and returns the steps in the document. */
function followSteps(root: Value, start: Steps, steps: readonly string[]): Steps {
  let here = followReferences(root, start)
  for (const step of steps) {
    const names = step === "[*]" ? ["items"] : step === ".*" ? ["additionalProperties"] : ["properties", step.slice(2)]
    const next = [names, ["additionalProperties"]]
      .map(more => [...here, ...more])
      .find(more => isMap(valueAtSteps(root, more) ?? null))
    if (next === undefined) return here
    here = followReferences(root, next)
  }
  return here
}

/** Follows the references of a schema. */
function followReferences(root: Value, steps: Steps): Steps {
  let here = steps
  for (let i = 0; i < mostReferences; i++) {
    const schema = valueAtSteps(root, here) ?? null
    const reference = isMap(schema) ? referenceOf(own(schema, "$ref"), own(schema, "allOf")) : ""
    if (!reference.startsWith("#/")) return here
    here = pointerSteps(root, reference.slice(1))
  }
  return here
}

/** References may form a circle. */
const mostReferences = 20
