// A `test` of vitest with an API server of its own, and an `expect` with the matchers of `structured-merge-diff/matchers`.
export { type ApiServerFixtures, expect, test } from "./vitest.js"
