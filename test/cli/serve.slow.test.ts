/** `smd serve` as a process: its command, signals, files, and what it says. */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { parseYaml } from "../../src/io/yaml.js"
import type { MapValue } from "../../src/value/value.js"
import { definitionOf } from "../support/definition.js"
import { buildInto } from "./built.js"
import { smd as inMemory } from "./cli.js"

const folder = mkdtempSync(join(tmpdir(), "serve-test-"))
const at = (name: string): string => join(folder, name)
const program = at("bin/main.js")

beforeAll(async () => {
  await buildInto(folder)
  writeFileSync(at("client.js"), client)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A client: METHOD PATH [BODY [TYPE]], which prints status and answer. It finds the server as others do: by KUBECONFIG. */
const client = `
import { readFileSync } from "node:fs"
const [, , method, path, body, type = "application/json"] = process.argv
const [, url] = /server: "([^"]+)"/.exec(readFileSync(process.env.KUBECONFIG, "utf8"))
const headers = { ...(body && { "content-type": type }), authorization: "Bearer secret-token", "user-agent": "client" }
const response = await fetch(url + path, { method, headers, ...(body && { body }) })
console.log(response.status, await response.text())
`

interface Outcome {
  readonly status: number | null
  readonly out: string
  readonly err: string
}

/** Runs `smd serve`; temporary files are made in the folder \`tmp\`. */
function serve(args: readonly string[]): Promise<Outcome> {
  mkdirSync(at("tmp"), { recursive: true })
  return new Promise(resolve => {
    const options = { cwd: folder, env: { ...process.env, TMPDIR: at("tmp") } }
    const child = execFile(process.execPath, [program, "serve", ...args], options, (_, out, err) => {
      resolve({ status: child.exitCode, out, err })
    })
  })
}

/** Runs the client as the command. */
const ask = (args: readonly string[], ...request: readonly string[]): Promise<Outcome> =>
  serve([...args, "--", process.execPath, "client.js", ...request])

const run = (code: string): string[] => ["--", process.execPath, "-e", code]
const json = (value: unknown): string => JSON.stringify(value)
const configMap = (name: string, more: object = {}, metadata: object = {}): Record<string, unknown> => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...metadata },
  ...more,
})
const configMaps = "/api/v1/namespaces/default/configmaps"
const crd = definitionOf("Widget")
const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w", namespace: "shop" } }
const stateIn = (file: string): MapValue[] =>
  readFileSync(at(file), "utf8")
    .trimEnd()
    .split("\n")
    .map(line => JSON.parse(line))

/** A server without a command, once it has said where it is. */
async function started(
  args: readonly string[],
): Promise<{ child: ChildProcess; out: string; kubeconfig: string; url: string }> {
  const child = spawn(process.execPath, [program, "serve", ...args], {
    cwd: folder,
    env: { ...process.env, TMPDIR: folder },
  })
  let out = ""
  await new Promise<void>((resolve, reject) => {
    child.stdout.on("data", data => {
      out += data
      if (out.endsWith("Press Ctrl-C to stop it.\n")) resolve()
    })
    child.once("exit", status => reject(new Error(`ended with ${status}: ${out}`)))
  })
  const kubeconfig = /export KUBECONFIG=(.*)/.exec(out)?.[1] ?? ""
  const { clusters } = parseYaml(readFileSync(kubeconfig, "utf8")) as { clusters: [{ cluster: { server: string } }] }
  return { child, out, kubeconfig, url: clusters[0].cluster.server }
}

const ended = (child: ChildProcess): Promise<unknown[]> =>
  new Promise(resolve => child.once("exit", (...how) => resolve(how)))

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise(resolve => setTimeout(resolve, 20))
}

describe("smd serve -- COMMAND", () => {
  it("exits with the status of the command, which has the terminal of this process", async () => {
    expect(await serve(run("console.log('out'); console.error('err'); process.exit(7)"))).toEqual({
      status: 7,
      out: "out\n",
      err: "err\n",
    })
    expect((await serve(run("0"))).status).toBe(0)
  })

  it("exits with 128 and the number of the signal that ended the command", async () => {
    expect((await serve(run("process.kill(process.pid, 'SIGKILL')"))).status).toBe(137)
    expect((await serve(run("process.kill(process.pid, 'SIGTERM'); setInterval(() => 0, 9)"))).status).toBe(143)
  })

  it("exits as a shell does if the command does not exist or can't be run", async () => {
    expect(await serve(["--", "no-such-command"])).toEqual({
      status: 127,
      out: "",
      err: "smd serve: no-such-command: no such command\n",
    })
    writeFileSync(at("plain-file"), "")
    chmodSync(at("plain-file"), 0o600)
    expect(await serve(["--", "./plain-file"])).toMatchObject({ status: 126 })
  })

  it("gives it a kubeconfig that only this user can read, and removes the file", async () => {
    const code = `
      const { statSync } = require("node:fs")
      const { KUBECONFIG: file, KUBECACHEDIR: cache } = process.env
      console.log((statSync(file).mode & 0o777).toString(8), file, cache.startsWith(require("node:path").dirname(file)))`
    const { out } = await serve(run(code))
    expect(out).toMatch(/^600 \S+kubeconfig true\n$/)
    expect(readdirSync(at("tmp"))).toEqual([])
  })

  it("leaves standard input to it, and ends with it: a test prints the kubeconfig in this way, and ends the server", async () => {
    const command = ["--", "sh", "-c", "echo $KUBECONFIG; cat"]
    const child = spawn(process.execPath, [program, "serve", ...command], { cwd: folder })
    let out = ""
    child.stdout.on("data", data => (out += data))
    await until(() => out.endsWith("kubeconfig\n"))
    child.stdin.end("last words")
    expect(await ended(child)).toEqual([0, null])
    expect(out).toMatch(/kubeconfig\nlast words$/)
  })

  it("passes signals on to it, and waits for it", async () => {
    const code = "process.on('SIGTERM', () => process.exit(9)); console.log('ready'); setInterval(() => 0, 1000)"
    const child = spawn(process.execPath, [program, "serve", ...run(code)], { cwd: folder })
    await new Promise(resolve => child.stdout.once("data", resolve))
    child.kill("SIGTERM")
    expect(await ended(child)).toEqual([9, null])
  })

  it("passes arguments after -- unchanged, and accepts none before", async () => {
    const code = "console.log(process.argv.slice(1).join(' '))"
    expect((await serve([...run(code), "x", "--load", "y", "--", "--help"])).out).toBe("x --load y -- --help\n")
    expect(await inMemory(["serve", "kubectl", "get"])).toMatchObject({
      status: 2,
      err: "smd serve: unexpected kubectl; the command to run follows --\nsmd serve --help shows how to use it.\n",
    })
  })
})

describe("smd serve without a command", () => {
  it.each(["SIGINT", "SIGTERM"] as const)("says how to reach the server, and ends cleanly on %s", async signal => {
    writeFileSync(at("late.yaml"), "faults: [{ match: { verb: list }, inject: { latency: 60000 } }]")
    const { child, out, kubeconfig, url } = await started(["--read-only", "--faults", "late.yaml"])
    expect(out).toBe(
      `Serving 4 objects, read-only, at ${url}\n\n  export KUBECONFIG=${kubeconfig}\n\nPress Ctrl-C to stop it.\n`,
    )
    expect(statSync(kubeconfig).mode & 0o777).toBe(0o600)
    const watch = await fetch(`${url}/api/v1/configmaps?watch=true`)
    const late = fetch(`${url}/api/v1/configmaps`).catch(() => "no answer")
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    child.kill(signal)
    expect(await ended(child)).toEqual([0, null])
    expect(await late).toBe("no answer")
    expect(existsSync(kubeconfig)).toBe(false)
    await watch.text().catch(() => "")
  })

  it("says why it can't use the port", async () => {
    const taken = createServer().listen(0, "127.0.0.1")
    await new Promise(resolve => taken.once("listening", resolve))
    const { port } = taken.address() as { port: number }
    const { status, err } = await serve(["--port", String(port)])
    expect({ status, err }).toEqual({ status: 2, err: `can't serve at 127.0.0.1, port ${port}: the port is in use\n` })
    taken.close()
  })
})

describe("--load", () => {
  it("reads manifests, Lists, folders and NDJSON, definitions and namespaces first", async () => {
    mkdirSync(at("live/inner"), { recursive: true })
    writeFileSync(at("live/a.yaml"), `${json(widget)}\n---\n${json(configMap("one"))}\n`)
    writeFileSync(at("live/inner/list.json"), json({ apiVersion: "v1", kind: "List", items: [configMap("two")] }))
    writeFileSync(at("live/z.yaml"), json(crd))
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } }
    writeFileSync(at("more.ndjson"), `${json(configMap("three", {}, { namespace: "shop" }))}\n\n${json(namespace)}\n`)
    const { out, err } = await ask(["--load", "live", "--load", "more.ndjson"], "GET", "/api/v1/configmaps")
    expect(err).toBe("")
    expect(JSON.parse(out.slice(4)).items.map(({ metadata }: MapValue) => (metadata as MapValue).name)).toEqual([
      "one",
      "two",
      "three",
    ])
    const widgets = await ask(["--load", "live", "--load", "more.ndjson"], "GET", "/apis/example.com/v1/widgets")
    expect(JSON.parse(widgets.out.slice(4)).items).toHaveLength(1)
  })

  it("creates namespaces that no file defines, and says so", async () => {
    writeFileSync(at("w.json"), json(widget))
    writeFileSync(at("crd.json"), json(crd))
    const { out, err } = await ask(["--load", "w.json", "--crd", "crd.json"], "GET", "/api/v1/namespaces/shop")
    expect(out).toMatch(/^200 /)
    expect(err).toBe("namespace shop was created, because no file defines it\n")
  })

  it("says that --show-managed-fields was forgotten", async () => {
    writeFileSync(at("shown.json"), json(configMap("one", {}, { uid: "u", resourceVersion: "7" })))
    const { err } = await serve(["--load", "shown.json", ...run("0")])
    expect(err).toBe("no object has managedFields, so nobody owns anything: kubectl get needs --show-managed-fields\n")
  })

  const evil = "x\x1b[2J\x07\r\nEVIL"
  const cases: readonly (readonly [string, readonly string[], Readonly<Record<string, string>>, string])[] = [
    ["a missing file", ["--load", "a"], {}, "a: no such file\n"],
    ["a file without documents", ["--load", "a"], { a: "" }, "a: contains no document\n"],
    ["invalid YAML", ["--load", "a"], { a: "a: [" }, "a:1:5: "],
    [
      "a line of invalid JSON",
      ["--load", "a"],
      { a: `${json(configMap("a"))}\n{"apiVersion": "v1",,}\n` },
      "a:2:21: Unexpected , in flow map\n",
    ],
    ["a line of YAML", ["--load", "a"], { a: `${json(configMap("a"))}\n{a: b}\n` }, "a:2: is not JSON\n"],
    [
      "a kind that is not served",
      ["--load", "a"],
      { a: `kind: ConfigMap\napiVersion: v1\nmetadata: {name: a}\n---\n${json(widget)}` },
      "a:5:1: no resource serves example.com/v1 Widget: load its CustomResourceDefinition first\n",
    ],
    [
      "a map that is not an object",
      ["--load", "a"],
      { a: "{a: 1}" },
      "a:1:1: expected an object, a map with apiVersion, kind and metadata\n",
    ],
    ["an object without a name", ["--load", "a"], { a: json(configMap("", {}, { uid: "u" })) }, "a:1:"],
    [
      "an object that occurs twice",
      ["--load", "a", "--load", "b"],
      { a: json(configMap("a")), b: json(configMap("a")) },
      "b:1:1: ConfigMap a occurs twice, first at a:1:1\n",
    ],
    [
      "an object that is not a definition",
      ["--crd", "a"],
      { a: json(configMap("a")) },
      "a:1:20: expected a CustomResourceDefinition\n",
    ],
    ["a file that is not a saved state", ["--save", "a"], { a: "a: b\n" }, "a: was not written by --save, which "],
    [
      "OpenAPI v2",
      ["--openapi", "a"],
      { a: '{"swagger": "2.0"}' },
      "a: is OpenAPI v2; expected the output of kubectl get --raw",
    ],
    [
      "a map that is not OpenAPI",
      ["--openapi", "a"],
      { a: "{}" },
      "a: is not an OpenAPI v3 document; expected the output",
    ],
    ["OpenAPI that is not JSON", ["--openapi", "a"], { a: '{"a":\n  1,,}' }, "a:2:5: Unexpected , in flow map\n"],
    [
      "OpenAPI about something else",
      ["--openapi", "a"],
      { a: '{"openapi": "3.0.0", "paths": {"/version/": {}}}' },
      "a: has no path of a group and version, such as /apis/apps/v1/\n",
    ],
    [
      "a fault that does not exist",
      ["--faults", "a"],
      { a: "faults:\n- inject: {statsu: 500}" },
      "a:2:12: .faults[0].inject.statsu: unknown key; did you mean status?\n",
    ],
    ["an invalid port", ["--port", "x"], {}, "smd serve: --port must be 0 to 65535, not x\n"],
    [
      "an unknown gate",
      ["--feature-gates", "X=true"],
      {},
      "smd serve: --feature-gates: unrecognized feature gate: X\n",
    ],
    [
      "a gate that is neither on nor off",
      ["--feature-gates", "DeclarativeValidation=on"],
      {},
      "smd serve: --feature-gates: DeclarativeValidation must be true or false, not on\n",
    ],
    ["an unknown policy", ["--unions", "x"], {}, "smd serve: --unions must be off, "],
    [
      "text that could control the terminal",
      ["--load", "a"],
      { a: json({ ...configMap("a"), kind: evil }) },
      "a:1:1: no resource serves v1 x\\x1b[2J\\x07\\x0d\\x0aEVIL: ",
    ],
  ]
  it.each(cases)("reports %s", async (_, args, files, message) => {
    const { status, out, err } = await inMemory(["serve", ...args, "--", "true"], { files })
    expect({ status, out }).toEqual({ status: 2, out: "" })
    expect(err.slice(0, message.length)).toBe(message)
  })

  it("reports all objects that can't be stored", async () => {
    const a = `${json(widget)}\n${json({ ...widget, kind: "Gadget" })}\n`
    const { err } = await inMemory(["serve", "--load", "a", "--", "true"], { files: { a } })
    expect(err.split("\n").map(line => line.slice(0, 6))).toEqual(["a:1:1:", "a:2:1:", ""])
  })
})

describe("--save", () => {
  it("keeps owners, uids, generations and resourceVersions, and continues from the highest", async () => {
    const args = ["--save", "state.ndjson"]
    const body = json(configMap("kept", { data: { a: "1" } }))
    const apply = [`${configMaps}/kept?fieldManager=me`, body, "application/apply-patch+yaml"]
    expect((await ask(args, "PATCH", ...apply)).out).toMatch(/^201 /)
    const before = stateIn("state.ndjson")
    expect(before.map(({ metadata }) => (metadata as MapValue).managedFields !== undefined)).toContain(true)
    expect((await serve([...args, ...run("0")])).status).toBe(0)
    expect(stateIn("state.ndjson")).toEqual(before)
    const { out } = await ask(args, "POST", configMaps, json(configMap("next")))
    const highest = Math.max(...before.map(({ metadata }) => Number((metadata as MapValue).resourceVersion)))
    expect(JSON.parse(out.slice(4)).metadata.resourceVersion).toBe(String(highest + 1))
    expect(statSync(at("state.ndjson")).mode & 0o777).toBe(0o600)
  })

  it("takes precedence over --load", async () => {
    writeFileSync(at("seed.json"), json(configMap("seed", { data: { a: "1" } })))
    const args = ["--save", "seeded.ndjson", "--load", "seed.json"]
    await ask(args, "PUT", `${configMaps}/seed`, json(configMap("seed", { data: { a: "2" } })))
    const { out, err } = await ask(args, "GET", `${configMaps}/seed`)
    expect(JSON.parse(out.slice(4)).data).toEqual({ a: "2" })
    expect(err).toBe("seeded.ndjson: already has 1 object of --load and --crd\n")
  })

  it("writes while it serves, so that a crash loses nothing that was saved", async () => {
    const { child, url } = await started(["--save", "crash.ndjson"])
    const headers = { "content-type": "application/json" }
    const post = (name: string) => fetch(url + configMaps, { method: "POST", headers, body: json(configMap(name)) })
    const names = () => stateIn("crash.ndjson").map(({ metadata }) => (metadata as MapValue).name)
    await post("first")
    await until(() => names().includes("first"))
    // Between one save and the next, with a file that was begun.
    await Promise.all([post("second"), post("third")])
    child.kill("SIGKILL")
    await ended(child)
    writeFileSync(at("crash.ndjson.tmp"), '{"apiVersion":')
    expect(names()).toContain("first")
    const { out } = await ask(["--save", "crash.ndjson"], "GET", `${configMaps}/first`)
    expect(out).toMatch(/^200 /)
    expect(existsSync(at("crash.ndjson.tmp"))).toBe(false)
  })

  it("reports at the start a file that can't be written", async () => {
    const { status, err } = await serve(["--save", "no/such/folder", ...run("0")])
    expect({ status, err }).toEqual({ status: 2, err: "no/such/folder: can't be written: no such folder\n" })
  })

  it("exits with 2 if the last state can't be written", async () => {
    mkdirSync(at("gone"))
    const code = "require('node:fs').rmSync('gone', { recursive: true }); require('child_process')"
    const change = `import("./client.js")`
    const args = ["--save", "gone/state", "--", process.execPath, "-e", `${code}; ${change}`, "x", "POST", configMaps]
    const { status, err } = await serve([...args, json(configMap("a"))])
    expect({ status, err }).toEqual({ status: 2, err: "gone/state: can't be written: no such folder\n" })
  })
})

describe("--read-only", () => {
  it("refuses to store anything, and allows dry runs", async () => {
    const body = json(configMap("a"))
    expect((await ask(["--read-only"], "POST", configMaps, body)).out).toMatch(/^403 .*read-only/)
    expect((await ask(["--read-only"], "POST", `${configMaps}?dryRun=All`, body)).out).toMatch(/^201 /)
  })
})

describe("--faults", () => {
  it("injects faults, and lets clients read and remove them", async () => {
    writeFileSync(at("faults.yaml"), "faults:\n- name: broken\n  match: {verb: list}\n  inject: {truncateBody: 5}\n")
    const path = "/structured-merge-diff/faults"
    const script = `
      const read = await import("node:fs").then(fs => fs.readFileSync(process.env.KUBECONFIG, "utf8"))
      const [, url] = /server: "([^"]+)"/.exec(read)
      const list = () => fetch(url + "/api/v1/nodes").then(answer => answer.json())
      console.log(await list().then(() => "whole", () => "broken"))
      const { injected } = await fetch(url + "${path}").then(answer => answer.json())
      console.log(injected[0].rule, injected[0].fault)
      await fetch(url + "${path}", { method: "DELETE" })
      console.log((await list()).kind)`
    writeFileSync(at("faulty.mjs"), script)
    const { out } = await serve(["--faults", "faults.yaml", "--", process.execPath, "faulty.mjs"])
    expect(out).toBe("broken\nbroken truncateBody 5\nNodeList\n")
  })
})

describe("--feature-gates", () => {
  it("lets rules replace the handwritten checks that they cover", async () => {
    const template = { spec: { containers: [{ name: "c", image: "i" }], restartPolicy: "Never" } }
    const spec = { completionMode: "Indexed", completions: 2, maxFailedIndexes: 1, template }
    const body = json({ apiVersion: "batch/v1", kind: "Job", metadata: { name: "j" }, spec })
    const create = (...args: string[]) => ask(args, "POST", "/apis/batch/v1/namespaces/default/jobs", body)
    expect((await create()).out).toMatch(/^422 .*when maxFailedIndexes is specified/)
    const gates = "DeclarativeValidation=true,DeclarativeValidationTakeover=true"
    expect((await create("--feature-gates", gates)).out).toMatch(/^422 .*must be set when maxFailedIndexes is set/)
  })
})

describe("--allow-host", () => {
  it("names hosts that clients may use", async () => {
    const code = `const { get } = require("node:http")
      const { port } = new URL(/server: "([^"]*)"/.exec(require("node:fs").readFileSync(process.env.KUBECONFIG, "utf8"))[1])
      for (const host of ["a.test", "b.test", "c.test"])
        get({ port, path: "/version", headers: { host } }, answer => { console.log(host, answer.statusCode); answer.resume() })`
    const allowed = ["--allow-host", "a.test", "--allow-host", "b.test"]
    const { out } = await serve([...allowed, "--", process.execPath, "-e", code])
    expect(out.trim().split("\n").sort()).toEqual(["a.test 200", "b.test 200", "c.test 403"])
  })
})

describe("--record", () => {
  it("writes requests and responses, without credentials", async () => {
    const { child, url } = await started(["--record", "record.ndjson"])
    const headers = {
      authorization: "Bearer secret-token",
      cookie: "secret-cookie",
      "content-type": "application/json",
    }
    const body = json(configMap("a", { data: { a: "1" } }))
    const aborted = new AbortController()
    const watch = await fetch(`${url}${configMaps}?watch=true`, { signal: aborted.signal })
    await (await fetch(`${url}${configMaps}`, { method: "POST", headers, body })).text()
    await (await fetch(`${url}${configMaps}`, { method: "POST", headers, body: "{" })).text()
    const yaml = { ...headers, "content-type": "application/apply-patch+yaml" }
    const applied = { method: "PATCH", headers: yaml, body: "data: {a: x}" }
    await (await fetch(`${url}${configMaps}/a?fieldManager=m`, applied)).text()
    await (await fetch(`${url}/api/v1/namespaces`, { method: "POST", body: new Uint8Array([255, 0]) })).text()
    await (await fetch(`${url}/livez`, { method: "HEAD" })).text()
    await watch.body?.getReader().read()
    child.kill("SIGTERM")
    await ended(child)
    const text = readFileSync(at("record.ndjson"), "utf8")
    expect(text).not.toContain("secret")
    expect(statSync(at("record.ndjson")).mode & 0o777).toBe(0o600)
    const [created, cut, patch, binary, head, watched] = stateIn("record.ndjson")
    expect(Object.keys(created as MapValue)).toEqual([
      ...["time", "method", "path", "headers", "body", "status", "answerHeaders", "answer"],
    ])
    expect(created).toMatchObject({
      method: "POST",
      path: configMaps,
      headers: { "content-type": "application/json" },
      body: JSON.parse(body),
      status: 201,
      answerHeaders: { "content-type": "application/json" },
      answer: { kind: "ConfigMap", metadata: { name: "a" } },
    })
    expect(cut).toMatchObject({ body: "{", status: 400, answer: { kind: "Status" } })
    expect(patch).toMatchObject({ path: `${configMaps}/a?fieldManager=m`, body: "data: {a: x}" })
    expect(binary).toMatchObject({ body: { base64: "/wA=" } })
    expect(head).toMatchObject({ method: "HEAD", status: 200 })
    expect(watched).toMatchObject({ path: `${configMaps}?watch=true`, status: 200, answer: [{ type: "ADDED" }] })
  })

  it("hides the values of Secrets and tokens, unless --show-secrets is given", async () => {
    const data = { password: Buffer.from("hunter2").toString("base64") }
    const secret = json({ apiVersion: "v1", kind: "Secret", metadata: { name: "db" }, data })
    const hiding = await ask(["--record", "hidden.ndjson"], "POST", "/api/v1/namespaces/default/secrets", secret)
    expect(hiding.out).toContain(data.password)
    expect(hiding.err).toBe("values are hidden, such as those of Secrets; --show-secrets shows them\n")
    const marked = { password: Buffer.from("(hidden 1)").toString("base64") }
    expect(stateIn("hidden.ndjson")).toMatchObject([{ body: { data: marked }, answer: { data: marked } }])
    const shown = ["--record", "shown.ndjson", "--show-secrets"]
    await ask(shown, "POST", "/api/v1/namespaces/default/secrets", secret)
    expect(stateIn("shown.ndjson")).toMatchObject([{ body: { data }, answer: { data } }])
  })

  it("replaces a file that others can read by one that they can't", async () => {
    writeFileSync(at("loose.ndjson"), "before", { mode: 0o644 })
    const descriptor = openSync(at("loose.ndjson"), "r")
    await ask(["--record", "loose.ndjson"], "GET", configMaps)
    expect(statSync(at("loose.ndjson")).mode & 0o777).toBe(0o600)
    expect(stateIn("loose.ndjson")).toHaveLength(1)
    expect(readFileSync(descriptor, "utf8")).toBe("before")
    closeSync(descriptor)
  })

  it.each([
    ["a symbolic link", (path: string) => symlinkSync(at("precious"), path)],
    ["a symbolic link", (path: string) => symlinkSync(at("nowhere"), path)],
    ["a directory", (path: string) => mkdirSync(path)],
  ])("does not write to %s", async (what, make) => {
    writeFileSync(at("precious"), "mine")
    rmSync(at("taken"), { recursive: true, force: true })
    make(at("taken"))
    const { status, err } = await serve(["--record", "taken", ...run("0")])
    const why = `taken: can't be written: it is ${what}; name a file that is new or can be replaced\n`
    expect({ status, err }).toEqual({ status: 2, err: why })
    expect(readFileSync(at("precious"), "utf8")).toBe("mine")
    expect(existsSync(at("nowhere"))).toBe(false)
  })

  it("keeps the beginning of a long watch", async () => {
    const { child, url } = await started(["--record", "long.ndjson"])
    const watch = await fetch(`${url}${configMaps}?watch=true`)
    const reader = watch.body?.getReader()
    const readAll = async () => {
      while (reader !== undefined && !(await reader.read()).done);
    }
    const read = readAll().catch(() => undefined)
    for (let i = 0; i < 12; i++) {
      const body = json(configMap(`large-${i}`, { data: { a: "x".repeat(1_000_000) } }))
      const headers = { "content-type": "application/json" }
      await (await fetch(`${url}${configMaps}`, { method: "POST", headers, body })).text()
    }
    child.kill("SIGTERM")
    await ended(child)
    await read
    const watched = stateIn("long.ndjson").find(entry => String(entry.path).endsWith("watch=true"))
    const bytes = json(watched).length
    expect(bytes).toBeGreaterThan(4_000_000)
    expect(bytes).toBeLessThan(9_000_000)
    expect(watched?.cut).toBe(true)
  })

  it("tells of a file that can't be written", async () => {
    const { status, err } = await serve(["--record", "no/such/folder", ...run("0")])
    expect({ status, err }).toEqual({ status: 2, err: "no/such/folder: can't be written: no such folder\n" })
  })
})

describe("--replay", () => {
  const object = (version: number, second: number, more: object = {}) =>
    configMap("a", more, {
      ...{ namespace: "default", uid: "u", resourceVersion: String(version) },
      creationTimestamp: `2026-03-01T10:00:0${second}Z`,
    })
  const event = (type: string, object: object) => `${json({ type, object })}\n`
  const log =
    event("ADDED", object(11, 1)) +
    event("MODIFIED", object(12, 1, { data: { a: "1" } })) +
    event("DELETED", object(13, 1))

  it("serves a log to any client, read-only, while requests advance it", async () => {
    writeFileSync(at("watch.json"), log)
    const script = `
      const read = await import("node:fs").then(fs => fs.readFileSync(process.env.KUBECONFIG, "utf8"))
      const [, url] = /server: "([^"]+)"/.exec(read)
      const list = async () => (await (await fetch(url + "${configMaps}")).json()).items.map(item => item.metadata.resourceVersion)
      const step = () => fetch(url + "/structured-merge-diff/replay", { method: "POST" }).then(answer => answer.json())
      const seen = [await list()]
      for (;;) {
        const { next } = await step()
        seen.push(await list())
        if (next === undefined) break
      }
      const { status } = await fetch(url + "${configMaps}/a", { method: "DELETE" })
      const headers = { "content-type": "application/json" }
      const created = await fetch(url + "${configMaps}", { method: "POST", headers, body: '{"metadata": {"name": "b"}}' })
      console.log(JSON.stringify(seen), status, created.status)`
    writeFileSync(at("steps.mjs"), script)
    const options = ["--replay", "watch.json", "--speed", "step"]
    const command = ["--", process.execPath, "steps.mjs"]
    const seen = '[[],["11"],["12"],[]]'
    expect(await serve([...options, ...command])).toEqual({ status: 0, out: `${seen} 404 403\n`, err: "" })
    expect((await serve([...options, "--writable", ...command])).out).toBe(`${seen} 404 201\n`)
  })

  it("steps on Enter, and goes on by itself at a speed", async () => {
    writeFileSync(at("gap.json"), log + event("ERROR", { kind: "Status", message: "too old" }))
    const child = spawn(process.execPath, [program, "serve", "--replay", "gap.json", "--speed", "step"], {
      cwd: folder,
    })
    let out = ""
    let err = ""
    child.stdout.on("data", data => (out += data))
    child.stderr.on("data", data => (err += data))
    await until(() => out.includes("to come"))
    expect(out).toMatch(
      /^Serving 4 objects, read-only, at [\s\S]*\n3 changes to come\. Press Enter for the next change, or send POST http:\S+\/replay\.\n$/,
    )
    expect(err).toBe("gap.json: the watch ended with an error: later events may be missing: line 4 (too old)\n")
    child.stdin.write("\n\n")
    await until(() => out.includes("MODIFIED"))
    expect(out.slice(out.indexOf("2026-"))).toBe(
      "2026-03-01T10:00:01.000Z  ADDED     ConfigMap default/a  (line 1)\n" +
        "2026-03-01T10:00:01.000Z  MODIFIED  ConfigMap default/a  (line 2)\n",
    )
    child.kill("SIGINT")
    expect(await ended(child)).toEqual([0, null])
    const fast = await serve(["--replay", "gap.json", "--speed", "1000x", ...run("setTimeout(() => 0, 50)")])
    expect(fast.status).toBe(0)
  })

  it.each([
    [["--speed", "2x"], "smd serve: --speed needs --replay\n"],
    [["--writable"], "smd serve: --writable needs --replay: "],
    [["--replay", "log", "--authorization", "rbac"], "smd serve: --replay and --authorization exclude each other: "],
    [["--replay", "log", "--writable", "--read-only"], "smd serve: --writable and --read-only exclude each other\n"],
    [
      ["--replay", "log", "--speed", "fast"],
      "smd serve: --speed must be step, or a number such as 10x or 0.5x, not fast\n",
    ],
    [
      ["--replay", "log"],
      "log:2: is neither an event of an audit log or a watch, nor a line of --record, nor an object\n",
    ],
  ])("says what is wrong with %j", async (args, message) => {
    const files = { log: `${event("ADDED", object(11, 1))}[1]\n` }
    const { status, err } = await inMemory(["serve", ...args, "--", "true"], { files })
    expect([status, err.slice(0, message.length)]).toEqual([2, message])
  })
})

describe("--openapi", () => {
  it("serves the documents of files and folders, by the addresses in them", async () => {
    const document = (path: string) => json({ openapi: "3.0.0", paths: { [path]: {} }, info: { title: path } })
    mkdirSync(at("openapi/inner"), { recursive: true })
    writeFileSync(at("openapi/x.json.gz"), gzipSync(document("/apis/apps/v1/deployments")))
    writeFileSync(at("openapi/version.json"), document("/version/"))
    writeFileSync(at("openapi/inner/core.json"), document("/api/v1/pods"))
    writeFileSync(at("batch"), document("/apis/batch/v1/jobs"))
    for (const [name, title] of [
      ["apis/apps/v1", "/apis/apps/v1/deployments"],
      ["api/v1", "/api/v1/pods"],
      ["apis/batch/v1", "/apis/batch/v1/jobs"],
    ]) {
      const { out } = await ask(["--openapi", "openapi", "--openapi", "batch"], "GET", `/openapi/v3/${name}`)
      expect(JSON.parse(out.slice(4)).info.title).toBe(title)
    }
  })
})

describe("--unions", () => {
  it("is needed for unions of definitions, and a message says so", async () => {
    const union = { "fields-to-discriminateBy": { a: "A", b: "B" } }
    const properties = { a: { type: "string" }, b: { type: "string" } }
    const spec = { type: "object", properties, "x-kubernetes-unions": [union] }
    writeFileSync(at("unions.json"), json(definitionOf("Gadget", { schema: { properties: { spec } } })))
    const err = async (...args: readonly string[]) => (await serve(["--crd", "unions.json", ...args, ...run("0")])).err
    expect(await err()).toBe(
      "unions of gadgets.example.com have no effect, as in a cluster: --unions POLICY settles them, --unions off keeps them\n",
    )
    expect([await err("--unions", "off"), await err("--unions", "extended")]).toEqual(["", ""])
    const wrong = { ...spec, "x-kubernetes-unions": [{ ...union, cardinality: "exactlyOne" }] }
    writeFileSync(at("unions.json"), json(definitionOf("Gadget", { schema: { properties: { spec: wrong } } })))
    expect(await err("--unions", "extended")).toMatch(
      /^CustomResourceDefinition gadgets\.example\.com: .* unknown key cardinality; .*\n$/,
    )
  })

  it("settles the unions of built-in types", async () => {
    const strategy = { type: "Recreate", rollingUpdate: { maxSurge: 1 } }
    const labels = { app: "a" }
    const template = { metadata: { labels }, spec: { containers: [{ name: "a", image: "a" }] } }
    const deployment = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "a" },
      spec: { selector: { matchLabels: labels }, template, strategy: { type: "Recreate" } },
    }
    const path = "/apis/apps/v1/namespaces/default/deployments/a?fieldManager=m&force=true"
    writeFileSync(at("deployment.json"), json(deployment))
    const next = json({
      ...deployment,
      spec: { ...deployment.spec, strategy: { rollingUpdate: strategy.rollingUpdate } },
    })
    const { out } = await ask(
      ["--unions", "extended", "--load", "deployment.json"],
      ...["PATCH", path, next, "application/apply-patch+yaml"],
    )
    expect(JSON.parse(out.slice(4)).spec.strategy).toMatchObject({ type: "RollingUpdate" })
  })
})
