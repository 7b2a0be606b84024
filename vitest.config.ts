import { defineConfig } from "vitest/config"
import { compiledSources } from "./test/support/compiled-sources.js"

export default defineConfig({
  plugins: [compiledSources()],
  test: {
    include: ["test/**/*.test.ts"],
    // One context for all files: nothing here keeps global state, and starting a context costs more than most tests.
    isolate: false,
    pool: "threads",
    // Vitest would leave one processor to its main thread, which has little to do once all modules are transformed.
    maxWorkers: "100%",
    setupFiles: ["test/support/clock.mjs"],
    testTimeout: 120_000,
    coverage: {
      provider: "v8",
      include: ["src/**/*.ts"],
      reporter: ["text", "html"],
      thresholds: {
        "src/{value,json,fieldpath,schema,typed,merge}/**/*.ts": { lines: 95 },
      },
    },
  },
})
