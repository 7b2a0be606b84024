// Generates code from Go packages with upstream's generator, and compiles it to a program that answers questions.
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { projectRoot } from "../../support/entries.js"
import { goModuleFolder } from "../../support/go.js"

const home = join(projectRoot, "oracle", "validation")
const work = join(home, "generated")
const modulePath = "structured-merge-diff-oracle/validation/generated"
const output = "zz_generated.validations.go"

/** The packages after generation. */
export interface GeneratedCode {
  /** The program. It reads questions and writes answers, each a line of JSON (oracle/validation/answers). */
  readonly program: string
  /** The packages that the generator refused, with its messages. */
  readonly refused: ReadonlyMap<string, string>
  /** The packages whose generated code Go does not compile. */
  readonly broken: ReadonlyMap<string, string>
}

/** Generates and compiles the validation of packages, given as their source by name. Takes about half a second for each. */
export function generateCode(packages: ReadonlyMap<string, string>): GeneratedCode {
  rmSync(join(work, "types"), { recursive: true, force: true })
  for (const [name, source] of packages) write(join("types", name, "doc.go"), source)
  const generator = buildGenerator()
  write("header.txt", "")
  const args = ["--output-file", output, "--go-header-file", join(work, "header.txt"), "./generated/types/..."]
  const { status, stdout, stderr } = spawnSync(generator, args, { cwd: home, encoding: "utf8", maxBuffer: 1 << 28 })
  const failed = [...stderr.matchAll(/errors in target "\S+\/(\w+)": (.*)/g)]
  if (status !== 0 && failed.length === 0) throw new Error(`the generator failed: ${stderr.slice(-4000)}`)
  const refused = new Map<string, string>()
  for (const [, name = "", said = ""] of stdout.matchAll(/^refused \S+\/(\w+) (.*)$/gm))
    refused.set(name, JSON.parse(said))
  const checked = [...packages.keys()].filter(name => !refused.has(name) && isRegistered(name))
  const broken = new Map(failed.map(([, name = "", said = ""]) => [name, said]))
  for (const [name, said] of compile(checked.filter(name => !broken.has(name)))) broken.set(name, said)
  const left = checked.filter(name => !broken.has(name))
  write("main.go", mainOf(left))
  execFileSync("go", ["build", "-o", join(work, "bin", "answers"), "./generated"], { cwd: home, stdio: "inherit" })
  return { program: join(work, "bin", "answers"), refused, broken }
}

/** A package without rules registers nothing. */
function isRegistered(name: string): boolean {
  const file = join(work, "types", name, output)
  return existsSync(file) && readFileSync(file, "utf8").includes("func RegisterValidations(")
}

function write(path: string, text: string): void {
  const file = join(work, path)
  mkdirSync(join(file, ".."), { recursive: true })
  writeFileSync(file, text)
}

/**
 * Upstream's generator with one change: where upstream's ends at the first type that it refuses, this one reports the type and goes on with
 * the next package.
 */
function buildGenerator(): string {
  const folder = join(goModuleFolder("k8s.io/code-generator", home), "cmd", "validation-gen")
  for (const name of readdirSync(folder).filter(file => file.endsWith(".go") && !file.endsWith("_test.go"))) {
    const source = readFileSync(join(folder, name), "utf8")
    write(join("generator", name), name === "targets.go" ? goingOn(source) : source)
  }
  const program = join(work, "bin", "validation-gen")
  execFileSync("go", ["build", "-o", program, "./generated/generator"], { cwd: home, stdio: "inherit" })
  return program
}

function goingOn(source: string): string {
  const loop = 'for _, input := range context.Inputs {\n\t\tklog.V(2).InfoS("processing"'
  const end = 'klog.Fatalf("failed to generate validations: %v", err)'
  if (!source.includes(loop) || !source.includes(end)) throw new Error("the generator has another loop than expected")
  return source
    .replace(loop, `inputs:\n${loop}`)
    .replace(end, 'fmt.Printf("refused %s %q\\n", input, err.Error())\ncontinue inputs')
}

function compile(names: readonly string[]): Map<string, string> {
  const broken = new Map<string, string>()
  const paths = names.map(name => `./generated/types/${name}`)
  const { status, stderr } = spawnSync("go", ["build", ...paths], { cwd: home, encoding: "utf8", maxBuffer: 1 << 28 })
  let name = ""
  for (const line of stderr.split("\n")) {
    const [, failed] = /^# \S+\/(\w+)$/.exec(line) ?? []
    if (failed !== undefined) name = failed
    else if (name !== "" && line !== "") broken.set(name, `${broken.get(name) ?? ""}${line}\n`)
  }
  if (broken.size === 0 && status !== 0) throw new Error(stderr)
  return broken
}

function mainOf(names: readonly string[]): string {
  const imports = names.map(name => `\t"${modulePath}/types/${name}"\n`).join("")
  const entries = names.map(name => `\t\t"${name}": ${name}.RegisterValidations,\n`).join("")
  return `package main

import (
	"k8s.io/code-generator/cmd/validation-gen/testscheme"

	"structured-merge-diff-oracle/validation/answers"
${imports})

func main() {
	answers.Serve(map[string]func(*testscheme.Scheme) error{
${entries}	})
}
`
}
