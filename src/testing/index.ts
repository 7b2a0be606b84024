// Matchers about owners and conflicts for `expect.extend`, in vitest and in Jest.
export { type MatcherResult, type OwnershipMatchers, ownershipMatchers } from "./matchers.js"
