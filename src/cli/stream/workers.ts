// Worker threads that make records of batches, and hand them back in the order of the batches.
import { type Options, Tinypool } from "tinypool"
import type { StreamTask } from "./judge.js"
import { WorkerDied } from "./outcome.js"
import type { Written } from "./records.js"
import type { Batch } from "./splitter.js"

/** How many batches there are for each worker, the one it is at among them. */
const batchesPerWorker = 3

/** Workers that are at work, and the batches that they have. */
export class Workers {
  private readonly pool: Tinypool
  private readonly most: number
  private readonly pending: Promise<Written>[] = []
  /** Set once a worker has died. */
  private failure: WorkerDied | undefined
  /** Rejects what waits for records. */
  private onFailure: ((failure: WorkerDied) => void) | undefined
  // Threads of the pool do not keep the program running: where all of them had exited, it would end as if nothing was left to do.
  private readonly alive = setInterval(() => undefined, 2 ** 30)
  private isOver = false

  /** Starts so many workers, which run `file` and do what `task` says. */
  constructor(jobs: number, file: URL, task: StreamTask) {
    this.most = jobs * batchesPerWorker
    const options: Options = {
      filename: file.href,
      name: "write",
      minThreads: jobs,
      maxThreads: jobs,
      workerData: task,
      // A worker that waits for its next batch does so in its event loop, where it notices that something else has failed.
      useAtomics: false,
      // What is made of an object is soon garbage: room for more of it would cost 50 MB for each worker, and save next to nothing.
      resourceLimits: { maxYoungGenerationSizeMb: 12, maxOldGenerationSizeMb: 512 },
    }
    this.pool = new Tinypool(options)
    this.pool.on("error", error => this.fail(reasonOf(error)))
    for (const thread of this.pool.threads) {
      thread.once("error", error => this.fail(reasonOf(error)))
      // A thread that calls process.exit gives no error, and the pool would wait for it for ever.
      thread.once("exit", code => this.fail(`exit code ${code}`))
    }
  }

  private fail(why: string): void {
    if (this.isOver || this.failure !== undefined) return
    this.failure = new WorkerDied(why)
    this.onFailure?.(this.failure)
  }

  /** Gives a batch, with its bytes, to a worker. Then returns the records of the first batch if as many as may be wait for them. */
  async add(batch: Batch): Promise<Written | undefined> {
    const written = this.pool.run(batch, { transferList: [batch.bytes.buffer as ArrayBuffer] }) as Promise<Written>
    // Looked at when it is its turn.
    written.catch(() => undefined)
    this.pending.push(written)
    return this.pending.length < this.most ? undefined : await this.next()
  }

  /** The records of the first batch that was not returned yet; undefined if there are no more. Throws WorkerDied. */
  async next(): Promise<Written | undefined> {
    const first = this.pending.shift()
    if (first === undefined) return undefined
    if (this.failure !== undefined) throw this.failure
    // Not by a race with a promise that goes on: that would hold the records of all batches.
    return await new Promise((resolve, reject) => {
      this.onFailure = reject
      first.then(resolve, error => reject(new WorkerDied(reasonOf(error))))
    })
  }

  /** Ends the workers, whatever they are at. */
  async end(): Promise<void> {
    this.isOver = true
    clearInterval(this.alive)
    // Not by the pool's own method, which waits for the exit of threads that have exited before.
    await Promise.all(this.pool.threads.map(thread => thread.terminate()))
  }
}

/** The first line of the error. The pool writes whole results into its own. */
function reasonOf(error: unknown): string {
  const [line = ""] = (error instanceof Error ? error.message : String(error)).split("\n")
  return line
}
