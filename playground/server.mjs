// A server of built files, on loopback only.
import { readFile } from "node:fs/promises"
import { createServer } from "node:http"
import { extname, join, normalize, sep } from "node:path"
import { gzipSync } from "node:zlib"
import { site } from "./build.mjs"

const types = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
}

/** Serves the playground's `dist/site` as `serveFolder` does. */
export function serveSite(port) {
  return serveFolder(site, port)
}

/** Serves the folder at this port of 127.0.0.1, or at a free one for 0. Returns the URL, and how to end it. */
export async function serveFolder(folder, port) {
  const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname))
    const file = join(folder, path.endsWith(sep) ? join(path, "index.html") : path)
    try {
      if (!file.startsWith(folder + sep)) throw new Error("outside")
      const body = gzipSync(await readFile(file))
      response.writeHead(200, {
        "content-type": types[extname(file)] ?? "application/octet-stream",
        "content-encoding": "gzip",
        "cache-control": "no-cache",
      })
      response.end(body)
    } catch {
      response.writeHead(404, { "content-type": "text/plain" }).end("not found\n")
    }
  })
  await new Promise((resolve, reject) => server.once("error", reject).listen(port, "127.0.0.1", resolve))
  const { port: taken } = server.address()
  return { url: `http://127.0.0.1:${taken}/`, close: () => new Promise(resolve => server.close(resolve)) }
}
