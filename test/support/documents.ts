/** Reads documents. Programs use it too, so it must not import vitest. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { projectRoot } from "./entries.js"

/** Returns the text of a file of the project. */
export function read(file: string): string {
  return readFileSync(join(projectRoot, file), "utf8")
}

/** Returns the code blocks of this language in a Markdown text. */
export function codeBlocks(text: string, language: string): string[] {
  const block = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm")
  return Array.from(text.matchAll(block), ([, code]) => code as string)
}
