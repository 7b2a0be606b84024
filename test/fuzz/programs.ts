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
  buildGo(root, ".", binary, reference)
  return binary
}

/** Builds a package of `oracle`, such as `cmd/bench`, with this release of the reference. */
export function buildGo(root: string, name: string, binary: string, reference: Reference): void {
  const folder = join(root, "oracle")
  const variant = reference === "v6" ? [] : ["-tags", "v7", "-modfile", "v7.mod", "-overlay", sourcesOfV7(folder, name)]
  const env = reference === "v6" ? process.env : { ...process.env, GOTOOLCHAIN: toolchainOfV7 }
  execFileSync("go", ["build", ...variant, "-o", binary, `./${name}`], {
    cwd: folder,
    env,
    stdio: ["ignore", "ignore", "inherit"],
  })
}

/**
 * Writes the sources of a package with the import paths of v7, and returns the path of the overlay by which Go compiles these in place of the
 * others. The packages of v6 and v7 have the same functions.
 */
function sourcesOfV7(oracle: string, name: string): string {
  const folder = join(oracle, name)
  const target = join(oracle, "bin", "v7", name)
  mkdirSync(target, { recursive: true })
  const sources = readdirSync(folder).filter(file => file.endsWith(".go"))
  for (const file of sources) {
    const text = readFileSync(join(folder, file), "utf8")
    writeFileSync(join(target, file), text.replaceAll("structured-merge-diff/v6/", "structured-merge-diff/v7/"))
  }
  const overlay = join(target, "overlay.json")
  const replace = Object.fromEntries(sources.map(file => [join(folder, file), join(target, file)]))
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
