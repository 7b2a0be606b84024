import { readFileSync } from "node:fs"

/** Returns the version of the package. The path is right for this folder, and for the bundles, which take its place. */
export function packageVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8")
  return (JSON.parse(text) as { version: string }).version
}
