// Runs the commands of docs/fleets.md with the smd of this clone, and measures time and memory.
import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { projectRoot } from "../support/entries.js"
import { pathWith } from "./tools.js"

export interface Ran {
  readonly status: number
  readonly seconds: number
  /** The largest resident size of any smd that was not killed, in MB. */
  readonly megabytes: number
  /** The text that it wrote to standard error. */
  readonly said: string
}

/** Kills one worker while a script runs, or each. */
export interface Kill {
  /** A worker thread of smd, or a process that runs it. */
  readonly what: "thread" | "process"
  readonly all?: true
}

/** A folder with the objects, in which recipes run. */
export class Workplace {
  readonly folder = mkdtempSync(join(tmpdir(), "fleet-"))
  readonly #env: NodeJS.ProcessEnv
  readonly #peaks = join(this.folder, "peaks")
  readonly #victim = join(this.folder, "victim")

  readonly #seed: number

  /** `tools` is a folder with programs that the recipes use. The same seed makes the same objects. */
  constructor(tools: string, seed: number) {
    this.#seed = seed
    const programs = join(this.folder, "bin")
    mkdirSync(programs)
    symlinkSync(join(projectRoot, "dist/cli/main.cjs"), join(programs, "smd"))
    const hook = pathToFileURL(join(projectRoot, "test/fleet/hook.mjs")).href
    const node = { NODE_OPTIONS: `--import=${hook}`, FLEET_PEAKS: this.#peaks, XDG_CACHE_HOME: this.folder }
    // Spark listens on loopback only. Its JVMs live for seconds, so optimizing compilers would not pay.
    const java = { JAVA_TOOL_OPTIONS: "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC" }
    const spark = { SPARK_LOCAL_IP: "127.0.0.1", SPARK_MASTER: "local-cluster[2,1,1024]", ...java }
    this.#env = { ...process.env, ...node, ...spark, PATH: pathWith(programs, tools), LC_ALL: "C.UTF-8" }
  }

  /** The path of a file in the folder. */
  path(file: string): string {
    return join(this.folder, file)
  }

  /** Writes this many objects to the file, in a form of `npm run fleet`. */
  async make(file: string, objects: number, form: "ndjson" | "list" | "audit"): Promise<void> {
    const program = join(projectRoot, "dist-test/test/fleet/make.js")
    await this.ask(
      `"${process.execPath}" "${program}" --objects ${objects} --seed ${this.#seed} --as ${form} > ${file}`,
    )
  }

  write(file: string, text: string): void {
    writeFileSync(this.path(file), text)
  }

  append(file: string, text: string): void {
    appendFileSync(this.path(file), text)
  }

  /** Removes the file or folder, if it exists. */
  discard(file: string): void {
    rmSync(this.path(file), { recursive: true, force: true })
  }

  /** Runs a script and returns the lines that it prints. Throws an Error if it fails. */
  async ask(script: string): Promise<string[]> {
    const options = { cwd: this.folder, env: { ...this.#env, NODE_OPTIONS: "" }, maxBuffer: 2 ** 30 }
    const { stdout } = await promisify(execFile)("bash", ["-o", "pipefail", "-ec", script], options)
    return stdout.trimEnd().split("\n")
  }

  /** Runs the script with sh, in the folder. */
  async run(script: string, { env = {}, kill }: { env?: NodeJS.ProcessEnv; kill?: Kill } = {}): Promise<Ran> {
    rmSync(this.#peaks, { force: true })
    const begin = performance.now()
    const child = spawn("sh", ["-ec", script], {
      cwd: this.folder,
      env: { ...this.#env, ...env, ...(kill && this.#death(kill)) },
      stdio: ["ignore", "ignore", "pipe"],
    })
    let said = ""
    child.stderr.setEncoding("utf8").on("data", text => (said += text))
    const [code, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null]
    const status = code ?? (signal === null ? 0 : 128)
    return { status, seconds: (performance.now() - begin) / 1000, megabytes: this.#peak(), said }
  }

  /** Whether the worker to kill existed, and was killed. */
  get hasKilled(): boolean {
    return !existsSync(this.#victim)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  #death({ what, all }: Kill): NodeJS.ProcessEnv {
    mkdirSync(this.#victim, { recursive: true })
    return { FLEET_KILL: this.#victim, FLEET_KILL_WHAT: what, ...(all && { FLEET_KILL_ALL: "yes" }) }
  }

  #peak(): number {
    if (!existsSync(this.#peaks)) return 0
    const kilobytes = readFileSync(this.#peaks, "utf8").trim().split("\n").map(Number)
    return Math.max(...kilobytes) / 1024
  }
}
