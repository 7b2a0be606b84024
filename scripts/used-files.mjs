// Finds the compiled files that the package needs: imports of its entries and commands, and the declarations that they refer to.
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { join, posix } from "node:path"

/** The file next to a command with the licences of the bundled packages. */
export const licences = "LICENSES.txt"

/** The file next to a command with the bundle that it runs, and the one with the package yaml, which the bundle loads on demand. */
export const [bundledProgram, yamlPackage] = ["smd.cjs", "yaml.cjs"]

/** Returns the reachable paths in `folder`, which stands for `dist`. They are relative to the package, as in its manifest. */
function usedFiles(manifest, folder) {
  const commands = Object.values(manifest.bin).map(path => posix.normalize(path))
  const beside = file => commands.map(path => posix.join(posix.dirname(path), file))
  const used = new Set(beside(licences))
  const entries = Object.values(manifest.exports).flatMap(entry =>
    typeof entry === "string" ? [] : Object.values(entry),
  )
  const open = [
    ...entries.map(path => posix.normalize(path)),
    ...commands,
    ...[bundledProgram, yamlPackage].flatMap(beside),
  ]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (used.has(path)) continue
    used.add(path)
    const file = join(folder, path.slice("dist/".length))
    if (!existsSync(file)) throw new Error(`${path} is imported, but does not exist`)
    const names = /(?:\bfrom|\bimport|\brequire|\bnew URL(?=\("[^"\s]*\.c?js"))\s*\(?\s*"(\.\.?\/[^"\s]+)"/g
    for (const [, name] of readFileSync(file, "utf8").matchAll(names)) {
      const target = posix.join(posix.dirname(path), name)
      open.push(path.endsWith(".d.ts") ? target.replace(/\.js$/, ".d.ts") : target)
    }
  }
  return used
}

/** Returns the paths under `dist` that nothing reaches. */
export function unusedFiles(manifest, folder, paths) {
  const used = usedFiles(manifest, folder)
  return paths.filter(path => path.startsWith("dist/") && !used.has(path))
}

/** Removes the files that nothing reaches from `folder`, which is about to become `dist`. */
export function removeUnused(manifest, folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  const paths = files.map(
    ({ parentPath, name }) => `dist${join(parentPath, name).slice(folder.length).replaceAll("\\", "/")}`,
  )
  for (const path of unusedFiles(manifest, folder, paths)) rmSync(join(folder, path.slice("dist/".length)))
}
