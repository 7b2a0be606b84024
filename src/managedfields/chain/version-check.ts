import { formatKind, type GroupVersionKind, kindOf, sameKind } from "../../schema/group-version-kind.js"
import type { Link } from "./chain.js"
import { BadRequestError } from "./status.js"

/** Refuses to apply objects whose version or kind differs from `kind`. */
export function versionCheck(inner: Link, kind: GroupVersionKind): Link {
  return {
    apply(call) {
      const found = kindOf(call.next)
      if (!sameKind(found, kind)) throw new BadRequestError(`invalid object type: ${formatKind(found)}`)
      return inner.apply(call)
    },
    update: call => inner.update(call),
  }
}
