// Finds managers whose entries get in each other's way, because they own the same fields: two appliers, or one program under two names.
import type { PathElement } from "../../fieldpath/element.js"
import type { Path } from "../../fieldpath/path.js"
import { FieldSet } from "../../fieldpath/set.js"
import { compareTimes } from "../../managedfields/entries/time.js"
import { counted } from "../../value/words.js"
import type { LintFinding } from "./finding.js"
import { aboutEntry, entryLabel, isKeyOf, type OwnedFields } from "./owners.js"

/** Reports two names of one program that own the same fields, and appliers whose fields all belong to another applier too. */
export function lintCoOwners(found: LintFinding[], owners: readonly OwnedFields[]): void {
  const ofMain = owners.filter(({ entry }) => (entry.subresource ?? "") === "")
  for (const [i, a] of ofMain.entries()) {
    for (const b of ofMain.slice(i + 1)) {
      const reported = twoNames(a, b) ?? shadowed(a, b)
      if (reported !== undefined) found.push(reported)
    }
  }
}

/**
 * Returns the fields outside the metadata that are not keys of items. Labels and annotations are often shared on purpose, and everybody who
 * owns something in an item owns its keys.
 */
function ownFields({ set }: OwnedFields): FieldSet {
  const paths: Path[] = []
  set.leaves().forEach(path => {
    const [item, last] = path.slice(-2)
    if (isMetadata(path[0])) return
    if (item?.kind === "key" && last !== undefined && isKeyOf(item, last)) return
    paths.push([...path])
  })
  return FieldSet.of(paths)
}

function isMetadata(element: PathElement | undefined): boolean {
  return element?.kind === "field" && element.name === "metadata"
}

/**
 * Whether all `ownFields` of a set are among those of another. Most pairs differ in one of the first fields. `around` is the element that both
 * sets are below; undefined at the top.
 */
function isWithin(inner: FieldSet, outer: FieldSet, around?: PathElement): boolean {
  for (const { element, children } of inner.entries) {
    if (around === undefined && isMetadata(element)) continue
    const same = outer.find(element)
    if (children !== null) {
      if (!isWithin(children, same?.children ?? FieldSet.empty, element)) return false
    } else if ((same === undefined || same.children !== null) && !(around?.kind === "key" && isKeyOf(around, element)))
      return false
  }
  return true
}

/** The names under which programs write, if they have several. */
const programs: readonly (readonly [program: string, name: RegExp])[] = [
  ["Helm", /^(helm|helm-controller|terraform-provider-helm.*)$/],
  ["Argo CD", /^argocd-(application-)?controller$/],
  ["Terraform", /^(Terraform|HashiCorp|terraform-provider-kubernetes.*)$/],
  ["Pulumi", /^pulumi-(resource-)?kubernetes(-.*)?$/],
]

/** Returns the program behind a name. A name that ends in a version, as those of some binaries do, is the name without it. */
function programOf({ entry: { manager = "" } }: OwnedFields): string {
  const known = programs.find(([, name]) => name.test(manager))
  return known?.[0] ?? manager.replace(/[-_]v?\d+\.\d+(\.\d+)?$/, "")
}

function twoNames(a: OwnedFields, b: OwnedFields): LintFinding | undefined {
  const applies = [a, b].filter(isApplied)
  if (applies.length === 0 || a.entry.manager === b.entry.manager) return undefined
  const program = programOf(a)
  if (program !== programOf(b)) return undefined
  const shared = ownFields(a).intersection(ownFields(b)).size
  if (shared === 0) return undefined
  const [old, current] = applies.length === 1 ? (isApplied(a) ? [b, a] : [a, b]) : inOrder(a, b)
  const [from, to] = [old.entry.manager ?? "", current.entry.manager ?? ""]
  const message = `${entryLabel(old.entry)} and ${entryLabel(current.entry)} are two names of ${program}, and both own ${counted(shared, "field")}: if one name leaves a field out, the other keeps it`
  const remedy = `if both are the same installation, let one name own them: smd managers transfer --from ${from} --to ${to}`
  return aboutEntry("one-program-two-names", old, message, remedy)
}

/** Fewer shared fields may be a field that one applier is about to hand over to the other. */
const fewFields = 2

function shadowed(a: OwnedFields, b: OwnedFields): LintFinding | undefined {
  if (!isApplied(a) || !isApplied(b)) return undefined
  const [inB, inA] = [isWithin(a.set, b.set), isWithin(b.set, a.set)]
  const [inner, outer] = inB && inA ? inOrder(a, b) : inB ? [a, b] : inA ? [b, a] : []
  if (inner === undefined || outer === undefined) return undefined
  const { size } = ownFields(inner)
  if (size < fewFields) return undefined
  const [from, to] = [inner.entry.manager ?? "", outer.entry.manager ?? ""]
  const message = `${to} applies all ${counted(size, "field")} that ${from} applies: a field that one of them leaves out stays, and a change by one conflicts with the other`
  const remedy = `let one of the two apply them; if ${from} is gone: smd managers transfer --from ${from} --to ${to}`
  return aboutEntry("shadowed-applier", inner, message, remedy)
}

function isApplied({ entry }: OwnedFields): boolean {
  return entry.operation === "Apply"
}

/** Returns the two, the earlier one first. An applier without a time came to an object that already had its values. */
function inOrder(a: OwnedFields, b: OwnedFields): readonly [OwnedFields, OwnedFields] {
  const [first, second] = [a.entry.time, b.entry.time]
  const isInOrder = second === undefined || (first !== undefined && compareTimes(first, second) <= 0)
  return isInOrder ? [a, b] : [b, a]
}
