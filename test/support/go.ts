import { execFileSync } from "node:child_process"

/**
 * Returns the folder with the sources of a Go module, which Go downloads if it is not there yet. The module is given as `path@version`, or
 * as a path alone that the go.mod in `home` requires.
 */
export function goModuleFolder(module: string, home?: string): string {
  const answer = execFileSync("go", ["mod", "download", "-json", module], { cwd: home, encoding: "utf8" })
  return (JSON.parse(answer) as { readonly Dir: string }).Dir
}
