// Reads the documents in which clusters publish types: OpenAPI documents and CustomResourceDefinitions.

import { OpenAPIError, placeOf } from "../../openapi/conversion/errors.js"
import type { Diagnostic } from "../../openapi/conversion/options.js"
import { type DocumentFormat, describeUnknown, formatOf } from "../../openapi/document.js"
import { kindOf } from "../../schema/group-version-kind.js"
import { mapAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import { counted } from "../../value/words.js"
import { printable } from "../terminal/layout.js"
import { type Document, forEach, InputError, partOf } from "./document.js"
import type { Input } from "./input.js"
import { pointerSteps } from "./locate.js"

/** A document that has types. */
export interface TypeDocument extends Document {
  /** The name of the file, with a number if it has several documents. */
  readonly name: string
  readonly format: DocumentFormat
}

/**
 * Reads the OpenAPI documents and CustomResourceDefinitions of these files, and of all files in these folders and their inner folders, including the items of Lists. Ignores other objects, because
 * a file with definitions often has other objects too. Throws an InputError for a file without any such document.
 */
export async function loadTypeDocuments(files: readonly string[], input: Input): Promise<TypeDocument[]> {
  const loaded: TypeDocument[] = []
  for (const path of files) {
    const inside = await input.filesOf(path, true)
    if (inside === undefined) loaded.push(...typeDocumentsOf(await input.generated(path), path))
    else loaded.push(...(await ofFolder(path, inside, input)))
  }
  return loaded
}

/** Reads the documents with types of the files of a folder. Throws an InputError if no file has any. */
async function ofFolder(folder: string, files: readonly string[], input: Input): Promise<TypeDocument[]> {
  const found = await forEach(files, async file => {
    const documents = withTypes(await input.generated(file))
    return documents.length === 1 ? documents : documents.map(numbered)
  })
  if (found.flat().length === 0) throw new InputError(`${folder}: expected ${formats} in some file, found none`)
  return found.flat()
}

function withTypes(all: readonly Document[]): TypeDocument[] {
  return all.flatMap(document => [document, ...itemsOf(document)]).flatMap(withFormat)
}

/** Selects the documents with types from all documents of a file or folder. Throws an InputError if no document has types. */
export function typeDocumentsOf(all: readonly Document[], file: string): TypeDocument[] {
  const found = withTypes(all)
  const [first] = all
  if (found.length === 0) {
    const holds = first === undefined ? "no document" : describeUnknown(first.value)
    throw new InputError(`${first?.file ?? file}: expected ${formats}, found ${holds}`)
  }
  return found.length === 1 ? found : found.map(numbered)
}

const formats = "an OpenAPI document or a CustomResourceDefinition"

/** Whether the document defines custom resources. */
export function isDefinition({ value }: Document): boolean {
  return formatOf(value) === "CustomResourceDefinition"
}

/** Returns the definitions among the objects of an application, as documents with types. */
export function asTypeDocuments(definitions: readonly Document[]): TypeDocument[] {
  return definitions
    .flatMap(withFormat)
    .map((document, _, all) => (all.length === 1 ? document : { ...document, name: document.at([]) }))
}

function withFormat(document: Document): TypeDocument[] {
  const format = formatOf(document.value)
  return format === undefined ? [] : [{ ...document, name: document.file, format }]
}

function numbered(document: TypeDocument, index: number): TypeDocument {
  return { ...document, name: `${document.file}[${index}]` }
}

function itemsOf(list: Document): Document[] {
  const items = isMap(list.value) ? own(list.value, "items") : undefined
  if (!isList(items)) return []
  return items.map((value, i) => partOf(list, ["items", i], value))
}

/** Returns the last of these documents that defines the kind of `object`; undefined if none does. */
export function definitionOf<T extends Document>(object: Value, documents: readonly T[]): T | undefined {
  if (!isMap(object)) return undefined
  const { group, kind } = kindOf(object)
  return documents.findLast(document => {
    if (!isDefinition(document)) return false
    const spec = mapAt(document.value as MapValue, "spec")
    return own(spec, "group") === group && own(mapAt(spec, "names"), "kind") === kind
  })
}

/** Runs `convert`. An OpenAPIError becomes an InputError with the place of every issue. */
export function explained<T>(documents: readonly TypeDocument[], convert: () => T): T {
  try {
    return convert()
  } catch (error) {
    if (error instanceof OpenAPIError)
      throw new InputError(error.issues.map(issue => formatDiagnostic(documents, issue)))
    throw error
  }
}

/** Formats an issue or diagnostic of a conversion on one line: place, path, message. */
export function formatDiagnostic(
  documents: readonly TypeDocument[],
  { document, path, message }: Pick<Diagnostic, "document" | "path" | "message">,
): string {
  const found = documents.find(({ name }) => name === document)
  if (found === undefined) return printable(`${placeOf(document, path)}: ${message}`)
  return printable(`${found.at(pointerSteps(found.value, path))}: ${path === "" ? "" : `${path}: `}${message}`)
}

/** Returns a line for each diagnostic, or just their number for each document if there are many, so that they don't bury the result. */
export function summarize(documents: readonly TypeDocument[], diagnostics: readonly Diagnostic[]): string[] {
  if (diagnostics.length <= mostRemarks) return diagnostics.map(diagnostic => formatDiagnostic(documents, diagnostic))
  const names = [...new Set(diagnostics.map(({ document }) => document))]
  return names.map(name => {
    const remarks = counted(diagnostics.filter(({ document }) => document === name).length, "remark")
    return printable(`${name}: ${remarks} on its types; smd schema convert shows them`)
  })
}

const mostRemarks = 3
