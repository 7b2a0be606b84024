import type { Link } from "./chain.js"
import { formatLastApplied, lastAppliedOf, withLastApplied } from "./last-applied.js"

/** The manager name of kubectl's server-side apply: only for this manager are the two kinds of apply reconciled. */
export const kubectlManager = "kubectl"

/** Keeps the annotation of client-side apply, if an object has it, in step with what kubectl applies server-side. */
export function lastAppliedUpdater(inner: Link): Link {
  return {
    apply(call) {
      const outcome = inner.apply(call)
      const object = outcome.object ?? call.live
      if (call.manager !== kubectlManager || lastAppliedOf(object) === "") return outcome
      const updated = withLastApplied(object, formatLastApplied(call.next))
      return updated === object ? outcome : { ...outcome, object: updated }
    },
    update: call => inner.update(call),
  }
}
