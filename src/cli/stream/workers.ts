// Worker threads that turn batches into records. The records come back in the order of the batches.
import { type Options, Tinypool } from "tinypool"
import type { StreamTask } from "./judge.js"
import type { BatchRecords } from "./records.js"
import { WorkerDied } from "./report.js"
import type { Batch } from "./unit.js"

/** The batches for each worker, including the current one. */
const batchesPerWorker = 3

/** Running workers and their batches. */
export class Workers {
  private readonly pool: Tinypool
  private readonly most: number
  private readonly pending: Promise<BatchRecords>[] = []
  /** Set once a worker has died. */
  private failure: WorkerDied | undefined
  /** Rejects the promise of the caller that waits for records. */
  private onFailure: ((failure: WorkerDied) => void) | undefined
  // The threads of the pool do not keep the program running: if all of them exited, it would end as if nothing was left to do.
  private readonly alive = setInterval(() => undefined, 2 ** 30)
  private isOver = false

  /** Starts `jobs` workers, which run `file` for `task`. */
  constructor(jobs: number, file: URL, task: StreamTask) {
    this.most = jobs * batchesPerWorker
    const options: Options = {
      filename: file.href,
      name: "write",
      minThreads: jobs,
      maxThreads: jobs,
      workerData: task,
      // Without atomics, a worker waits for its next batch in its event loop, where it notices other failures.
      useAtomics: false,
      // The data for an object is soon garbage: more room for it would cost 50 MB for each worker, and save next to nothing.
      resourceLimits: { maxYoungGenerationSizeMb: 12, maxOldGenerationSizeMb: 512 },
    }
    this.pool = new Tinypool(options)
    this.pool.on("error", error => this.fail(reasonOf(error)))
    for (const thread of this.pool.threads) {
      thread.once("error", error => this.fail(reasonOf(error)))
      // A thread that calls process.exit causes no error, and the pool would wait for it forever.
      thread.once("exit", code => this.fail(`exit code ${code}`))
    }
  }

  private fail(why: string): void {
    if (this.isOver || this.failure !== undefined) return
    this.failure = new WorkerDied(why)
    this.onFailure?.(this.failure)
  }

  /** Transfers a batch to a worker. If as many batches as possible are pending, waits for the first one and returns its records. */
  async add(batch: Batch): Promise<BatchRecords | undefined> {
    const written = this.pool.run(batch, { transferList: [batch.bytes.buffer as ArrayBuffer] }) as Promise<BatchRecords>
    // `next` handles the error when it is this batch's turn.
    written.catch(() => undefined)
    this.pending.push(written)
    return this.pending.length < this.most ? undefined : await this.next()
  }

  /** Returns the records of the next batch; undefined after the last one. Throws WorkerDied. */
  async next(): Promise<BatchRecords | undefined> {
    const first = this.pending.shift()
    if (first === undefined) return undefined
    if (this.failure !== undefined) throw this.failure
    // Not Promise.race with a promise for the failure: that promise would hold the records of all batches.
    return await new Promise((resolve, reject) => {
      this.onFailure = reject
      first.then(resolve, error => reject(new WorkerDied(reasonOf(error))))
    })
  }

  /** Ends the workers, whatever they are doing. */
  async end(): Promise<void> {
    this.isOver = true
    clearInterval(this.alive)
    // Not with the pool's own method, which would also wait for threads that have already exited.
    await Promise.all(this.pool.threads.map(thread => thread.terminate()))
  }
}

/** The first line of the error's message. The messages of the pool contain whole results. */
function reasonOf(error: unknown): string {
  const [line = ""] = (error instanceof Error ? error.message : String(error)).split("\n")
  return line
}
