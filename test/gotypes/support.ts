/** Go sources for tests. They declare types of a package v1 whose comment has no markers. */
import { type GoTypes, GoTypesError, type GoTypesOptions, readGoTypes } from "../../src/gotypes/index.js"
import type { TypeDef, TypeRef } from "../../src/schema/schema.js"
import type { UnionDef } from "../../src/schema/union.js"
import { own } from "../../src/value/object.js"
import type { MapValue } from "../../src/value/value.js"
import { deepFreeze } from "../support/deep-freeze.js"

const header = 'package v1\n\nimport metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"\n\n'

/** The line of the file on which `text` begins in `readTypes`. */
const firstLine = header.split("\n").length

export function readTypes(text: string, options: GoTypesOptions = {}): Promise<GoTypes> {
  return readGoTypes(deepFreeze({ "types.go": header + text }), options)
}

/** The message of each problem with its line, counted from the first of `text`, its type and field. */
export async function problemsOf(text: string, options: GoTypesOptions = {}): Promise<string[]> {
  const error = await readTypes(text, options).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error === undefined) return []
  if (!(error instanceof GoTypesError)) throw error
  return error.issues.map(({ line, type, field, message }) => `${line - firstLine + 1} ${type}.${field}: ${message}`)
}

export function typeNamed({ schema }: GoTypes, name: string): TypeDef {
  const type = schema.types.find(candidate => candidate.name === name)
  if (type === undefined) throw new Error(`no type ${name} among ${schema.types.map(other => other.name).join(", ")}`)
  return type
}

/** The type of a field of `v1.T`. */
export function fieldOf(read: GoTypes, field: string): TypeRef | undefined {
  return typeNamed(read, "v1.T").map?.fields?.find(({ name }) => name === field)?.type
}

/** The definition of `v1.T` in the OpenAPI document. */
export function definitionOf({ openapi }: GoTypes, name = "v1.T"): MapValue {
  const components = own(openapi, "components") as MapValue
  return own(own(components, "schemas") as MapValue, name) as MapValue
}

export function unionsOf({ unions }: GoTypes): readonly UnionDef[] | undefined {
  return unions.types.find(({ name }) => name === "v1.T")?.unions
}
