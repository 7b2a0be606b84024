// npm run test:tables: the tests with tables of one entry, so that equal elements are seldom one object. Nothing but the tests of the
// tables themselves may notice.
import { defineConfig } from "vitest/config"
import config from "../vitest.config.js"
import { compiledSources } from "./support/compiled-sources.js"

/** How table.ts states the size of a table, and the smallest size. */
const sizes: readonly (readonly [stated: RegExp, smallest: string])[] = [
  [/const maxEntries = [\d_]+/, "const maxEntries = 1"],
  [/this\.maxEntries = entries/, "this.maxEntries = 1"],
]

function withSmallTables(file: string, text: string): string {
  if (!file.endsWith("/src/value/table.ts")) return text
  return sizes.reduce((changed, [stated, smallest]) => {
    if (!stated.test(changed)) throw new Error(`${file} has nothing like ${stated}`)
    return changed.replace(stated, smallest)
  }, text)
}

export default defineConfig({
  ...config,
  plugins: [compiledSources(withSmallTables)],
  test: { ...config.test, exclude: ["test/value/{table,byte-table}.test.ts"] },
})
