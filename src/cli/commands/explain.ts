import type { ExplainedConflict, Explanation } from "../../tools/ownership/explain.js"
import type { Value } from "../../value/value.js"
import { listAnd } from "../../value/words.js"
import type { ConfiguredObject } from "../input/application.js"
import { outOption } from "../input/options.js"
import { formatExplanations } from "../output/explain.js"
import { annotation } from "../output/github.js"
import { documentOf, formatResults, reportFindings, reportOption } from "../output/results.js"
import { currentSecrets } from "../secrets/scope.js"
import { blankSecrets } from "../secrets/source-text.js"
import { printable, showValue } from "../terminal/layout.js"
import { ownershipRequest } from "./apply-object.js"
import { forEachRequest, requestOptions } from "./apply-request.js"
import { command } from "./command.js"

export const explain = command({
  name: "explain",
  summary: "Explain the conflicts of an apply, and the ways out",
  operands: "CONFIG...",
  options: { ...requestOptions, output: reportOption, out: outOption },
  notes: [
    "Prints for each conflict the place of the field in the configuration, both values, the owners, and the ways out: leave the",
    "field to its owner, agree on the live value, or take the field. smd tries each way. A way is safe if it does exactly what it",
    "says; it is unsure if it has other effects.",
    "",
    "CONFIG and the live objects are the same as for smd apply, which takes a way out with --on-conflict. Exits with 1 for",
    "conflicts and refusals, and with 2 for bad input. With --output github, conflicts are annotations of a workflow.",
  ],
  examples: [
    "smd explain --manager web-team --live live.yaml web.yaml",
    "smd explain --manager web-team -f shop/ --live live/ --output github",
  ],
  async run(context) {
    const { args, terminal } = context
    const { output: form = "text" } = args
    const { explain } = await import("../../tools/ownership/explain.js")
    const found = await forEachRequest(context, (request, documents) => {
      const { config } = documents
      return {
        documents,
        text: blankSecrets(config.source.text),
        explanation: currentSecrets().hide(explain(request.live, request.config, ownershipRequest(request, config))),
      }
    })
    const explanations = found.map(({ explanation }) => explanation)
    if (form === "text") terminal.write(formatExplanations(found, terminal))
    else if (form !== "github") terminal.write(formatResults(explanations as unknown as Value[], form))
    for (const { documents, explanation } of found) {
      if (form !== "github") reportFindings(documents, explanation.findings, terminal)
      else terminal.write(annotations(documents, explanation))
    }
    return explanations.some(isRefused) ? 1 : 0
  },
})

function isRefused({ conflicts, findings }: Explanation): boolean {
  return conflicts.length > 0 || findings.some(({ code }) => code === "refused")
}

/** Formats each conflict at its place in the configuration, and each finding that makes the explanation doubtful. */
function annotations(documents: ConfiguredObject, { conflicts, findings }: Explanation): string {
  const { config } = documents
  const lines = conflicts.map(conflict => {
    const { source, owners } = conflict
    const place = source === undefined ? config.placeOf([]) : { file: config.file, position: source }
    const names = printable(listAnd(owners.map(({ manager }) => manager)))
    return annotation("error", place, `Conflict with ${names}`, messageOf(conflict, names))
  })
  const doubts = findings.map(finding => {
    const place = documentOf(finding, documents).placeOf([])
    const [level, title] = finding.code === "refused" ? refusedTitle : doubtTitle
    return annotation(level, place, title, printable(finding.message))
  })
  return [...lines, ...doubts].join("")
}

const refusedTitle = ["error", "Refused"] as const
const doubtTitle = ["warning", "Doubtful explanation"] as const

function messageOf({ path, live, configured, ways }: ExplainedConflict, owners: string): string {
  const names = { relinquish: "Leave it", share: "Agree", overwrite: "Take it" } as const
  return [
    `${printable(path)} is owned by ${owners}: the object has ${showValue(live)}, the apply would make it ${showValue(configured)}`,
    ...(["relinquish", "share", "overwrite"] as const).map(way => {
      return `${names[way]} (${ways[way].applicability}): ${printable(ways[way].reason)}`
    }),
  ].join("\n")
}
