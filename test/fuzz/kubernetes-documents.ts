// Random documents that define types: OpenAPI v3, OpenAPI v2 and CustomResourceDefinitions. They have every extension that the
// conversion to a schema reads, and many that it must not read.
import { emptyMap, isMap, type Json, type JsonMap, mapOf } from "./json.js"
import type { Random } from "./random.js"

export type DocumentKind = "v3" | "v2" | "crd"

export interface DocumentOptions {
  /** Share of schemas with a mistake. */
  readonly mistakes: number
}

export interface TypesDocument {
  readonly kind: DocumentKind
  readonly document: JsonMap
  /** The versions of objects in the document, all of one group and kind. */
  readonly versions: readonly string[]
}

export const documentGroup = "shop.example.com"
export const documentKind = "Widget"

/** Returns a document with a Widget in two versions and with other types. */
export function randomDocument(random: Random, kind: DocumentKind, options: DocumentOptions): TypesDocument {
  const schemas = new SchemaMaker(random, kind, options)
  const versions = ["v1", "v1beta1"]
  const document = kind === "crd" ? definition(random, schemas, versions) : openapi(kind, schemas, versions)
  return { kind, document, versions }
}

function definition(random: Random, schemas: SchemaMaker, versions: readonly string[]): JsonMap {
  let before: JsonMap | undefined
  const spelled = versions.map((name, i) => {
    before = before === undefined || random.chance(0.5) ? schemas.widget() : schemas.changed(before)
    return mapOf({
      name,
      served: i === 0 || random.chance(0.7),
      storage: i === 0,
      ...(random.chance(0.96) && { schema: mapOf({ openAPIV3Schema: before }) }),
      ...(random.chance(0.3) && { subresources: mapOf({ status: emptyMap() }) }),
    })
  })
  return mapOf({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: mapOf({ name: `widgets.${documentGroup}` }),
    spec: mapOf({
      group: documentGroup,
      scope: "Namespaced",
      names: mapOf({ plural: "widgets", singular: "widget", kind: documentKind, listKind: `${documentKind}List` }),
      ...(random.chance(0.04) && { preserveUnknownFields: true }),
      versions: spelled,
    }),
  })
}

const prefixes = { v3: "#/components/schemas/", v2: "#/definitions/", crd: "" }
const quantity = "io.k8s.apimachinery.pkg.api.resource.Quantity"
const rawExtension = "io.k8s.apimachinery.pkg.runtime.RawExtension"
const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
const parts = ["com.example.shop.Part", "com.example.shop.Price", "Box"]

function openapi(kind: "v2" | "v3", schemas: SchemaMaker, versions: readonly string[]): JsonMap {
  const types = emptyMap()
  for (const version of versions) {
    types[`com.example.shop.${version}.${documentKind}`] = mapOf({
      ...schemas.widget(),
      "x-kubernetes-group-version-kind": [mapOf({ group: documentGroup, version, kind: documentKind })],
    })
  }
  for (const name of parts) types[name] = schemas.node(1)
  types[objectMeta] = metadataSchema()
  types[quantity] = mapOf({ type: "string", description: "An amount." })
  types[rawExtension] = mapOf({ type: "object" })
  const head = { info: mapOf({ title: "shop", version: "v1" }), paths: emptyMap() }
  if (kind === "v2") return mapOf({ swagger: "2.0", ...head, definitions: types })
  return mapOf({ openapi: "3.0.0", ...head, components: mapOf({ schemas: types }) })
}

function metadataSchema(): JsonMap {
  const text = mapOf({ type: "string" })
  const texts = mapOf({ type: "object", additionalProperties: text })
  return mapOf({
    type: "object",
    properties: mapOf({
      name: text,
      namespace: text,
      uid: text,
      resourceVersion: text,
      labels: texts,
      annotations: texts,
      finalizers: mapOf({ type: "array", items: text, "x-kubernetes-list-type": "set" }),
      managedFields: mapOf({ type: "array", items: mapOf({ type: "object" }), "x-kubernetes-list-type": "atomic" }),
    }),
  })
}

const NAMES = ["a", "b", "c", "name", "size", "kind", "items", "é", "zz", "toString", "constructor", "__proto__"]
const ODD: readonly Json[] = [null, 1, true, "x", ["a"], mapOf({ a: 1 }), [], emptyMap(), ["a", 1, null]]
const DEFAULTS: readonly Json[] = [emptyMap(), "x", 1, [1], false, mapOf({ a: mapOf({ b: 1 }) }), "on", "1e3"]

class SchemaMaker {
  constructor(
    private readonly random: Random,
    private readonly kind: DocumentKind,
    private readonly options: DocumentOptions,
  ) {}

  /** Returns the schema of a whole object. */
  widget(): JsonMap {
    const { random, kind } = this
    const properties = mapOf({ apiVersion: mapOf({ type: "string" }), kind: mapOf({ type: "string" }) })
    if (kind === "crd") {
      if (random.chance(0.7)) properties.metadata = mapOf({ type: "object" })
    } else properties.metadata = mapOf({ $ref: prefixes[kind] + objectMeta })
    if (random.chance(0.95)) properties.spec = this.object(0)
    if (random.chance(0.6)) properties.status = this.object(1)
    if (random.chance(0.2)) properties[random.pick(["data", "rules"])] = this.node(1)
    return mapOf({ type: "object", properties, ...this.extras(0.3) })
  }

  /** Returns the schema with new random schemas for some of its properties. */
  changed(schema: JsonMap): JsonMap {
    const { properties } = schema
    if (!isMap(properties)) return schema
    const out = emptyMap()
    for (const name of Object.keys(properties)) {
      const before = properties[name] as Json
      const known = name === "apiVersion" || name === "kind" || name === "metadata"
      const choice = known ? 0 : this.random.below(10)
      if (choice < 6) out[name] = isMap(before) && !known ? this.changed(before) : before
      else if (choice < 9) out[name] = this.node(2)
    }
    return mapOf({ ...schema, properties: out })
  }

  node(depth: number): JsonMap {
    const { random, kind } = this
    if (kind !== "crd" && random.chance(0.18)) return this.reference()
    const type = depth > 3 ? random.pick(["string", "integer", "boolean", "number"]) : random.weighted(TYPES)
    switch (type) {
      case "object":
        return this.object(depth)
      case "array":
        return this.array(depth)
      case "":
        return this.untyped(depth)
      default:
        return mapOf({ type: this.wrong() ? random.pick(["null", "file", "text"]) : type, ...this.scalarExtras(type) })
    }
  }

  private wrong(): boolean {
    return this.random.chance(this.options.mistakes)
  }

  private reference(): JsonMap {
    const { random, kind } = this
    const target = this.wrong() ? "nowhere" : random.pick([...parts, quantity, rawExtension])
    const ref = mapOf({ $ref: prefixes[kind] + target })
    const wrapped = kind === "v3" && random.chance(0.4)
    return mapOf({
      ...(wrapped ? { allOf: random.chance(0.1) ? [ref, emptyMap()] : [ref] } : ref),
      ...(random.chance(0.25) && { "x-kubernetes-map-type": this.mapType() }),
      ...(random.chance(0.15) && { default: random.pick(DEFAULTS) }),
      ...(kind === "v3" && random.chance(0.2) && { nullable: true }),
    })
  }

  private mapType(): Json {
    if (this.kind !== "crd" && this.wrong()) return this.random.pick(ODD)
    return this.random.pick(["atomic", "granular"])
  }

  private object(depth: number): JsonMap {
    const { random, kind } = this
    const out = mapOf({ type: "object", ...this.extras(0.1) })
    if (random.chance(0.2)) out["x-kubernetes-map-type"] = this.mapType()
    if (random.chance(depth === 0 ? 0.95 : 0.7)) {
      const properties = emptyMap()
      for (const name of random.sample(NAMES, random.between(depth === 0 ? 2 : 0, 5)))
        properties[name] = this.node(depth + 1)
      out.properties = properties
    }
    const free = out.properties === undefined || (isMap(out.properties) && Object.keys(out.properties).length === 0)
    if (random.chance(free ? 0.8 : 0.1) && (free || kind !== "crd" || this.wrong())) {
      out.additionalProperties = random.chance(0.15) ? random.chance(0.7) : this.node(depth + 1)
    }
    if (random.chance(0.08)) out["x-kubernetes-preserve-unknown-fields"] = kind === "crd" || random.chance(0.8)
    if (kind === "crd" && random.chance(0.06)) {
      out["x-kubernetes-embedded-resource"] = true
      if (random.chance(0.9)) out["x-kubernetes-preserve-unknown-fields"] = true
    }
    if (kind !== "crd" && random.chance(0.1))
      out["x-kubernetes-unions"] = this.unions(Object.keys(out.properties ?? {}))
    if (kind === "crd" && random.chance(0.08)) Object.assign(out, this.validation())
    return out
  }

  private array(depth: number): JsonMap {
    const { random, kind } = this
    const out = mapOf({ type: "array", ...this.extras(0.1) })
    const choice = random.below(10)
    if (choice < 3) {
      out["x-kubernetes-list-type"] = "map"
      this.keyedItems(out, depth)
    } else {
      if (!(kind === "v3" && this.wrong())) out.items = this.node(depth + 1)
      if (choice < 6) {
        out["x-kubernetes-list-type"] = choice < 5 ? "set" : "atomic"
        if (choice < 5 && random.chance(0.9)) out.items = mapOf({ type: random.pick(["string", "integer"]) })
      }
    }
    if (this.wrong()) out["x-kubernetes-list-type"] = kind === "crd" ? "ordered" : random.pick(ODD)
    if (random.chance(0.2)) {
      const odd = kind !== "crd" && this.wrong()
      out["x-kubernetes-patch-strategy"] = odd
        ? random.pick(ODD)
        : random.pick(["merge", "retainKeys", "merge,retainKeys"])
      if (random.chance(0.5)) out["x-kubernetes-patch-merge-key"] = odd ? random.pick(ODD) : random.pick(["name", "a"])
    }
    return out
  }

  private keyedItems(list: JsonMap, depth: number): void {
    const { random, kind } = this
    const keys = random.sample(["name", "a", "b", "y"], random.chance(0.7) ? 1 : 2)
    const item = this.object(depth + 1)
    delete item.additionalProperties
    const properties = isMap(item.properties) ? item.properties : emptyMap()
    for (const key of keys) {
      const type = random.pick(["string", "string", "integer"])
      const preset = type === "string" ? "x" : 1
      properties[key] = mapOf({ type, ...(random.chance(0.3) && { default: preset }) })
    }
    item.properties = properties
    if (random.chance(0.7)) item.required = keys
    list.items = item
    if (!this.wrong()) list["x-kubernetes-list-map-keys"] = keys
    else if (kind !== "crd") list["x-kubernetes-list-map-keys"] = random.pick(ODD)
  }

  // Returns a schema that allows any value, or integers and strings.
  private untyped(depth: number): JsonMap {
    const { random, kind } = this
    if (kind === "crd" && random.chance(0.5)) {
      const either = [mapOf({ type: "integer" }), mapOf({ type: "string" })]
      return mapOf({ "x-kubernetes-int-or-string": true, ...(random.chance(0.5) && { anyOf: either }) })
    }
    if (kind === "crd") return mapOf({ "x-kubernetes-preserve-unknown-fields": true, ...this.extras(0.1) })
    const out = this.extras(0.3)
    if (random.chance(0.3)) out.properties = mapOf({ a: this.node(depth + 1) })
    if (random.chance(0.3)) out.items = this.node(depth + 1)
    return out
  }

  private scalarExtras(type: string): JsonMap {
    const { random } = this
    const out = this.extras(0.1)
    if (type === "string" && random.chance(0.3))
      out.format = random.pick(["byte", "date-time", "int-or-string", "", "uuid"])
    if (type === "integer" && random.chance(0.3)) out.format = random.pick(["int32", "int64"])
    if (random.chance(0.1)) {
      out.default =
        type === "string" ? random.pick(["x", "on", "1e3", ""]) : type === "boolean" ? true : random.pick([1, 0, 2])
    }
    return out
  }

  private extras(share: number): JsonMap {
    const { random, kind } = this
    return mapOf({
      ...(random.chance(share) && { description: "What it is for." }),
      ...(kind !== "v2" && random.chance(share) && { nullable: random.chance(0.8) }),
      ...(kind !== "crd" && random.chance(share / 2) && { default: random.pick(DEFAULTS) }),
    })
  }

  private unions(members: readonly string[]): Json {
    const { random } = this
    if (this.wrong()) return random.pick(ODD)
    const fields = emptyMap()
    for (const name of members) if (random.chance(0.6)) fields[name] = name.toUpperCase()
    if (this.wrong()) fields.a = random.pick(ODD)
    return [
      mapOf({
        ...(random.chance(0.6) && { discriminator: this.wrong() ? random.pick(ODD) : "kind" }),
        "fields-to-discriminateBy": fields,
      }),
    ]
  }

  // Returns rules for values. They do not affect types, but in the wrong place they are mistakes.
  private validation(): JsonMap {
    const { random } = this
    const clause = this.wrong() ? random.pick(FORBIDDEN_CLAUSES) : random.pick(CLAUSES)
    const name = random.pick(["allOf", "anyOf", "oneOf", "not"])
    return mapOf({ [name]: name === "not" ? clause : [clause] })
  }
}

const TYPES: readonly (readonly [number, string])[] = [
  [30, "object"],
  [25, "array"],
  [20, "string"],
  [10, "integer"],
  [5, "boolean"],
  [4, "number"],
  [6, ""],
]

const CLAUSES: readonly JsonMap[] = [
  mapOf({ required: ["a"] }),
  mapOf({ minProperties: 1 }),
  mapOf({ not: mapOf({ required: ["b"] }) }),
]

const FORBIDDEN_CLAUSES: readonly JsonMap[] = [
  mapOf({ type: "string" }),
  mapOf({ nullable: true }),
  mapOf({ description: "text" }),
  mapOf({ additionalProperties: emptyMap() }),
  mapOf({ properties: mapOf({ nowhere: emptyMap() }) }),
  mapOf({ "x-kubernetes-preserve-unknown-fields": true }),
]
