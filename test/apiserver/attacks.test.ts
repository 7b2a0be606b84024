/**
 * Requests that are made to cost a server more than they cost to send. Each is as large as a request may be, so that work that does not
 * grow in proportion would not end; what is asserted are answers, bytes and counts, and never time.
 */
import { describe, expect, it } from "vitest"
import { hasFormat } from "../../src/apiserver/custom/formats.js"
import { compareQuantities, formatQuantity } from "../../src/apiserver/defaults/quantity.js"
import { type ApiServer, createApiServer } from "../../src/apiserver/server.js"
import { formatJson, parseJson } from "../../src/json/json.js"
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

  it.each(["self.matches", "'' == self.find", "[] == self.findAll"])("of rules do too: %s", async call => {
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
      'this test API server does not match so much text with patterns as large as "^(a{999}b{999}){1}$"',
    ])
  })

  it("are not all compiled where there are too many", async () => {
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
  ])("are refused in one go: %s", (format, text) => {
    expect(hasFormat(text, format)).toBe(false)
  })

  it.each([
    ["zeros", `${"0".repeat(megabyte)}x`],
    ["digits", "9".repeat(megabyte)],
    ["places", `0.${"1".repeat(megabyte)}`],
  ])("are refused as quantities that have %s", (_, text) => {
    expect(() => formatQuantity(text)).toThrow(RangeError)
    expect(() => compareQuantities(text, "1")).toThrow(RangeError)
  })

  it("are no quantities to calculate with where their exponents are large", () => {
    expect(() => compareQuantities("1e300000000", "1")).toThrow("more than 1000")
    expect(compareQuantities("1e-300000000", "1e-300000001")).toBeGreaterThan(0)
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
  ])("are refused as JSON in one go: %s", async (_, body) => {
    expect((await send(createApiServer(), "POST", "/api/v1/namespaces/default/configmaps", body)).status).toBe(400)
  })
})
