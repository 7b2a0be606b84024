import type { Managers, VersionedSet } from "../../src/fieldpath/managers.js"
import { set, show } from "./notation.js"

/** Managers as tests write them: `{alice: "v1! spec.a", bob: "v1 status"}`, the version with `!` where the set was applied. */
export function managers(state: Readonly<Record<string, string>>): Managers {
  return new Map(Object.entries(state).map(([manager, text]) => [manager, versioned(text)]))
}

function versioned(text: string): VersionedSet {
  const [version = "", ...paths] = text.split(" ")
  const applied = version.endsWith("!")
  return Object.freeze({ set: set(paths.join(" ")), apiVersion: applied ? version.slice(0, -1) : version, applied })
}

/** Writes managers in this notation, sorted by name. */
export function showManagers(state: Managers): Record<string, string> {
  const entries = Array.from(state, ([manager, { set: fields, apiVersion, applied }]): [string, string] => {
    return [manager, `${apiVersion}${applied ? "!" : ""} ${show(fields)}`.trimEnd()]
  })
  return Object.fromEntries(entries.sort())
}
