/** The command line as a process, from files of its own. */
import { type ChildProcess, spawn } from "node:child_process"
import { symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { build } from "esbuild"
import { projectRoot } from "../support/entries.js"

/** How a process ended, and what it wrote. */
export interface Ending {
  readonly status: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly err: string
}

/** Bundles `smd` into this folder, as `bin/main.js`. */
export async function buildInto(folder: string): Promise<void> {
  await build({
    absWorkingDir: projectRoot,
    entryPoints: ["src/cli/main.ts", "src/cli/worker.ts"],
    outdir: join(folder, "bin"),
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    external: ["node:*", "tinypool"],
    inject: ["test/support/clock.mjs"],
  })
  symlinkSync(join(projectRoot, "node_modules"), join(folder, "node_modules"), "junction")
  writeFileSync(join(folder, "package.json"), '{"type": "module"}')
}

/** Starts a program in this folder; `ending` is how it ends. */
export function start(
  folder: string,
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): { child: ChildProcess; ending: Promise<Ending> } {
  const child = spawn(program, args, { cwd: folder, env: { ...process.env, FORCE_COLOR: undefined, ...env } })
  const parts: { out: string; err: string } = { out: "", err: "" }
  child.stdin.on("error", () => undefined)
  child.stdout.setEncoding("utf8").on("data", text => (parts.out += text))
  child.stderr.setEncoding("utf8").on("data", text => (parts.err += text))
  const ending = new Promise<Ending>(resolve =>
    child.on("close", (status, signal) => resolve({ status, signal, ...parts })),
  )
  return { child, ending }
}
