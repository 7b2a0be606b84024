import { UsageError } from "../input/options.js"
import { serveOptions } from "../serve/options.js"
import { command } from "./command.js"

export const serve = command({
  name: "serve",
  summary: "Be an API server in memory, for one command or until it is stopped",
  operands: "[-- COMMAND...]",
  options: serveOptions,
  notes: [
    "With COMMAND, runs it with KUBECONFIG set, ends with it, and exits with its status: 128 and the number of the signal if one",
    "ended it, 127 if there is no such command. Without, prints how to reach the server, and serves until SIGINT or SIGTERM.",
    "",
    "Definitions and namespaces are loaded before what needs them, and namespaces that no file defines are made. Objects keep",
    "owners, uid, generation and resourceVersion if they have a uid. What the file of --save has is not loaded again.",
    "",
    "There is no authentication. The temporary kubeconfig, --save and --record are readable by you alone.",
  ],
  examples: [
    "kubectl get deploy,svc,cm -A -o yaml --show-managed-fields > live/all.yaml",
    "smd serve --load live/ --read-only -- kubectl diff --server-side -f pr/",
    "smd serve --crd crds/ -- npm test",
    "smd serve --save state.ndjson --record requests.ndjson --port 8080",
    "kubectl get --raw /openapi/v3/apis/apps/v1 > openapi/apps-v1.json",
    "smd serve --openapi openapi/ -- kubectl explain deployment.spec",
  ],
  async run(context) {
    const { operands, afterDashes } = context.args
    const [surplus] = operands.slice(0, operands.length - afterDashes.length)
    if (surplus !== undefined) throw new UsageError(`unexpected ${surplus}; a command to run comes after --`)
    // The server is most of the code of the program, and no other command needs it.
    const { serveFor } = await import("../serve/serve.js")
    return await serveFor(context)
  },
})
