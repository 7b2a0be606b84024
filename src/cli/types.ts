// Which type a document has: one of a schema that is given, or the built-in Kubernetes type of its apiVersion and kind.
import { SchemaError, ValidationError } from "../errors.js"
import type { Schema } from "../schema/schema.js"
import { parseTypes } from "../typed/parser.js"
import type { CompiledSchema, Type } from "../typed/type.js"
import { compileSchema } from "../typed/type.js"
import { own } from "../value/object.js"
import { isMap } from "../value/value.js"
import { type Document, describeIssues, type Input, InputError } from "./input.js"
import { nearest } from "./layout.js"
import type { Arguments } from "./options.js"

export interface Types {
  readonly schema: CompiledSchema
  /** The type of a document. Throws an InputError where there is none. */
  typeOf(document: Document): Type
}

export interface TypeOptions {
  /** The built-in types with unions that Kubernetes does not publish. Types of one's own are as their schema has them. */
  readonly unions?: boolean
}

/** The types that `--schema` and `--type` choose. */
export async function loadTypes(args: Arguments, input: Input, { unions = false }: TypeOptions = {}): Promise<Types> {
  const file = args.get("schema")
  const name = args.get("type")
  if (file === undefined && name === undefined) return kubernetesTypes(unions)
  const schema = file === undefined ? (await kubernetesTypes(unions)).schema : await loadSchema(file, input)
  const type = namedType(schema, name ?? schema.typeNames[0], file ?? "the built-in schema")
  return { schema, typeOf: () => type }
}

async function loadSchema(file: string, input: Input): Promise<CompiledSchema> {
  const document = await input.document(file)
  try {
    return parseTypes(document.value)
  } catch (error) {
    const { cause } = error as SchemaError
    if (error instanceof SchemaError && cause instanceof ValidationError) {
      throw new InputError(describeIssues(document, cause.issues))
    }
    throw error
  }
}

function namedType(schema: CompiledSchema, name: string | undefined, where: string): Type {
  if (name === undefined) throw new InputError(`${where}: has no types`)
  if (schema.has(name)) return schema.type(name)
  const close = nearest(name, schema.typeNames)
  throw new InputError(`${where}: has no type ${name}${close === undefined ? "" : `; did you mean ${close}?`}`)
}

/** The module of the built-in types, most of the package's code, loaded only when it is needed. */
export function loadKubernetes(): Promise<typeof import("../kubernetes/types.js")> {
  return import("../kubernetes/types.js")
}

async function loadSchemaWithUnions(): Promise<Schema> {
  const { kubernetesSchemaWithUnions } = await import("../kubernetes/union-overlay.js")
  return kubernetesSchemaWithUnions()
}

async function kubernetesTypes(unions: boolean): Promise<Types> {
  const { kubernetesKinds, kubernetesSchema, kubernetesTypeName } = await loadKubernetes()
  const schema = compileSchema(unions ? await loadSchemaWithUnions() : kubernetesSchema())
  const typeOf = (document: Document): Type => {
    const apiVersion = textAt(document, "apiVersion")
    const kind = textAt(document, "kind")
    const name = kubernetesTypeName(apiVersion, kind)
    if (name !== undefined) return schema.type(name)
    const known = kubernetesKinds().map(known => `${known.apiVersion} ${known.kind}`)
    const close = nearest(`${apiVersion} ${kind}`, known)
    const hint = close === undefined ? "custom resources need --schema FILE --type NAME" : `did you mean ${close}?`
    throw new InputError(`${document.at(["kind"])}: no built-in type for ${apiVersion} ${kind}; ${hint}`)
  }
  return { schema, typeOf }
}

function textAt(document: Document, key: string): string {
  const found = isMap(document.value) ? own(document.value, key) : undefined
  if (typeof found === "string" && found !== "") return found
  const remedy = "the built-in types are found by apiVersion and kind; for others give --schema FILE --type NAME"
  throw new InputError(`${document.at([key])}: ${key} is missing: ${remedy}`)
}
