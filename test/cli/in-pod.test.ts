/** In a pod, `smd` uses the token and the certificate of the service account. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { podConnection } from "../../src/cli/cluster/in-pod.js"
import { selfSigned } from "../support/certificate.js"

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "pod-"))
  writeFileSync(join(folder, "token"), "first\n")
  writeFileSync(join(folder, "namespace"), "web")
  writeFileSync(join(folder, "ca.crt"), "")
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Returns the environment of a pod whose server has this port. */
function pod(port: number, more: Readonly<Record<string, string>> = {}) {
  const env = { KUBERNETES_SERVICE_HOST: "127.0.0.1", KUBERNETES_SERVICE_PORT: String(port), ...more }
  return { env, folder, kubeconfig: join(folder, "none") }
}

it("sends the token to the server that the certificate is for", async () => {
  const keys = selfSigned()
  writeFileSync(join(folder, "ca.crt"), keys.cert)
  const server = createServer(keys, ({ method, url, headers }, response) => {
    response.end(JSON.stringify({ method, url, accept: headers.accept, authorization: headers.authorization }))
  })
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const connection = await podConnection({}, pod(port))
  try {
    const read = async () => {
      const init = {
        method: "GET",
        headers: { accept: "application/json" },
        signal: new AbortController().signal,
      } as const
      return await (await connection?.fetch("/api?limit=1", init))?.json()
    }
    const expected = { method: "GET", url: "/api?limit=1", accept: "application/json" }
    expect(await read()).toEqual({ ...expected, authorization: "Bearer first" })
    writeFileSync(join(folder, "token"), "renewed\n")
    expect(await read()).toEqual({ ...expected, authorization: "Bearer renewed" })
    expect(await connection?.namespace()).toBe("web")
    expect(await connection?.server()).toBe(`https://127.0.0.1:${port}`)
  } finally {
    await connection?.close()
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }
})

it("leaves the choice of the cluster to kubectl if there is a kubeconfig, or no pod", async () => {
  expect(await podConnection({ context: "a" }, pod(1))).toBeUndefined()
  expect(await podConnection({ kubeconfig: "a" }, pod(1))).toBeUndefined()
  expect(await podConnection({}, pod(1, { KUBECONFIG: "a" }))).toBeUndefined()
  expect(await podConnection({}, { ...pod(1), kubeconfig: join(folder, "token") })).toBeUndefined()
  expect(await podConnection({}, { ...pod(1), folder: join(folder, "none") })).toBeUndefined()
  expect(await podConnection({}, { ...pod(1), env: {} })).toBeUndefined()
})
