// A server of bench apiserver in a separate process. The argument is the folder of a build of the package, whose server runs. Without an
// argument, it is a node:http server that parses bodies, prints objects of the same size and does nothing else.
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { pathToFileURL } from "node:url"

const [build] = process.argv.slice(2)
process.on("message", () => process.send?.(process.cpuUsage()))
process.on("disconnect", () => process.exit())
process.send?.(build === undefined ? await listenBare() : await listenBuilt(build))

async function listenBuilt(folder: string): Promise<string> {
  const { listen } = await import(`${pathToFileURL(folder)}/apiserver/node/index.js`)
  return (await listen()).url
}

interface Stored {
  readonly metadata: { readonly name: string }
}

/** The metadata that a server adds to a ConfigMap. */
const added = {
  namespace: "bench-created",
  uid: "01234567-89ab-cdef-0123-456789abcdef",
  resourceVersion: "123456",
  creationTimestamp: "2026-01-01T00:00:00Z",
  managedFields: [
    {
      manager: "bench",
      operation: "Apply",
      apiVersion: "v1",
      time: "2026-01-01T00:00:00Z",
      fieldsType: "FieldsV1",
      fieldsV1: { "f:data": { "f:step": {}, "f:text": {} }, "f:metadata": { "f:labels": { "f:group": {} } } },
    },
  ],
}

async function listenBare(): Promise<string> {
  const collections = new Map<string, Map<string, Stored>>()
  const server = createServer(async (incoming, outgoing) => {
    const [path = "", query = ""] = (incoming.url ?? "").split("?")
    // The path has the namespace, the resource and the name.
    const parts = path.split("/").slice(4)
    const objects = collections.get(parts.slice(0, 2).join("/")) ?? new Map<string, Stored>()
    collections.set(parts.slice(0, 2).join("/"), objects)
    let answer: unknown = { kind: "Status", metadata: {} }
    if (incoming.method === "POST" || incoming.method === "PATCH") {
      const given = JSON.parse(await textOf(incoming)) as Stored
      const stored = { ...given, metadata: { ...given.metadata, ...added } }
      if (parts.length > 0) objects.set(stored.metadata.name, stored)
      answer = stored
    } else if (incoming.method === "GET" && parts.length === 3) answer = objects.get(parts[2] as string)
    else if (incoming.method === "GET") {
      const limit = Number(new URLSearchParams(query).get("limit") ?? objects.size)
      const items = [...objects.values()].slice(0, limit)
      answer = { kind: "ConfigMapList", apiVersion: "v1", metadata: { resourceVersion: "1" }, items }
    }
    const text = JSON.stringify(answer)
    outgoing.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) })
    outgoing.end(text)
  })
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of incoming) chunks.push(chunk as Uint8Array)
  return Buffer.concat(chunks).toString()
}
