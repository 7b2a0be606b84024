/** The options of lists and reads, and the tokens of pages, in the words of a kube-apiserver v1.37.1. */
import { describe, expect, it } from "vitest"
import { createApiServer } from "../../src/apiserver/index.js"
import { definitionOf } from "../support/definition.js"

const configMaps = "/api/v1/namespaces/default/configmaps"
const objects = ["a", "b", "c"].map(name => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } }))

function start() {
  const server = createApiServer({ objects, crds: [definitionOf("Widget", { group: "example.org" })] })
  const send = async (path: string, method = "GET") => {
    const response = await server.fetch(new Request(`http://test${path}`, { method }))
    // biome-ignore lint/suspicious/noExplicitAny: answers of any kind
    return { headers: response.headers, body: (await response.json()) as any }
  }
  const names = async (path: string): Promise<string> =>
    (await send(path)).body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name).join("")
  return { server, send, names }
}

const tokenOf = (text: string) => btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
const badToken = "invalid continue token: continue key is not valid:"
const badOptions = 'ListOptions.meta.k8s.io "" is invalid:'
const match = "resourceVersionMatch"
const notANumber = 'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax'

describe("a list", () => {
  it.each([
    ["limit=x", 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
    ["resourceVersion=abc", 400, `invalid resource version: ${notANumber}`],
    [
      `${match}=Exact`,
      422,
      `${badOptions} ${match}: Forbidden: ${match} is forbidden unless resourceVersion is provided`,
    ],
    [
      `${match}=Nope`,
      422,
      `${badOptions} [${match}: Forbidden: ${match} is forbidden unless resourceVersion is provided, ${match}: Unsupported value: "Nope": supported values: "Exact", "NotOlderThan", ""]`,
    ],
    [
      `${match}=Exact&resourceVersion=0`,
      422,
      `${badOptions} ${match}: Forbidden: ${match} "exact" is forbidden for resourceVersion "0"`,
    ],
    [
      `${match}=Exact&resourceVersion=1&continue=abc`,
      422,
      `${badOptions} ${match}: Forbidden: ${match} is forbidden when continue is provided`,
    ],
    [
      "sendInitialEvents=true",
      422,
      `${badOptions} sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list`,
    ],
    // All parameters are read before any is checked, and the names of fields are checked last.
    [`labelSelector=%3D1&${match}=Exact`, 400, "found '=', expected: !, identifier, or 'end of string'"],
    [`fieldSelector=bad&${match}=Exact`, 400, "invalid selector: 'bad'; can't understand 'bad'"],
    ["limit=x&resourceVersion=0", 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
    [
      `fieldSelector=bad=1&${match}=Exact`,
      422,
      `${badOptions} ${match}: Forbidden: ${match} is forbidden unless resourceVersion is provided`,
    ],
    ["continue=abc", 400, `${badToken} invalid character 'i' looking for beginning of value`],
    ["continue=.", 400, `${badToken} illegal base64 data at input byte 0`],
    ["continue=abcde", 400, `${badToken} illegal base64 data at input byte 4`],
    [
      `continue=${tokenOf("7")}`,
      400,
      `${badToken} json: cannot unmarshal number into Go value of type storage.continueToken`,
    ],
    [`continue=${tokenOf('{"v":"v2"}')}`, 400, `${badToken} server does not recognize this encoded version v2`],
    [
      `continue=${tokenOf('{"v":"meta.k8s.io/v1","start":"a"}')}`,
      400,
      `${badToken} incorrect encoded start resourceVersion (version meta.k8s.io/v1)`,
    ],
    [
      `continue=${tokenOf('{"v":"meta.k8s.io/v1","rv":1}')}`,
      400,
      `${badToken} encoded start key empty (version meta.k8s.io/v1)`,
    ],
  ])("may not have %s", async (query, code, message) => {
    const { send } = start()
    expect((await send(`${configMaps}?${query}`)).body).toMatchObject({ kind: "Status", code, message })
  })

  it("shows an earlier state that is asked for exactly", async () => {
    const { server, send, names } = start()
    const then = server.resourceVersion
    await send(`${configMaps}/b`, "DELETE")
    const exact = `${configMaps}?${match}=Exact&resourceVersion=${then}`
    expect([await names(configMaps), await names(exact)]).toEqual(["ac", "abc"])
    expect(await names(`${configMaps}?${match}=NotOlderThan&resourceVersion=${then}`)).toBe("ac")
    expect((await send(exact)).body.metadata.resourceVersion).toBe(String(then))
    server.compact(server.resourceVersion)
    expect((await send(exact)).body).toMatchObject({ code: 410, reason: "Expired" })
  })

  it("has pages unless it comes from the cache, or the limit is negative", async () => {
    const { names } = start()
    const found = ["limit=2", "limit=2&resourceVersion=0", "limit=-1", "limit=0"].map(query =>
      names(`${configMaps}?${query}`),
    )
    expect(await Promise.all(found)).toEqual(["ab", "abc", "abc", "abc"])
  })

  it("goes on with a token from any list and any server, with the selectors of the request", async () => {
    const { server, names } = start()
    const page = (name: string, version = Number(server.resourceVersion)) =>
      `continue=${tokenOf(JSON.stringify({ v: "meta.k8s.io/v1", rv: version, start: name }))}`
    expect(await names(`${configMaps}?${page("b")}`)).toBe("bc")
    expect(await names(`${configMaps}?${page("bb")}`)).toBe("c")
    expect(await names(`${configMaps}?${page("b")}&fieldSelector=metadata.name!=b`)).toBe("c")
    expect(await names(`/api/v1/configmaps?${page("default/b")}`)).toBe("bc")
    expect(await names(`${configMaps}?${page("x")}`)).toBe("")
  })

  it("is of a state that there is", async () => {
    const { server, send } = start()
    const newer = tokenOf(JSON.stringify({ v: "meta.k8s.io/v1", rv: Number(server.resourceVersion) + 1, start: "a" }))
    expect((await send(`${configMaps}?continue=${newer}`)).body).toMatchObject({ code: 410, reason: "Expired" })
  })

  it("of custom resources always says whether it continues", async () => {
    const { send } = start()
    expect((await send("/apis/example.org/v1/namespaces/default/widgets")).body.metadata).toHaveProperty("continue", "")
    expect((await send(configMaps)).body.metadata).not.toHaveProperty("continue")
  })
})

describe("the resourceVersion of a read", () => {
  it.each([`${configMaps}?`, `${configMaps}/a?`])("may not be in the future: %s", async path => {
    const { server, send } = start()
    const { headers, body } = await send(`${path}resourceVersion=999999999`)
    expect(body).toMatchObject({
      code: 504,
      message: `Timeout: Too large resource version: 999999999, current: ${server.resourceVersion}`,
      details: {
        causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
        retryAfterSeconds: 1,
      },
    })
    expect(headers.get("retry-after")).toBe("1")
  })

  it("must be a number", async () => {
    const { send } = start()
    expect((await send(`${configMaps}/a?resourceVersion=abc`)).body).toMatchObject({ code: 500, message: notANumber })
    expect((await send(`${configMaps}/a?resourceVersion=1`)).body.metadata.name).toBe("a")
  })
})
