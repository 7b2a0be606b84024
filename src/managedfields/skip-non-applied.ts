import { during } from "../merge/versions.js"
import { own } from "../value/object.js"
import { isMap, type MapValue } from "../value/value.js"
import type { Link } from "./chain.js"
import { textAt } from "./group-version.js"

/** Owns what was there before anybody applied, where nobody owned it. */
export const beforeFirstApply = "before-first-apply"

/**
 * Tracks owners from the creation of an object on. An object that exists without any is not tracked until it is applied to;
 * what it has by then belongs to `before-first-apply`.
 */
export function skipNonApplied(inner: Link): Link {
  return {
    apply(call) {
      if (call.managed.fields.size > 0) return inner.apply(call)
      const { live, managed, missing } = call
      const created = during("failed to create manager for existing fields", () =>
        inner.update({
          live: emptyObject(call.next),
          next: live,
          managed,
          manager: beforeFirstApply,
          unions: "off",
          missing,
        }),
      )
      return inner.apply({ ...call, managed: created.managed })
    },
    update(call) {
      const untracked = call.managed.fields.size === 0 && hasUid(call.live)
      return untracked ? { object: call.next, managed: call.managed, unions: [] } : inner.update(call)
    },
  }
}

/** An object of the same kind with nothing in it. */
export function emptyObject(like: MapValue): MapValue {
  return { apiVersion: textAt(like, "apiVersion"), kind: textAt(like, "kind") }
}

/** Objects get their uid when they are created. */
function hasUid(object: MapValue): boolean {
  const metadata = own(object, "metadata")
  return isMap(metadata) && textAt(metadata, "uid") !== ""
}
