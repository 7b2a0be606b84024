// The scale subresource has one field, spec.replicas, which stands for a field of the main resource. Its owners are stored with the main
// resource. ScaleHandler translates them to the subresource and back.
import { setOwner, type VersionedSet } from "../../fieldpath/managers.js"
import { type Path, pathOf } from "../../fieldpath/path.js"
import { FieldSet } from "../../fieldpath/set.js"
import type { ParityOptions } from "../../json/json.js"
import type { ManagedFieldsEntry } from "../entries/entry.js"
import { decodeManagedFields, encodeManagedFields } from "../entries/managed.js"

const scaleVersion = "autoscaling/v1"
const replicasInScale = pathOf("spec", "replicas")

/**
 * The paths of the replicas in the main resource, by apiVersion: `new Map([["apps/v1", pathOf("spec", "replicas")]])`. Null for a version
 * of a custom resource without a scale subresource.
 */
export type ReplicasPaths = ReadonlyMap<string, Path | null>

/** Translates the owners of the replicas between a main resource and its scale subresource. */
export class ScaleHandler {
  private readonly entries: readonly ManagedFieldsEntry[]
  private readonly apiVersion: string
  private readonly paths: ReplicasPaths
  private readonly options: ParityOptions

  /** For a main resource at `apiVersion` with these managedFields. The parity chooses the bytes of fieldsV1. */
  constructor(
    entries: readonly ManagedFieldsEntry[],
    apiVersion: string,
    paths: ReplicasPaths,
    options: ParityOptions = {},
  ) {
    this.entries = entries
    this.apiVersion = apiVersion
    this.paths = paths
    this.options = options
  }

  /** Returns the managedFields of the scale subresource: the owners of the replicas. Throws a ParseError for malformed entries. */
  toSubresource(): readonly ManagedFieldsEntry[] {
    const { fields, times, sources } = decodeManagedFields(this.entries, this.options)
    const inScale = new Map<string, VersionedSet>()
    for (const [manager, owner] of fields) {
      const path = this.paths.get(owner.apiVersion)
      if (!path || !owner.set.has(path)) continue
      inScale.set(manager, { set: FieldSet.of([replicasInScale]), apiVersion: scaleVersion, applied: owner.applied })
    }
    return encodeManagedFields({ fields: inScale, times, sources }, this.options)
  }

  /**
   * Returns the managedFields of the main resource after a write to the scale subresource that left it with `scaleEntries`. A manager that
   * is not in these loses the replicas, and a new one gets them. Entries of versions without a path are dropped. Throws a ParseError for
   * malformed entries.
   */
  toParent(scaleEntries: readonly ManagedFieldsEntry[]): readonly ManagedFieldsEntry[] {
    const parent = decodeManagedFields(this.entries, this.options)
    const scale = new Map(decodeManagedFields(scaleEntries, this.options).fields)
    const fields = new Map<string, VersionedSet>()
    for (const [manager, owner] of parent.fields) {
      const path = this.paths.get(owner.apiVersion)
      if (path === undefined) continue
      if (path === null || !owner.set.has(path) || scale.delete(manager)) fields.set(manager, owner)
      else setOwner(fields, manager, { ...owner, set: owner.set.difference(FieldSet.of([path])) })
    }
    const path = this.paths.get(this.apiVersion) ?? []
    for (const [manager, { set, applied }] of scale) {
      if (!set.has(replicasInScale)) continue
      fields.set(manager, { set: FieldSet.of([path]), apiVersion: this.apiVersion, applied })
    }
    // Go: a manager that is new here gets its time from the main resource, which has none for it.
    return encodeManagedFields({ fields, times: parent.times, sources: parent.sources }, this.options)
  }
}
