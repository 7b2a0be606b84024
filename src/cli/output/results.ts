// Results of the commands about ownership as data, and the warnings that go with them.
import type { Value } from "../../value/value.js"
import type { ConfiguredObject } from "../input/application.js"
import type { Document } from "../input/document.js"
import { printable } from "../terminal/layout.js"
import type { Terminal } from "../terminal/terminal.js"
import { formatDocument } from "./document.js"

/** Writes the results as a JSON list or as YAML documents. */
export function formatResults(results: readonly Value[], form: "json" | "yaml"): string {
  if (form === "yaml") return results.map(result => formatDocument(result, form)).join("---\n")
  return formatDocument(results, form)
}

/** Prints a line for each finding, with the file that it is about. */
export function reportFindings(document: Document, findings: readonly Finding[], terminal: Terminal): void
export function reportFindings(request: ConfiguredObject, findings: readonly Finding[], terminal: Terminal): void
export function reportFindings(
  about: Document | ConfiguredObject,
  findings: readonly Finding[],
  terminal: Terminal,
): void {
  for (const finding of findings) {
    // The problem was reported when the definition was read, at its place.
    if (finding.code === "union-invalid") continue
    const document = "config" in about ? documentOf(finding, about) : about
    const at = document.at(finding.code === "not-served" ? ["apiVersion"] : [])
    terminal.report(`${printable(`${at}: ${levelOf(finding)}: ${finding.message}`)}\n`)
  }
}

/** Whether the finding is about the source of types and not about the object, so that an unchanged object needs no mention because of it. */
export function isAboutTypes({ code }: Pick<Finding, "code">): boolean {
  return code === "types-only"
}

/** The word before the message of a finding. */
export function levelOf(finding: Finding): "note" | "warning" {
  return isAboutTypes(finding) ? "note" : "warning"
}

/** Prints a line for each warning of a server. */
export function reportWarnings(document: Document, warnings: readonly string[], terminal: Terminal): void {
  for (const warning of warnings) terminal.report(`${printable(`${document.at([])}: warning: ${warning}`)}\n`)
}

/** The document that a finding of an apply is about: findings about managedFields concern the live object. */
export function documentOf({ code }: Finding, { config, live = config }: ConfiguredObject): Document {
  return code.startsWith("managed-fields-") ? live : config
}

interface Finding {
  readonly code: string
  readonly message: string
}
