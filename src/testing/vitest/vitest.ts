// Each test gets a fork of a server, which takes far less time than a new server. The server of the options is made once.

import { expect as baseExpect, test as baseTest, type ExpectStatic, type TestAPI } from "vitest"
import type { ApiServerOptions } from "../../apiserver/options.js"
import type { TestClock } from "../../apiserver/reproducible/clock.js"
import { type ApiServer, createApiServer } from "../../apiserver/server.js"
import { type OwnershipMatchers, ownershipMatchers } from "../matchers.js"

declare module "vitest" {
  interface Matchers<T> extends OwnershipMatchers {}
}

/** The values that a test takes from its context. */
export interface ApiServerFixtures {
  /**
   * The options of the server; a seed of 1 if absent. `test.override({ serverOptions: { crds } })` sets them for a file or for a group of tests, in
   * the beginning.
   */
  serverOptions: ApiServerOptions
  /** A server of the test's own, which is closed at the end of the test. */
  server: ApiServer
  /** The clock of the server. */
  clock: TestClock
}

/** The servers that tests fork, by their options. */
const servers = new WeakMap<ApiServerOptions, ApiServer>()

function forkOf(options: ApiServerOptions): ApiServer {
  let server = servers.get(options)
  if (server === undefined) {
    servers.set(options, (server = createApiServer({ seed: 1, ...options })))
    for (const warning of server.loadWarnings) console.warn(warning)
  }
  return server.fork()
}

/**
 * The `test` of vitest, with an API server in the context: `test("...", async ({ server, clock, expect }) => { ... })`. Prints the warnings about
 * the definitions and objects of `serverOptions`.
 */
export const test: TestAPI<ApiServerFixtures> = baseTest.extend<ApiServerFixtures>({
  serverOptions: {},
  server: async ({ serverOptions }, use) => {
    const server = forkOf(serverOptions)
    await use(server)
    server.close()
  },
  clock: async ({ server }, use) => {
    await use(server.clock)
  },
})

baseExpect.extend({ ...ownershipMatchers })

/** The `expect` of vitest, which also has the matchers about owners and conflicts. */
export const expect: ExpectStatic = baseExpect
