import type { ObjectName } from "../../tools/ownership/object-name.js"
import { printable } from "../terminal/layout.js"

/** `Deployment shop/web`: kind, namespace and name. */
export function objectTitle({ kind, namespace, name }: ObjectName): string {
  return printable(`${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`)
}
