// Bundles smd, and the entries that have a condition "require", with their imports into a few files that they share. Reading a hundred modules
// takes longer than starting Node. The code is not minified, so that stack traces show its function names. It is CommonJS: Node starts faster
// without its loader of ES modules, run-compiled.mjs can load the bundle with code that was compiled earlier, and Jest's module system can't
// `require` an ES module before Node 24.9. Node itself takes the ES modules of these entries, by the condition "module-sync", so a program never
// has two copies.
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { root } from "./install.mjs"
import { licences, yamlPackage } from "./used-files.mjs"

/** Writes the bundles into `folder`, which is about to become `dist`. */
export function bundle(folder) {
  const { status } = spawnSync(process.execPath, [self, folder], { stdio: "inherit" })
  if (status !== 0) throw new Error("bundling failed")
}

/**
 * Groups of modules that become one file each. Modules that every run reads come first, with their imports. The other modules are
 * grouped by which of them are loaded together.
 */
const groups = {
  start: ["start"],
  input: ["run-command", "commands/blame", "../tools/ownership/blame"],
  types: ["../kubernetes/types"],
  write: ["commands/apply"],
}

async function writeBundles(folder) {
  // Imported here because `ensureInstalled` may have to install it first.
  const { rolldown } = await import("rolldown")
  const { bin, exports, peerDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const home = join(folder, "cli")
  const entries = Object.values(exports).filter(target => target.require !== undefined)
  const bundle = await rolldown({
    input: {
      // The program, and the code that it runs in other threads.
      "cli/smd": join(home, "start.js"),
      "cli/worker": join(home, "worker.js"),
      ...Object.fromEntries(
        entries.map(target => [target.require.slice("./dist/".length, -".cjs".length), inDist(target.default, folder)]),
      ),
    },
    platform: "node",
    resolve: { ...resolve, alias: { yaml: join(root, "scripts", "yaml-on-demand.mjs") } },
    // Users install the optional packages, and tinypool loads its own files at run time.
    external: ["tinypool", ...Object.keys(peerDependencies).map(name => new RegExp(`^${name}(/|$)`))],
    checks: { ineffectiveDynamicImport: false },
    plugins: [
      { name: "worker", renderChunk: code => code.replace('new URL("./worker.js"', 'new URL("./worker.cjs"') },
      { name: "imports", renderChunk: code => code.replace(/\bimport\((?=["'])/g, `${importModule}(`) },
    ],
  })
  const { output } = await bundle.write({
    dir: folder,
    format: "cjs",
    entryFileNames: "[name].cjs",
    chunkFileNames: "cli/[name]-[hash].cjs",
    ...printing,
    codeSplitting: { groups: Object.keys(groups).map((group, i, all) => groupOf(group, home, all.length - i)) },
  })
  await bundle.close()
  const starter = await rolldown({
    input: join(root, "scripts", "run-compiled.mjs"),
    platform: "node",
    resolve: { extensionAlias: { ".js": [".ts"] } },
    treeshake: { moduleSideEffects: false },
  })
  await starter.write({ file: inDist(bin.smd, folder), format: "cjs", ...printing })
  await starter.close()
  const yaml = await rolldown({ input: "yaml", cwd: root, platform: "neutral", resolve })
  const { output: yamlOutput } = await yaml.write({
    file: join(home, yamlPackage),
    format: "cjs",
    exports: "named",
    ...printing,
  })
  await yaml.close()
  const chunks = [...output, ...yamlOutput]
  writeFileSync(join(home, licences), licencesOf(chunks.flatMap(({ moduleIds }) => moduleIds)))
}

/** Returns the place of a path in the manifest. */
const inDist = (path, folder) => join(folder, path.slice("./dist/".length))

/**
 * Imports a package in a chunk. Node 20 refuses `import` in code that was compiled by an earlier run, so run-compiled.mjs imports for its
 * chunks. The worker has chunks without it.
 */
const importModule = '(typeof importModule === "function" ? importModule : id => import(id))'

/** Take the ES modules of dependencies that have them, as bundlers for browsers do. */
const resolve = { mainFields: ["module", "main"] }

/** Node reads a file in half the time if it is ASCII and has no comments. */
const printing = {
  comments: false,
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: false, asciiOnly: true } },
}

/** Returns the group for the bundler: all imports of its entries, except those of a group with higher priority. */
function groupOf(group, home, priority) {
  let closure
  const name = (id, context) => {
    closure ??= closureOf(
      groups[group].map(entry => join(home, `${entry}.js`)),
      context,
    )
    return closure.has(id) ? group : null
  }
  return { name, priority, debugName: group }
}

/** Returns the modules and all their static imports. */
function closureOf(ids, context) {
  const found = new Set(ids)
  for (const id of found) for (const imported of context.getModuleInfo(id)?.importedIds ?? []) found.add(imported)
  return found
}

/** Returns names and licences of the packages that any of these files belong to. */
function licencesOf(files) {
  const names = files.flatMap(
    file => /^(?:@[^/]+\/)?[^./][^/]*/.exec(relative(modules, file).replaceAll("\\", "/"))?.[0] ?? [],
  )
  const texts = [...new Set(names)].sort().map(name => {
    const home = join(modules, name)
    const { version, license } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"))
    const file = readdirSync(home).find(entry => /^licen[cs]e/i.test(entry))
    if (file === undefined) throw new Error(`${name} has no licence to go with its code`)
    return `${name} ${version} (${license})\n\n${readFileSync(join(home, file), "utf8").trim()}\n`
  })
  return `The programs in this folder contain code of these packages.\n\n${texts.join(`\n${"-".repeat(80)}\n\n`)}`
}

const modules = join(root, "node_modules")
const self = fileURLToPath(import.meta.url)

if (process.argv[1] === self) await writeBundles(process.argv[2])
