// Whether an apply would change anything, as far as that can be told from the live object.
//
// An apply counts as changing nothing if the merged object is the live one, value for value, and every entry of managedFields stays as it
// is. Then a server merges to what it has, too, and what it does to that it has done before: when the object was stored. Most applies end
// with this check, which is cheap. Otherwise a dry run says whether a server would store anything: it fills in defaults, converts, resets
// fields and writes values in another form. Nobody sees here what webhooks do.
import { hasCode } from "../errors.js"
import { kubernetesResetFields } from "../kubernetes/reset-fields.js"
import { readManagedFields } from "../managedfields/entries/entry.js"
import { FieldManager } from "../managedfields/field-manager.js"
import type { ResetFields } from "../managedfields/request.js"
import type { OwnershipRequest } from "../ownership/request.js"
import { type ObjectKind, objectKindOf } from "../schema/group-version-kind.js"
import { own } from "../value/object.js"
import type { MapValue } from "../value/value.js"
import type { Foresight, Intent } from "./foresee.js"
import type { ApplierOptions, SendReason } from "./request.js"

/** What an apply would do. `unchanged` is the only one that need not be sent. */
export interface Verdict {
  readonly reason: SendReason | "unchanged"
  readonly detail?: string
}

/** Decides about applies, without a server. */
export class Decider {
  private readonly options: ApplierOptions
  private readonly manager: FieldManager
  private foresight: Foresight | undefined
  /** Who applies to what: all of a request to the ownership library but the subresource. */
  readonly request: OwnershipRequest

  constructor(options: ApplierOptions) {
    this.options = options
    const { types, unions = "off", manager } = options
    const resetFields = (subresource: string, kind: ObjectKind) => this.resetFields(subresource, kind)
    this.request = { types, unions, resetFields, manager }
    this.manager = new FieldManager({ types, unions, resetFields })
  }

  /** What the apply would do to the live object, if it is as the server has it. */
  async decide(live: MapValue, intent: Intent): Promise<Verdict> {
    const verdict = this.merged(live, intent)
    if (!isOpen(verdict)) return verdict
    this.foresight ??= new (await import("./foresee.js")).Foresight(this.options)
    const changes = this.foresight.changes(live, intent)
    return changes === undefined ? verdict : { reason: changes ? "change" : "unchanged" }
  }

  /** What the FieldManager makes of the apply. */
  private merged(live: MapValue, { config, force, subresource }: Intent): Verdict {
    const kind = objectKindOf(config)
    const unknown = this.unknown(live, config, kind, subresource)
    if (unknown !== undefined) return unknown
    const attempt = this.manager.tryApply(live, config, { manager: this.options.manager, subresource, force })
    if (attempt.ok) return { reason: attempt.changed ? "change" : "unchanged" }
    const { message: detail } = attempt.error
    return { reason: hasCode(attempt.error, "conflict") ? "conflict" : "undecided", detail }
  }

  /** What has to be known to decide, and is not. */
  private unknown(live: MapValue, config: MapValue, kind: ObjectKind, subresource: string): Verdict | undefined {
    if (this.options.types.find(kind.apiVersion, kind.kind) === undefined) return { reason: "no-type" }
    if (!isAtVersion(live, kind)) return { reason: "other-version" }
    const writesStatus = subresource !== "" || own(config, "status") !== undefined
    return writesStatus && !this.knowsResetFields(kind) ? { reason: "reset-fields" } : undefined
  }

  private knowsResetFields({ apiVersion, kind }: ObjectKind): boolean {
    return this.options.resetFields !== undefined || kubernetesResetFields(apiVersion, kind) !== undefined
  }

  private resetFields(subresource: string, kind: ObjectKind): ResetFields | undefined {
    const { resetFields } = this.options
    return resetFields?.(subresource, kind) ?? kubernetesResetFields(kind.apiVersion, kind.kind)?.(subresource)
  }
}

/** Whether a dry run may say more than the FieldManager. */
function isOpen({ reason }: Verdict): boolean {
  return reason === "change" || reason === "other-version" || reason === "reset-fields"
}

/**
 * Whether the object and all its owners are at this version. An owner at another one has what it owns under other names, and loses it
 * where the version is gone: only a server knows.
 */
function isAtVersion(live: MapValue, { apiVersion, kind }: ObjectKind): boolean {
  const found = objectKindOf(live)
  if (found.apiVersion !== apiVersion || found.kind !== kind) return false
  return (readManagedFields(live) ?? []).every(entry => entry.apiVersion === apiVersion)
}
