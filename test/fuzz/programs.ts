import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** The project's root: the nearest folder above this file that has a package.json. */
export function projectRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, "package.json"))) {
    if (dirname(folder) === folder) throw new Error("no package.json above the fuzzer")
    folder = dirname(folder)
  }
  return folder
}

/** Returns the reference's program. Builds it if the binary is missing or older than its sources. */
export function buildOracle(root: string): string {
  const folder = join(root, "oracle")
  const binary = join(folder, "bin", "oracle")
  if (!existsSync(binary) || newestSource(folder) > statSync(binary).mtimeMs) {
    execFileSync("go", ["build", "-o", join("bin", "oracle"), "."], {
      cwd: folder,
      stdio: ["ignore", "ignore", "inherit"],
    })
  }
  return binary
}

function newestSource(folder: string): number {
  let newest = 0
  for (const name of readdirSync(folder)) {
    if (/\.go$|^go\.(mod|sum)$/.test(name)) newest = Math.max(newest, statSync(join(folder, name)).mtimeMs)
  }
  return newest
}
