// Converts OpenAPI v3: the definitions under `components.schemas`, of one document or of several that share some of them.

import { formatKind } from "../schema/group-version-kind.js"
import type { TypeDef } from "../schema/schema.js"
import { requireOptions } from "../value/argument.js"
import { equalIfPresent, equalValues } from "../value/equal.js"
import { own } from "../value/object.js"
import { formatPointer } from "../value/pointer.js"
import { isMap, type MapValue, type Value } from "../value/value.js"
import { Conversion, optionalMapAt, valueKind } from "./conversion/conversion.js"
import { OpenAPIError } from "./conversion/errors.js"
import { finishTypes, kindsOf } from "./conversion/extensions.js"
import type { ConversionOptions, ConvertedSchema, Diagnostic, KindEntry } from "./conversion/options.js"
import { sortNames } from "./conversion/order.js"
import { expectFormat } from "./document.js"
import { convertDefinition } from "./v3-walk.js"

/** Options for converting OpenAPI v3 documents. */
export interface OpenAPIv3Options extends ConversionOptions {
  /** The name of each document in messages, if there are several; `name` with a number if absent. */
  readonly names?: readonly string[] | undefined
}

/**
 * Returns the schema of the definitions in one OpenAPI v3 document, or in a list of them, as kube-openapi's `ToSchemaFromOpenAPI` makes it.
 *
 * Documents of one cluster repeat the definitions that they share. If two documents define a name differently, the later one wins, with a
 * diagnostic. If two types claim a kind, the later one gets it. Unions are read only if `options.unionMode` asks for them. Throws an
 * OpenAPIError if a document can't be converted.
 */
export function schemaFromOpenAPIv3(documents: unknown, options: OpenAPIv3Options = {}): ConvertedSchema {
  requireOptions("options", options)
  const list: readonly unknown[] = Array.isArray(documents) ? documents : [documents]
  const merge = new Merge(list.length > 1)
  list.forEach((document, index) => {
    const fallback = list.length === 1 ? options.name : `${options.name ?? "document"} ${index + 1}`
    const conversion = new Conversion(options, options.names?.[index] ?? fallback)
    merge.add(conversion, definitionsOf(conversion, document), options.preserveUnknownFields ?? false)
  })
  return merge.finish()
}

function definitionsOf(conversion: Conversion, document: unknown): MapValue {
  const root = expectFormat(conversion, document, "OpenAPI v3")
  conversion.enter("components")
  const components = optionalMapAt(conversion, own(root, "components"), "components")
  conversion.enter("schemas")
  return optionalMapAt(conversion, components && own(components, "schemas"), "schemas") ?? {}
}

interface Definition {
  readonly node: MapValue
  readonly type: TypeDef | undefined
  readonly document: string
}

/** The definitions of several documents, merged. */
class Merge {
  /** By name; undefined if there is only one document. */
  private readonly definitions: Map<string, Definition> | undefined
  private types: TypeDef[] = []
  private readonly kinds = new Map<string, KindEntry>()
  private readonly conversions: Conversion[] = []

  constructor(several: boolean) {
    this.definitions = several ? new Map() : undefined
  }

  add(conversion: Conversion, definitions: MapValue, preserve: boolean): void {
    this.conversions.push(conversion)
    const names = sortNames(Object.keys(definitions))
    conversion.definitions = definitions
    for (const name of names) {
      conversion.enter(name)
      const node = definitionAt(conversion, definitions[name])
      const before = this.definitions?.get(name)
      // Usually the later definition is the same, and need not be converted again.
      if (before === undefined || !equalValues(before.node, node)) {
        const type = convertDefinition(conversion, name, node, preserve)
        if (before !== undefined && !equalTypes(before.type, type)) {
          conversion.warn(
            "conflicting-definitions",
            `${name} differs from the definition in ${before.document}; this one is used`,
          )
        }
        if (this.definitions !== undefined) this.definitions.set(name, { node, type, document: conversion.document })
        else if (type !== undefined) this.types.push(type)
        for (const kind of kindsOf(name, node)) this.kinds.set(formatKind(kind), kind)
      }
      conversion.leave()
    }
  }

  finish(): ConvertedSchema {
    const issues = this.conversions.flatMap(conversion => conversion.issues)
    if (issues.length > 0) throw new OpenAPIError(issues.map(({ message }) => message).join("\n"), issues)
    for (const { type } of this.definitions?.values() ?? []) if (type !== undefined) this.types.push(type)
    for (const conversion of this.conversions) warnOfUnknown(conversion, name => this.definitions?.has(name) ?? false)
    const schema = { types: finishTypes(this.conversions[0] ?? new Conversion({}), this.types) }
    const diagnostics: Diagnostic[] = this.conversions.flatMap(conversion => conversion.diagnostics)
    return { schema, kinds: [...this.kinds.values()], diagnostics }
  }
}

function definitionAt(conversion: Conversion, value: Value | undefined): MapValue {
  return isMap(value) ? value : conversion.malformed(`a definition must be a schema object, found ${valueKind(value)}`)
}

function equalTypes(a: TypeDef | undefined, b: TypeDef | undefined): boolean {
  return equalIfPresent(a as Value | undefined, b as Value | undefined)
}

/** Warns about types that are referenced but not defined: using such a type fails later, far from the document. */
export function warnOfUnknown(conversion: Conversion, isKnown: (name: string) => boolean): void {
  for (const [name, path] of conversion.references) {
    if (!isKnown(name))
      conversion.warn(
        "unknown-reference",
        `no definition of ${name}; add the document that has it`,
        formatPointer(path),
      )
  }
}
