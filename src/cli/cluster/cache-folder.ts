// Keeps OpenAPI documents in the user's cache folder, where only the user can read them.
import { createHash, randomBytes } from "node:crypto"
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import type { DocumentCache } from "../../tools/cluster/documents.js"

/** The parts of a process that decide where caches are. */
interface CacheEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly platform: NodeJS.Platform
  readonly home: string
}

/** Returns the folder for caches: XDG_CACHE_HOME, or the folder that is customary on the system. */
export function cacheFolder(
  { env, platform, home }: CacheEnvironment = { env: process.env, platform: process.platform, home: homedir() },
): string {
  const { XDG_CACHE_HOME: chosen = "", LOCALAPPDATA: local = "" } = env
  const name = "structured-merge-diff"
  if (chosen.startsWith("/")) return join(chosen, name)
  if (platform === "darwin") return join(home, "Library", "Caches", name)
  if (platform === "win32" && local !== "") return join(local, name, "Cache")
  return join(home, ".cache", name)
}

/**
 * Returns the cache for the documents of the server at this address. Each server has a folder of its own, because one could name the hash of
 * another server's document. Without an address, nothing is kept. A folder that can't be used has no effect.
 */
export function documentCache(server: () => Promise<string>, root = cacheFolder()): DocumentCache {
  const folderOf = async (): Promise<string | undefined> => {
    const address = await server()
    if (address === "") return undefined
    return join(root, "openapi", createHash("sha256").update(address).digest("hex").slice(0, 16))
  }
  return {
    async read(key) {
      const folder = await folderOf()
      return folder === undefined ? undefined : await readFile(join(folder, fileOf(key)), "utf8").catch(() => undefined)
    },
    async write(key, text) {
      const folder = await folderOf()
      if (folder === undefined) return
      await store(folder, fileOf(key), text).catch(() => undefined)
    },
  }
}

/** `apis/apps/v1/HASH` is in `apis_apps_v1.HASH.json`. */
function fileOf(key: string): string {
  const end = key.lastIndexOf("/")
  return `${key.slice(0, end).replaceAll("/", "_")}.${key.slice(end + 1)}.json`
}

/** Writes the file, which other runs see only when it is complete, and removes older documents of the same name. */
async function store(folder: string, file: string, text: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const temporary = join(folder, `.${randomBytes(8).toString("hex")}`)
  await writeFile(temporary, text, { mode: 0o600, flag: "wx" })
  await rename(temporary, join(folder, file))
  const name = file.replace(/[^.]+\.json$/, "")
  for (const other of await readdir(folder)) {
    const isOlder = other !== file && other.startsWith(name) && /^[^.]+\.json$/.test(other.slice(name.length))
    if (isOlder) await rm(join(folder, other), { force: true })
  }
}
