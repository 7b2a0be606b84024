// Parts of field sets: the members at and below a path.
import type { Path } from "./path.js"
import type { FieldSet } from "./set.js"

/** Returns the members of the set below the path, without the path in front of them. */
export function below(set: FieldSet, path: Path): FieldSet {
  let found = set
  for (const element of path) found = found.withPrefix(element)
  return found
}

/** Whether the set has the path, or anything below it. */
export function hasFrom(set: FieldSet, path: Path): boolean {
  return set.has(path) || !below(set, path).isEmpty()
}
