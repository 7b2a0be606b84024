// How bench compare talks to the two programs that run the cases: one line of JSON each way over standard input and output.
import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"

export interface PeerRequest {
  readonly name: string
  /**
   * Say what the case results in; or run it, and say how long that took or what it allocated; or prepare it anew before each
   * call, and say how long the median call took.
   */
  readonly do: "answer" | "time" | "bytes" | "fresh"
  readonly iterations?: number
}

export interface PeerReply {
  /** The SHA-256 of the answer. */
  readonly hash?: string
  readonly nanoseconds?: number
  /** Processor time of the whole program meanwhile, garbage collection on other threads included. */
  readonly cpuNanoseconds?: number
  readonly bytes?: number
  readonly error?: string
}

/** A program that runs cases, and waits quietly between requests. */
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

  /** Nanoseconds by the clock, and of processor time. */
  async time(name: string, iterations: number): Promise<{ readonly clock: number; readonly cpu: number }> {
    const { nanoseconds, cpuNanoseconds } = await this.ask({ name, do: "time", iterations })
    return { clock: nanoseconds ?? Number.NaN, cpu: cpuNanoseconds ?? Number.NaN }
  }

  async bytes(name: string, iterations: number): Promise<number> {
    return (await this.ask({ name, do: "bytes", iterations })).bytes ?? Number.NaN
  }

  /** Nanoseconds of the median of so many calls, each on objects that were never used before. */
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
