import { type ChildProcess, spawn } from "node:child_process"

/** A running program that answers one request line with one answer line. */
export interface Answerer {
  /** Returns the answers to these lines, in order. The answer to a line at which the program crashed or hung is `{"panic": …}`. */
  ask(lines: readonly string[]): Promise<string[]>
  /** Ends the program. */
  close(): void
}

/**
 * Starts a program that speaks the line protocol. Restarts it when it crashes or hangs.
 *
 * Lines are sent in small portions, so that neither side's pipe fills while the other waits. After a crash, the lines of the portion
 * are sent again one by one: answers may have been lost, and this shows at which line the program crashes.
 */
export function startAnswerer(command: string, cwd: string): Answerer {
  let program = new Program(command, cwd)
  let turn: Promise<unknown> = Promise.resolve()

  async function askPortion(lines: readonly string[]): Promise<string[]> {
    const got = await program.ask(lines)
    if (got.fault === null) return got.answers
    program.kill()
    program = new Program(command, cwd)
    if (lines.length === 1) return [JSON.stringify({ panic: got.fault })]
    const answers: string[] = []
    for (const line of lines) answers.push(...(await askPortion([line])))
    return answers
  }

  async function askAll(lines: readonly string[]): Promise<string[]> {
    const answers: string[] = []
    for (let at = 0; at < lines.length; at += PORTION)
      answers.push(...(await askPortion(lines.slice(at, at + PORTION))))
    return answers
  }

  return {
    ask(lines) {
      const asked = turn.then(() => askAll(lines))
      turn = asked.catch(() => undefined)
      return asked
    },
    close() {
      program.kill()
    },
  }
}
const PORTION = 256

interface Portion {
  readonly answers: string[]
  /** The reason why the program stopped answering; null if it answered every line. */
  readonly fault: string | null
}

class Program {
  private readonly child: ChildProcess
  private wanted = 0
  private answers: string[] = []
  private unfinished: Buffer[] = []
  private settle: ((portion: Portion) => void) | null = null
  private silence: NodeJS.Timeout | undefined
  private ended: string | null = null
  // The program may have to be compiled before its first answer.
  private patience = 600

  constructor(command: string, cwd: string) {
    // The program gets its own process group, so that the children of a shell or npm end with it.
    this.child = spawn(command, { shell: true, cwd, detached: true, stdio: ["pipe", "pipe", "inherit"] })
    this.child.stdout?.on("data", (chunk: Buffer) => this.receive(chunk))
    this.child.stdin?.on("error", () => undefined)
    this.child.on("error", error => this.end(`cannot start: ${error.message}`))
    this.child.on("close", (code, signal) => this.end(`ended with ${signal ?? `status ${code}`}`))
  }

  ask(lines: readonly string[]): Promise<Portion> {
    return new Promise(resolve => {
      this.wanted = lines.length
      this.answers = []
      this.settle = resolve
      if (this.ended !== null || lines.length === 0) {
        this.finish(lines.length === 0 ? null : this.ended)
        return
      }
      this.watch()
      this.child.stdin?.write(`${lines.join("\n")}\n`)
    })
  }

  kill(): void {
    clearTimeout(this.silence)
    const { pid } = this.child
    if (pid === undefined || this.ended !== null) return
    try {
      process.kill(-pid, "SIGKILL")
    } catch {
      this.child.kill("SIGKILL") // the group is gone already
    }
  }

  private receive(chunk: Buffer): void {
    let start = 0
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, start)) {
      this.unfinished.push(chunk.subarray(start, at))
      const line = Buffer.concat(this.unfinished).toString("utf8")
      this.unfinished = []
      start = at + 1
      if (line.trim() !== "") this.answers.push(line)
    }
    if (start < chunk.length) this.unfinished.push(chunk.subarray(start))
    if (this.answers.length > 0) this.patience = 10
    if (this.settle === null) return
    if (this.answers.length >= this.wanted) this.finish(null)
    else this.watch()
  }

  private watch(): void {
    const { patience } = this
    clearTimeout(this.silence)
    this.silence = setTimeout(() => this.finish(`no answer within ${patience} s`), patience * 1000)
  }

  private end(reason: string): void {
    this.ended ??= reason
    this.finish(this.ended)
  }

  private finish(fault: string | null): void {
    clearTimeout(this.silence)
    const { settle } = this
    this.settle = null
    settle?.({ answers: this.answers.slice(0, this.wanted), fault })
  }
}

const NEWLINE = 0x0a
