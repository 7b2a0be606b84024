// npm run bench -- fleet [--objects 1000000 --jobs 1 --seed 1]
//
// Times `smd lint --stream` on a fleet, and a program that reads the same stream, cuts it at line ends and calls `JSON.parse` on each line.
// Both run in separate processes, on one processor core if `taskset` is available, and read a file that was read just before.
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { createReadStream, mkdtempSync, openSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { root } from "./build.js"
import { describeMachine, table } from "./report.js"

const { values } = parseArgs({
  options: {
    objects: { type: "string", default: "1000000" },
    jobs: { type: "string", default: "1" },
    seed: { type: "string", default: "1" },
    parse: { type: "string" },
  },
})
if (values.parse === undefined) await compare(Number(values.objects), values.jobs, values.seed)
else await parseLines(values.parse)

async function compare(objects: number, jobs: string, seed: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "fleet-"))
  try {
    const file = join(folder, "objects.ndjson")
    const maker = join(root, "dist-test/test/fleet/make.js")
    await run([process.execPath, maker, "--objects", String(objects), "--seed", seed], file)
    const megabytes = statSync(file).size / 1e6
    const output = join(folder, "findings.ndjson")
    const onOneCore = jobs === "1" ? pinned() : []
    const program = fileURLToPath(import.meta.url)
    const lint = ["lint", "--stream", "--jobs", jobs, "--fail-on", "never", file]
    const parsed = await run([...onOneCore, process.execPath, program, "--parse", file], output)
    const linted = await run([...onOneCore, process.execPath, join(root, "dist/cli/main.cjs"), ...lint], output)
    const row = (name: string, { seconds, processor, kilobytes }: Ran) => [
      name,
      seconds.toFixed(1),
      (seconds / parsed.seconds).toFixed(2),
      processor.toFixed(1),
      (processor / parsed.processor).toFixed(2),
      (megabytes / seconds).toFixed(0),
      Math.round(objects / seconds).toString(),
      (kilobytes / 1024).toFixed(0),
    ]
    const columns = ["", "seconds", "ratio", "CPU seconds", "CPU ratio", "MB/s", "objects/s", "peak MB"]
    const rows = [row("JSON.parse alone", parsed), row(`smd lint --stream --jobs ${jobs}`, linted)]
    const what = `${objects} objects, ${megabytes.toFixed(0)} MB, ${onOneCore.length > 0 ? "on one core" : "on all cores"}`
    process.stdout.write(`${describeMachine()}\n\n${what}\n\n${table(columns, rows)}\n`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Ran {
  readonly seconds: number
  /** Seconds of processor time, on all threads. */
  readonly processor: number
  /** The most memory that the process used. */
  readonly kilobytes: number
}

/** Runs a command and writes its output to a file, next to which smd keeps its compiled code. Throws an Error if it fails. */
async function run([program = "", ...args]: readonly string[], output: string): Promise<Ran> {
  const begin = performance.now()
  const env = { ...process.env, XDG_CACHE_HOME: dirname(output) }
  const child = spawn(program, args, { env, stdio: ["ignore", openSync(output, "w"), "inherit"] })
  let seen = { processor: 0, kilobytes: 0 }
  const look = setInterval(() => {
    seen = usageOf(child.pid) ?? seen
  }, 20)
  const [status] = await once(child, "exit")
  clearInterval(look)
  if (status !== 0) throw new Error(`${[program, ...args].join(" ")}: exit status ${status}`)
  return { seconds: (performance.now() - begin) / 1000, ...seen }
}

/** Returns the resources that the process has used so far, from Linux; undefined if the process has ended. */
function usageOf(pid: number | undefined): { readonly processor: number; readonly kilobytes: number } | undefined {
  try {
    const kilobytes = Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1])
    // The times are in hundredths of a second. The name, in parentheses, may contain spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
    return Number.isNaN(kilobytes)
      ? undefined
      : { processor: (Number(fields[11]) + Number(fields[12])) / 100, kilobytes }
  } catch {
    return undefined
  }
}

/** Returns the prefix of a command that keeps it on one core, or nothing if `taskset` is missing. */
function pinned(): string[] {
  const command = ["taskset", "-c", "0"]
  return spawnSync("taskset", ["-c", "0", "true"]).status === 0 ? command : []
}

async function parseLines(file: string): Promise<void> {
  let rest: Buffer = Buffer.alloc(0)
  let count = 0
  for await (const chunk of createReadStream(file, { highWaterMark: 2 ** 20 }) as AsyncIterable<Buffer>) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let from = 0
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      if (JSON.parse(bytes.toString("utf8", from, end)) !== null) count++
      from = end + 1
    }
    rest = bytes.subarray(from)
  }
  process.stdout.write(`${count}\n`)
}
