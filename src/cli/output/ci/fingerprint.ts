import { createHash } from "node:crypto"
import type { CheckedObject, Report, ReportedFinding } from "./report.js"

/** A finding with its object and its fingerprint. */
export interface IdentifiedFinding {
  readonly finding: ReportedFinding
  readonly object: CheckedObject
  /** 64 hexadecimal digits, different for each finding of a report. */
  readonly fingerprint: string
}

/**
 * Returns the findings of a report with fingerprints. A fingerprint depends on the command, the code, the title, the file, the object and the
 * path, but not on lines or values, so it stays the same when lines move or live values change. Findings that agree in all of these are numbered.
 */
export function identified({ command, objects }: Report): IdentifiedFinding[] {
  const seen = new Map<string, number>()
  return objects.flatMap(object =>
    object.findings.map(finding => {
      const { code, title, path, place } = finding
      const identity = JSON.stringify([command, code, title, relativeFile(place.file), object.title, path])
      const number = seen.get(identity) ?? 0
      seen.set(identity, number + 1)
      const fingerprint = createHash("sha256").update(`${identity}${number}`).digest("hex")
      return { finding, object, fingerprint }
    }),
  )
}

/** Returns the file without `./` in front, because `./web.yaml` and `web.yaml` are one file. */
export function relativeFile(file: string): string {
  return file.replace(/^(?:\.\/)+(?=.)/, "")
}
