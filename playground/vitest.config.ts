import { defineConfig, mergeConfig } from "vitest/config"
import site from "./vite.config.js"

export default mergeConfig(
  site,
  defineConfig({
    test: {
      include: ["test/**/*.test.ts"],
      isolate: false,
      pool: "threads",
      testTimeout: 120_000,
      hookTimeout: 120_000,
    },
  }),
)
