// Builds the playground: dist/site, which a server serves, and dist/offline.html, which needs no server.
//   node playground/build.mjs
import { mkdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { ensureInstalled } from "../scripts/install.mjs"

const here = dirname(fileURLToPath(import.meta.url))
export const site = join(here, "dist", "site")
export const offlineFile = join(here, "dist", "offline.html")

/** Builds the site, and the offline file unless `siteOnly` says not to. */
export async function buildPlayground({ siteOnly = false } = {}) {
  ensureInstalled()
  // Not imported above: `ensureInstalled` may have to install it first.
  const { build } = await import("vite")
  const configFile = join(here, "vite.config.ts")
  delete process.env.PLAYGROUND_OFFLINE
  await build({ configFile })
  if (siteOnly) return
  process.env.PLAYGROUND_OFFLINE = "1"
  await build({ configFile })
  delete process.env.PLAYGROUND_OFFLINE
  mkdirSync(dirname(offlineFile), { recursive: true })
  renameSync(join(here, "dist", "offline", "index.html"), offlineFile)
  rmSync(join(here, "dist", "offline"), { recursive: true })
}

/** The parts of the site in the order in which they are loaded; each has the entries of vite's manifest that it begins with. */
const parts = {
  "first paint": ["index.html"],
  editor: ["src/code-mirror.ts"],
  "engine with built-in kinds, in a worker": ["src/engine-worker.ts"],
  "CRD, OpenAPI": ["../src/openapi/index.ts"],
  "Go types": ["../src/gotypes/index.ts", "../src/union/index.ts"],
}

/** Returns the bytes, with gzip, that each part of the site adds to the parts that are loaded before it. Excludes stories. */
export function weights() {
  const manifest = JSON.parse(readFileSync(join(site, "manifest.json"), "utf8"))
  const loaded = new Set(["index.html"])
  const size = file => gzipSync(readFileSync(join(site, file)), { level: 9 }).length
  const load = key => {
    const { file, css = [], imports = [] } = manifest[key]
    const added = [file, ...css].filter(name => !loaded.has(name))
    for (const name of added) loaded.add(name)
    return added.reduce((sum, name) => sum + size(name), 0) + imports.reduce((sum, name) => sum + load(name), 0)
  }
  return Object.fromEntries(
    Object.entries(parts).map(([name, keys], i) => {
      return [name, keys.reduce((sum, key) => sum + load(key), i === 0 ? size("index.html") : 0)]
    }),
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildPlayground()
  for (const [name, bytes] of Object.entries(weights())) {
    console.log(`${(bytes / 1000).toFixed(1).padStart(7)} kB gz  ${name}`)
  }
}
