// The subjects of the stories of the Kubernetes layer: a source of types, a kind, and the first object of it.
import { kubernetesSchema, kubernetesTypeName } from "../../src/kubernetes/index.js"
import { type ConvertedSchema, TypeConverter } from "../../src/openapi/index.js"
import { emptyMap, isMap, type Json, type JsonMap, mapOf } from "./json.js"
import { type DocumentKind, documentGroup, documentKind, randomDocument } from "./kubernetes-documents.js"
import { builtins } from "./kubernetes-objects.js"
import type { Random } from "./random.js"
import { Schema, type TypeDef, type TypeRef, UNTYPED } from "./schemas.js"
import { ValueMaker } from "./values.js"

export interface Subject {
  /** The members of a request that define the types. */
  readonly source: { readonly [member: string]: Json }
  readonly group: string
  readonly version: string
  readonly kind: string
  /** The versions of the kind, including `version`. */
  readonly versions: readonly string[]
  readonly schema: Schema
  readonly ref: TypeRef
  /** A whole object, with apiVersion, kind and a name. */
  readonly object: JsonMap
}

export function apiVersionOf(group: string, version: string): string {
  return group === "" ? version : `${group}/${version}`
}

export function randomSubject(random: Random): Subject {
  return random.weighted<(random: Random) => Subject>([
    [12, builtinSubject],
    [2, deducedSubject],
    [5, random => documentSubject(random, "crd")],
    [2, random => documentSubject(random, "v3")],
    [1, random => documentSubject(random, "v2")],
  ])(random)
}

let builtinSchema: Schema | undefined

function builtinSubject(random: Random): Subject {
  builtinSchema ??= schemaOf(kubernetesSchema())
  const { group, version, kind, versions, object } = random.pick(builtins)
  const typeName = kubernetesTypeName(apiVersionOf(group, version), kind) ?? ""
  const shown = object as JsonMap
  return {
    source: { kubernetes: true, ...(random.chance(0.5) && { emptyObjects: true }) },
    ...{ group, version, kind, versions, object: shown },
    schema: builtinSchema,
    ref: { namedType: typeName },
  }
}

/** Removes the unions of the schema. An API server ignores them, and a document can't describe unions without members. */
function schemaOf({ types }: ConvertedSchema["schema"]): Schema {
  return new Schema(types.map(type => withoutUnions(type as unknown as TypeDef)))
}

function withoutUnions(type: TypeDef): TypeDef {
  return JSON.parse(JSON.stringify(type, (key, value: unknown) => (key === "unions" ? undefined : value))) as TypeDef
}

const STRING_MAP: TypeRef = { map: { elementType: { scalar: "string" } } }

const DEDUCED = new Schema([
  {
    name: "object",
    map: {
      fields: [
        {
          name: "metadata",
          type: {
            map: {
              fields: [
                { name: "labels", type: STRING_MAP },
                { name: "annotations", type: STRING_MAP },
              ],
            },
          },
        },
        { name: "spec", type: { namedType: "__untyped_deduced_" } },
        { name: "status", type: { namedType: "__untyped_deduced_" } },
      ],
    },
  },
  ...UNTYPED,
])

function deducedSubject(random: Random): Subject {
  return made(random, { deduced: true }, ["v1", "v2"], DEDUCED, "object")
}

/** Returns a subject from a random document. It has no schema if the document can't be converted. */
function documentSubject(random: Random, kind: DocumentKind): Subject {
  const { document, versions } = randomDocument(random, kind, { mistakes: random.chance(0.03) ? 0.03 : 0 })
  const source = { [kind === "crd" ? "crd" : "openapi"]: document }
  const found = typeIn(document, versions[0] ?? "")
  if (found === undefined) return made(random, source, versions, DEDUCED, "object")
  return made(random, source, versions, schemaOf(found.schema), found.typeName)
}

function typeIn(document: Json, version: string) {
  try {
    return new TypeConverter([{ document: plainCopy(document) }]).find(
      apiVersionOf(documentGroup, version),
      documentKind,
    )
  } catch {
    return undefined
  }
}

function plainCopy(document: Json): unknown {
  return JSON.parse(JSON.stringify(document))
}

function made(
  random: Random,
  source: Subject["source"],
  versions: readonly string[],
  schema: Schema,
  typeName: string,
): Subject {
  const version = versions[0] ?? "v1"
  const ref = { namedType: typeName }
  const value = new ValueMaker(random, schema, { mistakes: 0, duplicates: 0 }).value(ref)
  const content = isMap(value) ? value : emptyMap()
  const metadata = isMap(content.metadata) ? content.metadata : emptyMap()
  const object = mapOf({
    apiVersion: apiVersionOf(documentGroup, version),
    kind: documentKind,
    ...content,
    metadata: plainMetadata(metadata),
  })
  object.apiVersion = apiVersionOf(documentGroup, version)
  object.kind = documentKind
  return { source, group: documentGroup, version, kind: documentKind, versions, schema, ref, object }
}

/** Returns metadata as a client sends it, without the fields that only a server sets. */
function plainMetadata(metadata: JsonMap): JsonMap {
  const out = mapOf({ name: "widget", namespace: "default" })
  for (const key of ["labels", "annotations", "finalizers", "ownerReferences"]) {
    if (metadata[key] !== undefined) out[key] = metadata[key]
  }
  return out
}
