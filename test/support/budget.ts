/** The random cases of tests: how many there are, and which. */

/** `npm test` spends a quarter of each budget, `npm run check` all of it; TEST_BUDGET=10 spends ten times as much. */
const share = Number(process.env.TEST_BUDGET ?? 0.25)

/** The seed of all random cases. TEST_SEED=7 tries others. */
export const seed: number = Number(process.env.TEST_SEED ?? 1)

/** The share of `count` that this run spends, and at least 1. */
export function budget(count: number): number {
  return Math.max(1, Math.round(count * share))
}

/** The options of fast-check for a property that is worth `count` cases. */
export function runs(count: number): { numRuns: number; seed: number } {
  return { numRuns: budget(count), seed }
}
