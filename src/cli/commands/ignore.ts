import { valueAt } from "../../fieldpath/lookup.js"
import { pathOf } from "../../fieldpath/path.js"
import type { IgnoreRules } from "../../tools/ownership/ignore-rules.js"
import type { Value } from "../../value/value.js"
import { listAnd } from "../../value/words.js"
import type { Document } from "../input/document.js"
import { choice, option, outOption, outputOption, required } from "../input/options.js"
import { formatDocument } from "../output/document.js"
import { formatResults, reportFindings } from "../output/results.js"
import { printable } from "../terminal/layout.js"
import type { Terminal } from "../terminal/terminal.js"
import { ownershipRequest } from "./apply-object.js"
import { forEachRequest, requestOptions } from "./apply-request.js"
import { command } from "./command.js"

export const ignore = command({
  name: "ignore",
  summary: "Write rules that make an engine ignore the fields in conflict",
  operands: "CONFIG...",
  options: {
    format: required(choice(["argocd", "flux", "ocm", "pulumi"], "the engine to write rules for (required)")),
    by: choice(
      ["fields", "managers"],
      "argocd: ignore the fields, or everything that their owners own; fields if absent",
    ),
    resource: option("NAME", "ocm: the resource of the kind; if absent, the resource in its definition, or a guess"),
    ...requestOptions,
    output: outputOption(["text", "json", "yaml"]),
    out: outOption,
  },
  notes: [
    "Prints the rules as YAML, under a comment that says where they belong. List items are named by their keys. If a format has",
    "only indexes, standard error lists the rules that fail when the list changes, and the fields that have no rule. With --output",
    "json or yaml, the output contains all of this as data.",
    "",
    "CONFIG and the live objects are the same as for smd apply.",
  ],
  examples: [
    "smd ignore --format argocd --manager argocd-controller --live live.yaml web.yaml",
    "smd ignore --format flux --manager kustomize-controller -f shop/ --live live/",
  ],
  async run(context) {
    const { args, input, terminal } = context
    const { format, by, output: form = "text" } = args
    const { explain } = await import("../../tools/ownership/explain.js")
    const { ignoreRules } = await import("../../tools/ownership/ignore-rules.js")
    const found = await forEachRequest(context, (request, documents) => {
      const { config } = documents
      const explanation = explain(request.live, request.config, ownershipRequest(request, config))
      const resource = args.resource ?? pluralIn(request.definition)
      const options = { ...(by !== undefined && { by }), ...(resource !== undefined && { resource }) }
      return { documents, explanation, rules: input.secrets.hide(ignoreRules(explanation, format, options)) }
    })
    const results = found.map(({ rules }) => rules)
    if (form !== "text") terminal.write(formatResults(results as unknown as Value[], form))
    else terminal.write(formatRules(results))
    for (const { documents, explanation, rules } of found) {
      reportFindings(documents, explanation.findings, terminal)
      if (form === "text") reportLimits(documents.config, rules, terminal)
    }
    return 0
  },
})

/** Returns the plural name in a definition. */
function pluralIn(definition: Value | undefined): string | undefined {
  const plural = definition === undefined ? undefined : valueAt(definition, pathOf("spec", "names", "plural"))
  return typeof plural === "string" ? plural : undefined
}

/** Formats all rules as one list, under a comment that says where they belong. */
function formatRules(results: readonly IgnoreRules[]): string {
  const rules = results.flatMap(({ rules }) => rules)
  if (rules.length === 0) return "# No conflicts, no rules\n"
  return `# ${results[0]?.at}\n${formatDocument(rules as unknown as Value, "yaml")}`
}

/** Reports the fields without a rule, and the rules that fail when a list changes. */
function reportLimits(config: Document, { byIndex, left }: IgnoreRules, terminal: Terminal): void {
  const say = (places: IgnoreRules["left"], text: string) => {
    if (places.length === 0) return
    const paths = listAnd(places.map(({ path }) => path))
    terminal.report(`${printable(`${config.at([])}: warning: ${text} ${paths}`)}\n`)
  }
  say(byIndex, "the format knows list items only by index; these rules fail when the list changes:")
  say(left, "there is no rule for")
}
