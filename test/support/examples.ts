/** Finds the programs in documents and under examples/, checks their types, and runs them. */
import { spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { pathToFileURL } from "node:url"
import { build } from "esbuild"
import { expect, vi } from "vitest"
import { codeBlocks, read } from "./documents.js"
import { projectRoot, readEntries, readManifest } from "./entries.js"

/** A program that imports the package by its name. */
export interface Example {
  /** Its place: `README.md 2` for the second program in this file. */
  readonly name: string
  readonly code: string
}

/** Returns README.md and all documents under docs/, relative to the root. */
export function documents(): string[] {
  const docs = readdirSync(join(projectRoot, "docs"), { recursive: true, encoding: "utf8" })
  return ["README.md", ...docs.filter(file => file.endsWith(".md")).map(file => `docs/${file.replaceAll("\\", "/")}`)]
}

/** Returns the documents that explain one program of examples/. Program and document have the same name. */
export function guides(): { readonly name: string; readonly file: string }[] {
  const files = guideFiles().filter(file => !isAboutCommands(file))
  return ["docs/api-design.md", ...files].map(file => ({ name: basename(file, ".md"), file }))
}

/** Returns the guides that show commands and no program. */
export function commandGuides(): string[] {
  return guideFiles().filter(isAboutCommands)
}

function guideFiles(): string[] {
  return readdirSync(join(projectRoot, "docs/guides")).map(file => `docs/guides/${file}`)
}

function isAboutCommands(file: string): boolean {
  return codeBlocks(read(file), "ts").length === 0
}

/** Returns every program that a reader may copy: each TypeScript block of a document, the joined blocks of a guide, and each `@example`. */
export function examples(): Example[] {
  const guided = guides().map(({ name }) => ({ name: `examples/${name}.ts`, code: read(`examples/${name}.ts`) }))
  const single = documents()
    .filter(document => guides().every(({ file }) => file !== document))
    .flatMap(file => codeBlocks(read(file), "ts").map((code, i) => ({ name: `${file} ${i + 1}`, code })))
  return [...single, ...guided, ...commentExamples()]
}

/** Returns the programs in the doc comments of src, each named by its file. The API reference shows those of public names. */
function commentExamples(): Example[] {
  const files = readdirSync(join(projectRoot, "src"), { recursive: true, encoding: "utf8" }).filter(f =>
    f.endsWith(".ts"),
  )
  return files.flatMap(file =>
    Array.from(read(`src/${file}`).matchAll(/^( *) \* @example\n((?:\1 \*(?!\/).*\n)*)/gm), ([, , text = ""], i) => {
      const [code = ""] = codeBlocks(text.replaceAll(/^ *\* ?/gm, ""), "ts")
      return { name: `src/${file.replaceAll("\\", "/")} ${i + 1}`, code }
    }),
  )
}

/**
 * Returns the errors of the compiler in these programs, under the strictest options that users may have: one text for each program, "" if it
 * has none. The programs see the declarations that are published, without internal members, through the `exports` of package.json.
 */
export function typeErrors(programs: readonly Example[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), "examples-"))
  try {
    installDeclarations(folder)
    const files = programs.map(({ name, code }) => {
      const file = `${name.replaceAll(/[^\w.-]/g, "-").replace(/\.ts$/, "")}.mts`
      writeFileSync(join(folder, file), code)
      return file
    })
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      target: "es2023",
      module: "nodenext",
      noEmit: true,
      // Node can run such programs as they are.
      erasableSyntaxOnly: true,
      verbatimModuleSyntax: true,
      skipLibCheck: true,
      typeRoots: [join(projectRoot, "node_modules/@types")],
      types: ["node"],
    }
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }))
    const errors = compilerErrors(["-p", folder])
      .split(/\n(?=\S)/)
      .filter(error => error !== "")
    const fileOf = (error: string) => files.find(file => basename(error.slice(0, error.indexOf("("))) === file)
    const others = errors.filter(error => fileOf(error) === undefined)
    if (others.length > 0) throw new Error(others.join("\n"))
    return files.map(file => errors.filter(error => fileOf(error) === file).join("\n"))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The client that programs for a cluster use. */
const clientNode = "@kubernetes/client-node"

/** Puts package.json and the declarations of the package into `folder/node_modules`, with links to the packages that programs import. */
function installDeclarations(folder: string): void {
  const { name, dependencies } = readManifest()
  const installed = join(folder, "node_modules", name)
  mkdirSync(installed, { recursive: true })
  copyFileSync(join(projectRoot, "package.json"), join(installed, "package.json"))
  const emit = ["--noCheck", "--emitDeclarationOnly", "--outDir", join(installed, "dist")]
  const errors = compilerErrors(["-p", projectRoot, ...emit])
  if (errors !== "") throw new Error(`the declarations can't be compiled:\n${errors}`)
  mkdirSync(join(folder, "node_modules/@kubernetes"))
  for (const other of [...Object.keys(dependencies), "vitest", clientNode]) {
    symlinkSync(join(projectRoot, "node_modules", other), join(folder, "node_modules", other))
  }
}

/** Runs the compiler, and returns its errors, or "". */
function compilerErrors(args: readonly string[]): string {
  const tsc = join(projectRoot, "node_modules/typescript/bin/tsc")
  const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, ...args], { encoding: "utf8" })
  return status === 0 ? "" : `${stdout}${stderr}`
}

/** Programs that are ready to run. */
export interface Bundle {
  /** Runs a program once and returns the lines it logs. */
  run(name: string): Promise<string[]>
  remove(): void
}

/** The global object in which programs that are tests find `expect`, and add their tests. */
const started: { readonly expect: typeof expect; readonly tests: Promise<void>[] } = { expect, tests: [] }
const startedKey = "structured-merge-diff examples"

/** Replaces vitest in programs that are tests: runs the tests one after the other, and logs the names of passing tests. */
const vitestAtOnce = `
const { expect, tests } = globalThis[${JSON.stringify(startedKey)}]
export { expect }
let last = Promise.resolve()
async function run(fixtures, body) {
  const context = {}
  for (const [name, fixture] of Object.entries(fixtures)) {
    if (typeof fixture !== "function") context[name] = fixture
    else await new Promise(ready => fixture(context, value => void (context[name] = value, ready())))
  }
  await body(context)
}
function withFixtures(fixtures) {
  const test = (name, body) => {
    last = last.then(() => run(fixtures, body)).then(() => console.log("✓ " + name))
    tests.push(last)
  }
  return Object.assign(test, { extend: more => withFixtures({ ...fixtures, ...more }) })
}
export const test = withFixtures({})
`

/** Compiles programs into a temporary folder, with the sources of the package in place of the package. */
export async function bundle(programs: readonly Example[]): Promise<Bundle> {
  const folder = mkdtempSync(join(tmpdir(), "examples-"))
  programs.forEach(({ code }, i) => writeFileSync(join(folder, `${i}.ts`), code))
  writeFileSync(join(folder, "vitest.js"), vitestAtOnce)
  symlinkSync(join(projectRoot, "node_modules"), join(folder, "node_modules"))
  await build({
    absWorkingDir: projectRoot,
    entryPoints: programs.map((_, i) => join(folder, `${i}.ts`)),
    outdir: join(folder, "out"),
    outExtension: { ".js": ".mjs" },
    alias: {
      ...Object.fromEntries(readEntries().map(({ name, source }) => [name, join(projectRoot, source)])),
      vitest: join(folder, "vitest.js"),
    },
    bundle: true,
    external: [clientNode],
    splitting: true,
    format: "esm",
    platform: "node",
  })
  return {
    run: async name => {
      const log = vi.spyOn(console, "log").mockImplementation(() => undefined)
      try {
        const at = programs.findIndex(program => program.name === name)
        Object.assign(globalThis, { [startedKey]: started })
        await import(pathToFileURL(join(folder, "out", `${at}.mjs`)).href)
        await Promise.all(started.tests.splice(0))
        return log.mock.calls.flatMap(call => call.join(" ").split("\n"))
      } finally {
        log.mockRestore()
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Returns the expected output of a program: its lines that start with `//`, except lines in template literals. */
export function printedBy(code: string): string[] {
  return Array.from(code.replaceAll(/`\n[\s\S]*?^`/gm, "``").matchAll(/^\/\/ ?(.*)$/gm), ([, line]) => line as string)
}
