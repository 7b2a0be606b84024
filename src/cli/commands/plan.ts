import type { Plan } from "../../ownership/plan.js"
import type { Value } from "../../value/value.js"
import type { Document } from "../input/input.js"
import { Places } from "../input/locate.js"
import { schemaOptions } from "../input/options.js"
import { annotation } from "../output/github.js"
import { printable, showValue } from "../output/layout.js"
import { formatPlans } from "../output/plan.js"
import { formatResults, reportFindings, reportForms, reportOption } from "../output/results.js"
import { ownershipRequest } from "./apply-object.js"
import { applyOptions, forEachRequest } from "./apply-request.js"
import type { Command } from "./command.js"

export const plan: Command = {
  name: "plan",
  summary: "Say what an apply would change, why, and who would own what",
  operands: "CONFIG...",
  options: [
    ...applyOptions,
    { name: "detailed-exitcode", help: "exit with 3 where something would change, even an owner" },
    ...schemaOptions,
    reportOption,
  ],
  notes: [
    "Prints a line for each field that the apply would add (+), change (~) or remove (-), or that stays (=) although CONFIG",
    "leaves out what the manager had applied; with values and the reason, and then who gains and loses which fields. Where",
    "others own what would change, that is what happens with --force-conflicts, and without it the apply would fail.",
    "",
    "CONFIG and the live objects are as for smd apply. Exits with 1 for conflicts, and with 2 for bad input. With --output",
    "github conflicts are annotations of a workflow.",
  ],
  examples: [
    "smd plan --manager web-team -f shop/ --live live/",
    "kubectl get deployment web -o yaml --show-managed-fields | smd plan --manager web-team --live - web.yaml",
    "smd plan --manager ci --live live.yaml web.yaml --force-conflicts --detailed-exitcode",
  ],
  async run(context) {
    const { args, terminal } = context
    const form = args.choice("output", reportForms) ?? "text"
    const { plan } = await import("../../ownership/plan.js")
    const found = await forEachRequest(context, (request, { config }) => {
      const { source: _, ...options } = ownershipRequest(request, config)
      return { config, plan: plan(request.live, request.config, options) }
    })
    const plans = found.map(({ plan }) => plan)
    if (form === "text") terminal.write(formatPlans(plans, terminal))
    else if (form !== "github") terminal.write(formatResults(plans as unknown as Value[], form))
    for (const { config, plan } of found) {
      if (form !== "github") reportFindings(config, plan.findings, terminal)
      else terminal.write(annotations(config, plan))
    }
    if (plans.some(({ outcome }) => outcome === "conflict")) return 1
    return args.has("detailed-exitcode") && plans.some(({ outcome }) => outcome !== "none") ? 3 : 0
  },
}

/** Each conflict at its place in the configuration, and what makes the plan doubtful. */
function annotations(config: Document, { conflicts, findings }: Plan): string {
  const places = new Places(config.value)
  const lines = conflicts.map(({ path, owner, live, configured }) => {
    const message =
      `${owner.manager} owns ${path}: the live object has ${showValue(live)}, the apply would make it ${showValue(configured)}. ` +
      "Ways out: leave the field out, write the value that is there, or --force-conflicts; smd explain tries each."
    return annotation(
      "error",
      config.placeOf(places.locate(path)),
      `Conflict with ${owner.manager}`,
      printable(message),
    )
  })
  const doubts = findings.map(({ message }) =>
    annotation("warning", config.placeOf([]), "Doubtful plan", printable(message)),
  )
  return [...lines, ...doubts].join("")
}
