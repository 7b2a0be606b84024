// Changes the version of entries, for definitions whose versions have the same field names.
import { managerId } from "../../managedfields/entries/manager-id.js"
import { latestTime } from "../../managedfields/entries/time.js"
import { aString, requireOptions } from "../../value/argument.js"
import { type ManagersChange, type ManagersOptions, rewrite } from "./change.js"
import { fullVersion } from "./operations.js"
import { type EntrySelection, holders, type ManagerNames, managerNames, managersOptions } from "./select.js"

/** The options of `toVersion`. */
export interface ToVersionOptions extends ManagersOptions, Omit<EntrySelection, "apiVersion"> {
  /** The version that the entries get: `example.com/v1`, or `v1`. */
  readonly apiVersion: string
  /** The managers whose entries change. */
  readonly managers: ManagerNames
}

/**
 * Sets the version of entries. Every manager keeps its fields; two entries that then differ in nothing but their fields become one. Use it
 * if the fields have the same names in both versions. Throws a ParseError for managedFields that can't be read.
 */
export function toVersion(live: object, options: ToVersionOptions): ManagersChange {
  requireOptions("options", options, { ...managersOptions, apiVersion: aString, managers: managerNames })
  const { apiVersion: named, managers, operation, subresource } = options
  return rewrite("to-version", live, options, ({ object, managed }) => {
    const apiVersion = fullVersion(object, named)
    const [fields, times] = [new Map(managed.fields), new Map(managed.times)]
    for (const { id, entry, owned } of holders(managed, managers, { operation, subresource })) {
      if (owned.apiVersion === apiVersion) continue
      fields.delete(id)
      times.delete(id)
      const target = managerId({ ...entry, apiVersion })
      const there = fields.get(target)
      fields.set(target, { ...owned, apiVersion, set: there?.set.union(owned.set) ?? owned.set })
      const time = latestTime([times.get(target), managed.times.get(id)])
      if (time !== undefined) times.set(target, time)
    }
    return { ...managed, fields, times }
  })
}
