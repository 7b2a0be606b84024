import type { Link } from "./chain.js"
import { formatLastApplied, lastAppliedOf, withLastApplied } from "./last-applied.js"

/** The manager name of kubectl's server-side apply. The two kinds of apply are reconciled only for this manager. */
export const kubectlManager = "kubectl"

/** Keeps the annotation of client-side apply, if an object has it, in step with kubectl's server-side applies. */
export function lastAppliedUpdater(inner: Link): Link {
  return {
    apply(call) {
      const result = inner.apply(call)
      const object = result.object ?? call.live
      if (call.manager !== kubectlManager || lastAppliedOf(object) === "") return result
      const updated = withLastApplied(object, formatLastApplied(call.next))
      return updated === object ? result : { ...result, object: updated }
    },
    update: call => inner.update(call),
  }
}
