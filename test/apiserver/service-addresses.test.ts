/** The addresses and ports that the server allocates for Services. */
import { describe, expect, it } from "vitest"
import { createApiServer } from "../../src/apiserver/server.js"

const services = "/api/v1/namespaces/default/services"

interface Spec {
  readonly clusterIP: string
  readonly clusterIPs: readonly string[]
  readonly ports: readonly [{ readonly nodePort: number }]
}

function client() {
  const server = createApiServer()
  return async (method: string, name: string, spec: object) => {
    const path = method === "POST" ? services : `${services}/${name}`
    const headers = { "content-type": "application/json" }
    const body = JSON.stringify({ metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } })
    const response = await server.fetch(new Request(`http://test${path}`, { method, headers, body }))
    return ((await response.json()) as { readonly spec: Spec }).spec
  }
}

describe("addresses of Services", () => {
  it("are the lowest that are free, and stay", async () => {
    const send = client()
    const first = await send("POST", "a", {})
    expect(first).toMatchObject({ clusterIPs: [first.clusterIP], ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" })
    expect(first.clusterIP).toMatch(/^10\.96\.0\.\d+$/)
    const second = await send("POST", "b", {})
    expect(second.clusterIP).not.toBe(first.clusterIP)
    expect((await send("PUT", "a", { selector: { app: "x" } })).clusterIP).toBe(first.clusterIP)
  })

  it("are not given to those that need none", async () => {
    const send = client()
    expect((await send("POST", "a", { clusterIP: "None" })).clusterIPs).toEqual(["None"])
    expect((await send("POST", "b", { type: "ExternalName", externalName: "x.y" })).clusterIP).toBeUndefined()
  })

  it("come with ports of the nodes, which go with the type", async () => {
    const send = client()
    const [port] = (await send("POST", "a", { type: "NodePort" })).ports
    expect(port.nodePort).toBe(30_000)
    expect((await send("POST", "b", { type: "LoadBalancer" })).ports[0].nodePort).toBe(30_001)
    expect((await send("PUT", "a", { type: "NodePort" })).ports[0].nodePort).toBe(30_000)
    expect((await send("PUT", "a", { type: "ClusterIP" })).ports[0].nodePort).toBeUndefined()
  })
})
