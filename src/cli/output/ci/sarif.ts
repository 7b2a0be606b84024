// Writes findings in the format SARIF 2.1.0, which code scanning of GitHub, editors and security dashboards read.
import { packageVersion } from "../../input/package-version.js"
import { formatDocument } from "../document.js"
import { type IdentifiedFinding, identified, relativeFile } from "./fingerprint.js"
import type { Report } from "./report.js"

/** Writes a log with one run. Its rules are the codes of the findings. */
export function formatSarif(report: Report): string {
  const findings = identified(report)
  const codes = [...new Set(findings.map(({ finding }) => finding.code))].sort()
  const driver = {
    name: `smd ${report.command}`,
    version: packageVersion(),
    rules: codes.map(code => ({ id: code, shortDescription: { text: ruleText(code) } })),
  }
  const results = findings.map(found => resultOf(found, codes))
  return formatDocument(
    { $schema: schema, version: "2.1.0", runs: [{ tool: { driver }, columnKind: "utf16CodeUnits", results }] },
    "json",
  )
}

const schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

/** Returns a code as words: `union-invalid` becomes `Union invalid`. */
function ruleText(code: string): string {
  const words = code.replaceAll(/(?<=[a-z])(?=[A-Z])|-/g, " ").toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function resultOf({ finding, object, fingerprint }: IdentifiedFinding, codes: readonly string[]) {
  const { code, severity, message, path, place } = finding
  const { position } = place
  const region = position === undefined ? undefined : { startLine: position.line, startColumn: position.column }
  return {
    ruleId: code,
    ruleIndex: codes.indexOf(code),
    level: levels[severity],
    // `[text](target)` would be a link in the format, wherever the text comes from.
    message: { text: message.replaceAll("](", "] (") },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uriOf(place.file) },
          ...(region !== undefined && { region }),
        },
        logicalLocations: [{ fullyQualifiedName: `${object.title}${path === "" ? "" : ` ${path}`}` }],
      },
    ],
    partialFingerprints: { "smd/v1": fingerprint },
  }
}

const levels = { error: "error", warning: "warning", info: "note" } as const

/** Returns a relative URI for a relative file, and a file URI for an absolute one. */
function uriOf(file: string): string {
  const path = relativeFile(file).split("/").map(encodeURIComponent).join("/")
  return path.startsWith("/") ? `file://${path}` : path
}
