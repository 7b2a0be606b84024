// Runs `kubectl proxy`, which has all of kubectl's ways to authenticate. It listens on a socket in a folder that only the user can open,
// and refuses to pass on requests that write.
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { rmSync } from "node:fs"
import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { ClusterFetch } from "../../tools/cluster/requests.js"
import { type ConnectOptions, clientOf, type ServerAddress, type Transport } from "./transport.js"

/** The length of a path from which a socket can't be opened on some systems. */
const longestSocket = 100

/** Starts a proxy to the cluster. Rejects with an Error that says why it can't. */
export async function startProxy(options: ConnectOptions): Promise<Transport> {
  const flags = globalFlags(options)
  const context = readContext(flags)
  const folder = await mkdtemp(join(tmpdir(), "smd-"))
  const socket = join(folder, "proxy")
  const usesPort = process.platform === "win32" || socket.length > longestSocket
  const place = usesPort ? ["--port=0", "--address=127.0.0.1"] : [`--unix-socket=${socket}`]
  const child = spawn("kubectl", ["proxy", ...place, "--reject-methods=^(POST|PUT|PATCH|DELETE)$", ...flags], {
    // A plugin that authenticates may ask the user.
    stdio: [process.stdin.isTTY ? "inherit" : "ignore", "pipe", "pipe"],
    windowsHide: true,
  })
  const stop = stopAtExit(child, folder)
  try {
    const problems = new Problems(child)
    const port = await portOf(child, problems)
    const address: ServerAddress = usesPort ? { host: "127.0.0.1", port } : { socketPath: socket }
    const { fetch, end } = clientOf(address)
    return {
      fetch: explaining(fetch),
      namespace: async () => (await context).namespace,
      server: async () => (await context).server,
      close: async () => {
        end()
        stop()
      },
    }
  } catch (error) {
    stop()
    throw error
  }
}

function globalFlags({ context, kubeconfig }: ConnectOptions): string[] {
  return [
    ...(context === undefined ? [] : [`--context=${context}`]),
    ...(kubeconfig === undefined ? [] : [`--kubeconfig=${kubeconfig}`]),
  ]
}

/** The namespace of a context, and the address of its server; "" if kubectl does not say. */
interface ContextDetails {
  readonly namespace: string
  readonly server: string
}

/** Asks kubectl about the context. kubectl merges several kubeconfigs, so only kubectl knows. */
function readContext(flags: readonly string[]): Promise<ContextDetails> {
  const form = "jsonpath={.contexts[0].context.namespace}{'\\n'}{.clusters[0].cluster.server}"
  return new Promise(resolve => {
    execFile("kubectl", ["config", "view", "--minify", "-o", form, ...flags], { windowsHide: true }, (_, stdout) => {
      const [namespace = "", server = ""] = String(stdout ?? "").split("\n")
      resolve({ namespace: namespace === "" ? "default" : namespace, server })
    })
  })
}

/** The messages of a proxy on standard error. Passes on all other lines, for instance from a plugin that authenticates. */
class Problems {
  /** The last message. */
  last = ""

  constructor(child: ChildProcess) {
    if (child.stderr === null) return
    createInterface({ input: child.stderr }).on("line", line => {
      const [, message] = /^(?:[EWIF]\d{4} .*?\]|error:) (.*)$/.exec(line) ?? []
      if (message === undefined) process.stderr.write(`${line}\n`)
      else this.last = message
    })
  }
}

/** Resolves to the port once the proxy listens; to 0 for a socket. */
function portOf(child: ChildProcess, problems: Problems): Promise<number> {
  return new Promise((resolve, reject) => {
    child.on("error", (error: NodeJS.ErrnoException) => {
      const missing =
        "kubectl is not installed, and smd reaches clusters through it: https://kubernetes.io/docs/tasks/tools/"
      reject(error.code === "ENOENT" ? new Error(missing) : error)
    })
    child.on("close", () => reject(new Error(problems.last === "" ? "kubectl proxy has ended" : problems.last)))
    if (child.stdout === null) return
    createInterface({ input: child.stdout }).on("line", line => {
      if (line.startsWith("Starting to serve on ")) resolve(Number(/:(\d+)$/.exec(line)?.[1] ?? 0))
    })
  })
}

/** Returns the `fetch` that rejects if the proxy can't reach the server. Its own answers are plain text, and those of the server are not. */
function explaining(fetch: ClusterFetch): ClusterFetch {
  return async (path, request) => {
    const response = await fetch(path, request)
    const isText = response.headers.get("content-type")?.startsWith("text/plain") === true
    if (!isText || (response.status !== 500 && response.status !== 502)) return response
    const [why = ""] = (await response.text()).split("\n")
    throw new Error(`the server can't be reached: ${why}`)
  }
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** Returns a function that stops the proxy and removes its folder. It also runs when this process ends, or gets a signal. */
function stopAtExit(child: ChildProcess, folder: string): () => void {
  const stop = (): void => {
    process.off("exit", stop)
    for (const signal of signals) process.off(signal, onSignal)
    child.kill()
    rmSync(folder, { recursive: true, force: true })
  }
  const onSignal = (signal: NodeJS.Signals): void => {
    // Some other code ends the program in its own way.
    if (process.listenerCount(signal) > 1) return
    stop()
    process.kill(process.pid, signal)
  }
  process.once("exit", stop)
  for (const signal of signals) process.on(signal, onSignal)
  return stop
}
