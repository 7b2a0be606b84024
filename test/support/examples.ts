/** Programs in documents and under examples/: finding them, checking their types, and running them. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { pathToFileURL } from "node:url"
import { build } from "esbuild"
import { expect, vi } from "vitest"
import { codeBlocks, read } from "./documents.js"
import { projectRoot, readEntries } from "./entries.js"

export { codeBlocks, read }

/** A program that imports the package by its name. */
export interface Example {
  /** Where it stands: `README.md 2` for the second in this file. */
  readonly name: string
  readonly code: string
}

/** README.md and all that is under docs/, relative to the root. */
export function documents(): string[] {
  const docs = readdirSync(join(projectRoot, "docs"), { recursive: true, encoding: "utf8" })
  return ["README.md", ...docs.filter(file => file.endsWith(".md")).map(file => `docs/${file.replaceAll("\\", "/")}`)]
}

/** The guides and what else tells one program of examples/, each with the program's name, which is that of the document. */
export function guides(): { readonly name: string; readonly file: string }[] {
  const files = readdirSync(join(projectRoot, "docs/guides")).map(file => `docs/guides/${file}`)
  return ["docs/api-design.md", ...files].map(file => ({ name: basename(file, ".md"), file }))
}

/** Every program that a reader may copy: each TypeScript block of a document by itself, but those of a guide in one, and each `@example`. */
export function examples(): Example[] {
  const told = guides().map(({ name }) => ({ name: `examples/${name}.ts`, code: read(`examples/${name}.ts`) }))
  const single = documents()
    .filter(document => guides().every(({ file }) => file !== document))
    .flatMap(file => codeBlocks(read(file), "ts").map((code, i) => ({ name: `${file} ${i + 1}`, code })))
  return [...single, ...told, ...commentExamples()]
}

/** The programs in the doc comments of src, each named by its file. Those of public names stand in the API reference. */
export function commentExamples(): Example[] {
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

/** What the compiler says about these programs as strict as users may have it; "" for nothing. */
export function typeErrors(programs: readonly Example[]): string {
  const folder = mkdtempSync(join(tmpdir(), "examples-"))
  try {
    const files = programs.map(({ name, code }) => {
      const file = `${name.replaceAll(/[^\w.-]/g, "-").replace(/\.ts$/, "")}.mts`
      writeFileSync(join(folder, file), code)
      return file
    })
    const paths = {
      ...Object.fromEntries(readEntries().map(({ name, source }) => [name, [join(projectRoot, source)]])),
      vitest: [join(projectRoot, "node_modules/vitest/dist/index.d.ts")],
    }
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      target: "es2023",
      module: "nodenext",
      noEmit: true,
      // So that Node runs them as they are.
      erasableSyntaxOnly: true,
      verbatimModuleSyntax: true,
      skipLibCheck: true,
      typeRoots: [join(projectRoot, "node_modules/@types")],
      types: ["node"],
      paths,
    }
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }))
    const tsc = join(projectRoot, "node_modules/typescript/bin/tsc")
    const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8" })
    return status === 0 ? "" : `${stdout}${stderr}`
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Programs that are ready to run. */
export interface Bundle {
  /** Runs a program, once, and gives the lines it logs. */
  run(name: string): Promise<string[]>
  remove(): void
}

/** Where programs that are tests find what they need. */
const started: { readonly expect: typeof expect; readonly tests: Promise<void>[] } = { expect, tests: [] }
const startedKey = "structured-merge-diff examples"

/** Takes the place of vitest in programs that are tests: runs them at once, and logs the names of those that pass. */
const vitestAtOnce = `
const { expect, tests } = globalThis[${JSON.stringify(startedKey)}]
export { expect }
export const test = (name, body) => void tests.push(Promise.resolve().then(body).then(() => console.log("✓ " + name)))
`

/** Compiles programs, with the sources of the package in place of the package, into a folder of their own. */
export async function bundle(programs: readonly Example[]): Promise<Bundle> {
  const folder = mkdtempSync(join(tmpdir(), "examples-"))
  programs.forEach(({ code }, i) => writeFileSync(join(folder, `${i}.ts`), code))
  writeFileSync(join(folder, "vitest.js"), vitestAtOnce)
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

/** What a program says it prints: its lines that are comments from the start, but not those of texts in it. */
export function printedBy(code: string): string[] {
  return Array.from(code.replaceAll(/`\n[\s\S]*?^`/gm, "``").matchAll(/^\/\/ ?(.*)$/gm), ([, line]) => line as string)
}
