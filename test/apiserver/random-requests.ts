// Sends recorded random requests to the server, and fails if fewer than N get the answer of a real server:
//
//   node scripts/run.mjs dist-test/test/apiserver/random-requests.js DRIVER.MJS RECORDED.jsonl.gz [--at-least N] [--out DIFFERENCES.jsonl]
//
// DRIVER.MJS takes --expect and --b, and prints `N steps compared, M same` last.
import { parseArgs } from "node:util"
import { listen } from "../../src/apiserver/node/listen.js"
import { run } from "./kubectl/build.js"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { "at-least": { type: "string", default: "0" }, out: { type: "string" } },
})
const [driver, file] = positionals
if (driver === undefined || file === undefined) {
  throw new Error("random-requests.js DRIVER.MJS RECORDED.jsonl.gz [--at-least N] [--out DIFFERENCES.jsonl]")
}
// The recording comes from a fast machine, so most ages are 0s. The clock runs slowly, so that they are here, too.
const start = Date.now()
const server = await listen({ clock: () => new Date(start + (Date.now() - start) / 100) })
try {
  const out = values.out === undefined ? [] : ["--out", values.out]
  const args = [driver, file, "--expect", "--b", server.url, ...out]
  const { stdout, stderr } = await run(process.execPath, args, { cwd: process.cwd(), env: {}, seconds: 900 })
  process.stdout.write(`${stdout}${stderr}`)
  const [, same = 0] = / steps compared, (\d+) same/.exec(stdout) ?? []
  const least = Number(values["at-least"])
  if (Number(same) < least) {
    process.stdout.write(`Fewer than ${least} steps came out as against a real server\n`)
    process.exitCode = 1
  }
} finally {
  await server.close()
}
