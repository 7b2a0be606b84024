// Finds the type of a document: a type of a given schema, or the type of its apiVersion and kind, from given documents or built in.

import { SchemaError, ValidationError } from "../../errors.js"
import type { FoundKind, TypeFinder } from "../../managedfields/types/object-types.js"
import type { ConversionOptions } from "../../openapi/conversion/options.js"
import { type ObjectKind, objectKindOf } from "../../schema/group-version-kind.js"
import { parseTypes } from "../../typed/parser.js"
import { type CompiledSchema, compileSchema, type Type } from "../../typed/type.js"
import { TypedValue } from "../../typed/typed-value.js"
import { didYouMean, nearest } from "../../value/nearest.js"
import { own } from "../../value/object.js"
import { Table } from "../../value/table.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import { noSecrets } from "../secrets/secrets.js"
import { type BuiltInTypes, loadBuiltInTypes, unionsAdder } from "./built-in-types.js"
import { type Document, documentAt, InputError } from "./document.js"
import {
  asTypeDocuments,
  definitionOf,
  explained,
  loadTypeDocuments,
  summarize,
  type TypeDocument,
  typeDocumentsOf,
} from "./document-types.js"
import type { Input } from "./input.js"
import { type documentOptions, UsageError, type ValuesOf } from "./options.js"
import { formatIssues } from "./problems.js"
import { asksForUnions, conversionOf, type UnionValues } from "./unions.js"

/** The options that `loadTypes` reads. */
export interface TypesValues extends ValuesOf<typeof documentOptions>, UnionValues {
  readonly schema: string | undefined
  readonly type?: string | undefined
}

export interface Types {
  /** The names of the types, in the order of the schema. */
  typeNames(): readonly string[]
  /** The names of all types that `typeOf` may return. */
  allTypeNames(): readonly string[]
  /** Returns the type of a document. Throws an InputError if it has no type. */
  typeOf(document: Document): Type
  /** Whether some of the types come from definitions of custom resources, which may have rules. */
  readonly hasDefinitions: boolean
  /** Returns the source of the document's type: the definition of a custom resource, or a built-in kind. */
  sourceOf(document: Document): TypeSource
}

export interface TypeSource {
  readonly definition: Value | undefined
  readonly builtIn: boolean
  /** The object that represents a new object of the kind, for a FieldManager. */
  readonly emptyObject: MapValue | undefined
}

/** Reports an object whose kind has no type. */
export class UnknownKindInputError extends InputError {}

/**
 * Loads the types that `--schema` and `--type` choose, or `--openapi` and `--crd`; without any of these, the built-in types.
 * `definitions` of custom resources that came with the objects provide types as `--crd` does, which takes precedence. Types of a schema
 * and of custom resources have their own unions; the types of Kubernetes have unions if `--unions` requests them. `--union-overlay`
 * replaces both.
 */
export async function loadTypes(
  args: TypesValues,
  input: Input,
  definitions: readonly Document[] = [],
): Promise<Types> {
  const types = await findTypes(args, input, definitions)
  const { unionOverlay } = args
  if (unionOverlay === undefined) return types
  const { overlayer } = await import("./overlay.js")
  const overlaid = overlayer(await input.document(unionOverlay), types.allTypeNames())
  return { ...types, typeOf: document => overlaid(types.typeOf(document)) }
}

/** Returns a TypeFinder for these types, which looks up each kind once. */
export function finderOf(types: Types): TypeFinder {
  const known = new Table<string, { readonly found: FoundKind | undefined }>()
  return {
    find(apiVersion, kind) {
      const id = `${apiVersion} ${kind}`
      const { found } = known.get(id) ?? known.add(id, { found: foundKind(types, apiVersion, kind) })
      return found
    },
  }
}

function foundKind(types: Types, apiVersion: string, kind: string): FoundKind | undefined {
  const place = { file: "", position: undefined }
  const document = documentAt(place, { file: "", text: "" }, { apiVersion, kind }, noSecrets)
  try {
    const type = types.typeOf(document)
    return {
      schema: type.schema.schema,
      typeName: type.name,
      emptyObject: types.sourceOf(document).emptyObject,
    }
  } catch (error) {
    if (error instanceof InputError) return undefined
    throw error
  }
}

async function findTypes(args: TypesValues, input: Input, definitions: readonly Document[]): Promise<Types> {
  const unions = asksForUnions(args)
  const { schema: file, type: name } = args
  const files = [...args.openapi, ...args.crd]
  const byKind = file === undefined && name === undefined
  const found = byKind ? [...(await clusterTypes(input)), ...asTypeDocuments(definitions)] : []
  if (files.length > 0 || found.length > 0) {
    if (byKind) {
      const documents = [...found, ...(await loadTypeDocuments(files, input))]
      return documentTypes(documents, input, unions, conversionOf(args))
    }
    const other = file === undefined ? "--type" : "--schema"
    throw new UsageError(
      `${other} can't be used with --openapi and --crd, whose types are found by apiVersion and kind`,
    )
  }
  if (byKind) return kubernetesTypes(unions)
  const builtIn = file === undefined ? await loadBuiltInTypes(unions) : undefined
  const schema = builtIn === undefined ? await loadSchema(file as string, input) : compileSchema(builtIn.schema)
  const type = namedType(schema, name ?? schema.typeNames[0], file ?? "the built-in schema")
  const sourceOf = (document: Document) => builtInSource(builtIn, document, type)
  const typeNames = () => schema.typeNames
  return { typeNames, allTypeNames: typeNames, hasDefinitions: false, typeOf: () => type, sourceOf }
}

/** The beginning of the names of documents that come from a cluster. */
const clusterPrefix = "cluster: "

/** Returns the OpenAPI documents of the cluster that the run reads, for the objects that it has read. */
async function clusterTypes(input: Input): Promise<TypeDocument[]> {
  const documents = await input.clusterDocuments()
  return documents.flatMap(({ name, document }) => {
    const file = `${clusterPrefix}/openapi/v3/${name}`
    return typeDocumentsOf([documentAt({ file, position: undefined }, { file, text: "" }, document, noSecrets)], file)
  })
}

async function loadSchema(file: string, input: Input): Promise<CompiledSchema> {
  return schemaOf(await input.document(file))
}

/** Reads a document as a schema. Throws an InputError with the places of all its problems. */
export function schemaOf(document: Document): CompiledSchema {
  try {
    return parseTypes(document.value)
  } catch (error) {
    const { cause } = error as SchemaError
    if (error instanceof SchemaError && cause instanceof ValidationError) {
      throw new InputError(formatIssues(document, cause.issues))
    }
    throw error
  }
}

function namedType(schema: CompiledSchema, name: string | undefined, where: string): Type {
  if (name === undefined) throw new InputError(`${where}: has no types`)
  if (schema.has(name)) return schema.type(name)
  throw new InputError(`${where}: has no type ${name}${didYouMean(name, schema.typeNames)}`)
}

async function kubernetesTypes(unions: boolean): Promise<Types> {
  const builtIn = await loadBuiltInTypes(unions)
  const schema = compileSchema(builtIn.schema)
  const typeOf = (document: Document): Type => {
    const { apiVersion, kind } = requiredKindOf(document)
    const found = builtIn.find(apiVersion, kind)
    if (found !== undefined) return schema.type(found.typeName)
    const close = nearest(`${apiVersion} ${kind}`, builtIn.kinds())
    const hint = close === undefined ? `custom resources need ${remedies}` : `did you mean ${close}?`
    throw new UnknownKindInputError(`${document.at(["kind"])}: no built-in type for ${apiVersion} ${kind}; ${hint}`)
  }
  const sourceOf = (document: Document) => builtInSource(builtIn, document, typeOf(document))
  const typeNames = () => schema.typeNames
  return { typeNames, allTypeNames: typeNames, hasDefinitions: false, typeOf, sourceOf }
}

/**
 * Returns the built-in source of a document's type. Ignores an empty object that does not fit `type`, which may be from another
 * release.
 */
function builtInSource(builtIn: BuiltInTypes | undefined, { value }: Document, type: Type): TypeSource {
  const { apiVersion, kind } = objectKindOf(value)
  const found = builtIn?.find(apiVersion, kind)
  const empty = found?.emptyObject
  const emptyObject = empty !== undefined && fits(empty, type) ? empty : undefined
  return { definition: undefined, builtIn: found !== undefined, emptyObject }
}

function fits(value: MapValue, type: Type): boolean {
  try {
    TypedValue.of(value, type)
    return true
  } catch (error) {
    if (error instanceof ValidationError) return false
    throw error
  }
}

const remedies = "--crd FILE, --openapi FILE, or --schema FILE --type NAME"

/** The types of documents, and the built-in types for kinds that these documents lack. */
async function documentTypes(
  documents: readonly TypeDocument[],
  input: Input,
  unions: boolean,
  conversion: ConversionOptions,
): Promise<Types> {
  const builtIn = await loadBuiltInTypes(unions)
  const { convertAll, converterOf, findType } = await import("./convert-documents.js")
  const converter = converterOf(documents, { ...conversion, fallback: builtIn.find })
  const addUnions = unions ? await unionsAdder() : undefined
  let reported = 0
  const typeOf = (document: Document): Type => {
    const { apiVersion, kind } = requiredKindOf(document)
    const found = explained(documents, () => {
      const type = findType(converter, apiVersion, kind)
      if (!("lines" in type)) return type
      const [first = "", ...others] = type.lines
      throw new UnknownKindInputError([`${document.at(["kind"])}: ${first}`, ...others.map(line => `  ${line}`)])
    })
    // Only the owners of a cluster's types could act on remarks about them.
    const diagnostics = converter.diagnostics.filter(({ document }) => !document.startsWith(clusterPrefix))
    for (const line of summarize(documents, diagnostics.slice(reported))) input.remark(`${line}\n`)
    reported = diagnostics.length
    return compileSchema(addUnions?.(found.schema) ?? found.schema).type(found.typeName)
  }
  const typeNames = () =>
    explained(documents, () => convertAll(documents, conversion)).schema.types.map(type => type.name)
  const sourceOf = (document: Document) => ({
    ...builtInSource(builtIn, document, typeOf(document)),
    definition: definitionOf(document.value, documents)?.value,
  })
  const allTypeNames = () => [...typeNames(), ...builtIn.schema.types.map(type => type.name)]
  const hasDefinitions = documents.some(({ format }) => format === "CustomResourceDefinition")
  return { typeNames, allTypeNames, hasDefinitions, typeOf, sourceOf }
}

function requiredKindOf(document: Document): ObjectKind {
  return { apiVersion: requiredText(document, "apiVersion"), kind: requiredText(document, "kind") }
}

function requiredText(document: Document, key: string): string {
  const found = isMap(document.value) ? own(document.value, key) : undefined
  if (typeof found === "string" && found !== "") return found
  const remedy = "types are found by apiVersion and kind; for objects without these give --schema FILE --type NAME"
  throw new InputError(`${document.at([key])}: ${key} is missing: ${remedy}`)
}
