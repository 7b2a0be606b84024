import { gzipSync } from "node:zlib"
import { build, type OutputFile } from "esbuild"
import { type Entry, projectRoot } from "./entries.js"

/** Sizes in bytes of an entry bundled for the browser with everything it imports. */
export interface BundleSize {
  readonly minified: number
  /** Minified, then compressed: what a page downloads to start. */
  readonly gzip: number
  /** Compressed, of the parts that are loaded only when they are asked for. */
  readonly lazyGzip: number
}

/**
 * Bundles one entry as an application would, and measures it. Throws where the entry cannot run in a browser, that is
 * where anything in it imports a module of Node. Modules in `external` are left out.
 */
export async function measureBundle(entry: Entry, external: readonly string[] = []): Promise<BundleSize> {
  const result = await build({
    absWorkingDir: projectRoot,
    entryPoints: { entry: entry.source },
    outdir: "bundle",
    bundle: true,
    minify: true,
    splitting: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    external: [...external],
    write: false,
    metafile: true,
    logLevel: "silent",
  })
  const outputs = result.metafile.outputs
  const started = new Set<string>()
  const visit = (path: string): void => {
    const output = outputs[path]
    if (output === undefined || started.has(path)) return
    started.add(path)
    for (const imported of output.imports) if (imported.kind === "import-statement") visit(imported.path)
  }
  visit("bundle/entry.js")
  const size = { minified: 0, gzip: 0, lazyGzip: 0 }
  for (const file of result.outputFiles) {
    const compressed = gzipSync(file.contents, { level: 9 }).length
    if (started.has(outputName(file))) {
      size.minified += file.contents.length
      size.gzip += compressed
    } else size.lazyGzip += compressed
  }
  return size
}

/** The name esbuild's metafile gives to an output: relative to the root, with forward slashes. */
function outputName(file: OutputFile): string {
  return file.path.slice(projectRoot.length + 1).replaceAll("\\", "/")
}
