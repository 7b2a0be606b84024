import { hasCode, withoutStack } from "../../errors.js"
import type { FieldSet } from "../../fieldpath/set.js"
import { ConflictError } from "../../merge/conflict.js"
import { formatApiVersion, kindOf } from "../../schema/group-version-kind.js"
import { textAt } from "../../value/fields.js"
import type { MapValue } from "../../value/value.js"
import type { ObjectTypes } from "../types/object-types.js"
import type { VersionConverter } from "../types/version-converter.js"
import type { ApplyCall, Link } from "./chain.js"
import { lastAppliedConfig } from "./last-applied.js"
import { kubectlManager } from "./last-applied-updater.js"

/**
 * Lets kubectl take over, without conflicts, the fields that it applied client-side before. Fields that still have the value recorded in
 * the annotation count as kubectl's, whichever manager owns them.
 */
export function lastAppliedManager(
  inner: Link,
  types: ObjectTypes,
  newConverter: () => VersionConverter,
  apiVersion: string,
): Link {
  return {
    apply(call) {
      if (call.manager !== kubectlManager) return inner.apply(call)
      try {
        return inner.apply(call)
      } catch (error) {
        if (!(error instanceof ConflictError)) throw error
        const allowed = allowedConflicts(call)
        if (allowed === null) throw error
        const refused = error.conflicts.filter(({ path }) => !allowed.has(path))
        if (refused.length > 0) throw withoutStack(() => new ConflictError(refused))
        return inner.apply({ ...call, force: true })
      }
    },
    update: call => inner.update(call),
  }

  /** Returns the fields that were applied client-side and still have the same value; null if they can't be determined. */
  function allowedConflicts({ live }: ApplyCall): FieldSet | null {
    const lastApplied = lastAppliedConfig(live)
    if (lastApplied === undefined || !isOfVersion(lastApplied)) return null
    try {
      const liveTyped = types.toTyped(newConverter().toVersion(live, apiVersion))
      const typed = types.toTyped(lastApplied)
      const { modified, added, removed } = typed.compare(liveTyped)
      return typed.toFieldSet().difference(modified).difference(added).difference(removed)
    } catch (error) {
      if (hasCode(error)) return null
      throw error
    }
  }

  function isOfVersion(lastApplied: MapValue): boolean {
    return textAt(lastApplied, "kind") !== "" && formatApiVersion(kindOf(lastApplied)) === apiVersion
  }
}
