// The protocol of bench compare and the two programs that run the cases: a line of JSON each way over standard input and output.
import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"

export interface PeerRequest {
  readonly name: string
  /**
   * `hash` asks for the result of the case. The other commands run it: they ask for its time, the bytes it allocates, or the
   * time of the median call if the case is prepared again before each call.
   */
  readonly do: "answer" | "time" | "bytes" | "fresh"
  readonly iterations?: number
}

export interface PeerReply {
  /** The SHA-256 of the answer. */
  readonly hash?: string
  readonly nanoseconds?: number
  /** Processor time of the whole program during the calls, with garbage collection on other threads. */
  readonly cpuNanoseconds?: number
  readonly bytes?: number
  readonly error?: string
}

/** A program that runs cases and is idle between requests. */
export class Peer {
  private readonly child: ChildProcess
  private readonly lines: AsyncIterator<string>
  private readonly what: string

  constructor(what: string, command: string, args: readonly string[]) {
    this.what = what
    this.child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] })
    if (this.child.stdout === null) throw new Error("no pipe")
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]()
  }

  async hash(name: string): Promise<string> {
    return (await this.ask({ name, do: "answer" })).hash ?? ""
  }

  /** Returns nanoseconds of the clock and of processor time. */
  async time(name: string, iterations: number): Promise<{ readonly clock: number; readonly cpu: number }> {
    const { nanoseconds, cpuNanoseconds } = await this.ask({ name, do: "time", iterations })
    return { clock: nanoseconds ?? Number.NaN, cpu: cpuNanoseconds ?? Number.NaN }
  }

  async bytes(name: string, iterations: number): Promise<number> {
    return (await this.ask({ name, do: "bytes", iterations })).bytes ?? Number.NaN
  }

  /** Returns the median nanoseconds of this many calls, each on new objects. */
  async fresh(name: string, iterations: number): Promise<number> {
    return (await this.ask({ name, do: "fresh", iterations })).nanoseconds ?? Number.NaN
  }

  stop(): void {
    this.child.stdin?.end()
  }

  private async ask(request: PeerRequest): Promise<PeerReply> {
    this.child.stdin?.write(`${JSON.stringify(request)}\n`)
    const line = await this.lines.next()
    if (line.done === true) throw new Error(`${this.what} ended at ${request.name}`)
    const reply = JSON.parse(line.value) as PeerReply
    if (reply.error !== undefined) throw new Error(`${this.what} at ${request.name}: ${reply.error}`)
    return reply
  }
}
