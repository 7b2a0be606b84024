// Runs programs of other languages on a server with faults, each once for each fault, and prints a table of the outcomes.
//
//   npm run build && PYTHON=python3 node test/apiserver/clients/faults.mjs [PROGRAM...]
//
// Python needs kopf and kubernetes. The programs in Go are those of oracle/clients, built by go-clients.slow.test.ts.
import { execFile } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { listen } from "../../../dist/apiserver/node/index.js"

const faults = {
  none: [],
  dropWatch: [{ match: { times: 5 }, inject: { dropWatch: 1 } }],
  expired: [{ match: { verb: "watch", times: 3 }, inject: { expired: 0 } }],
  429: [{ match: { every: 4, times: 5 }, inject: { status: 429, retryAfter: 1 } }],
  500: [{ match: { every: 4, times: 5 }, inject: { status: 500 } }],
  conflictStorm: [{ match: { times: 5 }, inject: { conflictStorm: true } }],
  truncateBody: [{ match: { every: 4, times: 5 }, inject: { truncateBody: 20 } }],
  restart: [{ match: { after: 5, times: 1 }, inject: { restart: 300 } }],
  latency: [{ inject: { latency: 300 } }],
  staleList: [{ match: { times: 3 }, inject: { staleList: 3 } }],
}

const at = path => fileURLToPath(new URL(path, import.meta.url))
const python = process.env.PYTHON ?? "python3"
const go = at("../../../oracle/bin/clients")
const inGo = scenario => ({ command: url => [go, "--server", url, scenario], passed: `${scenario}: passed` })
const inPython = userAgent => ({
  command: (_, kubeconfig) => [python, at("session.py"), kubeconfig],
  passed: "passed",
  userAgent,
})

const programs = {
  "client for Python": inPython("OpenAPI-Generator"),
  kopf: inPython("kopf"),
  ...(existsSync(go) && {
    "controller-runtime: controller": inGo("controller"),
    "client-go: informer-list": inGo("informer-list"),
    "client-go: informer-watchlist": inGo("informer-watchlist"),
    "client-go: retry-on-conflict": inGo("retry-on-conflict"),
    "client-go: leader-election": inGo("leader-election"),
  }),
}

const chosen = process.argv.slice(2)
for (const [name, program] of Object.entries(programs)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue
  for (const [fault, rules] of Object.entries(faults))
    console.log(`| ${name} | ${fault} | ${await outcome(program, rules)} |`)
}

/** Runs a program once, and returns how it ended, and how many faults hit it. */
async function outcome({ command, passed, userAgent }, rules) {
  const folder = mkdtempSync(join(tmpdir(), "faults-"))
  const hits = rules.map(rule => ({ ...rule, match: { ...rule.match, ...(userAgent && { userAgent }) } }))
  const { url, kubeconfig, server, close } = await listen({ faults: hits, history: 200 })
  try {
    const file = join(folder, "kubeconfig")
    writeFileSync(file, kubeconfig)
    const [program, ...args] = command(url, file)
    const options = { env: { ...process.env, KUBECONFIG: file }, timeout: 60_000 }
    const text = await new Promise(resolve => execFile(program, args, options, (_, out, err) => resolve({ out, err })))
    const last = text.out.trim().split("\n").at(-1)
    const injected = new Set(server.injectedFaults.map(({ request, time }) => request + time)).size
    if (last === passed) return `passed, ${injected} faults`
    const why = [text.err, text.out]
      .join("\n")
      .split("\n")
      .findLast(line => /FAILED|Error|Exception/.test(line))
    return `failed, ${injected} faults: ${(why ?? `it stopped after "${last}"`).trim().slice(0, 160)}`
  } finally {
    await close()
    rmSync(folder, { recursive: true })
  }
}
