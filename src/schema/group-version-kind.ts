// The type of an object by name: apiVersion and kind, or group, version and kind, spelled as in Kubernetes.
import { textAt } from "../value/fields.js"
import { isMap, type MapValue, type Value } from "../value/value.js"

/** An apiVersion and a kind. */
export interface ObjectKind {
  /** Group and version as objects spell them: `apps/v1`, or `v1` for the core group. */
  readonly apiVersion: string
  /** The kind as objects spell it: `Deployment`. */
  readonly kind: string
}

/** The name of a type of objects, in three parts. */
export interface GroupVersionKind {
  /** The API group, such as `apps`; "" for the core group. */
  readonly group: string
  /** The version without the group: `v1`. */
  readonly version: string
  /** The kind as objects spell it: `Deployment`. */
  readonly kind: string
}

/** Whether the text is a version with or without a group: it has at most one slash. */
export function isApiVersion(text: string): boolean {
  return text.indexOf("/") === text.lastIndexOf("/")
}

/** Returns the group, version and kind that these two texts name. All three are empty if `apiVersion` has several slashes. */
export function parseKind(apiVersion: string, kind: string): GroupVersionKind {
  const slash = apiVersion.indexOf("/")
  if (slash < 0) return { group: "", version: apiVersion, kind }
  if (apiVersion.includes("/", slash + 1)) return { group: "", version: "", kind: "" }
  return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1), kind }
}

/** Returns the group, version and kind of an object. A part is empty if it is missing or not a string. */
export function kindOf(object: MapValue): GroupVersionKind {
  return parseKind(textAt(object, "apiVersion"), textAt(object, "kind"))
}

/** Returns the apiVersion and kind of an object. A part is "" if it is missing or not a string, or if the value is not a map. */
export function objectKindOf(object: Value | undefined): ObjectKind {
  if (!isMap(object)) return { apiVersion: "", kind: "" }
  return { apiVersion: textAt(object, "apiVersion"), kind: textAt(object, "kind") }
}

/** Returns the apiVersion: `apps/v1`, `v1`. */
export function formatApiVersion({ group, version }: Pick<GroupVersionKind, "group" | "version">): string {
  return group === "" ? version : `${group}/${version}`
}

/** Returns the name of a kind or a resource with its group, as kubectl spells it: `Deployment.apps`, `pods`. */
export function nameInGroup(name: string, group: string): string {
  return group === "" ? name : `${name}.${group}`
}

/** Returns the kind as messages print it: `apps/v1, Kind=Deployment`, `/v1, Kind=Pod`. */
export function formatKind({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}, Kind=${kind}`
}

export function sameKind(a: GroupVersionKind, b: GroupVersionKind): boolean {
  return a.group === b.group && a.version === b.version && a.kind === b.kind
}
