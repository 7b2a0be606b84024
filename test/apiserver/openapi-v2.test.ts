// The OpenAPI v2 document, as JSON and in the protobuf that kubectl reads.
import { expect, test } from "vitest"
import { createApiServer } from "../../src/apiserver/server.js"
import { definitionOf } from "../support/definition.js"

const cron = definitionOf("Cron", {
  group: "example.org",
  schema: {
    description: "Runs now and then.",
    properties: {
      spec: {
        type: "object",
        required: ["when", "note"],
        properties: {
          when: { type: "string", enum: ["daily", "hourly"] },
          note: { type: "string", nullable: true },
          extra: {
            type: "object",
            "x-kubernetes-preserve-unknown-fields": true,
            properties: { a: { type: "string" } },
          },
          port: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
          ports: { type: "array", items: { type: "integer", default: 80 } },
        },
      },
    },
  },
})
const { fetch } = createApiServer({ crds: [cron] })
const name = "org.example.v1.Cron"

/** The parts of a document that the tests check. */
interface Document {
  readonly swagger: string
  readonly definitions: Readonly<Record<string, Schema>>
  readonly paths: Readonly<
    Record<string, { readonly patch: { readonly parameters: object[]; readonly responses: object } }>
  >
}

interface Schema {
  readonly description?: string
  readonly $ref?: string
  readonly properties: Readonly<Record<string, Schema>>
  readonly "x-kubernetes-group-version-kind"?: object[]
}

async function document() {
  const answer = await fetch(new Request("http://test/openapi/v2", { headers: { accept: "application/json" } }))
  return (await answer.json()) as Document
}

test("has the kinds of all groups in one document", async () => {
  const { swagger, definitions, paths } = await document()
  expect(swagger).toBe("2.0")
  expect(definitions["io.k8s.api.apps.v1.Deployment"]?.["x-kubernetes-group-version-kind"]).toEqual([
    { group: "apps", version: "v1", kind: "Deployment" },
  ])
  expect(definitions["io.k8s.api.apps.v1.Deployment"]?.properties.spec).toEqual({
    $ref: "#/definitions/io.k8s.api.apps.v1.DeploymentSpec",
  })
  const patch = paths["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"]?.patch
  expect(patch?.parameters).toContainEqual({ name: "fieldValidation", in: "query", type: "string", uniqueItems: true })
  expect(patch?.responses).toEqual({ "200": { description: "OK" } })
})

test("refers only to existing definitions", async () => {
  const { definitions } = await document()
  const targets = JSON.stringify(definitions).matchAll(/"\$ref":"#\/definitions\/([^"]+)"/g)
  const missing = [...targets].map(([, target]) => target as string).filter(target => !(target in definitions))
  expect(missing).toEqual([])
})

test("omits what v2 can't express", async () => {
  const { definitions } = await document()
  const { description, properties } = definitions[name] as Schema
  expect(description).toBe("Runs now and then.")
  expect(properties.metadata?.$ref).toBe("#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")
  expect(properties.spec).toEqual({
    type: "object",
    required: ["when"],
    properties: {
      when: { type: "string", enum: ["daily", "hourly"] },
      note: {},
      extra: { "x-kubernetes-preserve-unknown-fields": true },
      port: { "x-kubernetes-int-or-string": true },
      ports: { type: "array", items: { type: "integer", default: 80 } },
    },
  })
})

test("is encoded as gnostic's messages if a client asks for these", async () => {
  const accept = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
  const answer = await fetch(new Request("http://test/openapi/v2", { headers: { accept } }))
  expect(answer.headers.get("content-type")).toBe("application/com.github.proto-openapi.spec.v2.v1.0+protobuf")
  const whole = fieldsOf(new Uint8Array(await answer.arrayBuffer()))
  expect(textOf(whole, 1)).toBe("2.0")
  // Document.definitions is 9, and its entries are NamedSchema {name 1, value 2}.
  const schemas = new Map(
    fieldsOf(one(whole, 9)).map(({ bytes }) => {
      const entry = fieldsOf(bytes)
      return [textOf(entry, 1), fieldsOf(one(entry, 2))]
    }),
  )
  const schema = schemas.get(name) ?? []
  expect(textOf(schema, 4)).toBe("Runs now and then.")
  expect(textOf(fieldsOf(one(schema, 22)), 1)).toBe("object")
  const properties = fieldsOf(one(schema, 25)).map(({ bytes }) => textOf(fieldsOf(bytes), 1))
  expect(properties).toEqual(["apiVersion", "kind", "metadata", "spec"])
  const extension = fieldsOf(one(schema, 31))
  expect(textOf(extension, 1)).toBe("x-kubernetes-group-version-kind")
  expect(JSON.parse(textOf(fieldsOf(one(extension, 2)), 2))).toEqual([
    { group: "example.org", version: "v1", kind: "Cron" },
  ])
  expect([...schemas.keys()].sort()).toEqual(Object.keys((await document()).definitions).sort())
})

interface Field {
  readonly number: number
  readonly bytes: Uint8Array
}

/** Decodes the fields of a message. The values of numbers are left out. */
function fieldsOf(message: Uint8Array): Field[] {
  const fields: Field[] = []
  let at = 0
  const varint = () => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = message[at++] as number
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  while (at < message.length) {
    const tag = varint()
    const length = varint()
    const isBytes = (tag & 7) === 2
    fields.push({ number: tag >> 3, bytes: isBytes ? message.subarray(at, at + length) : new Uint8Array() })
    if (isBytes) at += length
  }
  return fields
}

function one(fields: readonly Field[], number: number): Uint8Array {
  const [only] = fields.filter(field => field.number === number)
  if (only === undefined) throw new Error(`there is no field ${number}`)
  return only.bytes
}

function textOf(fields: readonly Field[], number: number): string {
  return new TextDecoder().decode(one(fields, number))
}
