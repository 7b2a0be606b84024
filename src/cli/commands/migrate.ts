import type { Migration } from "../../tools/managers/migration.js"
import type { Plan } from "../../tools/ownership/plan.js"
import type { Value } from "../../value/value.js"
import { outOption, outputOption, repeated, required } from "../input/options.js"
import { formatMigrations } from "../output/migrate.js"
import { formatResults, reportFindings, reportWarnings } from "../output/results.js"
import { asTool, ownershipRequest } from "./apply-object.js"
import { forceOption, forEachRequest, loadProfile, toolOption, toolRequestOptions } from "./apply-request.js"
import { command } from "./command.js"

const { as: _, subresource: __, manager, origin, ...requestOptions } = toolRequestOptions

export const migrate = command({
  name: "migrate",
  summary: "Show the effect of moving objects from one tool to another, and the commands",
  operands: "CONFIG...",
  options: {
    from: required(
      toolOption("the tool that has written the objects so far, such as helm3 or kubectl-client (required)"),
    ),
    to: required(toolOption("the tool that applies from now on, such as helm4, argocd or flux (required)")),
    fromManager: repeated("NAME", "another name under which the old tool has written; repeat the option for each name"),
    chart: { ...repeated("FILE|DIR|-", "the rendered chart or manifests, like operands"), group: "Input" as const },
    ...requestOptions,
    origin: {
      ...origin,
      help: "the release, Application, Kustomization or HelmRelease of CONFIG, by name or as a document",
    },
    manager: { ...manager, help: "the name under which the new tool applies, if it is not its usual one" },
    force: forceOption,
    output: outputOption(["text", "json", "yaml"]),
    out: outOption,
  },
  notes: [
    "Prints for each object the plan of the new tool's first apply, with the tool's own steps, the fields that this apply takes from",
    "autoscalers, people and other programs, and the rest of the old tool: entries of managedFields, and fields that nobody removes.",
    "Other owners of the same fields are named too. The commands come last: edits before the move, and the transfer of the old entries",
    "if the apply would fail because of them, the commands of the new tool, and those that clean up afterwards.",
    "",
    "The tools have the names and profiles of smd plan --as. kubectl-client, argocd-client and helm3 stand for kubectl apply without",
    "--server-side, Argo CD without ServerSideApply=true, and Helm 3; helm4 is another name of helm. Hooks are listed, and not applied.",
    "",
    "CONFIG is the output of helm template, helm get manifest, kustomize build or the like. It and the live objects are read as by smd plan.",
    "Exits with 1 if an apply would fail, and with 2 for bad input.",
  ],
  examples: [
    "helm template shop chart/ | smd migrate --from helm3 --to helm4 --origin shop/shop --live cluster --chart -",
    "smd migrate --from kubectl-client --to kubectl --live live.yaml web.yaml",
    "kustomize build shop/ | smd migrate --from helm3 --to flux --origin flux-system/shop --live live/ -",
  ],
  async run(context) {
    const { args, input, terminal } = context
    const { from, to, fromManager, chart, output: form = "text" } = args
    const [former, next] = [await loadProfile(from, "--from", input), await loadProfile(to, "--to", input)]
    const request = {
      from: former,
      to: next,
      ...(fromManager.length > 0 && { fromManagers: fromManager }),
    }
    const given = {
      ...context,
      args: { ...args, operands: [...args.operands, ...chart], as: to, subresource: undefined },
    }
    const { migrate: migrateObject } = await import("../../tools/managers/migrate.js")
    const { kubernetes } = await import("../../kinds/kubernetes.js")
    const found = await forEachRequest(
      given,
      ({ live, config, tool, ...rest }, documents) => {
        const options = { ...ownershipRequest({ ...rest, live, config }, documents.config), ...asTool(tool) }
        return { documents, migration: input.secrets.hide(migrateObject(live, config, { ...options, ...request })) }
      },
      ({ live, config, tool, ...who }, documents) => {
        const options = { ...who, ...asTool(tool), types: kubernetes }
        return { documents, migration: input.secrets.hide(migrateObject(live, config, { ...options, ...request })) }
      },
    )
    const migrations = found.map(({ migration }) => migration)
    const asData = form === "text" ? undefined : formatResults(migrations as unknown as Value[], form)
    terminal.write(asData ?? formatMigrations(migrations, [former, next], terminal))
    for (const { documents, migration } of found) {
      reportWarnings(documents.config, migration.plan.warnings, terminal)
      reportFindings(documents, migration.plan.findings, terminal)
    }
    return migrations.some(fails) ? 1 : 0
  },
})

function fails({ plan }: Migration): boolean {
  const failures: readonly Plan["outcome"][] = ["conflict", "refused"]
  return failures.includes(plan.outcome)
}
