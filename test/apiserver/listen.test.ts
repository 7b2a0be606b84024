/** The server on a port. */
import { request } from "node:http"
import { describe, expect, it } from "vitest"
import { listen } from "../../src/apiserver/node/listen.js"
import { parseYaml } from "../../src/io/yaml.js"

describe("a server that listens", () => {
  it("answers at its address, and says how to reach it", async () => {
    const { url, kubeconfig, close } = await listen()
    try {
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
      expect(parseYaml(kubeconfig)).toMatchObject({
        clusters: [{ cluster: { server: url } }],
        "current-context": "test",
      })
      expect(await (await fetch(`${url}/readyz`)).text()).toBe("ok")
      const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } })
      const headers = { "content-type": "application/json" }
      const created = await fetch(`${url}/api/v1/namespaces/default/configmaps`, { method: "POST", headers, body })
      expect(created.status).toBe(201)
    } finally {
      await close()
    }
  })

  it("refuses what is too large, and goes on after a request that was cut off", async () => {
    const { url, close } = await listen()
    try {
      const headers = { "content-type": "application/json" }
      const path = `${url}/api/v1/namespaces/default/configmaps`
      const large = await fetch(path, { method: "POST", headers, body: " ".repeat(3 * 1024 * 1024 + 1) })
      expect(large.status).toBe(413)
      await new Promise<void>(resolve => {
        const cut = request(path, { method: "POST", headers: { ...headers, "content-length": "100" } })
        cut.on("error", () => resolve())
        cut.on("close", () => resolve())
        cut.write("{", () => cut.destroy())
      })
      expect((await fetch(path)).status).toBe(200)
    } finally {
      await close()
    }
  })

  it("sends the headers of a watch at once", async () => {
    const { url, close } = await listen()
    const response = await fetch(`${url}/api/v1/configmaps?watch=true`)
    expect(response.status).toBe(200)
    await close()
  })
})
