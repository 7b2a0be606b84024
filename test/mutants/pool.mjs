// The processes that run tests. Each leads a process group, so that killing a mutant that hangs also kills the programs that it started.
import { spawn } from "node:child_process"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const program = join(dirname(fileURLToPath(import.meta.url)), "worker.mjs")

export class Pool {
  /** Each process, or undefined where none runs. */
  #processes
  #sandbox
  #runs = 0

  constructor(sandbox, size) {
    this.#sandbox = sandbox
    this.#processes = Array.from({ length: size })
  }

  /** Calls `work` with each job and a function that runs a test file; as many jobs are under way as there are processes. */
  async each(jobs, work) {
    const waiting = [...jobs]
    const drain = async place => {
      for (let job = waiting.shift(); job !== undefined; job = waiting.shift())
        await work(job, request => this.#run(place, request))
    }
    await Promise.all(this.#processes.map((_, place) => drain(place)))
  }

  /** Kills all processes. */
  close() {
    for (const child of this.#processes) if (child !== undefined) killGroup(child)
    this.#processes.fill(undefined)
  }

  /** Returns the outcome that worker.mjs sends, or {crashed} if its process ends without an answer. */
  async #run(place, request) {
    const child = (this.#processes[place] ??= await this.#start())
    const run = ++this.#runs
    return new Promise(resolve => {
      // The process watches its own limits; this one is for a process that can't.
      const latest = request.limits && setTimeout(() => end({ timeout: true }), request.limits.wall + 30_000)
      const end = outcome => {
        clearTimeout(latest)
        child.off("message", onMessage).off("exit", onExit)
        if (outcome.timeout || outcome.crashed) {
          killGroup(child)
          this.#processes[place] = undefined
        }
        resolve(outcome)
      }
      const onMessage = message => message.run === run && end(message.outcome)
      const onExit = () => end({ crashed: true })
      child.on("message", onMessage).on("exit", onExit)
      child.send({ run, ...request })
    })
  }

  #start() {
    const log = process.env.MUTANTS_LOG === undefined ? "ignore" : "inherit"
    const args = ["--max-old-space-size=3000", program, this.#sandbox]
    const options = { cwd: this.#sandbox, detached: true, stdio: ["ignore", log, log, "ipc"] }
    const child = spawn(process.execPath, args, options)
    return new Promise((resolve, reject) => {
      child.once("message", () => resolve(child))
      child.once("exit", () => reject(new Error("the process that runs tests did not start")))
    })
  }
}

function killGroup({ pid }) {
  try {
    process.kill(-pid, "SIGKILL")
  } catch (error) {
    if (error.code !== "ESRCH") throw error
  }
}
