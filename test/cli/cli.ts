/** The command line with files from memory and captured output. */
import { run } from "../../src/cli/run.js"
import { styleFor } from "../../src/cli/terminal/style.js"
import type { Terminal } from "../../src/cli/terminal/terminal.js"

export interface Outcome {
  readonly status: number
  /** Standard output. */
  readonly out: string
  /** Standard error. */
  readonly err: string
  /** The written files, by name; absent if the command wrote none. */
  readonly written?: Readonly<Record<string, string>>
  /** Every line of progress that a terminal is asked to show. */
  readonly progress?: readonly string[]
}

export interface Surroundings {
  /** By name; "-" is standard input. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  /** Whether both outputs are terminals. */
  readonly isTTY?: boolean
  readonly env?: Readonly<Record<string, string>>
  /** The width of standard output. */
  readonly columns?: number
  /** The file that standard output was redirected to; "-" for the one that standard input comes from. */
  readonly redirectedTo?: string
  /** Whether standard output is closed. */
  readonly isOutputClosed?: boolean
  /** The name of the program; `smd` if absent. */
  readonly program?: string
  /** Connects to a cluster; rejects if absent. */
  readonly connect?: Terminal["connect"]
  /** The time of a clock that stands still. */
  readonly now?: Date
  /** A clock that moves, instead of `now`. */
  readonly clock?: () => Date
}

/** Runs `smd` with these arguments. */
export async function smd(
  args: readonly string[],
  {
    files = {},
    isTTY = false,
    env = {},
    columns = 80,
    redirectedTo,
    isOutputClosed = false,
    program = "smd",
    connect = () => Promise.reject(new Error("there is no cluster")),
    now = new Date("2001-02-03T04:05:06Z"),
    clock = () => now,
  }: Surroundings = {},
): Promise<Outcome> {
  let out = ""
  let err = ""
  const progress: string[] = []
  const written: Record<string, string> = {}
  const style = styleFor({ isTTY }, env)
  const terminal: Terminal = {
    program,
    read: async file => {
      const content = files[file]
      if (content === undefined) throw Object.assign(new Error(`ENOENT: ${file}`), { code: "ENOENT" })
      return typeof content === "string" ? new TextEncoder().encode(content) : content
    },
    stream: async function* (file) {
      const bytes = await terminal.read(file)
      for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000)
    },
    size: async file => files[file]?.length,
    list: async folder => {
      const inside = Object.keys(files).filter(file => file.startsWith(`${folder}/`))
      const names = inside.map(file => file.slice(folder.length + 1))
      if (names.length === 0) return undefined
      const folders = names.filter(name => name.includes("/")).map(name => name.split("/", 1)[0] as string)
      return [
        ...[...new Set(folders)].map(name => ({ name, type: "folder" as const })),
        ...names.filter(name => !name.includes("/")).map(name => ({ name, type: "file" as const })),
      ]
    },
    connect,
    replace: file => {
      let content = ""
      return {
        write: async text => {
          content += text
        },
        commit: async () => {
          written[file] = content
        },
        discard: async () => undefined,
      }
    },
    isOutput: file => file === redirectedTo,
    isOutputClosed,
    write: text => {
      out += text
    },
    writeRecords: async text => {
      out += text
      return true
    },
    report: text => {
      err += text
    },
    progress: line => {
      if (isTTY && line !== undefined) progress.push(line)
    },
    onInterrupt: () => () => undefined,
    style,
    reportStyle: style,
    columns,
    messageColumns: isTTY ? columns : Number.POSITIVE_INFINITY,
    fileColumns: 80,
    now: clock,
  }
  const status = await run(args, terminal)
  return { status, out, err, ...(isTTY && { progress }), ...(Object.keys(written).length > 0 && { written }) }
}

/** Runs `smd` like `smd`, and leaves out the line that says how much was checked. */
export async function smdUncounted(args: readonly string[], surroundings?: Surroundings): Promise<Outcome> {
  const outcome = await smd(args, surroundings)
  return { ...outcome, err: outcome.err.replace(/^checked .* in .*: (?:no problems|\d+ problems?)\n/m, "") }
}

/** The text without its first line end and without the indentation of its first line. */
export function text(strings: TemplateStringsArray, ...values: unknown[]): string {
  const whole = String.raw({ raw: strings.map(part => part) }, ...values).replace(/^\n/, "")
  const margin = /^ */.exec(whole)?.[0] ?? ""
  return whole.replaceAll(new RegExp(`^${margin}`, "gm"), "").replace(/ +$/, "")
}

export const deployment = (replicas: number, image = "web:1.0"): string => text`
  apiVersion: apps/v1
  kind: Deployment
  metadata:
    name: shop
    labels: {app: shop}
  spec:
    replicas: ${replicas}
    selector:
      matchLabels: {app: shop}
    template:
      metadata:
        labels: {app: shop}
      spec:
        containers:
        - name: web
          image: ${image}
          ports:
          - containerPort: 8080
`
