import { UsageError } from "../input/options.js"
import { serveOptions } from "../serve/options.js"
import { command } from "./command.js"

export const serve = command({
  name: "serve",
  summary: "Run an API server in memory, for one command or until it is stopped",
  operands: "[-- COMMAND...]",
  options: serveOptions,
  notes: [
    "With COMMAND, runs it with KUBECONFIG set, stops when it ends, and exits with its status: 128 plus the number of the signal",
    "that ended it, or 127 if there is no such command. Without COMMAND, prints the address of the server, and serves until SIGINT",
    "or SIGTERM.",
    "",
    "Definitions and namespaces are loaded before the objects that need them, and missing namespaces are created. Objects with a",
    "uid keep their owners, uid, generation and resourceVersion. Objects in the file of --save are not loaded again.",
    "",
    "Requests without a token come from an administrator, who may act as others: kubectl --as ann. The kubeconfig has a context for each",
    "user of --tokens: kubectl --context ann.",
    "",
    "--replay serves a log through time: an audit log, kubectl get -w -o json --output-watch-events, or a file of --record. The server is then",
    "read-only without --writable. POST /structured-merge-diff/replay advances it, GET shows its position.",
    "",
    "--record hides the values of Secrets and tokens without --show-secrets. Only you can read the files of",
    "--record and --save, and the temporary kubeconfig.",
  ],
  examples: [
    "kubectl get deploy,svc,cm -A -o yaml --show-managed-fields > live/all.yaml",
    "smd serve --load live/ --read-only -- kubectl diff --server-side -f pr/",
    "smd serve --crd crds/ -- npm test",
    "smd serve --save state.ndjson --record requests.ndjson --port 8080",
    "smd serve --replay audit.jsonl --speed 10x -- kubectl get pods -w",
    "smd serve --controllers -- sh -c 'kubectl apply -f shop.yaml && kubectl rollout status deploy/shop'",
    "smd serve --authorization rbac --load roles/ -- kubectl auth can-i --list --as ann",
    "kubectl get --raw /openapi/v3/apis/apps/v1 > openapi/apps-v1.json",
    "smd serve --openapi openapi/ -- kubectl explain deployment.spec",
  ],
  async run(context) {
    const { operands, afterDashes } = context.args
    const [surplus] = operands.slice(0, operands.length - afterDashes.length)
    if (surplus !== undefined) throw new UsageError(`unexpected ${surplus}; the command to run follows --`)
    // The server is most of the code of the program, so no other command loads it.
    const { serveFor } = await import("../serve/serve.js")
    return await serveFor(context)
  },
})
