// Runs a recorded sequence of kubectl commands against the server, and fails if fewer than N have the same output as with a real server:
//
//   node scripts/run.mjs dist-test/test/apiserver/kubectl/acceptance.js RUN.MJS [--at-least N] [--report FILE]
//
// RUN.MJS takes --kubectl and --kubeconfig, and prints `N passed, S soft, M failed` last.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { listen } from "../../../src/apiserver/node/listen.js"
import { projectRoot } from "../../fuzz/programs.js"
import { buildKubectl, run } from "./build.js"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { "at-least": { type: "string", default: "0" }, report: { type: "string" } },
})
const [program] = positionals
if (program === undefined) throw new Error("acceptance.js RUN.MJS [--at-least N] [--report FILE]")
const kubectl = buildKubectl(projectRoot())
if ("missing" in kubectl) process.stdout.write(`kubectl: left out, ${kubectl.missing}\n`)
else await accept(program, kubectl.path)

async function accept(runner: string, path: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "kubectl-"))
  const server = await listen()
  try {
    const config = join(folder, "kubeconfig")
    writeFileSync(config, server.kubeconfig)
    const report = values.report === undefined ? [] : ["--report", values.report]
    const args = [runner, "--kubectl", path, "--kubeconfig", config, ...report]
    const { stdout, stderr } = await run(process.execPath, args, { cwd: process.cwd(), env: {}, seconds: 600 })
    process.stdout.write(`${stdout}${stderr}`)
    const [, passed = 0, soft = 0] = /(\d+) passed, (\d+) soft, \d+ failed\n$/.exec(stdout) ?? []
    const least = Number(values["at-least"])
    if (Number(passed) + Number(soft) >= least) return
    process.stdout.write(`Fewer than ${least} commands came out as against a real server\n`)
    process.exitCode = 1
  } finally {
    await server.close()
    rmSync(folder, { recursive: true })
  }
}
