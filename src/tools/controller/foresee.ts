// Predicts by a dry run what an API server does with an apply. Loaded on demand because it includes the code of all kinds; a client that
// repeats its applies never needs it.
import { kindsOf } from "../../kinds/kinds.js"
import type { Resource } from "../../kinds/resource/resource.js"
import { readManagedFields } from "../../managedfields/entries/entry.js"
import { type ObjectKind, objectKindOf } from "../../schema/group-version-kind.js"
import type { MapValue } from "../../value/value.js"
import { DryRun } from "../../write/dry-run.js"
import type { ApplierOptions } from "./request.js"

/** An apply. */
export interface Intent {
  readonly config: MapValue
  readonly force: boolean
  readonly subresource: string
}

/** Predicts what a server does with the applies of one manager. */
export class Foresight {
  private readonly options: ApplierOptions
  /** By kind and subresource; undefined if only the type of the kind is known. */
  private readonly runs = new Map<string, DryRun | undefined>()

  constructor(options: ApplierOptions) {
    this.options = options
  }

  /** Whether the apply would change the live object or its owners; undefined if that is unknown, or if a server refuses the apply. */
  changes(live: MapValue, { config, force, subresource }: Intent): boolean | undefined {
    const run = this.runOf(objectKindOf(config), subresource)
    if (run === undefined || !isServed(live, run.endpoint.resource)) return undefined
    const outcome = run.apply(run.live(live), config, { manager: this.options.manager, force })
    // A live object with problems was stored by a server of another release.
    return outcome.ok && outcome.excused.length === 0 ? outcome.changed : undefined
  }

  private runOf(kind: ObjectKind, subresource: string): DryRun | undefined {
    const id = `${kind.apiVersion} ${kind.kind} ${subresource}`
    if (!this.runs.has(id)) this.runs.set(id, this.createRun(kind, subresource))
    return this.runs.get(id)
  }

  private createRun(kind: ObjectKind, subresource: string): DryRun | undefined {
    const { types, unions = "off", resetFields, clock } = this.options
    const resource = kindsOf(types).resource(kind)
    if (resource === undefined || resource.plain || !resource.verbs.includes("patch")) return undefined
    if (subresource !== "" && !resource.subresources.some(({ name }) => name === subresource)) return undefined
    return new DryRun(resource, subresource, {
      types,
      unions,
      ...(resetFields !== undefined && { resetFields }),
      ...(clock !== undefined && { clock }),
    })
  }
}

/** Whether the object and its owners have served versions, so that a server converts them. */
function isServed(live: MapValue, { versions }: Resource): boolean {
  const all = [objectKindOf(live), ...(readManagedFields(live) ?? [])]
  return all.every(({ apiVersion = "" }) => versions.includes(apiVersion))
}
