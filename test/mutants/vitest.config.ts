import { defineConfig } from "vitest/config"

const folder = process.env.MUTANTS_FOLDER ?? "*"

/** The tests that are to notice mutants of one folder of src. Those that start programs do not see the mutants. */
export default defineConfig({
  test: {
    include: [
      `test/${folder}/**/*.test.ts`,
      "test/vectors/*.test.ts",
      "test/property/{set,typed,updater,value}.test.ts",
    ],
    isolate: false,
    pool: "threads",
    testTimeout: 60_000,
  },
})
