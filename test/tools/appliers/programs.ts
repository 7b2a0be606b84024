/** The programs in oracle/ that let released tools write to a test API server. */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { MapValue } from "../../../src/value/value.js"
import { projectRoot } from "../../support/entries.js"

/** The programs. gitops-engine and Crossplane need older libraries than the other tools, so they have programs of their own. */
export const programs = ["appliers", "argocd", "crossplane"] as const
export type ProgramName = (typeof programs)[number]

/** Sends requests to the program, one after the other. */
export class Program {
  private readonly child: ChildProcessWithoutNullStreams
  private readonly answers: AsyncIterator<string>

  constructor(name: ProgramName, url: string) {
    this.child = spawn(binaryOf(name), ["--server", url])
    this.child.stderr.pipe(process.stderr)
    this.answers = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]()
  }

  async run(request: MapValue): Promise<string | undefined> {
    this.child.stdin.write(`${JSON.stringify(request)}\n`)
    const { value } = await this.answers.next()
    return (JSON.parse(value as string) as { error?: string }).error
  }

  close(): void {
    this.child.stdin.end()
  }
}

function binaryOf(name: ProgramName): string {
  return join(projectRoot, "oracle/bin", name)
}

/** Compiles the program. */
export function build(name: ProgramName): void {
  const folder = join(projectRoot, "oracle", name)
  go(folder, ["build", "-o", binaryOf(name), ...(name === "crossplane" ? crossplanePackage(folder) : ["."])])
}

/**
 * Returns the arguments that compile our program as a package of Crossplane's module, whose packages are internal. Go does not add files to
 * its module cache, so oracle/bin has a link to the module.
 */
function crossplanePackage(folder: string): string[] {
  const link = join(projectRoot, "oracle/bin/crossplane-module")
  const module = "github.com/crossplane/crossplane/v2"
  const [, version = ""] = new RegExp(`${module} (v\\S+)`).exec(readFileSync(join(folder, "go.mod"), "utf8")) ?? []
  const { Dir } = JSON.parse(go(tmpdir(), ["mod", "download", "-json", `${module}@${version}`])) as { Dir: string }
  mkdirSync(join(projectRoot, "oracle/bin"), { recursive: true })
  rmSync(link, { force: true })
  symlinkSync(Dir, link)
  const overlay = join(projectRoot, "oracle/bin/crossplane-overlay.json")
  const replaced = { [join(link, "cmd/apply/main.go")]: join(folder, "overlay/main.go") }
  writeFileSync(overlay, JSON.stringify({ Replace: replaced }))
  return ["-mod=mod", "-overlay", overlay, `${module}/cmd/apply`]
}

/** Runs go in the folder, and returns its output. */
function go(folder: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync("go", args, { cwd: folder, encoding: "utf8" })
  if (status !== 0) throw new Error(stderr || String(error))
  return stdout
}
