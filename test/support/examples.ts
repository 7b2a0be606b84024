/** Examples in documents: the blocks of a language, and running one as a program of its own. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { build } from "esbuild"
import { vi } from "vitest"
import { projectRoot, readEntries } from "./entries.js"

/** The code blocks of this language in a Markdown text. */
export function codeBlocks(text: string, language: string): string[] {
  const block = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm")
  return Array.from(text.matchAll(block), ([, code]) => code as string)
}

/** Runs a program that imports the package by its name, and gives the lines it logs. */
export async function runExample(code: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "example-"))
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined)
  try {
    const file = join(folder, "example.mjs")
    const alias = Object.fromEntries(readEntries().map(({ name, source }) => [name, join(projectRoot, source)]))
    const stdin = { contents: code, resolveDir: projectRoot }
    const { outputFiles } = await build({ stdin, alias, bundle: true, format: "esm", platform: "node", write: false })
    writeFileSync(file, outputFiles[0]?.contents ?? "")
    await import(pathToFileURL(file).href)
    return log.mock.calls.flatMap(call => call.join(" ").split("\n"))
  } finally {
    log.mockRestore()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What an example says it prints: its lines that are comments from the start. */
export function printedBy(code: string): string[] {
  return Array.from(code.matchAll(/^\/\/ (.*)$/gm), ([, line]) => line as string)
}
