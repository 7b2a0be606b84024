import type { PlannedApplier } from "../../tools/ownership/appliers.js"
import type { ObjectName } from "../../tools/ownership/object-name.js"
import { printable, spread } from "../terminal/layout.js"
import type { Terminal } from "../terminal/terminal.js"

/** `Deployment shop/web`: kind, namespace and name. */
export function objectTitle({ kind, namespace, name }: ObjectName): string {
  return printable(`${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`)
}

/** A line that begins with the title of an object and ends with `detail`. */
export function titleLine(
  target: ObjectName,
  detail: string,
  { style, columns }: Pick<Terminal, "style" | "columns">,
): string {
  return spread(style.strong(objectTitle(target)), style.faint(printable(detail)), columns)
}

/** The line about an apply, such as `Deployment shop/web    web-team, Apply, scale, apps/v1`. */
export function applyTitleLine(
  {
    target,
    manager,
    subresource,
    as,
  }: {
    readonly target: ObjectName
    readonly manager: string
    readonly subresource?: string
    readonly as?: PlannedApplier
  },
  terminal: Terminal,
): string {
  const tool = as === undefined ? [] : [`as ${as.tool}${as.force ? " by force" : ""}`]
  const parts = [manager, "Apply", ...(subresource === undefined ? [] : [subresource]), target.apiVersion, ...tool]
  return titleLine(target, parts.join(", "), terminal)
}
