// Bundles the entries that have a condition "require" as CommonJS, for Jest: its module system can't `require` an ES module before Node 24.9.
// Node itself takes the ES modules, by the condition "module-sync", so a program never has two copies.
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { root } from "./install.mjs"

/** Writes the bundles into `folder`, which is about to become `dist`. */
export function bundleCommonJS(folder) {
  const { status } = spawnSync(process.execPath, [self, folder], { stdio: "inherit" })
  if (status !== 0) throw new Error("bundling CommonJS failed")
}

async function bundle(folder) {
  // Imported here because `ensureInstalled` may have to install it first.
  const { rolldown } = await import("rolldown")
  const { exports, dependencies, peerDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const targets = Object.values(exports).filter(target => target.require !== undefined)
  const place = path => join(folder, path.slice("./dist/".length))
  const packages = Object.keys({ ...dependencies, ...peerDependencies })
  const bundle = await rolldown({
    input: Object.fromEntries(targets.map(target => [basename(target.require, ".cjs"), place(target.default)])),
    platform: "node",
    external: packages.map(name => new RegExp(`^${name}(/|$)`)),
    checks: { ineffectiveDynamicImport: false },
  })
  await bundle.write({
    dir: join(folder, "commonjs"),
    format: "cjs",
    entryFileNames: "[name].cjs",
    chunkFileNames: "[name]-[hash].cjs",
    comments: false,
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: false } },
  })
  await bundle.close()
}

const self = fileURLToPath(import.meta.url)

if (process.argv[1] === self) await bundle(process.argv[2])
