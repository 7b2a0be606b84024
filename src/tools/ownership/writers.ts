// The kind of program behind a manager's name, and fields that people changed by hand. docs/ownership.md states the rule.
import { beforeFirstApply } from "../../managedfields/chain/skip-non-applied.js"
import { aString, optional, requireOptions } from "../../value/argument.js"
import type { Owner } from "./owners.js"

/**
 * The kind of a writer, judged by its name, operation and subresource: an autoscaler, a person, a program that applies, or any other
 * program.
 */
export type WriterRole = "autoscaler" | "person" | "applier" | "program"

/** The part of an owner that tells its role. */
export type Writer = Pick<Owner, "manager" | "operation" | "subresource">

/**
 * Returns the role of an owner. A person is a tool that writes only when somebody uses it, and without a configuration: kubectl other than
 * `kubectl apply`, a browser, k9s, Lens and the like.
 */
export function writerRole(writer: Writer): WriterRole {
  requireOptions("writer", writer, { manager: aString, operation: aString, subresource: optional(aString) })
  return roleOf(writer)
}

function roleOf({ manager, operation, subresource }: Writer): WriterRole {
  if (operation === "Update" && isHandTool(manager)) return "person"
  if (subresource === "scale" || /autoscal|^vpa-|^keda/.test(manager)) return "autoscaler"
  return operation === "Apply" || manager === clientSideApply ? "applier" : "program"
}

/** Whether people changed the field by hand: it has owners, and each is a person. If a program has written the field too, it is not. */
export function isByHand(owners: readonly Writer[]): boolean {
  return owners.length > 0 && owners.every(owner => roleOf(owner) === "person")
}

/** Whether the owner is a program that keeps writing. People do not, and neither does the manager before-first-apply. */
function isWriter(writer: Writer): boolean {
  const { manager, operation } = writer
  if (operation === "Apply") return true
  return roleOf(writer) !== "person" && manager !== clientSideApply && manager !== beforeFirstApply
}

/** Returns what owners that keep writing do after their field was taken by force; "" without such owners. `list` lists their names. */
export function nextWrites<T extends Writer>(owners: readonly T[], list: (owners: readonly T[]) => string): string {
  const writers = owners.filter(isWriter)
  const appliers = writers.filter(({ operation }) => operation === "Apply")
  const updaters = writers.filter(isUpdater)
  return [
    ...(appliers.length > 0 ? [`${list(appliers)} would be in conflict with you next time`] : []),
    ...(updaters.length > 0 ? [`${list(updaters)} may write it again`] : []),
  ].join(", and ")
}

/** Whether the owner is a program that keeps writing without being in conflict, since only an apply can be. */
export function isUpdater(writer: Writer): boolean {
  return isWriter(writer) && writer.operation !== "Apply"
}

/** Whether people write with this manager: with a command of kubectl, with a browser, or with another tool of the list. */
function isHandTool(manager: string): boolean {
  if (manager === "kubectl") return true
  if (manager.startsWith("kubectl-")) return manager !== clientSideApply && manager !== "kubectl-last-applied"
  return handTools.has(manager.toLowerCase())
}

/** The name under which kubectl writes what a configuration says, without server-side apply. */
const clientSideApply = "kubectl-client-side-apply"

/**
 * Tools other than kubectl. An API server takes the name of a manager from the User-Agent of a request that names none, so a web UI appears
 * as its browser, which is always Mozilla, and Lens as the library that it sends requests with.
 */
const handTools: ReadonlySet<string> = new Set([
  ...["mozilla", "node-fetch", "curl"],
  ...["dashboard", "freelens", "headlamp", "k9s", "lens", "openlens", "podman-desktop"],
])
