/** The HTTP stories of the conformance suite, played on the test API server by the suite's runner. */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { expect, it } from "vitest"
import { listen } from "../../src/apiserver/node/listen.js"
import { projectRoot } from "../support/entries.js"

const runner = join(projectRoot, "conformance", "run.mjs")

interface Summary {
  readonly levels: { readonly http: { readonly pass: number; readonly fail: number; readonly unsupported: number } }
  readonly failures: readonly { readonly id: string; readonly why: string }[]
}

/** Runs the suite on a server, and returns its summary. */
function runOn(url: string): Promise<Summary> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [runner, "--url", url, "--json"], { maxBuffer: 1e8 }, (error, stdout, stderr) => {
      if (stdout === "") reject(error ?? new Error(stderr))
      else resolve(JSON.parse(stdout))
    })
  })
}

it("are passed", async () => {
  const { url, close } = await listen()
  const { levels, failures } = await runOn(url)
  await close()
  expect(failures).toEqual([])
  expect(levels.http.pass).toBeGreaterThan(80)
  expect(levels.http.unsupported).toBe(0)
}, 120_000)

it("fail on a port that nobody listens at", async () => {
  const { url, close } = await listen()
  await close()
  const { levels } = await runOn(url)
  expect(levels.http.pass).toBe(0)
}, 60_000)
