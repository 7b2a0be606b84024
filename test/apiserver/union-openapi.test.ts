/** The OpenAPI documents contain the unions of built-in kinds while a policy for unions is on. */
import { describe, expect, it } from "vitest"
import { type ApiServer, createApiServer } from "../../src/apiserver/server.js"
import { kubernetesSchema, kubernetesSchemaWithUnions, kubernetesTypes } from "../../src/kubernetes/index.js"
import { FieldManager } from "../../src/managedfields/index.js"
import { schemaFromOpenAPIv2, schemaFromOpenAPIv3, TypeConverter } from "../../src/openapi/index.js"
import type { Schema } from "../../src/schema/schema.js"
import type { MapValue } from "../../src/value/value.js"
import { send } from "./requests.js"

async function get(server: ApiServer, path: string): Promise<MapValue> {
  return (await send(server, "GET", path)).body
}

/** Returns the v3 documents and their addresses. */
async function version3(server: ApiServer) {
  const { paths } = (await get(server, "/openapi/v3")) as { paths: Record<string, { serverRelativeURL: string }> }
  const addresses = Object.values(paths).map(({ serverRelativeURL }) => serverRelativeURL)
  return { addresses, documents: await Promise.all(addresses.map(address => get(server, address))) }
}

/** Returns the names of the types that have unions. */
function unionsOf({ types }: Schema) {
  return new Map(types.flatMap(({ name, map }) => (map?.unions === undefined ? [] : [[name, map.unions] as const])))
}

describe.each([
  ["v2", async (server: ApiServer) => schemaFromOpenAPIv2(await get(server, "/openapi/v2"), { unionMode: "repair" })],
  ["v3", async (server: ApiServer) => schemaFromOpenAPIv3((await version3(server)).documents, { unionMode: "repair" })],
] as const)("OpenAPI %s", (_, read) => {
  it.each([undefined, "off"] as const)("has no unions under %s", async unions => {
    const { schema } = await read(createApiServer({ ...(unions && { unions }) }))
    expect(unionsOf(schema)).toEqual(new Map())
  })

  it("has the complete unions of every type", async () => {
    const server = createApiServer({ unions: "extended" })
    const { schema, diagnostics } = await read(server)
    const served = new Set(schema.types.map(({ name }) => name))
    const expected = new Map([...unionsOf(kubernetesSchemaWithUnions())].filter(([name]) => served.has(name)))
    expect(expected.size).toBeGreaterThan(50)
    expect(unionsOf(schema)).toEqual(expected)
    expect(diagnostics.filter(({ code }) => code === "wrong-union")).toEqual([])
    server.setUnions("off")
    expect(unionsOf((await read(server)).schema)).toEqual(new Map())
  })

  it("has the unions of supplied types while the server settles unions", async () => {
    const own: Schema = {
      types: kubernetesSchema().types.map(type =>
        type.name === "io.k8s.api.core.v1.ConfigMap"
          ? {
              ...type,
              map: { ...type.map, unions: [{ fields: [{ fieldName: "data" }, { fieldName: "binaryData" }] }] },
            }
          : type,
      ),
    }
    const types = {
      find(apiVersion: string, kind: string) {
        const found = kubernetesTypes.find(apiVersion, kind)
        return found && { ...found, schema: own }
      },
    }
    const server = createApiServer({ types, unions: "kep-2022" })
    expect([...unionsOf((await read(server)).schema).keys()]).toEqual(["io.k8s.api.core.v1.ConfigMap"])
    server.setUnions("off")
    expect(unionsOf((await read(server)).schema)).toEqual(new Map())
  })
})

it("changes the address of a document when the policy changes", async () => {
  const server = createApiServer({ unions: "off" })
  const { addresses: off } = await version3(server)
  server.setUnions("extended")
  const { addresses: on } = await version3(server)
  expect(on.filter(address => address.startsWith("/openapi/v3/apis/apps/v1?"))).not.toEqual(
    off.filter(address => address.startsWith("/openapi/v3/apis/apps/v1?")),
  )
})

it("lets a client settle unions as the server does, from the documents alone", async () => {
  const { documents } = await version3(createApiServer({ unions: "extended" }))
  const types = new TypeConverter(
    documents.map(document => ({ document })),
    { unionMode: "repair" },
  )
  const level = (spec: MapValue) => ({
    apiVersion: "flowcontrol.apiserver.k8s.io/v1",
    kind: "PriorityLevelConfiguration",
    metadata: { name: "a" },
    spec,
  })
  const manager = new FieldManager({ types })
  const { object } = manager.apply(undefined, level({ limited: { lendablePercent: 50 } }), { manager: "p" })
  expect(object.spec).toEqual({ limited: { lendablePercent: 50 }, type: "Limited" })
})
