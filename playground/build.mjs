// Builds the playground: dist/site, which a server serves, and dist/offline.html, which opens by itself.
//   node playground/build.mjs
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { ensureInstalled } from "../test/tools/install.mjs"

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

/** The files of the site, each with its size in bytes, with gzip as servers use it. */
export function sizes() {
  return readdirSync(site, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .map(file => ({ file: file.slice(site.length + 1), gzip: gzipSync(readFileSync(file), { level: 9 }).length }))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildPlayground()
  for (const { file, gzip } of sizes()) console.log(`${(gzip / 1000).toFixed(1).padStart(7)} kB gz  ${file}`)
}
