// `--output` of commands that report findings, and the choice of a format.
import { listOr } from "../../value/words.js"
import { outputOption } from "../input/options.js"
import { formatAnnotations } from "../output/ci/github.js"
import { formatCodeQuality } from "../output/ci/gitlab.js"
import { formatJUnit } from "../output/ci/junit.js"
import type { Report } from "../output/ci/report.js"
import { formatSarif } from "../output/ci/sarif.js"
import { formatFindings } from "../output/markdown/findings.js"
import type { Secrets } from "../secrets/secrets.js"

/** The forms in which `formatReport` writes findings. */
const reportForms = ["markdown", "github", "gitlab", "junit", "sarif"] as const
type ReportForm = (typeof reportForms)[number]

/** `--output` of a command that reports problems. */
export const problemOutputOption = formatOption(["text", "json", ...reportForms])
/** `--output` of `smd plan`. */
export const planOutputOption = formatOption(["text", "json", "yaml", ...reportForms])
/** `--output` of a command that returns data about applies or types, and annotates only their conflicts or changes. */
export const reportOption = formatOption(["text", "json", "yaml", "markdown", "github"])

/** Returns an option with so many forms that the help lists them with their meaning. */
function formatOption<const T extends string>(forms: readonly T[]) {
  const others = forms.filter(form => form !== "text" && form !== "markdown")
  const help = `text for people, which is the default, markdown for a comment on a pull request, or ${listOr(others)}`
  return { ...outputOption(forms, help), value: "FORMAT" }
}

/** Writes a report without secrets. `marker` is the value of `--marker`. */
export function formatReport(found: Report, form: ReportForm, marker: string | undefined, secrets: Secrets): string {
  const report = secrets.hide(found)
  switch (form) {
    case "markdown":
      return formatFindings(report, marker)
    case "github":
      return formatAnnotations(
        report.command,
        report.objects.flatMap(({ findings }) => findings),
      )
    case "gitlab":
      return formatCodeQuality(report)
    case "junit":
      return formatJUnit(report)
    case "sarif":
      return formatSarif(report)
  }
}
