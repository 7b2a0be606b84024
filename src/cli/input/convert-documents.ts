// Converts OpenAPI documents and CustomResourceDefinitions to types. Loaded only when there are such documents.

import type { ConversionOptions, ConvertedSchema, Diagnostic, KindEntry } from "../../openapi/conversion/options.js"
import { schemaFromCRD } from "../../openapi/crd.js"
import {
  type FoundType,
  TypeConverter,
  type TypeConverterOptions,
  UnknownKindError,
} from "../../openapi/type-converter.js"
import { schemaFromOpenAPIv2 } from "../../openapi/v2.js"
import { schemaFromOpenAPIv3 } from "../../openapi/v3.js"
import { formatKind } from "../../schema/group-version-kind.js"
import type { Schema, TypeDef } from "../../schema/schema.js"
import { isUntypedName } from "../../schema/untyped.js"
import { compareStrings } from "../../value/compare.js"
import { equalValues } from "../../value/equal.js"
import type { Value } from "../../value/value.js"
import type { TypeDocument } from "./document-types.js"

/** Returns a converter that finds types in these documents by apiVersion and kind. `explained` turns its errors into InputErrors. */
export function converterOf(documents: readonly TypeDocument[], options: TypeConverterOptions): TypeConverter {
  return new TypeConverter(
    documents.map(({ name, value }) => ({ name, document: value })),
    options,
  )
}

/** Returns the type that the converter finds, or lines that say where it has looked. */
export function findType(
  converter: TypeConverter,
  apiVersion: string,
  kind: string,
): FoundType | { readonly lines: readonly string[] } {
  try {
    return converter.typeFor(apiVersion, kind)
  } catch (error) {
    if (error instanceof UnknownKindError) return error
    throw error
  }
}

/** Converts all types of these documents to one schema. The last type with a name counts, with a diagnostic if they differ. */
export function convertAll(documents: readonly TypeDocument[], options: ConversionOptions): ConvertedSchema {
  const types = new Map<string, TypeDef>()
  const kinds = new Map<string, KindEntry>()
  const diagnostics: Diagnostic[] = []
  for (const { schema, kinds: some, diagnostics: found, document } of convertEach(documents, options)) {
    diagnostics.push(...found)
    for (const kind of some) kinds.set(formatKind(kind), kind)
    for (const type of schema.types) {
      const before = types.get(type.name)
      if (before !== undefined && !equalValues(before as unknown as Value, type as unknown as Value)) {
        const message = `${type.name} differs from the definition in an earlier document; this one is used`
        diagnostics.push({ code: "conflicting-definitions", document, path: "", message })
      }
      types.set(type.name, type)
    }
  }
  return { schema: { types: inOrder([...types.values()]) }, kinds: [...kinds.values()], diagnostics }
}

/** Converts OpenAPI v3 documents together, because the documents of a cluster refer to each other, and all others one by one. */
function convertEach(documents: readonly TypeDocument[], options: ConversionOptions) {
  const v3 = documents.filter(({ format }) => format === "OpenAPI v3")
  const values = v3.map(({ value }) => value)
  const names = v3.map(({ name }) => name)
  const together =
    v3.length === 0 ? [] : [{ ...schemaFromOpenAPIv3(values, { ...options, names }), document: names.join(", ") }]
  const others = documents.flatMap(({ format, name, value }) => {
    if (format === "OpenAPI v3") return []
    const convert = format === "OpenAPI v2" ? schemaFromOpenAPIv2 : schemaFromCRD
    return [{ ...convert(value, { ...options, name }), document: name }]
  })
  return [...together, ...others]
}

/** Sorts the types as in converted schemas: by name, with the two untyped types last. */
function inOrder(types: readonly TypeDef[]): Schema["types"] {
  const rank = ({ name }: TypeDef) => Number(isUntypedName(name))
  return types.toSorted((a, b) => rank(a) - rank(b) || compareStrings(a.name, b.name))
}
