import { existsSync, readFileSync } from "node:fs"

/** Returns the version of the package. A bundle of this module is less deep in the package than its source. */
export function packageVersion(): string {
  const candidates = ["../../package.json", "../../../package.json"].map(path => new URL(path, import.meta.url))
  const manifest = candidates.find(candidate => existsSync(candidate)) as URL
  return (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version
}
