import type { Kinds } from "../../kinds/kinds.js"
import { kubernetes } from "../../kinds/kubernetes.js"
import type { Cluster } from "./cluster.js"

/**
 * Returns the built-in kinds with the cluster's types for these objects: of their own apiVersions, and of those in their managedFields. Kinds
 * from OpenAPI documents have only types; `with` adds definitions, which have rules and defaults too. Rejects as `Cluster.documents` does.
 */
export async function clusterKinds(cluster: Cluster, objects: readonly object[]): Promise<Kinds> {
  const documents = await cluster.documents(objects)
  return kubernetes.with(documents.map(({ document }) => document))
}
