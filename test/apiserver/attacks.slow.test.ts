/**
 * Requests that would cost a server far more than they cost to send. Each is as large as a request may be, so a server whose work is not
 * proportional would never finish. The tests assert responses, bytes and counts, and never time.
 */
import { describe, expect, it } from "vitest"
import { type ApiServer, createApiServer } from "../../src/apiserver/server.js"
import { formatJson, parseJson } from "../../src/json/json.js"
import { hasFormat } from "../../src/kinds/structural/formats.js"
import { compareQuantities, formatQuantity } from "../../src/value/quantity.js"
import { isMap, type MapValue, type Value } from "../../src/value/value.js"
import { definitionOf } from "../support/definition.js"

const megabyte = 1024 * 1024
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
const widgets = "/apis/example.org/v1/namespaces/default/widgets"

async function send(server: ApiServer, method: string, path: string, body: Value | string, type = "application/json") {
  const text = typeof body === "string" ? body : formatJson(body)
  const request = new Request(`http://test${path}`, { method, headers: { "content-type": type }, body: text })
  const response = await server.fetch(request)
  const answer = await response.text()
  const value = parseJson(answer)
  return { status: response.status, bytes: answer.length, message: isMap(value) ? String(value.message ?? "") : "" }
}

/** A server with a kind of custom resources whose `spec` has this schema. */
async function serverWith(spec: MapValue) {
  const server = createApiServer()
  const definition = definitionOf("Widget", { group: "example.org", schema: { properties: { spec } } })
  const made = await send(server, "POST", definitions, definition)
  return { server, made }
}

const widget = (spec: Value): MapValue => ({
  apiVersion: "example.org/v1",
  kind: "Widget",
  metadata: { name: "w" },
  spec,
})

describe("regular expressions", () => {
  const hostile = "(a+)+$"
  const text = `${"a".repeat(megabyte)}!`

  it("of patterns take steps in proportion to the text", async () => {
    const { server } = await serverWith({ type: "string", pattern: hostile })
    const { status, message } = await send(server, "POST", widgets, widget(text))
    expect([status, message.slice(0, 9), message.slice(-33)]).toEqual([
      422,
      "Widget.ex",
      `!": spec in body should match '${hostile}'`.slice(-33),
    ])
  })

  it.each(["self.matches", "'' == self.find", "[] == self.findAll"])("of rules also do: %s", async call => {
    const rule = `${call}('${hostile}')${call === "self.matches" ? " == false" : ""}`
    const { server, made } = await serverWith({ type: "string", "x-kubernetes-validations": [{ rule }] })
    expect(made.status).toBe(201)
    expect((await send(server, "POST", widgets, widget(text))).status).toBe(201)
  })

  it("that are too large for the text are not matched", async () => {
    const { server } = await serverWith({ type: "string", pattern: "^(a{999}b{999}){1}$" })
    const { status, message } = await send(server, "POST", widgets, widget(text))
    expect([status, message]).toEqual([
      422,
      'this test API server does not match this much text with a pattern as large as "^(a{999}b{999}){1}$"',
    ])
  })

  it("are not all compiled if there are too many", async () => {
    const patterns = Array.from({ length: 10_000 }, (_, i) => [`p${i}`, { type: "string", pattern: `a{999}${i}` }])
    const { made } = await serverWith({ type: "object", properties: Object.fromEntries(patterns) })
    expect(made.status).toBe(422)
    expect(made.message).toContain("error parsing regexp: expressions too large together")
  })
})

describe("texts with a form", () => {
  it.each([
    ["duration", "1".repeat(megabyte)],
    ["duration", `${"1.".repeat(megabyte / 2)}!`],
    ["duration", "1.s000".repeat(megabyte / 6)],
    ["email", `${"a.".repeat(megabyte / 2)}@`],
    ["email", `"${"\\a".repeat(megabyte / 2)}`],
    ["uri", `//${"@:".repeat(megabyte / 2)}\n`],
    ["hostname", "a-".repeat(megabyte / 2)],
    ["k8s-long-name", "a.".repeat(megabyte / 2)],
    ["date-time", `2020-01-01t00:00:00.${"0".repeat(megabyte)}`],
    ["byte", `${"A".repeat(megabyte)}=a`],
    ["creditcard", "1 ".repeat(megabyte / 2)],
    ["ipv6", ":".repeat(megabyte)],
    ["mac", "00:".repeat(megabyte / 3)],
    ["uuid", "0".repeat(megabyte)],
  ])("are refused in linear time: %s", (format, text) => {
    expect(hasFormat(text, format)).toBe(false)
  })

  it.each([
    ["zeros", `${"0".repeat(megabyte)}x`],
    ["digits", "9".repeat(megabyte)],
    ["places", `0.${"1".repeat(megabyte)}`],
  ])("are refused as quantities if they have %s", (_, text) => {
    expect(() => formatQuantity(text)).toThrow(RangeError)
    expect(() => compareQuantities(text, "1")).toThrow(RangeError)
  })

  it("are compared as quantities without being written out", () => {
    const sorted = ["-1e300000000", "-1", "-1e-300000000", "0", "1e-300000001", "1e-300000000", "1", "1e300000000"]
    for (const [i, a] of sorted.entries()) {
      for (const [j, b] of sorted.entries()) expect(Math.sign(compareQuantities(a, b))).toBe(Math.sign(i - j))
    }
    expect(compareQuantities("1e300000000", "0.1e300000001")).toBe(0)
  })

  it("are read as quantities if they are ordinary", () => {
    expect(["0010", "1e3", "1E-3", "+1.50", "1e400", "0e-500"].map(formatQuantity)).toEqual([
      "0010",
      "1e3",
      "1E-3",
      "1500m",
      "10e399",
      "0",
    ])
  })

  it.each([
    ["digits", `{"metadata":{"generation":${"1".repeat(2 * megabyte)}-}}`],
    ["texts that are not closed", `{"a":"${'\\"'.repeat(megabyte)}`],
    ["spaces", `{"a":${" ".repeat(2 * megabyte)}`],
  ])("are refused as JSON in linear time: %s", async (_, body) => {
    expect((await send(createApiServer(), "POST", "/api/v1/namespaces/default/configmaps", body)).status).toBe(400)
  })
})

describe("an answer that would be far larger than the request", () => {
  const many = (length: number) => Array.from({ length }, (_, i) => i)
  const configMaps = "/api/v1/namespaces/default/configmaps"
  const long = "k".repeat(megabyte / 4)
  const unlike = { type: "array", items: { type: "string" } }

  it("reports at most 10,000 problems of a custom resource", async () => {
    const { server } = await serverWith(unlike)
    const { status, message, bytes } = await send(server, "POST", widgets, widget(many(500_000).map(() => 1)))
    expect([status, message.split("must be of type string").length]).toEqual([422, 10_001])
    expect(bytes).toBeLessThan(4 * megabyte)
  })

  it("reports at most 4 MB of problems, each with the allowed values", async () => {
    const { server } = await serverWith({ type: "array", items: { type: "string", enum: many(20_000).map(String) } })
    const { status, bytes } = await send(server, "POST", widgets, widget(many(20_000).map(i => `x${i}`)))
    expect(status).toBe(422)
    expect(bytes).toBeLessThan(30 * megabyte)
    expect((await send(server, "POST", widgets, widget(many(20_000).map(() => "19999")))).status).toBe(201)
  })

  it("reports at most 10,000 problems of a built-in object, and of a definition", async () => {
    const server = createApiServer()
    const containers = many(30_000).map(i => ({ name: `C_${i}`, image: "i" }))
    const pod = { metadata: { name: "p" }, spec: { containers } }
    const refused = await send(server, "POST", "/api/v1/namespaces/default/pods", pod)
    expect([refused.status, refused.message.split("Invalid value").length]).toEqual([422, 10_001])
    const properties = Object.fromEntries(many(30_000).map(i => [`p${i}`, { type: "nonsense" }]))
    const { made } = await serverWith({ type: "object", properties })
    expect([made.status, made.message.split("Unsupported value").length]).toEqual([422, 10_001])
  })

  it.each([
    ["wrong values", unlike, many(50_000)],
    ["unknown fields", { type: "object", properties: {} }, Object.fromEntries(many(50_000).map(i => [`f${i}`, 1]))],
  ])("repeats no long path for each of many %s", async (_, schema, value) => {
    const { server } = await serverWith({ type: "object", additionalProperties: schema })
    for (const [method, path, type] of [
      ["POST", widgets, "application/json"],
      ["POST", `${widgets}?fieldValidation=Strict`, "application/json"],
      ["PATCH", `${widgets}/w?fieldManager=m`, "application/apply-patch+yaml"],
    ] as const) {
      const { status, message } = await send(server, method, path, widget({ [long]: value }), type)
      expect([status, message]).toEqual([
        413,
        "Request entity too large: the paths of its fields have more than 67108864 characters together",
      ])
    }
    expect((await send(server, "POST", widgets, widget({ [long]: schema === unlike ? [] : {} }))).status).toBe(201)
    const added = [{ op: "add", path: `/spec/${long}`, value }]
    expect((await send(server, "PATCH", `${widgets}/w`, added, "application/json-patch+json")).status).toBe(413)
  })

  it.each([
    ["[[".repeat(1_500_000), "line 1, column 502: nests deeper than 500 levels"],
    ["- ".repeat(1_500_000), "line 1, column 1003: nests deeper than 500 levels"],
    [`[${"1,".repeat(1_500_000)}`, "line 1, column 666667: has more than 1000000 words and marks"],
    ["a:\n".repeat(1_000_000), "line 250000, column 3: has more than 1000000 words and marks"],
    [`${"- a\n".repeat(750_000)}b`, "line 200000, column 4: has more than 1000000 words and marks"],
  ])("is not read to its end if it is malformed YAML, like %.8s…", async (body, why) => {
    const { status, message } = await send(createApiServer(), "POST", configMaps, body, "application/yaml")
    expect([status, message]).toEqual([400, expect.stringContaining(`(must be of type ConfigMap): ${why} (`)])
  })

  it("does not expand a YAML alias of a long text", async () => {
    const start = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
    const body = `${start}x: &x "${"y".repeat(megabyte)}"\ndata:\n  l: [${"*x,".repeat(2000)}]\n`
    for (const [method, path, type] of [
      ["POST", configMaps, "application/yaml"],
      ["PATCH", `${configMaps}/a?fieldManager=m`, "application/apply-patch+yaml"],
    ] as const) {
      const { status, message } = await send(createApiServer(), method, path, body, type)
      const why = "its texts have more than 33554432 characters once aliases are written out"
      expect([status, message]).toEqual([413, `Request entity too large: ${why}`])
    }
  })

  it("is not stored if defaults make the object too large", async () => {
    const item = { type: "object", default: {}, properties: { a: { type: "string", default: "x".repeat(10_000) } } }
    const { server } = await serverWith({ type: "array", items: item })
    const { status, message } = await send(server, "POST", widgets, widget(many(50_000).map(() => ({}))))
    expect([status, message]).toEqual([500, "etcdserver: request is too large"])
  })

  it("has at most 4,096 characters of warnings", async () => {
    const server = createApiServer()
    const warningsOf = async (object: MapValue, query = "") => {
      const init = { method: "POST", headers: { "content-type": "application/json" }, body: formatJson(object) }
      const response = await server.fetch(new Request(`http://test${configMaps}?dryRun=All${query}`, init))
      await response.text()
      return { status: response.status, warning: response.headers.get("warning") }
    }
    const metadata = { name: "a" }
    expect(await warningsOf({ metadata, a: 1 })).toEqual({ status: 201, warning: '299 - "unknown field \\"a\\""' })
    const fields = Object.fromEntries(many(1000).map(i => [`field${i}${"x".repeat(80)}`, 1]))
    const { warning } = await warningsOf({ metadata, ...fields })
    expect(warning?.split("299 - ").length).toBe(41)
    const texts = await warningsOf({ metadata, ["a".repeat(5000)]: 1, ["b".repeat(300)]: 1 })
    expect(texts.warning).toBe(
      `299 - "unknown field \\"${"a".repeat(241)}", 299 - "unknown field \\"${"b".repeat(241)}"`,
    )
    // A server sends warnings as bytes of UTF-8.
    const bytes = Buffer.from('299 - "unknown field \\"ключ 😀\\""', "utf8").toString("latin1")
    expect(await warningsOf({ metadata, "ключ 😀": 1 })).toEqual({ status: 201, warning: bytes })
    expect(await warningsOf({ metadata, "a\nb": 1 })).toEqual({
      status: 201,
      warning: '299 - "unknown field \\"a\\\\nb\\""',
    })
  })
})

describe("validation", () => {
  it("takes steps for each clause of each value, and stops after too many", async () => {
    let clause: MapValue = { required: ["a"] }
    for (let i = 0; i < 12; i++) clause = { anyOf: [clause, clause] }
    const item = { type: "object", properties: { a: { type: "string" } }, anyOf: [clause] }
    const { server } = await serverWith({ type: "array", items: item })
    const { status, message } = await send(server, "POST", widgets, widget(Array.from({ length: 2000 }, () => ({}))))
    expect([status, message]).toEqual([
      422,
      "this test API server does not check this many values against this many clauses",
    ])
    expect((await send(server, "POST", widgets, widget(Array.from({ length: 10 }, () => ({ a: "" }))))).status).toBe(
      201,
    )
  })

  it("takes steps for each object that is accepted", async () => {
    const allowed = Array.from({ length: 20_000 }, (_, i) => ({ a: `e${i}` }))
    const item = { type: "object", properties: { a: { type: "string" } }, enum: allowed }
    const { server } = await serverWith({ type: "array", items: item })
    expect((await send(server, "POST", widgets, widget([...allowed].reverse()))).status).toBe(422)
    expect((await send(server, "POST", widgets, widget(allowed.slice(0, 50)))).status).toBe(201)
  })
})

describe("the log of requests", () => {
  it("drops the older half if the addresses are long", async () => {
    const server = createApiServer()
    const path = `/api/v1/configmaps/${"a".repeat(megabyte)}`
    for (let i = 0; i < 100; i++) await server.fetch(new Request(`http://test${path}?n=${i}`))
    const characters = server.requests.reduce((sum, request) => sum + request.path.length, 0)
    expect(characters).toBeLessThan(65 * megabyte)
    expect(server.requests.at(-1)?.path.endsWith("?n=99")).toBe(true)
  })
})
