// The resources of the current release of Kubernetes.

import type { TypeFinder } from "../../managedfields/types/object-types.js"
import { formatApiVersion } from "../../schema/group-version-kind.js"
import { addToGroup } from "../../value/groups.js"
import { builtInKind } from "../families/registry.js"
import { resourceData } from "./built-in-data.js"
import { builtInConverter } from "./conversion.js"
import { type Resource, storeKey, type Verb } from "./resource.js"

type Row = readonly [
  plural: string,
  kind: string,
  singular: string,
  scope: string,
  verbs: string,
  shortNames: readonly string[],
  categories: readonly string[],
  subresources: readonly (readonly [name: string, kind: string, apiVersion: string, verbs: string])[],
]

const verbOf: Readonly<Record<string, Verb>> = {
  c: "create",
  d: "delete",
  D: "deletecollection",
  g: "get",
  l: "list",
  p: "patch",
  u: "update",
  w: "watch",
}

/** Returns every built-in resource, in the order of discovery. */
export function builtInResources(types: TypeFinder): Resource[] {
  const data = JSON.parse(resourceData) as readonly (readonly [string, string, readonly Row[]])[]
  const versions = new Map<string, string[]>()
  for (const [group, version, rows] of data) {
    for (const [plural, kind] of rows) {
      addToGroup(versions, storeKeyOf(group, plural, kind), formatApiVersion({ group, version }))
    }
  }
  return data.flatMap(([group, version, rows]) =>
    rows.map(row => resourceOf(group, version, row, types, versions.get(storeKeyOf(group, row[0], row[1])) ?? [])),
  )
}

function storeKeyOf(group: string, plural: string, kind: string): string {
  const builtIn = builtInKind(group, kind)
  return storeKey({ group, plural, ...(builtIn && { builtIn }) })
}

function resourceOf(
  group: string,
  version: string,
  row: Row,
  types: TypeFinder,
  versions: readonly string[],
): Resource {
  const [plural, kind, singular, scope, verbs, shortNames, categories, subresources] = row
  const apiVersion = formatApiVersion({ group, version })
  const builtIn = builtInKind(group, kind)
  return {
    group,
    version,
    apiVersion,
    plural,
    singular,
    kind,
    listKind: `${kind}List`,
    namespaced: scope === "N",
    verbs: verbsOf(verbs),
    shortNames,
    categories,
    subresources: subresources.map(([name, subKind, subVersion, subVerbs]) => ({
      name,
      kind: subKind,
      apiVersion: subVersion === "" ? apiVersion : subVersion,
      verbs: verbsOf(subVerbs),
    })),
    // A server of the same release stores objects at the most preferred version.
    storageVersion: versions[0] ?? apiVersion,
    versions,
    types,
    converter: builtInConverter,
    ...(builtIn !== undefined && { builtIn }),
    ...(builtIn?.deprecation !== undefined && { deprecation: `${apiVersion} ${kind} is ${builtIn.deprecation}` }),
  }
}

function verbsOf(letters: string): Verb[] {
  return Array.from(letters, letter => verbOf[letter]).filter(verb => verb !== undefined)
}
