import { gzipSync } from "node:zlib"
import { build, type OutputFile } from "esbuild"
import { type Entry, projectRoot } from "./entries.js"

/** Sizes in bytes of an entry bundled for the browser with everything it imports. */
export interface BundleSize {
  readonly minified: number
  /** Minified, then compressed: the bytes that a page downloads to start. */
  readonly gzip: number
  /** Compressed size of the parts that are loaded on demand. */
  readonly lazyGzip: number
}

/**
 * Bundles one entry as an application would, and measures it. Throws if the entry cannot run in a browser because it imports
 * a module of Node. The bundle omits the modules in `external`.
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

/** Returns the name of an output in esbuild's metafile: relative to the root, with forward slashes. */
function outputName(file: OutputFile): string {
  return file.path.slice(projectRoot.length + 1).replaceAll("\\", "/")
}
