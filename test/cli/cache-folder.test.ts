import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { cacheFolder, documentCache } from "../../src/cli/cluster/cache-folder.js"

it.each([
  [{ env: {}, platform: "linux", home: "/home/a" }, "/home/a/.cache/structured-merge-diff"],
  [{ env: { XDG_CACHE_HOME: "/var/a" }, platform: "linux", home: "/home/a" }, "/var/a/structured-merge-diff"],
  [{ env: { XDG_CACHE_HOME: "relative" }, platform: "linux", home: "/home/a" }, "/home/a/.cache/structured-merge-diff"],
  [{ env: {}, platform: "darwin", home: "/Users/a" }, "/Users/a/Library/Caches/structured-merge-diff"],
  [{ env: { LOCALAPPDATA: "/c/Local" }, platform: "win32", home: "/c/a" }, "/c/Local/structured-merge-diff/Cache"],
] as const)("%j is in %s", (environment, folder) => {
  expect(cacheFolder(environment)).toBe(folder)
})

it("keeps the last document of each name, separately for each server", async () => {
  const root = mkdtempSync(join(tmpdir(), "cache-"))
  try {
    const [a, b] = ["https://a", "https://b"].map(server => documentCache(async () => server, root))
    const unknown = documentCache(async () => "", root)
    await a?.write("apis/example.org/v1/1F", "one")
    await a?.write("apis/example.org/v1/2F", "two")
    await a?.write("apis/example.org/v1beta1/1F", "other")
    await unknown.write("api/v1/1F", "unknown")
    expect(await a?.read("apis/example.org/v1/1F")).toBeUndefined()
    expect(await a?.read("apis/example.org/v1/2F")).toBe("two")
    expect(await a?.read("apis/example.org/v1beta1/1F")).toBe("other")
    expect(await b?.read("apis/example.org/v1/2F")).toBeUndefined()
    expect(await unknown.read("api/v1/1F")).toBeUndefined()
    expect(readdirSync(join(root, "openapi")).length).toBe(1)
  } finally {
    rmSync(root, { recursive: true })
  }
})

it("works without a usable folder", async () => {
  const cache = documentCache(async () => "https://a", "/dev/null/x")
  await cache.write("api/v1/1F", "text")
  expect(await cache.read("api/v1/1F")).toBeUndefined()
})
