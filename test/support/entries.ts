import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** The files of an entry. Those that Jest can `require` have a CommonJS file, which Node does not use, since it knows `module-sync`. */
interface ExportTargets {
  readonly types: string
  readonly "module-sync"?: string
  readonly require?: string
  readonly default: string
}

/** The members of package.json that the tests read. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly type: string
  readonly sideEffects: boolean
  readonly engines: Readonly<Record<string, string>>
  readonly bin: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string | ExportTargets>>
  readonly files: readonly string[]
  readonly scripts: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  /** All peer dependencies are optional. */
  readonly peerDependencies: Readonly<Record<string, string>>
}

/** One importable module of the package. */
export interface Entry {
  /** The name in an import: `structured-merge-diff/io`. */
  readonly name: string
  /** The key in `exports`: `./io`. */
  readonly key: string
  /** The TypeScript source, relative to the root. */
  readonly source: string
}

/** The folder of package.json. It is found from the compiled file, wherever that is. */
export const projectRoot = findRoot(dirname(fileURLToPath(import.meta.url)))

function findRoot(folder: string): string {
  return existsSync(join(folder, "package-lock.json")) ? folder : findRoot(dirname(folder))
}

/** Whether the entry runs in a browser, and outside a test runner. */
export function isForBrowsers({ key }: Entry): boolean {
  return !key.endsWith("/node") && key !== "./vitest"
}

export function readManifest(): Manifest {
  return JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"))
}

/** Returns the entries of package.json's `exports` that are code, in its order. */
export function readEntries(): Entry[] {
  const manifest = readManifest()
  const entries: Entry[] = []
  for (const [key, target] of Object.entries(manifest.exports)) {
    if (typeof target === "string") continue
    const source = target.default.replace(/^\.\/dist\//, "src/").replace(/\.js$/, ".ts")
    entries.push({ name: manifest.name + key.slice(1), key, source })
  }
  return entries
}
