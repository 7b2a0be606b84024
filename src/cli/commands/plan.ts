import { loadCel } from "../../kinds/rules/library.js"
import type { Plan } from "../../tools/ownership/plan.js"
import { own } from "../../value/object.js"
import { isMap, type Value } from "../../value/value.js"
import { readAdmission } from "../input/admission.js"
import { type ConfiguredObject, inNamespace } from "../input/application.js"
import { loadKinds } from "../input/built-in-types.js"
import { type Document, InputError } from "../input/document.js"
import { firstGiven, flag, outOption, UsageError, type ValuesOf } from "../input/options.js"
import { loadTypes } from "../input/types.js"
import { checkedObject, planFindings } from "../output/ci/findings.js"
import { markerOption } from "../output/markdown/markdown.js"
import { formatPlansAsMarkdown } from "../output/markdown/plan.js"
import { formatPlans } from "../output/plan.js"
import { formatResults, reportFindings, reportWarnings } from "../output/results.js"
import type { StreamedCommand } from "../stream/judge.js"
import { streamNotes, streamOptions } from "../stream/options.js"
import { asTool, type ObjectApply, toolRequest } from "./apply-object.js"
import { checkFit, forceOption, forEachRequest, loadTool, requester, toolRequestOptions } from "./apply-request.js"
import { command } from "./command.js"
import { formatReport, planOutputOption } from "./report.js"

const options = {
  ...toolRequestOptions,
  force: forceOption,
  all: { ...flag("list each object that does not change, not only their number"), group: "Output" as const },
  detailedExitcode: flag("exit with 3 if something would change, even if only an owner"),
  output: planOutputOption,
  marker: markerOption,
  out: outOption,
  ...streamOptions,
}

const stream: StreamedCommand<ValuesOf<typeof options>> = {
  result: "plan",
  subjectOf: value => (isMap(value) ? (own(value, "config") ?? own(value, "live")) : undefined),
  async prepare(args, input, now) {
    const other = firstGiven(args, ["live", "context", "kubeconfig", "all", "detailedExitcode"])
    if (other !== undefined) throw new UsageError(`${other} can't be used with plan --stream, which reads ${pairs}`)
    const types = await loadTypes(args, input)
    await loadCel()
    if (args.admission.includes("cluster")) {
      throw new UsageError("plan --stream reads the admission of a cluster from files: --admission FILE")
    }
    const found = await readAdmission(args, input, [])
    const kinds = (await loadKinds(true)).with(found?.definitions ?? [])
    const tool = await loadTool(args, input)
    const [planOf, visitRequest] = [await planner(), await requester(args, input, types, kinds, now, tool, found)]
    return document => {
      const { config, live } = pairIn(document)
      const placed = inNamespace(config, args.namespace, types)
      const plan = visitRequest({ config: placed, live }, planOf)
      return { result: plan, status: isRefused(plan) ? 1 : 0 }
    }
  },
}

const pairs = 'objects {"live": ..., "config": ...}'

/** Returns the configuration and the live object of a record. */
function pairIn(document: Document): ConfiguredObject {
  const part = (key: string): Document | undefined => {
    const value = isMap(document.value) ? (own(document.value, key) ?? null) : null
    return value === null ? undefined : { ...document, value, at: steps => document.at([key, ...steps]) }
  }
  const config = part("config")
  if (config === undefined)
    throw new InputError(`.config is missing: plan --stream reads ${pairs}, without live for new objects`)
  return { config, live: part("live") }
}

async function planner(): Promise<(request: ObjectApply, documents: ConfiguredObject) => Plan> {
  const { plan } = await import("../../tools/ownership/plan.js")
  return (request, { config, live }) => {
    const planned = plan(request.live, request.config, toolRequest(request, config))
    // Values that don't fit their types are reported at their places.
    if (planned.refusal?.step === "merge") checkFit(config, live, request.type)
    return planned
  }
}

export const plan = command({
  name: "plan",
  summary: "Show what an apply would change and why, and the owners afterwards",
  operands: "CONFIG...",
  options,
  notes: [
    "Prints a line for each field that the apply would add (+), change (~) or remove (-), or that stays (=) although the manager",
    "applied it and CONFIG omits it, with values and reasons, and then the fields that each manager gains and loses. If others own",
    "fields that would change, this is the result with --force-conflicts, and without it the apply would fail. Force is safe if the",
    "owners are people or programs that don't write the field again.",
    "",
    "If a server would refuse the apply for another reason, such as an invalid object or an unknown kind, the causes are listed.",
    "Custom resources are validated by the CRDs in --crd and among the objects.",
    "",
    "--as names the tool that applies. Its own steps before and after the apply are then part of the plan, and it says that the apply",
    "would fail only if the tool does not force it. --origin names the release, Application or Kustomization, for labels and annotations",
    "that the tool adds; without it, they are those of the live object. docs/appliers.md describes the tools, and profiles of your own.",
    "",
    "CONFIG and the live objects are the same as for smd apply. Exits with 1 for conflicts and refusals, and with 2 for bad input.",
    "docs/ci.md describes the other outputs, which show both in pull requests and reports of CI systems.",
    ...streamNotes(
      'each {"live": ..., "config": ...}, without live for a new object, gives a line of JSON, with the data of --output json.',
    ),
  ],
  examples: [
    "smd plan --manager web-team -f shop/ --live live/",
    "smd plan --manager web-team -f shop/ --live cluster",
    "helm template shop chart/ | smd plan --as helm --origin shop --live cluster -",
    "kubectl get deployment web -o yaml --show-managed-fields | smd plan --manager web-team --live - web.yaml",
    "smd plan --manager ci --live live.yaml web.yaml --force-conflicts --detailed-exitcode",
    "smd plan --manager ci --stream pairs.ndjson",
  ],
  stream,
  async run(context) {
    const { args, input, terminal } = context
    const { output: form = "text" } = args
    const planOf = await planner()
    const { plan } = await import("../../tools/ownership/plan.js")
    const { kubernetes } = await import("../../kinds/kubernetes.js")
    const found = await forEachRequest(
      context,
      (request, documents) => ({ documents, plan: input.secrets.hide(planOf(request, documents)) }),
      ({ live, config, tool, ...who }, documents) => {
        return {
          documents,
          plan: input.secrets.hide(plan(live, config, { ...who, ...asTool(tool), types: kubernetes })),
        }
      },
    )
    const plans = found.map(({ plan }) => plan)
    if (form === "markdown") terminal.write(formatPlansAsMarkdown(found, args.marker))
    else if (form === "text" || form === "json" || form === "yaml") {
      const asData = form === "text" ? undefined : formatResults(plans as unknown as Value[], form)
      terminal.write(asData ?? formatPlans(plans, terminal, { all: args.all }))
      if (firstGiven(args, ["live", "context", "kubeconfig"]) === undefined)
        terminal.report("note: without --live, every object is planned as a new one\n")
      for (const { documents, plan } of found) {
        reportWarnings(documents.config, plan.warnings, terminal)
        reportFindings(documents, plan.findings, terminal)
      }
    } else {
      const objects = found.map(({ documents, plan }) => checkedObject(documents.config, planFindings(documents, plan)))
      terminal.write(formatReport({ command: "plan", objects, failing: ["error"] }, form, args.marker, input.secrets))
    }
    if (plans.some(isRefused)) return 1
    return args.detailedExitcode && plans.some(({ outcome }) => outcome !== "unchanged") ? 3 : 0
  },
})

function isRefused({ outcome }: Plan): boolean {
  return outcome === "conflict" || outcome === "refused"
}
