import { formatFieldsV1Key, invalidElement } from "../../fieldpath/element.js"
import { formatPath, type Path } from "../../fieldpath/path.js"
import type { FieldSet } from "../../fieldpath/set.js"

/** A field or an item of an object, as plain data. */
export interface Place {
  /**
   * The path as Kubernetes prints it: `.spec.ports[port=80].name`. In this form a name with dots looks like several names. A `Blame` avoids
   * that: if two fields would have the same text, it quotes the names of one.
   */
  readonly path: string
  /** The unambiguous path, each step as FieldsV1 spells it: `f:spec`, `f:ports`, `k:{"port":80}`. `parseFieldsV1Key` reads the steps. */
  readonly steps: readonly string[]
}

/** Returns the path as data. */
export function placeOf(path: Path): Place {
  return { path: formatPath(path), steps: path.map(step => formatFieldsV1Key(step)) }
}

/** Returns the paths of the set, each followed by those below it. Items that can't have a path are left out. */
export function pathsOf(set: FieldSet): Path[] {
  return collect(set, [], true, [])
}

/** Returns the paths of the set that have no other member of the set above them, in the order of `pathsOf`. */
export function uppermostPaths(set: FieldSet): Path[] {
  return collect(set, [], false, [])
}

function collect(set: FieldSet, above: Path, belowMembers: boolean, paths: Path[]): Path[] {
  for (const { element, member, children } of set.entries) {
    if (element === invalidElement) continue
    const path = [...above, element]
    if (member) paths.push(path)
    if (children !== null && (belowMembers || !member)) collect(children, path, belowMembers, paths)
  }
  return paths
}
