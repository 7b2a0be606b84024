// What the commands about ownership find, for programs, and what they say beside it.
import type { Value } from "../../value/value.js"
import type { Document } from "../input/document.js"
import { type Option, outputOption } from "../input/options.js"
import type { Terminal } from "../terminal.js"
import { formatDocument } from "./document.js"
import { printable } from "./layout.js"

export const reportForms = ["text", "json", "yaml", "github"] as const
export const reportOption: Option = {
  ...outputOption,
  value: reportForms.join("|"),
  help: "for people, for programs, or annotations of a workflow",
}

/** One result as it is; of several a list of JSON, or YAML documents. */
export function formatResults(results: readonly Value[], form: "json" | "yaml"): string {
  if (form === "yaml") return results.map(result => formatDocument(result, form)).join("---\n")
  return formatDocument(results.length === 1 ? (results[0] as Value) : results, form)
}

/** What makes an answer doubtful, a line each. */
export function reportFindings(
  document: Document,
  findings: readonly { readonly message: string }[],
  terminal: Terminal,
): void {
  for (const { message } of findings) {
    terminal.report(`${printable(`${document.at([])}: warning: ${message}`)}\n`)
  }
}
