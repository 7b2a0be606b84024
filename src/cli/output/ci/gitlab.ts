// Writes findings as a code quality report of GitLab, which shows them in merge requests.
import { formatDocument } from "../document.js"
import { identified, relativeFile } from "./fingerprint.js"
import type { Report } from "./report.js"

/** Writes each finding with the members that GitLab reads. */
export function formatCodeQuality(report: Report): string {
  const issues = identified(report).map(({ finding, fingerprint }) => ({
    description: finding.message,
    check_name: `smd-${report.command}/${finding.code}`,
    fingerprint,
    severity: severities[finding.severity],
    location: { path: relativeFile(finding.place.file), lines: { begin: finding.place.position?.line ?? 1 } },
  }))
  return formatDocument(issues, "json")
}

const severities = { error: "major", warning: "minor", info: "info" } as const
