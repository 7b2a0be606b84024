// Which of the compiled files the package needs: what its entries and commands import, and the declarations those speak of.
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { join, posix } from "node:path"

/** Beside a command: the licences of the packages that are bundled with it. */
export const licences = "LICENSES.txt"

/** The paths, relative to the package as in its manifest, that can be reached in `folder`, which stands for `dist`. */
function usedFiles(manifest, folder) {
  const commands = Object.values(manifest.bin).map(path => posix.normalize(path))
  const used = new Set(commands.map(path => posix.join(posix.dirname(path), licences)))
  const entries = Object.values(manifest.exports).flatMap(entry =>
    typeof entry === "string" ? [] : Object.values(entry),
  )
  const open = [...entries.map(path => posix.normalize(path)), ...commands]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (used.has(path)) continue
    used.add(path)
    const file = join(folder, path.slice("dist/".length))
    if (!existsSync(file)) throw new Error(`${path} is imported, but does not exist`)
    const names = /(?:\bfrom|\bimport|\bnew URL(?=\("[^"\s]*\.js"))\s*\(?\s*"(\.\.?\/[^"\s]+)"/g
    for (const [, name] of readFileSync(file, "utf8").matchAll(names)) {
      const target = posix.join(posix.dirname(path), name)
      open.push(path.endsWith(".d.ts") ? target.replace(/\.js$/, ".d.ts") : target)
    }
  }
  return used
}

/** Those of `paths` under `dist` that nothing reaches. */
export function unusedFiles(manifest, folder, paths) {
  const used = usedFiles(manifest, folder)
  return paths.filter(path => path.startsWith("dist/") && !used.has(path))
}

/** Removes from `folder`, which is about to become `dist`, what nothing reaches. */
export function removeUnused(manifest, folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  const paths = files.map(
    ({ parentPath, name }) => `dist${join(parentPath, name).slice(folder.length).replaceAll("\\", "/")}`,
  )
  for (const path of unusedFiles(manifest, folder, paths)) rmSync(join(folder, path.slice("dist/".length)))
}
