/** The OpenAPI documents say how lists and maps of built-in kinds are merged, so that clients with these types find the same owners. */
import { expect, it } from "vitest"
import { createApiServer } from "../../src/apiserver/server.js"
import { kubernetesSchema } from "../../src/kubernetes/index.js"
import { schemaFromOpenAPIv2, schemaFromOpenAPIv3 } from "../../src/openapi/index.js"
import type { Atom, Schema, TypeDef, TypeRef } from "../../src/schema/schema.js"
import type { MapValue } from "../../src/value/value.js"

const server = createApiServer()

async function get(path: string): Promise<MapValue> {
  const response = await server.fetch(new Request(`http://test${path}`, { headers: { accept: "application/json" } }))
  return (await response.json()) as MapValue
}

const kinds = new Map(kubernetesSchema().types.map(type => [type.name, type]))

/** Returns the places inside a type that are merged as a whole or by keys. */
function topology(atom: Atom | TypeRef, at = ""): string[] {
  const { map, list } = atom
  const own = "namedType" in atom && atom.elementRelationship === "atomic" ? [`${at} atomic reference`] : []
  const parts = [
    ...(map?.elementRelationship === "atomic" ? [`${at} atomic map`] : []),
    ...(list === undefined ? [] : [`${at} ${list.elementRelationship} list ${(list.keys ?? []).join()}`]),
    ...(map?.fields ?? []).flatMap(({ name, type }) => topology(type, `${at}.${name}`)),
    ...(list?.elementType === undefined ? [] : topology(list.elementType, `${at}[]`)),
    ...(map?.elementType === undefined || map.fields !== undefined ? [] : topology(map.elementType, `${at}.*`)),
  ]
  return [...own, ...parts]
}

it.each([
  ["v2", async () => schemaFromOpenAPIv2(await get("/openapi/v2"))],
  ["v3", async () => schemaFromOpenAPIv3([await get("/openapi/v3/api/v1"), await get("/openapi/v3/apis/apps/v1")])],
] as const)("in %s", async (_, read) => {
  const { schema }: { schema: Schema } = await read()
  // The documents allow any value for a scalar type such as Quantity.
  const served = schema.types.filter(({ name }) => kinds.has(name) && kinds.get(name)?.scalar === undefined)
  expect(served.length).toBeGreaterThan(100)
  const of = (atom: Atom | undefined) => (atom === undefined ? [] : topology(atom).sort())
  expect(served.map(type => [type.name, of(type)])).toEqual(served.map(({ name }) => [name, of(kinds.get(name))]))
})

it("v3 has the defaults, which are part of the keys of items, and v2 has none", async () => {
  const { schema } = schemaFromOpenAPIv3([await get("/openapi/v3/api/v1"), await get("/openapi/v3/apis/apps/v1")])
  const defaults = (type: TypeDef | undefined) => {
    return (type?.map?.fields ?? []).flatMap(({ name, default: value }) => (value === undefined ? [] : [[name, value]]))
  }
  const served = schema.types.filter(({ name }) => kinds.has(name))
  expect(served.map(type => [type.name, defaults(type)])).toEqual(
    served.map(({ name }) => [name, defaults(kinds.get(name))]),
  )
  const ports = served.find(({ name }) => name.endsWith("v1.ContainerPort"))
  expect(defaults(ports)).toContainEqual(["protocol", "TCP"])
  const { definitions } = (await get("/openapi/v2")) as { definitions: MapValue }
  expect(JSON.stringify(definitions["io.k8s.api.core.v1.ContainerPort"])).not.toContain('"default"')
})
