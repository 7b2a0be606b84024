// `smd explain --write`: edits the texts of configurations, so that their applies have no conflicts.
import { applyTextEdits, type TextEdit } from "../../io/yaml-edit.js"
import type { Resolution } from "../../tools/ownership/resolve.js"
import { counted } from "../../value/words.js"
import { type Document, InputError } from "../input/document.js"
import { whyUnwritable } from "../input/input.js"
import { printable } from "../terminal/layout.js"
import type { Terminal } from "../terminal/terminal.js"

/** A configuration and its resolution. */
export interface ResolvedDocument {
  readonly config: Document
  readonly resolution: Resolution
}

/**
 * Replaces the files of the configurations by edited texts, which keep comments, and reports each file. Throws an InputError, and writes
 * nothing, if a text can't be edited or a conflict remains.
 */
export async function writeResolved(resolved: readonly ResolvedDocument[], terminal: Terminal): Promise<void> {
  const problems: string[] = []
  const byFile = new Map<string, { readonly text: string; readonly edits: TextEdit[] }>()
  for (const { config, resolution } of resolved) {
    const { outcome, source } = resolution
    if (outcome === "conflict") problems.push(`${config.at([])}: some conflicts remain, so nothing was written`)
    else if (source?.edits === undefined) {
      problems.push(`${config.at([])}: the text can't be edited: ${source?.impossible ?? "it is not known"}`)
    } else if (source.edits.length > 0) {
      const { text } = config.source
      const edits = byFile.get(config.file)?.edits ?? []
      byFile.set(config.file, { text, edits: [...edits, ...source.edits] })
    }
  }
  if (byFile.has("standard input")) problems.push("--write edits files, not standard input")
  if (problems.length > 0) throw new InputError(problems)
  for (const [file, { text, edits }] of byFile) {
    await replaceText(file, applyTextEdits(text, edits), terminal)
    terminal.report(`${printable(file)}: written, with ${counted(edits.length, "edit")}\n`)
  }
}

async function replaceText(file: string, text: string, terminal: Terminal): Promise<void> {
  const replacement = terminal.replace(file)
  try {
    await replacement.write(text)
    await replacement.commit()
  } catch (error) {
    await replacement.discard()
    throw new InputError(`${file}: can't be written: ${whyUnwritable(error)}`)
  }
}
