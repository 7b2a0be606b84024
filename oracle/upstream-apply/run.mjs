// Runs upstream's tests of server-side apply, test/integration/apiserver/apply of k8s.io/kubernetes, against the test API server, and
// writes a table of the results.
//
//   node oracle/upstream-apply/run.mjs [-run TestApply] [-v]
//
// It uses upstream's sources in Go's module cache. The files of `overlay` replace the code that starts etcd and kube-apiserver, and ask this
// program for a new server. Go does not replace files of its module cache, so oracle/bin has links to the modules.
import { spawn, spawnSync } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"

const here = dirname(fileURLToPath(import.meta.url))
const cache = join(here, "../bin/upstream")
const tests = "k8s.io/kubernetes/test/integration/apiserver/apply"

/** The version of each module, and the folders that keep only the named files and the files of `overlay`. */
const modules = {
  kubernetes: {
    version: "v1.37.1",
    folders: {
      "cmd/kube-apiserver/app/testing": [],
      "test/integration/framework": ["cbor.go"],
      "test/integration/etcd": ["data.go"],
      "pkg/registry/apps/deployment/storage": [],
      "pkg/registry/apps/replicaset/storage": [],
      "pkg/registry/apps/statefulset/storage": [],
      "pkg/registry/core/replicationcontroller/storage": [],
    },
  },
  "apiextensions-apiserver": { version: "v0.37.1", folders: { "test/integration/fixtures": ["resources.go"] } },
}

const binary = build()
const control = await listenForTests()
const { lines, status } = await run(binary, control.url, process.argv.slice(2))
await control.close()
const results = resultsOf(lines)
const table = results.map(({ name, outcome }) => `${outcome.padEnd(4)} ${name}`).join("\n")
writeFileSync(join(cache, "results.txt"), `${table}\n`)
const count = outcome => results.filter(result => result.outcome === outcome).length
console.log(`${table}\n${count("PASS")} passed, ${count("FAIL")} failed, ${count("SKIP")} skipped; the log is ${relative(process.cwd(), join(cache, "log.txt"))}`)
if (status !== 0 && results.length === 0) process.exitCode = 1

/** Links to the modules, writes what replaces what, and compiles the tests. */
function build() {
  mkdirSync(cache, { recursive: true })
  const replace = {}
  for (const [name, { version, folders }] of Object.entries(modules)) {
    const link = join(cache, name)
    rmSync(link, { force: true })
    symlinkSync(folderOf(`k8s.io/${name}@${version}`), link)
    for (const [folder, kept] of Object.entries(folders)) {
      for (const file of readdirSync(join(link, folder))) {
        if (file.endsWith(".go") && !kept.includes(file)) replace[join(link, folder, file)] = ""
      }
      const ours = join(here, "overlay", name, folder)
      for (const file of readdirSync(ours)) replace[join(link, folder, file)] = join(ours, file)
    }
  }
  const overlay = join(cache, "overlay.json")
  writeFileSync(overlay, JSON.stringify({ Replace: replace }))
  const output = join(cache, "apply.test")
  go(["test", "-c", "-mod=readonly", "-vet=off", "-overlay", overlay, "-o", output, tests], { cwd: here, stdio: "inherit" })
  return output
}

function folderOf(module) {
  return JSON.parse(go(["mod", "download", "-json", module], { cwd: "/" })).Dir
}

function go(args, options) {
  const { status, error, stdout } = spawnSync("go", args, { encoding: "utf8", ...options })
  if (error !== undefined) throw new Error(`these tests need Go: ${error.message}`)
  if (status !== 0) throw new Error(`go ${args.slice(0, 3).join(" ")} failed ${stdout ?? ""}`)
  return stdout
}

/** Where the tests get their servers: see overlay/kubernetes/cmd/kube-apiserver/app/testing. */
async function listenForTests() {
  const { listen } = await import("../../dist/apiserver/node/index.js")
  const servers = new Map()
  const actions = {
    async start(_, flags) {
      const server = await listen(flags?.includes("--authorization-mode=RBAC") ? { authorization: "rbac" } : {})
      servers.set(server.url, server)
      return server.url
    },
    async load(url, object) {
      servers.get(url).server.load([object])
      return ""
    },
    async stop(url) {
      await servers.get(url).close()
      servers.delete(url)
      return ""
    },
  }
  const http = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, "http://localhost")
    let text = ""
    for await (const part of request) text += part
    try {
      response.end(await actions[pathname.slice(1)](searchParams.get("server"), JSON.parse(text)))
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })
  await new Promise(resolve => http.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${http.address().port}`,
    async close() {
      await Promise.all([...servers.values()].map(server => server.close()))
      http.closeAllConnections()
      http.close()
    },
  }
}

/** Runs the tests; what they print goes to a file. */
async function run(program, url, args) {
  const log = join(cache, "log.txt")
  const cwd = join(cache, "kubernetes/test/integration/apiserver/apply")
  const flags = ["-test.v", "-test.timeout=20m", ...args.map(arg => arg.replace(/^-(?=run)/, "-test."))]
  const child = spawn(program, flags, { cwd, env: { ...process.env, SMD_CONTROL: url } })
  let text = ""
  child.stdout.on("data", part => (text += part))
  child.stderr.on("data", part => (text += part))
  const status = await new Promise(resolve => child.on("close", resolve))
  writeFileSync(log, text)
  return { lines: readFileSync(log, "utf8").split("\n"), status }
}

/** The tests, not those inside of others. */
function resultsOf(lines) {
  return lines.flatMap(line => {
    const found = /^--- (PASS|FAIL|SKIP): (Test\w+)/.exec(line)
    return found === null ? [] : [{ outcome: found[1], name: found[2] }]
  })
}
