/**
 * Prints what each entry of the package weighs in a browser, and fails where one is above its bound in bounds.json.
 * `yaml` is counted apart: the entries that do not read text must not contain it.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { measureBundle } from "../support/bundle.js"
import { isForBrowsers, projectRoot, readEntries } from "../support/entries.js"

const bounds: Record<string, number> = JSON.parse(readFileSync(join(projectRoot, "test/size/bounds.json"), "utf8"))
const rows: string[][] = [["entry", "minified", "min+gzip", "bound", "with yaml", "loaded later"]]
const problems: string[] = []

for (const entry of readEntries().filter(isForBrowsers)) {
  const own = await measureBundle(entry, ["yaml"])
  const whole = await measureBundle(entry)
  const bound = bounds[entry.key]
  rows.push([entry.key, own.minified, own.gzip, bound ?? "none", whole.gzip, own.lazyGzip].map(String))
  if (bound === undefined) problems.push(`${entry.key} has no bound in test/size/bounds.json`)
  else if (own.gzip > bound) problems.push(`${entry.key} has ${own.gzip} bytes min+gzip, above its bound of ${bound}`)
  if (entry.key === "." && whole.gzip !== own.gzip) problems.push("the core entry contains the yaml package")
}

const widths = rows[0]?.map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0))) ?? []
for (const row of rows) {
  const cells = row.map((cell, column) => (column === 0 ? cell.padEnd : cell.padStart).call(cell, widths[column] ?? 0))
  console.log(cells.join("  "))
}
for (const problem of problems) console.log(problem)
if (problems.length > 0) process.exitCode = 1
