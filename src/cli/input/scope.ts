// Tells whether the objects of a kind are in namespaces.
import { isClusterScopedKind } from "../../kubernetes/scope.js"
import { own } from "../../value/object.js"
import { isMap, type Value } from "../../value/value.js"

/** Whether objects of this kind are in no namespace, according to its definition, or to Kubernetes for a built-in kind. */
export function isClusterScoped(
  { group, kind }: { readonly group: string; readonly kind: string },
  definition: Value | undefined,
): boolean {
  const spec = isMap(definition) ? own(definition, "spec") : undefined
  if (isMap(spec)) return own(spec, "scope") === "Cluster"
  return isClusterScopedKind({ group, kind })
}
