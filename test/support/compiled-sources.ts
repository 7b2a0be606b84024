/**
 * A plugin of vite: tests import src as modules of Node, which esbuild compiles all at once before the tests start. Vite would send every
 * module to each thread by itself, and would turn every use of an import into the call of a getter.
 *
 * Test files that replace modules or their exports get modules of vite, and so do the helpers that they import, since Node's can't be
 * replaced. All test files do if vitest watches files or counts lines.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { isAbsolute, join, relative, resolve, sep } from "node:path"
import { build, type Plugin as CompilerPlugin } from "esbuild"
import type { Plugin } from "vite"
import type {} from "vitest/config"
import { projectRoot } from "./entries.js"

const sources = join(projectRoot, "src") + sep

/** Marks a helper that a test file has for itself, with modules of vite. */
const own = "?own"

const needsOwn = [
  /\bvi\.(?:mock|doMock|resetModules)\(/,
  /import \* as (\w+) from[\s\S]*\bvi\.spyOn\(\1,/,
  // Vite asks no plugin about absolute paths that a program imports.
  /\bimport\(join\(/,
]

/** Replaces the text of a file of src. */
type Change = (file: string, text: string) => string

export function compiledSources(change?: Change): Plugin {
  let folder: Promise<string> | undefined
  const withOwn = new Map<string, boolean>()
  const hasOwn = (importer: string): boolean => {
    const known = withOwn.get(importer)
    if (known !== undefined) return known
    const found = importer.endsWith(own) || needsOwn.some(pattern => pattern.test(readFileSync(importer, "utf8")))
    withOwn.set(importer, found)
    return found
  }
  return {
    name: "compiled-sources",
    enforce: "pre",
    configResolved({ test }) {
      if (test?.watch !== true && test?.coverage?.enabled !== true) folder ??= compile(change)
    },
    async resolveId(name, importer) {
      // Vite says that test files are imported by an index.html.
      if (folder === undefined || importer === undefined || !/\.m?[jt]s(\?own)?$/.test(importer)) return undefined
      if (importer.startsWith(sources)) return undefined
      if (!name.startsWith(".") && !isAbsolute(name)) return undefined
      const file = resolve(importer, "..", name).replace(/\.js$/, ".ts")
      const isSource = file.startsWith(sources)
      if (hasOwn(importer)) return isSource ? undefined : `${file}${own}`
      if (!isSource) return undefined
      return { id: join(await folder, relative(projectRoot, file)).replace(/\.ts$/, ".js"), external: true }
    },
    transform: (text, file) => (change !== undefined && file.startsWith(sources) ? change(file, text) : undefined),
  }
}

/** Returns the folder with the compiled modules, at their paths below it. */
async function compile(change: Change | undefined): Promise<string> {
  const caches = join(projectRoot, "node_modules", ".cache")
  mkdirSync(caches, { recursive: true })
  const folder = mkdtempSync(join(caches, "sources-"))
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
  symlinkSync(join(projectRoot, "package.json"), join(folder, "package.json"))
  await build({
    absWorkingDir: projectRoot,
    entryPoints: ["src/**/*.ts"],
    outbase: ".",
    outdir: folder,
    format: "esm",
    platform: "node",
    target: "node20",
    plugins: change === undefined ? [] : [changing(change)],
  })
  return folder
}

function changing(change: Change): CompilerPlugin {
  return {
    name: "changing",
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, ({ path }) => ({ loader: "ts", contents: change(path, readFileSync(path, "utf8")) }))
    },
  }
}
