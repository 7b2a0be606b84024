import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
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

/** A release of the reference: v6 is in Kubernetes 1.37, v7 in 1.38. */
export type Reference = "v6" | "v7"

/** The Go toolchain that v7 needs. Go downloads it. */
const toolchainOfV7 = "go1.27.3"

/** Returns the reference's program. Builds it if the binary is missing or older than its sources. */
export function buildOracle(root: string, reference: Reference = "v6"): string {
  const folder = join(root, "oracle")
  const binary = join(folder, "bin", reference === "v6" ? "oracle" : "oracle-v7")
  if (existsSync(binary) && newestSource(folder) <= statSync(binary).mtimeMs) return binary
  const variant = reference === "v6" ? [] : ["-tags", "v7", "-modfile", "v7.mod", "-overlay", sourcesOfV7(folder)]
  const env = reference === "v6" ? process.env : { ...process.env, GOTOOLCHAIN: toolchainOfV7 }
  execFileSync("go", ["build", ...variant, "-o", binary, "."], {
    cwd: folder,
    env,
    stdio: ["ignore", "ignore", "inherit"],
  })
  return binary
}

/**
 * Writes the sources with the import paths of v7, and returns the path of the overlay by which Go compiles these in place of the others.
 * The packages of v6 and v7 have the same functions.
 */
function sourcesOfV7(folder: string): string {
  const target = join(folder, "bin", "v7")
  mkdirSync(target, { recursive: true })
  const sources = readdirSync(folder).filter(name => name.endsWith(".go"))
  for (const name of sources) {
    const text = readFileSync(join(folder, name), "utf8")
    writeFileSync(join(target, name), text.replaceAll("structured-merge-diff/v6/", "structured-merge-diff/v7/"))
  }
  const overlay = join(target, "overlay.json")
  const replace = Object.fromEntries(sources.map(name => [join(folder, name), join(target, name)]))
  writeFileSync(overlay, JSON.stringify({ Replace: replace }))
  return overlay
}

function newestSource(folder: string): number {
  let newest = 0
  for (const name of readdirSync(folder)) {
    if (/\.(go|mod|sum)$/.test(name)) newest = Math.max(newest, statSync(join(folder, name)).mtimeMs)
  }
  return newest
}
