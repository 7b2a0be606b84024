/** The addresses and ports that the server allocates for Services. */
import { describe, expect, it } from "vitest"
import { clientOf } from "./requests.js"

const services = "/api/v1/namespaces/default/services"

interface Spec {
  readonly clusterIP: string
  readonly clusterIPs: readonly string[]
  readonly ports: readonly [{ readonly nodePort: number }]
}

/** Returns a function that writes Services of a new server and returns their specs. */
function writer() {
  const send = clientOf()
  return async (method: string, name: string, spec: object): Promise<Spec> => {
    const path = method === "POST" ? services : `${services}/${name}`
    return (await send(method, path, { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } })).body.spec
  }
}

describe("addresses of Services", () => {
  it("are the lowest free ones, and stay the same", async () => {
    const write = writer()
    const first = await write("POST", "a", {})
    expect(first).toMatchObject({ clusterIPs: [first.clusterIP], ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" })
    expect(first.clusterIP).toMatch(/^10\.96\.0\.\d+$/)
    const second = await write("POST", "b", {})
    expect(second.clusterIP).not.toBe(first.clusterIP)
    expect((await write("PUT", "a", { selector: { app: "x" } })).clusterIP).toBe(first.clusterIP)
  })

  it("are not allocated for Services that need none", async () => {
    const write = writer()
    expect((await write("POST", "a", { clusterIP: "None" })).clusterIPs).toEqual(["None"])
    expect((await write("POST", "b", { type: "ExternalName", externalName: "x.y" })).clusterIP).toBeUndefined()
  })

  it("come with node ports, which are removed with the type", async () => {
    const write = writer()
    const [port] = (await write("POST", "a", { type: "NodePort" })).ports
    expect(port.nodePort).toBe(30_000)
    expect((await write("POST", "b", { type: "LoadBalancer" })).ports[0].nodePort).toBe(30_001)
    expect((await write("PUT", "a", { type: "NodePort" })).ports[0].nodePort).toBe(30_000)
    expect((await write("PUT", "a", { type: "ClusterIP" })).ports[0].nodePort).toBeUndefined()
  })
})
