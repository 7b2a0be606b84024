// The options with which commands read a cluster.
import { choice, firstGiven, flag, grouped, option, type ValuesOf } from "./options.js"

/** Chooses the cluster. */
export const connectionOptions = grouped("Cluster", {
  context: option("NAME", "read the cluster of this context of the kubeconfig; implies --live cluster"),
  kubeconfig: option("FILE", "read the cluster of this kubeconfig; implies --live cluster"),
})

const namespaceOption = {
  ...option("NAME", "the namespace in the cluster; the namespace of the context if absent"),
  short: "n",
}

/** Chooses the cluster of the object of `--record`. */
export const recordedObjectOptions = grouped("Cluster", {
  live: choice(["cluster"], "read the object of --record from the cluster"),
  ...connectionOptions,
  namespace: namespaceOption,
})

/** Chooses the cluster and the objects of a command whose operands are live objects. */
export const liveObjectOptions = {
  ...grouped("Cluster", {
    live: choice(
      ["cluster"],
      "read the objects that operands or --filename name from the cluster, as kubectl get does",
    ),
  }),
  ...connectionOptions,
  ...grouped("Cluster", {
    namespace: namespaceOption,
    allNamespaces: { ...flag("objects of the cluster in all namespaces"), short: "A" },
    selector: { ...option("LABELS", "only objects of the cluster with these labels, such as app=shop"), short: "l" },
    fieldSelector: option("FIELDS", "only objects of the cluster whose fields have these values"),
  }),
}

export type ConnectionValues = Partial<ValuesOf<typeof connectionOptions>>
export type LiveObjectValues = Partial<Omit<ValuesOf<typeof liveObjectOptions>, "live">> & { readonly live?: unknown }

/** Whether an option says that the objects come from a cluster. */
export function namesCluster(args: LiveObjectValues): boolean {
  const keys = ["live", "context", "kubeconfig", "namespace", "allNamespaces", "selector", "fieldSelector"] as const
  return firstGiven(args, keys) !== undefined
}
