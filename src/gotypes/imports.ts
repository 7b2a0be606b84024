// The packages that the names of a file are from.
import type { GoFile } from "./go-file.js"

/** The packages that a file imports without a qualifier. */
export function dotImports({ imports }: GoFile): string[] {
  return imports.filter(({ alias }) => alias === ".").map(({ path }) => path)
}

/** The import path that a qualifier of a file stands for; undefined if the file imports nothing by that name. */
export function importPath({ imports }: GoFile, qualifier: string): string | undefined {
  const named = imports.find(({ alias }) => alias === qualifier)
  return (named ?? imports.find(({ alias, path }) => alias === undefined && mayBeNamed(path, qualifier)))?.path
}

/** Whether a package may have this name, by its path: the last part, or the one before a version. */
function mayBeNamed(path: string, name: string): boolean {
  const parts = path.split("/")
  const last = parts.at(-1) ?? ""
  const candidates = [last, last.replace(/\.v\d+$/, ""), last.replace(/^go-/, ""), last.replace(/-go$/, "")]
  if (/^v\d+$/.test(last)) candidates.push(parts.at(-2) ?? "")
  return candidates.includes(name)
}
