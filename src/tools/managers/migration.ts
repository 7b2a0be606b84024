// The result of migrate as data.
import type { Value } from "../../value/value.js"
import type { ObjectName } from "../ownership/object-name.js"
import type { Owner } from "../ownership/owners.js"
import type { Place } from "../ownership/place.js"
import type { Plan } from "../ownership/plan.js"
import type { WriterRole } from "../ownership/writers.js"

/** A field that an owner loses, with its values. */
export interface TakenField extends Place {
  /** The value before; absent if the field did not exist. Shared with the live object. */
  readonly from?: Value
  /** The value afterwards; absent if the field no longer exists. */
  readonly to?: Value
}

/** The fields that the first apply takes from one owner. */
export interface TakenFrom {
  /** The owner that loses them. */
  readonly owner: Owner
  /** The kind of the owner. */
  readonly role: WriterRole
  /** The fields. */
  readonly fields: readonly TakenField[]
}

/** The entries and fields that the old tool leaves behind. */
export interface LeftBehind {
  /** Its entries that stay. The fields that the new tool omits then stay too, because two own them. */
  readonly entries: readonly LeftEntry[]
  /** Fields, labels and annotations of the old tool that the new tool does not apply, and that the object keeps. */
  readonly fields: readonly LeftField[]
}

/** An entry of the old tool that stays. */
export interface LeftEntry {
  /** The owner. */
  readonly owner: Owner
  /** Its fields. */
  readonly fields: readonly Place[]
}

/** A field of the old tool that stays. */
export interface LeftField extends Place {
  /** Its value. */
  readonly value: Value
}

/** An owner by updates that is not the old tool and owns fields of the new tool's configuration. */
export interface CoOwner {
  /** The owner. */
  readonly owner: Owner
  /** The kind of the owner. */
  readonly role: WriterRole
  /** All of its fields. A field that the new tool omits, now or later, stays in the object. */
  readonly fields: readonly Place[]
}

/** A command of a migration. */
export interface MigrationCommand {
  /** Whether it comes before the first apply, is the first apply, or comes after it. */
  readonly when: "before" | "apply" | "after"
  /** The command, or a sentence if users have to edit something. */
  readonly text: string
}

/** The move of one object. Plain data. */
export interface Migration {
  /** Distinguishes the results of this entry point. */
  readonly type: "migration"
  /** The version of this format, as in `ownership.schema.json`. */
  readonly version: 1
  /** The object. */
  readonly target: ObjectName
  /** The name of the old tool's profile. */
  readonly from: string
  /** The name of the new tool's profile. */
  readonly to: string
  /** The wave in which the new tool applies the object, as its annotation says; absent if it says nothing. */
  readonly wave?: string
  /** The first apply of the new tool, with its own steps. */
  readonly plan: Plan
  /** The fields that it takes from others than the old tool. In a conflict, those that it takes by force. */
  readonly taken: readonly TakenFrom[]
  /** The rest of the old tool. In a conflict, the rest after a forced apply. Empty if the apply is refused. */
  readonly left: LeftBehind
  /**
   * The other programs and people that own fields of the configuration by updates, after the apply; absent if there are none. Autoscalers
   * are not among them. To hand their entries to the new tool too, name them in `fromManagers`.
   */
  readonly coOwners?: readonly CoOwner[]
  /** The commands of the move. Those of the apply are about all objects of the release, Application or Kustomization. */
  readonly commands: readonly MigrationCommand[]
}
