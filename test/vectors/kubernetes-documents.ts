// The OpenAPI documents of a Kubernetes release, reduced to the parts that a schema depends on. Tests of the converters read them.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { projectRoot } from "../support/entries.js"
import { goModule } from "../support/go.js"

/** The recorded documents of one release. */
export interface KubernetesDocuments {
  /** The release: "1.37.2". */
  readonly release: string
  /** The definitions of OpenAPI v3. Several documents contain the same one, so each is stored once. */
  readonly definitions: readonly unknown[]
  /** The documents of OpenAPI v3: for each name of a definition, its index in `definitions`. */
  readonly documents: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** OpenAPI v2: the definitions of its one document. */
  readonly swagger: Readonly<Record<string, unknown>>
}

/** Returns the documents of the released module k8s.io/kubernetes, without descriptions, as compressed JSON. */
export function recordKubernetesDocuments(): Uint8Array {
  const { version, folder } = goModule("k8s.io/kubernetes", join(projectRoot, "oracle", "reset-fields"))
  const specification = join(folder, "api", "openapi-spec")
  const definitions: unknown[] = []
  const numbers = new Map<string, number>()
  const number = (schema: unknown): number => {
    const text = JSON.stringify(withoutProse(schema))
    const known = numbers.get(text)
    if (known !== undefined) return known
    numbers.set(text, definitions.length)
    return definitions.push(JSON.parse(text)) - 1
  }
  const files = readdirSync(join(specification, "v3")).sort()
  const documents = Object.fromEntries(
    files.map(file => [file, mapValues(read(join(specification, "v3", file)).components?.schemas ?? {}, number)]),
  )
  const swagger = mapValues(read(join(specification, "swagger.json")).definitions ?? {}, withoutProse)
  const recorded: KubernetesDocuments = { release: version.slice(1), definitions, documents, swagger }
  return gzipSync(JSON.stringify(recorded), { level: 9 })
}

interface Document {
  readonly components?: { readonly schemas?: Readonly<Record<string, unknown>> }
  readonly definitions?: Readonly<Record<string, unknown>>
}

function read(file: string): Document {
  return JSON.parse(readFileSync(file, "utf8")) as Document
}

/** Removes the descriptions from the schema and all schemas inside it. Everything else stays, whether it is read or not. */
function withoutProse(schema: unknown): unknown {
  if (!isObject(schema)) return schema
  const { description: _, ...rest } = schema
  const out: Record<string, unknown> = rest
  if (isObject(rest.properties)) out.properties = mapValues(rest.properties, withoutProse)
  for (const key of ["items", "additionalProperties"]) out[key] = withoutProse(rest[key])
  for (const key of ["allOf", "anyOf", "oneOf"]) {
    const parts = rest[key]
    if (Array.isArray(parts)) out[key] = parts.map(withoutProse)
  }
  return out
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

function mapValues<T>(map: Readonly<Record<string, unknown>>, change: (value: unknown) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, change(value)]))
}
