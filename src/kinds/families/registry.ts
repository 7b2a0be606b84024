// The registry of built-in kinds. Kinds that a server treats like any other are not in it.
import { parseKind } from "../../schema/group-version-kind.js"
import { textAt } from "../../value/fields.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import type { BuiltInKind } from "../kind/kind.js"
import { access } from "./access.js"
import { autoscaling } from "./autoscaling.js"
import { batch } from "./batch.js"
import { cluster } from "./cluster.js"
import { config } from "./config.js"
import { events } from "./events.js"
import { extensions } from "./extensions.js"
import { network } from "./network.js"
import { pods } from "./pods.js"
import { scheduling } from "./scheduling.js"
import { services } from "./services.js"
import { storage } from "./storage.js"
import { workloads } from "./workloads.js"

/** All families. No kind is in two of them. */
export const families = {
  access,
  autoscaling,
  batch,
  cluster,
  config,
  events,
  extensions,
  network,
  pods,
  scheduling,
  services,
  storage,
  workloads,
}

const byName: ReadonlyMap<string, BuiltInKind> = new Map(Object.values(families).flatMap(Object.entries))

/** Returns a built-in kind. The version does not matter. Returns undefined for kinds that a server treats like any other. */
export function builtInKind(group: string, kind: string): BuiltInKind | undefined {
  return byName.get(`${group}/${kind}`)
}

/** Returns the kind that a built-in object says it has. Don't ask for custom resources: they may belong to a built-in group. */
export function builtInKindOf(object: MapValue): BuiltInKind | undefined {
  const { group, kind } = parseKind(textAt(object, "apiVersion"), textAt(object, "kind"))
  return builtInKind(group, kind)
}

/** Whether validation of the object compiles expressions in CEL, so that the library for these has to be loaded. */
export function compilesExpressions(object: Value): boolean {
  return isMap(object) && builtInKindOf(object)?.compilesExpressions === true
}

/** Returns all kinds of the registry. */
export function builtInKinds(): readonly BuiltInKind[] {
  return Array.from(byName.values())
}
