import { SchemaError } from "../errors.js"
import { formatApiVersion, formatKind, parseKind } from "../schema/group-version-kind.js"
import type { Schema } from "../schema/schema.js"
import { aListOfObjects, aString, requireArgument } from "../value/argument.js"
import { own } from "../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../value/value.js"
import { OpenAPIError } from "./conversion/errors.js"
import { kindsOf } from "./conversion/extensions.js"
import type { ConvertedSchema, Diagnostic, KindEntry } from "./conversion/options.js"
import { type CRDOptions, kindsOfCRD, schemaFromCRD } from "./crd.js"
import { type DocumentFormat, describeUnknown, formatOf } from "./document.js"
import { schemaFromOpenAPIv2 } from "./v2.js"
import { schemaFromOpenAPIv3 } from "./v3.js"

/** A document in which a TypeConverter looks up types. */
export interface TypeSource {
  /** The name of the document in messages: a file, or the path at which a cluster serves it (`apis/apps/v1`). */
  readonly name?: string | undefined
  /**
   * A parsed OpenAPI v3 or v2 document, a CustomResourceDefinition, or a List of these; or a function that returns one, called when the
   * document is first needed.
   */
  readonly document: unknown
  /** The only apiVersion of the document's kinds, if that is known. The document is then not read for kinds of other versions. */
  readonly apiVersion?: string | undefined
}

/** The type of a kind. All kinds of one document share the schema, which is compiled only once. */
export interface FoundType {
  /** The schema that has the type. */
  readonly schema: Schema
  /** The name of the type in the schema. */
  readonly typeName: string
  /** The object that stands for one of the kind before it exists, if the fallback knows it; documents do not have it. */
  readonly emptyObject?: MapValue | undefined
}

/** Options for converting the documents, and a fallback for kinds that they do not have. */
export interface TypeConverterOptions extends Omit<CRDOptions, "name"> {
  /** Called for kinds that no document has. It may return types that are bundled with a program, for example. */
  readonly fallback?: ((apiVersion: string, kind: string) => FoundType | undefined) | undefined
}

/** Thrown if none of the documents has the kind. The message lists the searched documents, and says how to get the right one. */
export class UnknownKindError extends SchemaError {
  /** The requested apiVersion. */
  readonly apiVersion: string
  /** The requested kind. */
  readonly kind: string
  /** The lines of the message: the searched documents, and the kinds that exist instead. */
  readonly lines: readonly string[]

  constructor(apiVersion: string, kind: string, lines: readonly string[]) {
    super(lines.join("\n  "))
    this.apiVersion = apiVersion
    this.kind = kind
    this.lines = lines
  }
}

/**
 * Finds the schema and type of an object by its apiVersion and kind, over any number of documents.
 *
 * Each document is converted separately and only once, when one of its kinds is first needed. If several documents have a kind, the last
 * one wins.
 *
 * @example
 * ```ts
 * import { FieldManager } from "structured-merge-diff/managedfields"
 * import { TypeConverter } from "structured-merge-diff/openapi"
 *
 * const widgets = {
 *   apiVersion: "apiextensions.k8s.io/v1",
 *   kind: "CustomResourceDefinition",
 *   spec: { group: "example.com", names: { kind: "Widget" }, versions: [{ name: "v1" }] },
 * }
 * const types = new TypeConverter([{ document: widgets }])
 * const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "a" } }
 * console.log(new FieldManager({ types }).apply(undefined, widget, { manager: "ann" }).changed)
 * // true
 * ```
 */
export class TypeConverter {
  private readonly documents: SourceDocument[]
  private readonly options: TypeConverterOptions

  constructor(sources: readonly TypeSource[], options: TypeConverterOptions = {}) {
    requireArgument("sources", sources, aListOfObjects)
    this.options = options
    this.documents = sources.map((source, index) => new SourceDocument(source, index, options))
  }

  /** Returns the type of the kind, or undefined. Throws an OpenAPIError if the document that has it can't be converted. */
  find(apiVersion: string, kind: string): FoundType | undefined {
    requireArgument("apiVersion", apiVersion, aString)
    const id = formatKind(parseKind(apiVersion, kind))
    for (let i = this.documents.length - 1; i >= 0; i--) {
      const found = (this.documents[i] as SourceDocument).find(apiVersion, id)
      if (found !== undefined) return found
    }
    return this.options.fallback?.(apiVersion, kind)
  }

  /** Returns the type of the kind. Throws an UnknownKindError if no document has it, and the same errors as `find`. */
  typeFor(apiVersion: string, kind: string): FoundType {
    requireArgument("apiVersion", apiVersion, aString)
    const found = this.find(apiVersion, kind)
    if (found !== undefined) return found
    throw new UnknownKindError(apiVersion, kind, this.explainAbsence(apiVersion, kind))
  }

  /** Returns every kind in the documents. Reads all documents, but converts none. Throws an OpenAPIError for an unreadable document. */
  kinds(): KindEntry[] {
    return this.documents.flatMap(document => document.kinds())
  }

  /** The diagnostics of all conversions so far. */
  get diagnostics(): Diagnostic[] {
    return this.documents.flatMap(document => document.diagnostics())
  }

  private explainAbsence(apiVersion: string, kind: string): string[] {
    const gvk = parseKind(apiVersion, kind)
    const { group, version } = gvk
    const lines = [`no corresponding type for ${formatKind(gvk)}`]
    const names = this.documents.map(({ name }) => name)
    lines.push(names.length === 0 ? "there are no documents to search" : `searched: ${listSome(names)}`)
    const all = this.documents.flatMap(document =>
      document.kinds().map(entry => ({ ...entry, document: document.name })),
    )
    const others = all.filter(entry => entry.kind === kind)
    if (others.length > 0) {
      const places = others.map(entry => `${formatApiVersion(entry)} (in ${entry.document})`)
      lines.push(`versions that have a ${kind}: ${listSome(places)}`)
    }
    const siblings = all.filter(entry => entry.group === group && entry.version === version)
    if (siblings.length > 0) {
      lines.push(`kinds of ${apiVersion}: ${listSome(siblings.map(entry => entry.kind).sort())}`)
    } else {
      const path = group === "" ? `api/${version}` : `apis/${group}/${version}`
      lines.push(`a cluster that serves it has the document: kubectl get --raw /openapi/v3/${path}`)
    }
    return lines
  }
}

const mostListed = 12

function listSome(items: readonly string[]): string {
  const shown = items.slice(0, mostListed).join(", ")
  return items.length > mostListed ? `${shown} and ${items.length - mostListed} more` : shown
}

/** A source, which is read, indexed and converted on first use. */
class SourceDocument {
  readonly name: string
  private readonly source: TypeSource
  private readonly options: TypeConverterOptions
  private parts: Part[] | undefined

  constructor(source: TypeSource, index: number, options: TypeConverterOptions) {
    this.source = source
    this.options = options
    this.name = source.name ?? `document ${index + 1}`
  }

  find(apiVersion: string, id: string): FoundType | undefined {
    if (this.source.apiVersion !== undefined && this.source.apiVersion !== apiVersion) return undefined
    const parts = this.read()
    for (let i = parts.length - 1; i >= 0; i--) {
      const part = parts[i] as Part
      const typeName = part.typeNames.get(id)
      if (typeName !== undefined) return { schema: part.convert().schema, typeName }
    }
    return undefined
  }

  kinds(): KindEntry[] {
    return this.read().flatMap(part => part.kinds)
  }

  diagnostics(): readonly Diagnostic[] {
    return (this.parts ?? []).flatMap(part => part.converted?.diagnostics ?? [])
  }

  private read(): Part[] {
    if (this.parts === undefined) {
      const { document } = this.source
      this.parts = partsOf(typeof document === "function" ? document() : document, this.name, this.options)
    }
    return this.parts
  }
}

/** A document of a source. A source that is a List has several. */
class Part {
  readonly kinds: readonly KindEntry[]
  readonly typeNames: ReadonlyMap<string, string>
  converted: ConvertedSchema | undefined
  private readonly run: () => ConvertedSchema

  constructor(kinds: readonly KindEntry[], run: () => ConvertedSchema) {
    this.kinds = kinds
    this.typeNames = new Map(kinds.map(entry => [formatKind(entry), entry.typeName]))
    this.run = run
  }

  convert(): ConvertedSchema {
    this.converted ??= this.run()
    return this.converted
  }
}

/** The maximum depth of Lists inside Lists. */
const deepestList = 100

function partsOf(document: unknown, name: string, options: TypeConverterOptions, level = 0): Part[] {
  const root = document as Value
  const items = isMap(root) && formatOf(root) === undefined ? own(root, "items") : root
  if (isList(items)) {
    if (level === deepestList) throw notADocument(name, `lists nest deeper than ${deepestList} levels`)
    return items.flatMap((item, index) => partsOf(item, `${name}[${index}]`, options, level + 1))
  }
  const format = formatOf(document)
  if (format === undefined) {
    const expected = "expected an OpenAPI document or a CustomResourceDefinition"
    throw notADocument(name, `${expected}, found ${describeUnknown(document)}`)
  }
  return [partOf(format, document, { ...options, name })]
}

function notADocument(name: string, message: string): OpenAPIError {
  return new OpenAPIError(`${name}: ${message}`, [{ document: name, path: "", message }])
}

function partOf(format: DocumentFormat, document: unknown, options: CRDOptions): Part {
  switch (format) {
    case "OpenAPI v3":
      return new Part(kindsIn(document, "components", "schemas"), () => schemaFromOpenAPIv3(document, options))
    case "OpenAPI v2":
      return new Part(kindsIn(document, "definitions"), () => schemaFromOpenAPIv2(document, options))
    case "CustomResourceDefinition":
      return new Part(kindsOfCRD(document, options), () => schemaFromCRD(document, options))
  }
}

function kindsIn(document: unknown, ...path: readonly string[]): KindEntry[] {
  let node: Value | undefined = document as Value
  for (const key of path) node = isMap(node) ? own(node, key) : undefined
  const kinds: KindEntry[] = []
  if (isMap(node)) for (const name in node) kinds.push(...kindsOf(name, own(node, name) as Value))
  return kinds
}
