import { managerId } from "../entries/manager-id.js"
import type { Link } from "./chain.js"

/** Replaces the manager's name by its identifier, for this version and subresource. */
export function managerInfo(inner: Link, apiVersion: string, subresource: string): Link {
  const idOf = (name: string, operation: string) =>
    managerId({ manager: name === "" ? "unknown" : name, operation, apiVersion, subresource })
  return {
    apply: call => inner.apply({ ...call, manager: idOf(call.manager, "Apply") }),
    update: call => inner.update({ ...call, manager: idOf(call.manager, "Update") }),
  }
}
