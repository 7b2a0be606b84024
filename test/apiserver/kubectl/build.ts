// Builds and runs the kubectl of the tests.
import { execFileSync, spawn } from "node:child_process"
import { existsSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"

/** The path of kubectl, or the reason why it can't be built. */
export type Kubectl = { readonly path: string } | { readonly missing: string }

/**
 * Returns the kubectl of oracle/kubectl, and builds it first if it is missing or older than its sources. The first build takes a minute.
 */
export function buildKubectl(root: string): Kubectl {
  const folder = join(root, "oracle", "kubectl")
  // The name of the program matters: it is the manager of an apply.
  const path = join(root, "oracle", "bin", "kubectl")
  const sources = ["main.go", "go.mod", "go.sum"].map(name => statSync(join(folder, name)).mtimeMs)
  if (existsSync(path) && statSync(path).mtimeMs > Math.max(...sources)) return { path }
  try {
    const [, version] = /k8s\.io\/kubectl v0\.(\d+\.\d+)/.exec(readFileSync(join(folder, "go.mod"), "utf8")) ?? []
    const flags = `-X k8s.io/component-base/version.gitVersion=v1.${version}`
    execFileSync("go", ["build", "-ldflags", flags, "-o", path, "."], {
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"],
    })
    return { path }
  } catch (error) {
    const { code, stderr } = error as { readonly code?: string; readonly stderr?: Buffer }
    if (code === "ENOENT") return { missing: "Go is not installed" }
    return {
      missing: `kubectl can't be built: ${String(stderr ?? error)
        .trim()
        .split("\n")
        .at(-1)}`,
    }
  }
}

/** The output and the exit status of a command. */
export interface Ran {
  readonly exit: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly cwd: string
  /** The environment, in addition to PATH. */
  readonly env: Record<string, string>
  /** The standard input of the command. */
  readonly input?: string
  /** The time after which the command is killed; 20 seconds if absent. */
  readonly seconds?: number
}

/** Runs a command to its end. */
export function run(command: string, args: readonly string[], options: RunOptions): Promise<Ran> {
  const { cwd, env, input = "", seconds = 20 } = options
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: { PATH: process.env.PATH ?? "", ...env }, timeout: seconds * 1000 })
    let stdout = ""
    let stderr = ""
    child.stdout.on("data", data => {
      stdout += data
    })
    child.stderr.on("data", data => {
      stderr += data
    })
    child.on("error", reject)
    child.on("close", exit => resolve({ exit, stdout, stderr }))
    child.stdin.on("error", () => undefined)
    child.stdin.end(input)
  })
}
