import { during } from "../../merge/versions.js"
import { objectKindOf } from "../../schema/group-version-kind.js"
import type { ObjectTypes } from "../types/object-types.js"
import type { Link } from "./chain.js"

/** The manager that owns the fields which an untracked object had before the first apply. */
export const beforeFirstApply = "before-first-apply"

/**
 * Tracks owners from the creation of an object on. An existing object without owners is not tracked until its first apply. All its fields
 * beyond the empty object of its kind then belong to `before-first-apply`. If `hasUnions` returns true for its type, unions are settled and
 * validated even while it is not tracked.
 */
export function skipNonApplied(inner: Link, types: ObjectTypes, hasUnions: () => boolean): Link {
  return {
    apply(call) {
      if (call.managed.fields.size > 0) return inner.apply(call)
      const { live, next, managed } = call
      const created = during("failed to create manager for existing fields", () =>
        inner.update({
          live: types.emptyObject(objectKindOf(next)),
          next: live,
          managed,
          manager: beforeFirstApply,
          unions: "off",
        }),
      )
      return inner.apply({ ...call, managed: created.managed })
    },
    update(call) {
      if (call.managed.fields.size > 0 || call.startsTracking === true) return inner.update(call)
      if (!hasUnions()) return { object: call.next, managed: call.managed, unions: [] }
      return { ...inner.update(call), managed: call.managed }
    },
  }
}
