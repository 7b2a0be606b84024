// Decides whether an apply would change anything, as far as the live object shows.
//
// An apply counts as changing nothing if the merged object equals the live one and no entry of managedFields changes. A server then also
// merges to the object that it has, and its further steps have already been applied to that object when it was stored. Most applies end
// with this check, which is cheap. Otherwise a dry run tells whether a server would store anything: it fills in defaults, converts, resets
// fields and normalizes values. The effects of webhooks can't be seen here.
import { hasCode } from "../../errors.js"
import { type ResetFieldsOf, resetFieldsOf } from "../../kinds/resource/reset-fields.js"
import { readManagedFields } from "../../managedfields/entries/entry.js"
import { FieldManager } from "../../managedfields/field-manager.js"
import { type ObjectKind, objectKindOf } from "../../schema/group-version-kind.js"
import { own } from "../../value/object.js"
import type { MapValue } from "../../value/value.js"
import type { OwnershipRequest } from "../ownership/request.js"
import type { Foresight, Intent } from "./foresee.js"
import type { ApplierOptions, SendReason } from "./request.js"

/** The effect of an apply. Only an apply that is `unchanged` need not be sent. */
export interface Verdict {
  readonly reason: SendReason | "unchanged"
  readonly detail?: string
}

/** Decides about applies without asking a server. */
export class Decider {
  private readonly options: ApplierOptions
  private readonly manager: FieldManager
  private foresight: Foresight | undefined
  /** A request to the ownership library, complete except for the subresource. */
  readonly request: OwnershipRequest

  constructor(options: ApplierOptions) {
    this.options = options
    const { types, unions = "off", manager } = options
    const resetFields = (subresource: string, kind: ObjectKind) => this.resetFieldsOf(kind)?.(subresource)
    this.request = { types, unions, resetFields, manager }
    this.manager = new FieldManager({ types, unions, resetFields })
  }

  /** Returns the effect that the apply would have if the server's object is the live object. */
  async decide(live: MapValue, intent: Intent): Promise<Verdict> {
    const verdict = this.merged(live, intent)
    if (!isOpen(verdict)) return verdict
    this.foresight ??= new (await import("./foresee.js")).Foresight(this.options)
    const changes = this.foresight.changes(live, intent)
    return changes === undefined ? verdict : { reason: changes ? "change" : "unchanged" }
  }

  /** Returns the effect of the apply according to the FieldManager. */
  private merged(live: MapValue, { config, force, subresource }: Intent): Verdict {
    const kind = objectKindOf(config)
    const unknown = this.unknown(live, config, kind, subresource)
    if (unknown !== undefined) return unknown
    const attempt = this.manager.tryApply(live, config, { manager: this.options.manager, subresource, force })
    if (attempt.ok) return { reason: attempt.changed ? "change" : "unchanged" }
    const { message: detail } = attempt.error
    return { reason: hasCode(attempt.error, "conflict") ? "conflict" : "undecided", detail }
  }

  /** Returns the verdict if something is missing that the decision depends on; undefined otherwise. */
  private unknown(live: MapValue, config: MapValue, kind: ObjectKind, subresource: string): Verdict | undefined {
    if (this.options.types.find(kind.apiVersion, kind.kind) === undefined) return { reason: "no-type" }
    if (!isAtVersion(live, kind)) return { reason: "other-version" }
    const writesStatus = subresource !== "" || own(config, "status") !== undefined
    return writesStatus && this.resetFieldsOf(kind) === undefined ? { reason: "reset-fields" } : undefined
  }

  private resetFieldsOf(kind: ObjectKind): ResetFieldsOf | undefined {
    return resetFieldsOf(kind, undefined, this.options.resetFields)
  }
}

/** Whether a dry run may find out more than the FieldManager. */
function isOpen({ reason }: Verdict): boolean {
  return reason === "change" || reason === "other-version" || reason === "reset-fields"
}

/**
 * Whether the object and all its owners have this version. An owner at another version may use other names for its fields, and loses the
 * fields if its version no longer exists; only a server knows.
 */
function isAtVersion(live: MapValue, { apiVersion, kind }: ObjectKind): boolean {
  const found = objectKindOf(live)
  if (found.apiVersion !== apiVersion || found.kind !== kind) return false
  return (readManagedFields(live) ?? []).every(entry => entry.apiVersion === apiVersion)
}
