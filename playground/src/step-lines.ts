// The object before and after a step as lines of YAML with their owners, and the lines in which these differ.
import { diffArrays } from "diff"
import type { Step } from "structured-merge-diff/simulator"
import { type OwnedLine, ownedObject } from "structured-merge-diff/view"
import type { ShownLine } from "../../src/tools/view/lines.js"
import { ownerId } from "../../src/tools/view/looks.js"

/** Returns the lines of the object before and after the step, in one list. Empty if there never was an object. */
export function stepLines({ types, before, after }: Step): ShownLine[] {
  const [old, now] = [before, after].map(object =>
    object === undefined ? [] : ownedObject(object, { types, showSecrets: true }).lines,
  ) as [readonly OwnedLine[], readonly OwnedLine[]]
  if (before === after) return [...now]
  const parts = diffArrays(old.map(identityOf), now.map(identityOf), { maxEditLength })
  if (parts === undefined)
    return [...old.map(line => marked(line, "removed")), ...now.map(line => marked(line, "added"))]
  let [i, j] = [0, 0]
  return parts.flatMap(({ added, removed, count }) => {
    if (removed) return old.slice(i, (i += count)).map(line => marked(line, "removed"))
    const lines = now.slice(j, (j += count))
    if (added) return lines.map(line => marked(line, "added"))
    const pairs = lines.map((line, k) => kept(old[i + k] as OwnedLine, line))
    i += count
    return pairs
  })
}

/** More differences than this take too long to find. */
const maxEditLength = 20_000

/** Lines with the same text differ if they are of different fields. Every step changes the resourceVersion, so that is no difference. */
function identityOf({ text, fields }: OwnedLine): string {
  return resourceVersion.test(text) ? "" : `${text}\n${fields[0]?.path ?? ""}`
}
const resourceVersion = /^ {2}resourceVersion: /

function marked(line: OwnedLine, change: "added" | "removed"): ShownLine {
  return { ...line, change }
}

function kept(before: OwnedLine, line: OwnedLine): ShownLine {
  const ids = ({ owners }: OwnedLine) => owners.map(ownerId).sort().join("\n")
  if (ids(before) !== ids(line)) return { ...line, change: "owners", before }
  return before.text === line.text ? line : { ...line, before }
}
