import { UsageError } from "../input/options.js"
import { unionPolicyNames } from "../input/unions.js"
import type { Command } from "./command.js"

export const serve: Command = {
  name: "serve",
  summary: "Be an API server in memory, for one command or until it is stopped",
  operands: "[-- COMMAND...]",
  options: [
    {
      name: "load",
      value: "FILE|DIR|-",
      repeated: true,
      help: "objects to begin with: what kubectl get prints, manifests, or NDJSON; folders with those inside",
    },
    { name: "crd", value: "FILE|DIR", repeated: true, help: "CustomResourceDefinitions to begin with" },
    {
      name: "save",
      value: "FILE",
      help: "where the state is kept, as NDJSON: loaded at the start, written after changes and at the end",
    },
    { name: "read-only", help: "refuse every request that would store something; dry runs work" },
    { name: "record", value: "FILE", help: "write every request with its answer to this file, as NDJSON" },
    {
      name: "openapi",
      value: "FILE|DIR",
      repeated: true,
      help: "OpenAPI v3 documents of a cluster, for kubectl explain: .json and .json.gz",
    },
    {
      name: "unions",
      value: "POLICY",
      help: `how unions are settled: ${unionPolicyNames.join(", ")}; if not given, there are none, as in a cluster`,
    },
    { name: "port", value: "NUMBER", help: "the port; one that is free if not given" },
    { name: "host", value: "ADDRESS", help: "the address to listen at; 127.0.0.1 if not given" },
    {
      name: "allow-host",
      value: "NAME",
      repeated: true,
      help: "a name that clients may ask for, besides addresses, localhost and that of --host",
    },
  ],
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
}
