/** `--stream` as a process: threads, signals, and readers that go away. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { buildInto, start as startIn } from "../built.js"

const folder = mkdtempSync(join(tmpdir(), "stream-test-"))
const at = (name: string): string => join(folder, name)

/** Objects for a few batches, with errors among them. */
const objects = Array.from({ length: 1000 }, (_, i) => {
  if (i % 500 === 7) return "{broken}"
  const kind = i % 500 === 8 ? "Basket" : "ConfigMap"
  const metadata = { name: `config-${i}`, namespace: `team-${i % 7}` }
  return JSON.stringify({ apiVersion: "v1", kind, metadata, data: { text: "ü".repeat(i % 500) } })
})

beforeAll(async () => {
  await buildInto(folder)
  writeFileSync(at("objects.ndjson"), `${objects.join("\n")}\n`)
  // Does something in a worker after it has read 300 objects.
  writeFileSync(
    at("disturb.cjs"),
    `const { isMainThread } = require("node:worker_threads")
    const { parse } = JSON
    let calls = 0
    const disturb = {
      exit: () => process.exit(0),
      fail: () => process.nextTick(() => { throw new Error("boom") }),
      hang: () => { console.error("hangs"); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000) },
    }[process.env.DISTURB]
    if (!isMainThread) JSON.parse = text => {
      if (++calls === 300) disturb()
      return parse(text)
    }`,
  )
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Starts `smd`; `ending` is how it ends. */
const start = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  startIn(folder, process.execPath, [at("bin/main.js"), ...args], env)

const firstData = (stream: NodeJS.ReadableStream | null): Promise<void> =>
  new Promise(resolve => stream?.once("data", () => resolve()))

const disturbed = (how: string) => ({ NODE_OPTIONS: `--require ${at("disturb.cjs")}`, DISTURB: how })

describe("--jobs", () => {
  it.each([[["lint"]], [["blame", "--where"]], [["lint", "--fail-fast"]], [["lint", "--shard", "1/3"]]])(
    "writes the same bytes with one thread and with several: %j",
    async args => {
      // The end of a file is the end of a batch.
      const files = Array<string>(3).fill("objects.ndjson")
      const one = await start([...args, "--stream", ...files]).ending
      expect(one.status).toBe(3)
      expect(await start([...args, "--stream", ...files, "--jobs", "3"]).ending).toEqual(one)
    },
  )

  it("hides the values of Secrets in all threads, with the marks of one thread", async () => {
    const secrets = Array.from({ length: 800 }, (_, i) => {
      const token = Buffer.from(`t0ken-${i % 5}`).toString("base64")
      const fieldsV1 = { "f:data": { "f:a": {}, "f:b": {} } }
      const managedFields = [{ manager: "ci", operation: "Apply", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1 }]
      const metadata = { name: `db-${i}`, annotations: { note: `t0ken-${i % 5}` }, managedFields }
      return JSON.stringify({ apiVersion: "v1", kind: "Secret", metadata, data: { a: token, b: token } })
    })
    writeFileSync(at("secrets.ndjson"), `${secrets.join("\n")}\n`)
    const args = ["managers", "transfer", "--from", "ci", "--to", "cd", "--stream", "secrets.ndjson"]
    const one = await start(args).ending
    const lines = one.out.trimEnd().split("\n")
    expect(lines.length).toBe(secrets.length)
    expect(lines.filter(line => !/"a":"\(hidden 1\)","b":"\(hidden 1\)"/.test(line))).toEqual([])
    expect(one.out).not.toContain("t0ken")
    expect(one.out).not.toContain(Buffer.from("t0ken-").toString("base64"))
    expect(one.err).toBe("values are hidden, such as those of Secrets; --show-secrets shows them\n")
    expect(await start([...args, "--jobs", "3"]).ending).toEqual(one)
    const shown = await start([...args, "--show-secrets"]).ending
    expect(shown.out).toContain("t0ken-4")
    expect(await start([...args, "--show-secrets", "--jobs", "3"]).ending).toEqual(shown)
  })

  it.each([
    ["exit", "exit code 0"],
    ["fail", "boom"],
  ])("fails if a worker dies: %s", async (how, why) => {
    const files = Array<string>(20).fill("objects.ndjson")
    const { status, out, err } = await start(["lint", "--stream", "--jobs", "2", ...files], disturbed(how)).ending
    expect(status).toBe(4)
    const records = out.split("\n").length - 1
    expect(records).toBeLessThan(20 * objects.length)
    expect(err).toContain(`smd lint: a worker died (${why}) after ${records} records: the output is incomplete\n`)
  })

  it("refuses options that read standard input, and invalid numbers", async () => {
    const crd = start(["lint", "--stream", "--jobs", "2", "--crd", "-", "objects.ndjson"])
    crd.child.stdin?.end(
      '{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"versions":[]}}',
    )
    const { status, err } = await crd.ending
    expect([status, err]).toEqual([2, expect.stringContaining("with --jobs, options can't read standard input")])
    expect((await start(["lint", "--stream", "--jobs", "0"]).ending).err).toContain(
      "--jobs must be a number from 1 to 999, not 0",
    )
  })
})

describe("an interrupted run", () => {
  it("ends after the objects in progress, although its input does not end", async () => {
    const { child, ending } = start(["lint", "--stream"])
    child.stdin?.write(`${objects.slice(0, 3).join("\n")}\n`)
    await firstData(child.stdout)
    child.kill("SIGINT")
    const { status, out, err } = await ending
    expect([status, err]).toEqual([130, "smd lint: interrupted after 3 records\n"])
    expect(out.split("\n").length).toBe(4)
  })

  it.each(["1", "2"])("writes whole lines, with --jobs %s", async jobs => {
    const files = Array<string>(50).fill("objects.ndjson")
    const { child, ending } = start(["blame", "--stream", "--jobs", jobs, ...files])
    await firstData(child.stdout)
    child.kill("SIGINT")
    const { status, out, err } = await ending
    expect(status).toBe(130)
    const lines = out.split("\n")
    expect(lines.pop()).toBe("")
    expect(lines.length).toBeLessThan(50 * objects.length)
    expect(() => lines.map(line => JSON.parse(line))).not.toThrow()
    expect(err).toContain(`\nsmd blame: interrupted after ${lines.length} records\n`)
  })

  it("ends at once when it is interrupted again", async () => {
    const { child, ending } = start(["lint", "--stream", "--jobs", "2", "objects.ndjson"], disturbed("hang"))
    await firstData(child.stderr)
    child.kill("SIGINT")
    await new Promise(resolve => setTimeout(resolve, 300))
    expect(child.exitCode).toBe(null)
    child.kill("SIGINT")
    expect((await ending).signal).toBe("SIGINT")
  })
})

describe("a reader that goes away", () => {
  it.each(["1", "2"])("ends the run quietly, with --jobs %s", async jobs => {
    const files = Array<string>(50).fill("objects.ndjson")
    const { child, ending } = start(["blame", "--stream", "--jobs", jobs, ...files])
    await firstData(child.stdout)
    child.stdout?.destroy()
    const { status, signal, err } = await ending
    expect([status, signal]).toEqual([3, null])
    expect(err).not.toContain("smd blame")
  })
})
