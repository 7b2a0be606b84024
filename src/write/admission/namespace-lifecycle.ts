// The plugin NamespaceLifecycle: nothing is created in a namespace that does not exist or is being deleted, and some namespaces stay forever.

import { forbidden, notFound } from "../../kinds/refusal/failure.js"
import { type Resource, subjectOf } from "../../kinds/resource/resource.js"
import { mapAt, textAt } from "../../value/fields.js"
import { type Attributes, type Cluster, shownName } from "../attributes.js"

/** Throws a RequestFailure if the namespace of a new object does not exist or is being deleted, or if a permanent namespace is deleted. */
export function checkNamespace(request: Attributes, { get }: Pick<Cluster, "get">): void {
  const { resource, operation, namespace, name, oldObject } = request
  if (operation === "DELETE" && resource.builtIn?.permanent?.includes(name) === true) {
    throw forbidden(subjectOf(resource), name, "this namespace may not be deleted")
  }
  const isNew = operation === "CREATE" && oldObject === undefined
  if (isNew && resource.namespaced && namespace !== "") requireNamespace(get, resource, namespace, shownName(request))
}

/** Throws a RequestFailure if no object may be created in the namespace. */
export function requireNamespace(get: Cluster["get"], resource: Resource, namespace: string, name: string): void {
  const found = get("/namespaces", "", namespace)
  if (found === undefined) throw notFound({ group: "", name: "namespaces" }, namespace)
  if (textAt(mapAt(found, "status"), "phase") !== "Terminating") return
  const field = "metadata.namespace"
  const cause = { reason: "NamespaceTerminating", message: `namespace ${namespace} is being terminated`, field }
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`
  throw forbidden(subjectOf(resource), name, why, [cause])
}
