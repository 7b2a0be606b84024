// Finds the packages of the names in a file.
import type { GoFile } from "../source/go-file.js"

/** Returns the packages that a file imports without a qualifier. */
export function dotImports({ imports }: GoFile): string[] {
  return imports.filter(({ alias }) => alias === ".").map(({ path }) => path)
}

/** Returns the import path of a qualifier in a file; undefined if the file has no such import. */
export function importPath({ imports }: GoFile, qualifier: string): string | undefined {
  const named = imports.find(({ alias }) => alias === qualifier)
  return (named ?? imports.find(({ alias, path }) => alias === undefined && mayBeNamed(path, qualifier)))?.path
}

/** Whether a package with this path may have this name: the last part of the path, or the part before a version. */
function mayBeNamed(path: string, name: string): boolean {
  const parts = path.split("/")
  const last = parts.at(-1) ?? ""
  const candidates = [last, last.replace(/\.v\d+$/, ""), last.replace(/^go-/, ""), last.replace(/-go$/, "")]
  if (/^v\d+$/.test(last)) candidates.push(parts.at(-2) ?? "")
  return candidates.includes(name)
}
