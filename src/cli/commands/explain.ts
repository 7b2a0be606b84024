import type { Explanation } from "../../tools/ownership/explain.js"
import type { Value } from "../../value/value.js"
import { choice, outOption, UsageError } from "../input/options.js"
import { checkedObject, explanationFindings } from "../output/ci/findings.js"
import { doubtsOf, formatExplanations } from "../output/explain.js"
import { formatExplanationsAsMarkdown } from "../output/markdown/explain.js"
import { markerOption } from "../output/markdown/markdown.js"
import { formatResults, reportFindings } from "../output/results.js"
import { blankSecrets } from "../secrets/source-text.js"
import { ownershipRequest, toolRequest } from "./apply-object.js"
import { checkFit, forEachRequest, toolRequestOptions } from "./apply-request.js"
import { command } from "./command.js"
import { formatReport, reportOption } from "./report.js"
import { writeResolved } from "./write-resolved.js"

export const explain = command({
  name: "explain",
  summary: "Explain the conflicts of an apply, and the ways out",
  operands: "CONFIG...",
  options: {
    ...toolRequestOptions,
    write: choice(["relinquish", "share"], "edit the files of CONFIG: leave the fields out, or write the live values"),
    output: reportOption,
    marker: markerOption,
    out: outOption,
  },
  notes: [
    "Prints for each conflict the place of the field in the configuration, both values, the owners, and the ways out: leave the",
    "field to its owner, agree on the live value, or take the field. smd tries each way. A way is safe if it does exactly what it",
    "says; it is unsure if it has other effects.",
    "",
    "--as names the tool that applies, as in smd plan. The ways out are then those of the tool, in its words. If it forces its applies,",
    "these are the fields that it takes from others, and the exit status is 0.",
    "",
    "--write takes a way out in the text: it edits the files of CONFIG, which keep their comments. A field that can't be shared is left",
    "out. The exit status is then 0 unless a server would refuse the apply for another reason.",
    "",
    "CONFIG and the live objects are the same as for smd apply, which takes a way out with --on-conflict. Exits with 1 for",
    "conflicts and refusals, and with 2 for bad input. With --output github, conflicts are annotations of a workflow; with",
    "--output markdown, they are a comment on a pull request.",
  ],
  examples: [
    "smd explain --manager web-team --live live.yaml web.yaml",
    "smd explain --manager web-team --live live.yaml web.yaml --write relinquish",
    "smd explain --as argocd --live live.yaml web.yaml",
    "smd explain --manager web-team -f shop/ --live live/ --output github",
  ],
  async run(context) {
    const { args, input, terminal } = context
    const { output: form = "text" } = args
    const { explain } = await import("../../tools/ownership/explain.js")
    const { resolve } = await import("../../tools/ownership/resolve.js")
    if (args.as !== undefined && args.write !== undefined)
      throw new UsageError("--write can't be used with --as: edit the configuration, or use the ways out of the tool")
    const found = await forEachRequest(context, (request, documents) => {
      const { config } = documents
      const onConflict = args.write
      const options = toolRequest(request, config)
      const resolution =
        onConflict && resolve(request.live, request.config, { ...ownershipRequest(request, config), onConflict })
      const explanation = explain(request.live, request.config, options)
      // Values that don't fit their types are reported at their places.
      if (isRefusedByServer(explanation)) checkFit(config, documents.live, request.type)
      return {
        documents,
        resolution,
        text: blankSecrets(config.source.text, config.secrets),
        explanation: input.secrets.hide(explanation),
      }
    })
    const explanations = found.map(({ explanation }) => explanation)
    if (form === "markdown") terminal.write(formatExplanationsAsMarkdown(found, args.marker))
    else if (form === "github") {
      const objects = found.map(({ documents, explanation }) => {
        return checkedObject(documents.config, explanationFindings(documents, explanation))
      })
      terminal.write(
        formatReport({ command: "explain", objects, failing: ["error"] }, form, args.marker, input.secrets),
      )
    } else {
      const asData = form === "text" ? undefined : formatResults(explanations as unknown as Value[], form)
      terminal.write(asData ?? formatExplanations(found, terminal))
      for (const { documents, explanation } of found) reportFindings(documents, doubtsOf(explanation), terminal)
    }
    if (args.write === undefined) return explanations.some(isRefused) ? 1 : 0
    const resolved = found.flatMap(({ documents: { config }, resolution }) =>
      resolution ? [{ config, resolution }] : [],
    )
    await writeResolved(resolved, terminal)
    return resolved.some(({ resolution }) => isRefusedByServer(resolution)) ? 1 : 0
  },
})

function isRefused(explanation: Explanation): boolean {
  const { conflicts, as } = explanation
  return (conflicts.length > 0 && as?.force !== true) || isRefusedByServer(explanation)
}

/** Whether a server refuses the apply for another reason than conflicts. */
function isRefusedByServer({ findings }: Pick<Explanation, "findings">): boolean {
  return findings.some(({ code }) => code === "refused")
}
