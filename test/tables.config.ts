// npm run test:tables: the tests with tables of one entry, so that equal elements are seldom one object. Nothing but the tests of the
// tables themselves may notice.
import { mergeConfig, type ViteUserConfig } from "vitest/config"
import config from "../vitest.config.js"

/** How table.ts states the size of a table, and the smallest size. */
const sizes: readonly (readonly [stated: RegExp, smallest: string])[] = [
  [/const maxEntries = [\d_]+/, "const maxEntries = 1"],
  [/this\.maxEntries = entries/, "this.maxEntries = 1"],
]

const small: ViteUserConfig = {
  plugins: [
    {
      name: "small-tables",
      enforce: "pre",
      transform(code, id) {
        if (!id.endsWith("/src/value/table.ts")) return undefined
        return sizes.reduce((text, [stated, smallest]) => {
          if (!stated.test(text)) throw new Error(`${id} has nothing like ${stated}`)
          return text.replace(stated, smallest)
        }, code)
      },
    },
  ],
  test: { exclude: ["test/value/{table,byte-table}.test.ts"] },
}

export default mergeConfig(config, small)
