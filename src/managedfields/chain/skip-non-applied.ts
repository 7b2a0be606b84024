import { during } from "../../merge/versions.js"
import { textAt } from "../../schema/group-version-kind.js"
import { own } from "../../value/object.js"
import { isMap, type MapValue } from "../../value/value.js"
import type { ObjectTypes } from "../types/object-types.js"
import type { Link } from "./chain.js"

/** Owns what was there before anybody applied, where nobody owned it. */
export const beforeFirstApply = "before-first-apply"

/**
 * Tracks owners from the creation of an object on. An object that exists without any is not tracked until it is applied to;
 * what it has by then beyond the empty object of its kind belongs to `before-first-apply`. Its unions, where `hasUnions` says that its
 * type has any, are seen to all the same.
 */
export function skipNonApplied(inner: Link, types: ObjectTypes, hasUnions: () => boolean): Link {
  return {
    apply(call) {
      if (call.managed.fields.size > 0) return inner.apply(call)
      const { live, next, managed, missing } = call
      const created = during("failed to create manager for existing fields", () =>
        inner.update({
          live: types.emptyObject(textAt(next, "apiVersion"), textAt(next, "kind")),
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
      if (call.managed.fields.size > 0 || !hasUid(call.live)) return inner.update(call)
      if (!hasUnions()) return { object: call.next, managed: call.managed, unions: [] }
      return { ...inner.update(call), managed: call.managed }
    },
  }
}

/** Objects get their uid when they are created. */
function hasUid(object: MapValue): boolean {
  const metadata = own(object, "metadata")
  return isMap(metadata) && textAt(metadata, "uid") !== ""
}
