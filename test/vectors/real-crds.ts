// CustomResourceDefinitions that projects publish in their Go modules, reduced to the structure of their schemas, with the
// reference's results: the types, and the answers to a short story about one object.
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { parseYaml } from "../../src/io/index.js"
import { formatJson } from "../../src/json/json.js"
import { isList, isMap, type MapValue, type Value } from "../../src/value/value.js"
import type { Answerer } from "../fuzz/process.js"
import { type Parsed, type ParsedMap, parseExact } from "../support/answers.js"
import { goModuleFolder } from "../support/go.js"
import { sampleObject } from "./sample-object.js"

/** One definition with its recorded answers. */
export interface RealCRD {
  /** `MODULE@VERSION KIND`. */
  readonly name: string
  readonly crd: MapValue
  /** `typesHash` of the types. */
  readonly types: string
  /** A fieldManager request without the definition, and its answer. */
  readonly story: MapValue
  readonly expect: ParsedMap
}

/** The folders with definitions. All are under the Apache License 2.0. */
const sources = [
  { module: "sigs.k8s.io/gateway-api@v1.4.1", folder: "config/crd/standard" },
  { module: "github.com/cert-manager/cert-manager@v1.21.2", folder: "deploy/crds" },
  {
    module: "github.com/prometheus-operator/prometheus-operator@v0.85.0",
    folder: "example/prometheus-operator-crd",
  },
  { module: "github.com/argoproj/argo-cd/v3@v3.2.0", folder: "manifests/crds" },
]

/** Asks the reference about every definition, and returns the text to record, as compressed JSON. */
export async function recordRealCRDs(reference: Answerer): Promise<Uint8Array> {
  const recorded: Value[] = []
  for (const { module, folder } of sources) {
    for (const crd of readDefinitions(join(goModuleFolder(module), folder))) {
      const { kind, group } = kindOf(crd)
      const story = storyOf(crd)
      const requests = [
        { op: "openapiSchema", crd },
        { ...story, crd },
      ]
      const [schema, told] = (await reference.ask(requests.map(formatJson))).map(text => parseExact(text) as ParsedMap)
      if (schema?.types === undefined || told === undefined) {
        throw new Error(`${kind}.${group}: ${JSON.stringify(schema)}`)
      }
      const name = `${module} ${kind}`
      recorded.push({ name, crd, types: typesHash(schema.types), story, expect: told as Value })
    }
  }
  return gzipSync(formatJson(recorded), { level: 9 })
}

/** Returns the SHA-256 of the types as JSON. The order of keys does not matter. */
export function typesHash(types: Parsed): string {
  const text = JSON.stringify(types, (_, part: unknown) => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
  return createHash("sha256").update(text).digest("hex")
}

function readDefinitions(folder: string): MapValue[] {
  const files = readdirSync(folder).filter(name => name.endsWith(".yaml"))
  const documents = files.sort().map(file => parseYaml(readFileSync(join(folder, file), "utf8")))
  return documents
    .filter(isMap)
    .filter(({ kind }) => kind === "CustomResourceDefinition")
    .map(reduced)
}

/** Returns the parts of a definition from which an API server makes types. */
function reduced({ apiVersion, kind, metadata, spec }: MapValue): MapValue {
  const { group, names, scope, versions, preserveUnknownFields = false } = mapOf(spec)
  return {
    apiVersion: apiVersion as Value,
    kind: kind as Value,
    metadata: { name: mapOf(metadata).name as Value },
    spec: {
      group: group as Value,
      names: names as Value,
      scope: scope as Value,
      preserveUnknownFields,
      versions: listOf(versions).map(version => {
        const { name, served, storage, subresources = {}, schema } = mapOf(version)
        const structure = { openAPIV3Schema: structureOf(mapOf(schema).openAPIV3Schema) }
        return { name, served, storage, subresources, schema: structure } as MapValue
      }),
    },
  }
}

const prose: ReadonlySet<string> = new Set([
  "description",
  "title",
  "example",
  "externalDocs",
  "pattern",
  "x-kubernetes-validations",
])

/** Returns the schema without descriptions and without rules that only validate values. */
function structureOf(schema: Value | undefined): Value {
  if (!isMap(schema)) return schema ?? {}
  const out: Record<string, Value> = {}
  for (const [key, value] of Object.entries(schema)) {
    if (prose.has(key)) continue
    if (key === "properties") out[key] = mapValues(mapOf(value), structureOf)
    else if (key === "items" || key === "additionalProperties" || key === "not") out[key] = structureOf(value)
    else if (key === "allOf" || key === "anyOf" || key === "oneOf") out[key] = listOf(value).map(structureOf)
    else out[key] = value
  }
  return out
}

/** A story of two managers: the first applies; the second asks for some fields, then takes them; the first takes back those it needs. */
function storyOf(crd: MapValue): MapValue {
  const { group, kind } = kindOf(crd)
  const version =
    listOf(mapOf(crd.spec).versions)
      .map(mapOf)
      .find(({ storage }) => storage === true) ?? {}
  const schema = mapOf(mapOf(version.schema).openAPIV3Schema)
  const object = (word: string, number: number, optional: number, depth: number): MapValue => ({
    apiVersion: `${group}/${version.name as string}`,
    kind,
    metadata: { name: "sample", labels: { [word]: "yes" } },
    ...sampleObject(schema, { word, number, optional, depth }),
  })
  const taken = object("other", 7, 3, 3)
  const steps = [
    { op: "apply", manager: "first", object: object("text", 5, 8, 4) },
    { op: "apply", manager: "second", object: taken },
    { op: "forceApply", manager: "second", object: taken },
    { op: "forceApply", manager: "first", object: object("text", 5, 0, 0) },
  ]
  return { op: "fieldManager", gvk: { group, version: version.name as string, kind }, steps }
}

function kindOf(crd: MapValue): { readonly group: string; readonly kind: string } {
  const { group, names } = mapOf(crd.spec)
  return { group: group as string, kind: mapOf(names).kind as string }
}

function mapOf(value: Value | undefined): MapValue {
  return isMap(value) ? value : {}
}

function listOf(value: Value | undefined): readonly Value[] {
  return isList(value) ? value : []
}

function mapValues(map: MapValue, change: (value: Value) => Value): MapValue {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, change(value)]))
}
