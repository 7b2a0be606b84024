// The secrets of the current run. Everything that turns values into text asks for them, however deep it is, so that no formatter can forget.
import { AsyncLocalStorage } from "node:async_hooks"
import { Secrets } from "./secrets.js"

const scope = new AsyncLocalStorage<Secrets>()
const none = new Secrets({ show: true })

/** Runs `run` with these secrets. */
export function withSecrets<T>(secrets: Secrets, run: () => T): T {
  return scope.run(secrets, run)
}

/** Returns the secrets of the current run. Outside of runs, nothing is hidden. */
export function currentSecrets(): Secrets {
  return scope.getStore() ?? none
}
