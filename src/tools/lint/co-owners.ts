// Finds managers whose entries get in each other's way, because they own the same fields: two appliers, or one program under two names.
import type { Path } from "../../fieldpath/path.js"
import { FieldSet } from "../../fieldpath/set.js"
import { compareTimes } from "../../managedfields/entries/time.js"
import type { LintFinding } from "./finding.js"
import { aboutEntry, counted, entryLabel, isKeyOf, type OwnedFields } from "./owners.js"

/** An entry of the main resource, with the fields of it that count. */
interface Contender {
  readonly owner: OwnedFields
  readonly fields: FieldSet
}

/** Reports two names of one program that own the same fields, and appliers whose fields all belong to another applier too. */
export function lintCoOwners(found: LintFinding[], owners: readonly OwnedFields[]): void {
  const contenders = owners
    .filter(({ entry }) => (entry.subresource ?? "") === "")
    .map(owner => ({ owner, fields: ownFields(owner.set) }))
    .filter(({ fields }) => !fields.isEmpty())
  for (const [i, a] of contenders.entries()) {
    for (const b of contenders.slice(i + 1)) {
      const reported = twoNames(a, b) ?? shadowed(a, b)
      if (reported !== undefined) found.push(reported)
    }
  }
}

/**
 * Returns the fields outside the metadata that are not keys of items. Labels and annotations are often shared on purpose, and everybody who
 * owns something in an item owns its keys.
 */
function ownFields(set: FieldSet): FieldSet {
  const paths: Path[] = []
  set.leaves().forEach(path => {
    const [first] = path
    const [item, last] = path.slice(-2)
    if (first?.kind === "field" && first.name === "metadata") return
    if (item?.kind === "key" && last !== undefined && isKeyOf(item, last)) return
    paths.push([...path])
  })
  return FieldSet.of(paths)
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

function twoNames(a: Contender, b: Contender): LintFinding | undefined {
  const program = programOf(a.owner)
  if (a.owner.entry.manager === b.owner.entry.manager || program !== programOf(b.owner)) return undefined
  const applies = [a, b].filter(({ owner }) => isApplied(owner))
  const shared = a.fields.intersection(b.fields).size
  if (applies.length === 0 || shared === 0) return undefined
  const [old, current] = applies.length === 1 ? (isApplied(a.owner) ? [b, a] : [a, b]) : inOrder(a, b)
  const [from, to] = [old.owner.entry.manager ?? "", current.owner.entry.manager ?? ""]
  const message = `${entryLabel(old.owner.entry)} and ${entryLabel(current.owner.entry)}are two names of ${program}, and both own ${counted(shared, "field")}: if one name leaves a field out, the other keeps it`
  const remedy = `if both are the same installation, let one name own them: smd managers transfer --from ${from} --to ${to}`
  return aboutEntry("one-program-two-names", old.owner, message, remedy)
}

/** Fewer shared fields may be a field that one applier is about to hand over to the other. */
const fewFields = 2

function shadowed(a: Contender, b: Contender): LintFinding | undefined {
  if (!isApplied(a.owner) || !isApplied(b.owner)) return undefined
  const pair = isWithin(a, b) && isWithin(b, a) ? inOrder(a, b) : isWithin(a, b) ? [a, b] : isWithin(b, a) ? [b, a] : []
  const [inner, outer] = pair
  if (inner === undefined || outer === undefined || inner.fields.size < fewFields) return undefined
  const [from, to] = [inner.owner.entry.manager ?? "", outer.owner.entry.manager ?? ""]
  const message = `${to} applies all ${counted(inner.fields.size, "field")} that ${from} applies: a field that one of them leaves out stays, and a change by one conflicts with the other`
  const remedy = `let one of the two apply them; if ${from} is gone: smd managers transfer --from ${from} --to ${to}`
  return aboutEntry("shadowed-applier", inner.owner, message, remedy)
}

function isWithin(a: Contender, b: Contender): boolean {
  return a.fields.difference(b.fields).isEmpty()
}

function isApplied({ entry }: OwnedFields): boolean {
  return entry.operation === "Apply"
}

/** Returns the two, the earlier one first. An applier without a time came to an object that already had its values. */
function inOrder(a: Contender, b: Contender): readonly [Contender, Contender] {
  const [first, second] = [a.owner.entry.time, b.owner.entry.time]
  const isInOrder = second === undefined || (first !== undefined && compareTimes(first, second) <= 0)
  return isInOrder ? [a, b] : [b, a]
}
