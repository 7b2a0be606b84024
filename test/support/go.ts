import { execFileSync } from "node:child_process"

/** The version of a Go module, and the folder with its sources. */
export interface GoModule {
  readonly version: string
  readonly folder: string
}

/**
 * Returns a Go module, which Go downloads if it is missing. The module is given as `path@version`, or as a path that the go.mod in `home`
 * requires.
 */
export function goModule(module: string, home?: string): GoModule {
  const answer = execFileSync("go", ["mod", "download", "-json", module], { cwd: home, encoding: "utf8" })
  const { Version, Dir } = JSON.parse(answer) as { readonly Version: string; readonly Dir: string }
  return { version: Version, folder: Dir }
}

/** Returns the folder with the sources of `goModule`. */
export function goModuleFolder(module: string, home?: string): string {
  return goModule(module, home).folder
}
