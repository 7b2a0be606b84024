// Bodies in protobuf: valid ones decode to Go's values, and malformed ones are refused.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { BinaryWriter } from "@bufbuild/protobuf/wire"
import { afterEach, describe, expect, it, vi } from "vitest"
import { messageTypeOf } from "../../src/apiserver/protobuf/message-types.js"
import { readProtobuf } from "../../src/apiserver/protobuf/read.js"
import { createApiServer } from "../../src/apiserver/server.js"
import { formatJson, parseJson } from "../../src/json/json.js"
import { RequestFailure } from "../../src/kinds/refusal/failure.js"
import { builtInResources } from "../../src/kinds/resource/built-in.js"
import { kubernetesTypes } from "../../src/kubernetes/types.js"
import type { MapValue, Value } from "../../src/value/value.js"
import { definitionOf } from "../support/definition.js"
import { projectRoot } from "../support/entries.js"

const type = "application/vnd.kubernetes.protobuf"
const configMaps = "/api/v1/namespaces/default/configmaps"
const anyKind = { apiVersion: "v1", kind: "ConfigMap" }

interface Vector {
  readonly kind: string
  readonly body: Uint8Array
  readonly json: Value
}

const text = gunzipSync(readFileSync(join(projectRoot, "test/vectors/protobuf.json.gz"))).toString()
const recorded = parseJson(text) as readonly {
  readonly kind: string
  readonly protobuf: string
  readonly json: Value
}[]
const vectors: readonly Vector[] = recorded.map(({ kind, protobuf, json }) => {
  return { kind, body: Buffer.from(protobuf, "base64"), json }
})

/** Encodes a message from its fields: a text, bytes or a number for each field number. */
function message(...fields: readonly (readonly [number: number, value: string | Uint8Array | number])[]): Uint8Array {
  const writer = new BinaryWriter()
  for (const [number, value] of fields) {
    if (typeof value === "number") writer.tag(number, 0).int64(value)
    else if (typeof value === "string") writer.tag(number, 2).string(value)
    else writer.tag(number, 2).bytes(value)
  }
  return writer.finish()
}

function envelope(apiVersion: string, kind: string, object: Uint8Array): Uint8Array {
  const typeMeta = message([1, apiVersion], [2, kind])
  return Buffer.concat([Buffer.from("k8s\0"), message([1, typeMeta], [2, object], [3, ""], [4, ""])])
}

const named = (name: string) => message([1, name])
const entry = (key: string, value: string) => message([1, key], [2, value])
const settings = envelope("v1", "ConfigMap", message([1, named("settings")], [2, entry("a", "1")]))

async function send(server: ReturnType<typeof createApiServer>, method: string, path: string, body: Uint8Array) {
  const headers = { "content-type": type, accept: `${type},application/json` }
  const response = await server.fetch(
    new Request(`http://test${path}`, { method, headers, body: new Uint8Array(body) }),
  )
  return { status: response.status, body: (await response.json()) as MapValue }
}

/** Returns the message that refuses the body. */
async function refusal(body: Uint8Array): Promise<RequestFailure> {
  const found: unknown = await readProtobuf(body, anyKind).catch((error: unknown) => error)
  if (!(found instanceof RequestFailure)) throw new Error(`expected a refusal, got ${formatJson(found as Value)}`)
  return found
}

describe("a body in protobuf", () => {
  it.each(vectors.map((vector, index) => [`${vector.kind}, ${index}`, vector] as const))(
    "is what Go reads: %s",
    async (_, { body, json }) => {
      expect(formatJson(await readProtobuf(body, anyKind))).toBe(formatJson(json))
    },
  )

  it("is known for every served kind", () => {
    const missing = builtInResources(kubernetesTypes).filter(
      ({ apiVersion, kind }) => messageTypeOf(apiVersion, kind) === undefined,
    )
    expect(missing.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)).toEqual([])
  })

  it("may name no kind, have unknown fields, and have parts in any order", async () => {
    const object = message([99, "?"], [2, entry("b", "2")], [98, 7], [1, named("x")], [2, message([2, "1"], [1, "a"])])
    const body = Buffer.concat([Buffer.from("k8s\0"), message([2, object])])
    const read = await readProtobuf(body, anyKind)
    expect(read).toEqual({ ...anyKind, metadata: { name: "x" }, data: { a: "1", b: "2" } })
  })

  it("merges a message that occurs twice, and reads packed lists", async () => {
    const context = message([4, new Uint8Array([1, 2, 0xac, 0x02])], [4, 5])
    const spec = [message([14, context]), message([3, "Never"])] as const
    const body = envelope("v1", "Pod", message([2, spec[0]], [2, spec[1]]))
    const { spec: read } = (await readProtobuf(body, anyKind)) as { spec: MapValue }
    const securityContext = { supplementalGroups: [1, 2, 300, 5] }
    expect(read).toEqual({ containers: null, restartPolicy: "Never", securityContext })
  })

  it("is refused with 400 if it is malformed or of an unknown kind", async () => {
    const cases: readonly (readonly [Uint8Array, string])[] = [
      [Buffer.from("{}"), "empty"],
      [Buffer.from('{"kind":"ConfigMap"}'), "does not appear to be a protobuf message, expected prefix [107 56 115 0]"],
      [envelope("v1", "Nothing", named("x")), 'no kind "Nothing" is known for version v1'],
      [envelope("v1", "ConfigMap", message([1, 5])), "wrong wire type 0 for field metadata"],
      [envelope("v1", "PersistentVolumeClaim", quantity("1Q")), "quantit"],
      [envelope("v1", "Event", message([1, named("x")], [6, message([1, 1e12])])), "years 0 to 9999"],
      [envelope("apps/v1", "ControllerRevision", message([2, message([1, "{"])])), "in version"],
    ]
    for (const [body, text] of cases) {
      const { code, message: found } = await refusal(body)
      expect([code, found]).toEqual([400, expect.stringContaining(text)])
    }
  })

  it("is refused if it nests too deeply", async () => {
    let schema: Uint8Array = message([5, "object"])
    for (let depth = 0; depth < 3000; depth++) schema = message([28, schema])
    const versions = message([1, "v1"], [4, message([1, schema])])
    const body = envelope("apiextensions.k8s.io/v1", "CustomResourceDefinition", message([2, message([7, versions])]))
    expect((await refusal(body)).message).toContain("deeper than 1000 levels")
  })

  it("is read or refused, whichever bytes are cut off or changed", async () => {
    let refused = 0
    for (const { body } of vectors.filter((_, index) => index % 9 === 0)) {
      for (let at = 4; at < body.length; at += Math.ceil(body.length / 60)) {
        const flipped = Buffer.from(body)
        flipped[at] = (flipped[at] as number) ^ (1 << (at % 8))
        for (const broken of [body.subarray(0, at), flipped]) {
          const found: unknown = await readProtobuf(broken, anyKind).catch((error: unknown) => error)
          if (!(found instanceof Error)) continue
          expect(found).toMatchObject({ name: "RequestFailure", code: 400 })
          refused++
        }
      }
    }
    expect(refused).toBeGreaterThan(1000)
  })
})

/** Returns a claim that requests this much storage. */
function quantity(text: string): Uint8Array {
  const requests = message([1, "storage"], [2, message([1, text])])
  return message([2, message([2, message([2, requests])])])
}

describe("a server that receives protobuf", () => {
  afterEach(() => vi.doUnmock("@bufbuild/protobuf/wire"))

  it("creates, updates and deletes", async () => {
    const server = createApiServer()
    const created = await send(server, "POST", `${configMaps}?fieldManager=test`, settings)
    expect(created).toMatchObject({ status: 201, body: { kind: "ConfigMap", data: { a: "1" } } })
    const changed = envelope("v1", "ConfigMap", message([1, named("settings")], [2, entry("b", "2")]))
    const updated = await send(server, "PUT", `${configMaps}/settings`, changed)
    expect(updated).toMatchObject({ status: 200, body: { data: { b: "2" } } })
    const other = envelope("apps/v1", "DeleteOptions", message([2, message([1, "another"])]))
    expect(await send(server, "DELETE", `${configMaps}/settings`, other)).toMatchObject({ status: 409 })
    const options = envelope("meta.k8s.io/v1", "DeleteOptions", message([4, "Background"]))
    expect(await send(server, "DELETE", `${configMaps}/settings`, options)).toMatchObject({ status: 200 })
  })

  it("records the same owners as for JSON", async () => {
    const json = { ...anyKind, metadata: { name: "settings" }, data: { a: "1" } }
    const owners = async (contentType: string, body: Uint8Array) => {
      const server = createApiServer({ clock: () => new Date(0) })
      const init = { method: "POST", headers: { "content-type": contentType }, body: new Uint8Array(body) }
      const response = await server.fetch(new Request(`http://test${configMaps}?fieldManager=test`, init))
      return ((await response.json()) as { metadata: { managedFields: unknown } }).metadata.managedFields
    }
    expect(await owners(type, settings)).toEqual(await owners("application/json", Buffer.from(JSON.stringify(json))))
  })

  it("answers reviews", async () => {
    const review = envelope("authentication.k8s.io/v1", "SelfSubjectReview", message())
    const answer = await send(createApiServer(), "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", review)
    expect(answer).toMatchObject({ status: 201, body: { status: { userInfo: { username: "admin", uid: "admin" } } } })
  })

  it("refuses a kind that differs from the path, and custom resources", async () => {
    const group = "example.com"
    const server = createApiServer({ crds: [definitionOf("Widget", { group, spec: { scope: "Cluster" } })] })
    expect(await send(server, "POST", "/api/v1/namespaces/default/secrets", settings)).toMatchObject({ status: 400 })
    const widget = await send(
      server,
      "POST",
      `/apis/${group}/v1/widgets`,
      envelope(`${group}/v1`, "Widget", named("x")),
    )
    expect(widget).toMatchObject({ status: 415, body: { message: expect.not.stringContaining("protobuf") } })
  })

  it("names the remedy if @bufbuild/protobuf is not installed", async () => {
    vi.doMock("@bufbuild/protobuf/wire", () => {
      throw new Error("Cannot find package '@bufbuild/protobuf'")
    })
    const { status, body } = await send(createApiServer(), "POST", configMaps, settings)
    expect(status).toBe(415)
    for (const remedy of ["npm install @bufbuild/protobuf", "create -f", "ContentType: application/json"])
      expect(body.message).toContain(remedy)
  })
})
