// Every built-in kind that something is special about, from the files of the families.
import { parseKind, textAt } from "../../schema/group-version-kind.js"
import type { MapValue } from "../../value/value.js"
import type { BuiltInKind } from "../kind.js"
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

/** The families, each with kinds of its own. */
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

/** What is special about the built-in kind of this group and name, whatever its version; undefined if nothing is. */
export function builtInKind(group: string, kind: string): BuiltInKind | undefined {
  return byName.get(`${group}/${kind}`)
}

/** The same for the kind that an object says it has. Not for custom resources: their definition may be of a built-in group. */
export function builtInKindOf(object: MapValue): BuiltInKind | undefined {
  const { group, kind } = parseKind(textAt(object, "apiVersion"), textAt(object, "kind"))
  return builtInKind(group, kind)
}

/** All of them. */
export function builtInKinds(): readonly BuiltInKind[] {
  return Array.from(byName.values())
}
