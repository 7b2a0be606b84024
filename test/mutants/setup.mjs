// Runs before each test file, in the thread of its tests. Without an active mutant it counts how often each test reaches each mutant. With
// an active mutant it switches that mutant on, and skips all tests after the first one that fails.
//
// Programs that a test starts learn the active mutant from Stryker's environment variable, and write the mutants that they reach to a file.
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeEach, inject } from "vitest"

const { active, hitLimit } = inject("mutant")
const state = { perTest: {}, static: {} }
const stryker = (globalThis.__stryker__ = { mutantCoverage: state })

if (active === null) {
  const folder = mkdtempSync(join(tmpdir(), "mutants-"))
  const hitsOfPrograms = join(folder, "hits")
  process.env.MUTANTS_HITS = hitsOfPrograms
  const addHitsOfPrograms = hits => {
    if (!existsSync(hitsOfPrograms)) return
    for (const id of readFileSync(hitsOfPrograms, "utf8").split("\n")) if (id !== "") hits[id] ??= 1
    closeSync(openSync(hitsOfPrograms, "w"))
  }
  let file
  beforeEach(({ task }) => {
    file = task.file
    addHitsOfPrograms(state.static)
    stryker.currentTestId = task.id
  })
  afterEach(({ task }) => {
    stryker.currentTestId = undefined
    const hits = state.perTest[task.id] ?? {}
    addHitsOfPrograms(hits)
    task.meta.hits = hits
  })
  afterAll(() => {
    addHitsOfPrograms(state.static)
    if (file !== undefined) file.meta.hits = state.static
    rmSync(folder, { recursive: true })
  })
} else {
  Object.assign(stryker, { activeMutant: active, hitCount: 0, hitLimit })
  process.env.__STRYKER_ACTIVE_MUTANT__ = active
  let failed = false
  let file
  beforeEach(({ task, skip }) => {
    file = task.file
    skip(failed, "a test has failed")
  })
  afterEach(({ task }) => {
    failed ||= task.result?.state === "fail" || stryker.hitCount > hitLimit
  })
  afterAll(() => {
    if (file !== undefined) file.meta.isOverLimit = stryker.hitCount > hitLimit
  })
}
