// Loads the admission of a cluster, for dry runs. Nothing of it is loaded unless somebody asks for it.

import type { AdmissionOptions } from "../../write/admission/given-cluster.js"
import type { Admission } from "../../write/attributes.js"

/**
 * Loads the plugins of an API server's admission for a cluster with these objects. Throws a TypeError for arguments of the wrong type, for a
 * policy whose expressions can't be compiled or use the authorizer, and if there are policies but the optional peer that runs them,
 * `@marcbachmann/cel-js`, is not installed.
 *
 * @example
 * ```ts
 * import { kubernetes } from "structured-merge-diff/kinds"
 * import { loadAdmission, plan } from "structured-merge-diff/ownership"
 *
 * const limits = {
 *   apiVersion: "v1",
 *   kind: "LimitRange",
 *   metadata: { name: "limits", namespace: "shop" },
 *   spec: { limits: [{ type: "Container", defaultRequest: { cpu: "100m" } }] },
 * }
 * const pod = {
 *   apiVersion: "v1",
 *   kind: "Pod",
 *   metadata: { name: "web", namespace: "shop" },
 *   spec: { containers: [{ name: "web", image: "nginx" }] },
 * }
 * const admission = await loadAdmission({ objects: [limits] })
 * const { admitted = [] } = plan(undefined, pod, { types: kubernetes, manager: "me", admission })
 * for (const { path, to, owners } of admitted) console.log(path, JSON.stringify(to), owners.length)
 * // .metadata.annotations {"kubernetes.io/limit-ranger":"LimitRanger plugin set: cpu request for container web"} 0
 * // .spec.containers[name="web"].resources.requests {"cpu":"100m"} 0
 * ```
 */
export async function loadAdmission(options: AdmissionOptions): Promise<Admission> {
  const { admissionOf } = await import("../../write/admission/given-cluster.js")
  return await admissionOf(options)
}
