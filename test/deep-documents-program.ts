// Gives schemas, overlays, OpenAPI documents and CRDs of great depth to all functions that read them. Prints a line for each error that
// is not one of the package, and for each function that accepts a document that is far too deep.

import { compileSchema, equalSchemas, parseSchema, StructuredMergeError, type Value } from "../src/index.js"
import { kubernetesUnions } from "../src/kubernetes/index.js"
import { schemaFromCRD, schemaFromOpenAPIv2, schemaFromOpenAPIv3, TypeConverter } from "../src/openapi/index.js"
import type { Schema } from "../src/schema/schema.js"
import { parseTypeRef } from "../src/typed/parser.js"
import { applyUnionOverlay, parseUnionOverlay } from "../src/union/index.js"

type Node = { readonly [key: string]: Value }

/** Ways to nest schemas, and whether each format reads the inner schemas. CRDs have all of them checked. */
const arounds: Readonly<Record<string, { around(schema: Node): Node; readonly v2: boolean; readonly v3: boolean }>> = {
  properties: { around: a => ({ type: "object", properties: { a } }), v2: true, v3: true },
  items: { around: items => ({ type: "array", items }), v2: true, v3: true },
  rest: { around: rest => ({ type: "object", additionalProperties: rest }), v2: true, v3: true },
  "items alone": { around: items => ({ items }), v2: false, v3: true },
  allOf: { around: part => ({ type: "object", allOf: [part] }), v2: false, v3: false },
  not: { around: not => ({ type: "object", not }), v2: false, v3: false },
}

function nested<T>(levels: number, around: (value: T) => T, bottom: T): T {
  let value = bottom
  for (let i = 0; i < levels; i++) value = around(value)
  return value
}

function attempt(what: string, refused: boolean, run: () => unknown): void {
  try {
    run()
    if (refused) process.stdout.write(`${what}: was accepted\n`)
  } catch (error) {
    if (error instanceof StructuredMergeError) return
    process.stdout.write(`${what}: ${String(error).slice(0, 200)}\n`)
  }
}

function convertAll(levels: number, kind: string): void {
  const { around, v2, v3 } = arounds[kind] as (typeof arounds)[string]
  const far = levels >= 2000
  const title = `${levels} ${kind}`
  const schema = () => nested<Node>(levels, around, { type: "string" })
  const oneOf3 = (): Value => ({ openapi: "3.0.0", components: { schemas: { W: schema() } } })
  const versions = [{ name: "v1", schema: { openAPIV3Schema: { type: "object", properties: { spec: schema() } } } }]
  const spec = { group: "x.io", names: { kind: "W" }, versions }
  const crd = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", spec }
  attempt(`${title}: CRD`, far, () => schemaFromCRD(crd))
  attempt(`${title}: CRD, searched`, far, () => new TypeConverter([{ document: crd }]).find("x.io/v1", "W"))
  attempt(`${title}: OpenAPI v3`, far && v3, () => schemaFromOpenAPIv3(oneOf3()))
  attempt(`${title}: OpenAPI v3, twice`, far && v3, () => schemaFromOpenAPIv3([oneOf3(), oneOf3()]))
  attempt(`${title}: OpenAPI v2`, far && v2, () =>
    schemaFromOpenAPIv2({ swagger: "2.0", definitions: { W: schema() } }),
  )
  const list = nested<Value>(levels, item => ({ kind: "List", items: [item] }), crd)
  attempt(`${title}: lists`, far, () => new TypeConverter([{ document: list }]).kinds())
}

function readAll(levels: number): void {
  const far = levels >= 2000
  const lists = nested<Value>(levels, value => [value], "x")
  const ref = () => nested<Value>(levels, a => ({ map: { fields: [{ name: "a", type: a }] } }), { scalar: "string" })
  const document = () => ({ types: [{ name: "s", ...(ref() as Node) }] })
  const at = new Array<string>(levels).fill("a")
  const schema = document() as unknown as Schema
  attempt(`${levels}: a schema`, far, () => parseSchema(document()))
  attempt(`${levels}: a reference`, far, () => parseTypeRef(compileSchema({ types: [] }), ref()))
  attempt(`${levels}: compiled`, false, () => compileSchema(schema).type("s"))
  attempt(`${levels}: compared`, false, () => equalSchemas(schema, document() as unknown as Schema))
  attempt(`${levels}: unions of Kubernetes`, false, () => kubernetesUnions(schema))
  attempt(`${levels}: an overlay, deep inside`, far, () =>
    applyUnionOverlay(schema, { types: [{ name: "s", at, unions: [] }] }),
  )
  for (const overlay of [
    lists,
    { types: lists },
    { types: [{ name: "s", at: lists }] },
    { types: [{ unions: lists }] },
  ]) {
    attempt(`${levels}: an overlay`, true, () => parseUnionOverlay(overlay))
    attempt(`${levels}: a schema`, true, () => parseSchema(overlay))
  }
}

for (const levels of [300, 360, 740, 2000]) {
  for (const kind in arounds) convertAll(levels, kind)
  readAll(levels)
}
process.stdout.write("done\n")
