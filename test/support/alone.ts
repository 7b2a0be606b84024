import { spawn } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type BuildOptions, build } from "esbuild"
import { projectRoot } from "./entries.js"

/** The exit status of a process, and its output. */
export interface Ending {
  /** null if a signal ended the process, for example because V8 gave up. */
  readonly status: number | null
  readonly output: string
  readonly errors: string
}

/** Runs a TypeScript file in a separate process. With `stackSizeMb`, it runs in a worker there, with a stack of this size. */
export function runFileAlone(
  file: URL,
  { args = [], stackSizeMb }: { readonly args?: readonly string[]; readonly stackSizeMb?: number } = {},
): Promise<Ending> {
  return runAlone({ entryPoints: [fileURLToPath(file)] }, args, stackSizeMb)
}

/** Runs TypeScript with the imports of a file in `test` in a separate process, for code that may end the process. */
export function runSourceAlone(source: string): Promise<Ending> {
  return runAlone({ stdin: { contents: source, resolveDir: join(projectRoot, "test"), loader: "ts" } })
}

async function runAlone(
  program: BuildOptions,
  args: readonly string[] = [],
  stackSizeMb: number | undefined = undefined,
): Promise<Ending> {
  const options = {
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    write: false,
    logLevel: "silent",
  } as const
  const { outputFiles } = await build({ absWorkingDir: projectRoot, ...options, ...program })
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--expose-gc", "--input-type=commonjs", "-", ...args], { stdio: "pipe" })
    let output = ""
    let errors = ""
    child.stdout.setEncoding("utf8").on("data", text => (output += text))
    child.stderr.setEncoding("utf8").on("data", text => (errors += text))
    child.on("error", reject)
    child.on("close", status => resolve({ status, output, errors }))
    const code = outputFiles?.[0]?.text ?? ""
    child.stdin.end(stackSizeMb === undefined ? code : inWorker(code, stackSizeMb))
  })
}

/** Returns a program that runs `code` in a worker. */
function inWorker(code: string, stackSizeMb: number): string {
  const options = JSON.stringify({ eval: true, resourceLimits: { stackSizeMb } })
  return `new (require("node:worker_threads").Worker)(${JSON.stringify(code)}, ${options})`
}
