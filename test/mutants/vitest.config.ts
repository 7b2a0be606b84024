import { defineConfig } from "vitest/config"

const folder = process.env.MUTANTS_FOLDER ?? "*"
/** Folders whose tests are about another one, too: those of unions go through the Updater. */
const alsoIn: Readonly<Record<string, readonly string[]>> = { merge: ["union"] }
const folders = [folder, ...(alsoIn[folder] ?? [])]

/** The tests that are to notice mutants of one folder of src. Those that start programs do not see the mutants. */
export default defineConfig({
  test: {
    include: [
      ...folders.map(name => `test/${name}/**/*.test.ts`),
      "test/vectors/*.test.ts",
      "test/property/{set,typed,updater,value}.test.ts",
    ],
    isolate: false,
    pool: "threads",
    testTimeout: 60_000,
  },
})
