// Discovery: which groups, versions and resources are served, in the aggregated form and in the older one; and which release.

import { noSuchResource } from "../../kinds/refusal/failure.js"
import { recordedVersion } from "../../kinds/resource/built-in-data.js"
import type { Resource } from "../../kinds/resource/resource.js"
import { parseKind } from "../../schema/group-version-kind.js"
import { compareStrings } from "../../value/compare.js"
import type { MapValue, Value } from "../../value/value.js"

/** The versions of a group, the preferred one first. */
interface Group {
  readonly name: string
  readonly versions: readonly { readonly version: string; readonly resources: readonly Resource[] }[]
}

function groupsOf(resources: readonly Resource[]): Group[] {
  const groups = new Map<string, Map<string, Resource[]>>()
  for (const resource of resources) {
    let versions = groups.get(resource.group)
    if (versions === undefined) groups.set(resource.group, (versions = new Map()))
    const known = versions.get(resource.version)
    if (known === undefined) versions.set(resource.version, [resource])
    else known.push(resource)
  }
  return [...groups].map(([name, versions]) => ({
    name,
    versions: [...versions]
      .map(([version, found]) => ({ version, resources: found }))
      // Built-in groups come in their order; those of custom resources in that of maturity.
      .sort((a, b) => (a.resources[0]?.custom === undefined ? 0 : comparePriority(a.version, b.version))),
  }))
}

/** Stable versions before beta before alpha, the highest number first; all others behind, by name. */
function comparePriority(a: string, b: string): number {
  const [x, y] = [rankOf(a), rankOf(b)]
  for (let i = 0; i < x.length; i++) {
    const difference = (y[i] as number) - (x[i] as number)
    if (difference !== 0) return difference
  }
  return compareStrings(a, b)
}

function rankOf(version: string): [stage: number, major: number, minor: number] {
  const [, major, stage, minor] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? []
  if (major === undefined) return [0, 0, 0]
  return [stage === undefined ? 3 : stage === "beta" ? 2 : 1, Number(major), Number(minor ?? 0)]
}

/** The aggregated discovery of `/api` (the core group) or of `/apis` (all others). */
export function aggregatedDiscovery(resources: readonly Resource[], core: boolean, version: string): MapValue {
  const groups = groupsOf(resources).filter(({ name }) => (name === "") === core)
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: name === "" ? {} : { name },
      versions: versions.map(each => ({
        version: each.version,
        resources: each.resources.map(aggregatedResource),
        freshness: "Current",
      })),
    })),
  }
}

function aggregatedResource(resource: Resource): MapValue {
  const { plural, kind, singular, namespaced, verbs, shortNames, categories, subresources, apiVersion } = resource
  return {
    resource: plural,
    responseKind: kindAt(apiVersion, kind),
    scope: namespaced ? "Namespaced" : "Cluster",
    singularResource: singular,
    verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(subresources.length > 0 && {
      subresources: subresources.map(sub => ({
        subresource: sub.name,
        responseKind: kindAt(sub.apiVersion, sub.kind),
        verbs: sub.verbs,
      })),
    }),
  }
}

function kindAt(apiVersion: string, name: string): MapValue {
  const { group, version, kind } = parseKind(apiVersion, name)
  return { group, version, kind }
}

/** The older discovery at a path below `/api` or `/apis`. Throws a RequestFailure if nothing is there. */
export function discovery(resources: readonly Resource[], parts: readonly string[], host: string): MapValue {
  const [root, first, second] = parts
  if (root === "api") {
    if (first !== undefined) return resourceList(resources, "", first)
    const addresses = [{ clientCIDR: "0.0.0.0/0", serverAddress: host }]
    return { kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs: addresses }
  }
  const groups = groupsOf(resources).filter(({ name }) => name !== "")
  if (first === undefined) return { kind: "APIGroupList", apiVersion: "v1", groups: groups.map(groupEntry) }
  if (second !== undefined) return resourceList(resources, first, second)
  const group = groups.find(({ name }) => name === first)
  if (group === undefined) throw noSuchResource()
  return { kind: "APIGroup", apiVersion: "v1", ...groupEntry(group) }
}

function groupEntry({ name, versions }: Group): { readonly [key: string]: Value } {
  const entries = versions.map(({ version }) => ({ groupVersion: `${name}/${version}`, version }))
  return { name, versions: entries, preferredVersion: entries[0] as MapValue }
}

function resourceList(resources: readonly Resource[], group: string, version: string): MapValue {
  const found = resources.filter(resource => resource.group === group && resource.version === version)
  if (found.length === 0) throw noSuchResource()
  return {
    kind: "APIResourceList",
    ...(group !== "" && { apiVersion: "v1" }),
    groupVersion: group === "" ? version : `${group}/${version}`,
    resources: found.flatMap(resourceEntries),
  }
}

function resourceEntries(resource: Resource): MapValue[] {
  const { plural, singular, namespaced, kind, verbs, shortNames, categories, subresources, apiVersion } = resource
  const main = {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
  }
  const others = subresources.map(sub => ({
    name: `${plural}/${sub.name}`,
    singularName: "",
    namespaced,
    ...(sub.apiVersion !== apiVersion && groupAndVersion(sub.apiVersion)),
    kind: sub.kind,
    verbs: sub.verbs,
  }))
  return [main, ...others]
}

function groupAndVersion(apiVersion: string): MapValue {
  const { group, version } = parseKind(apiVersion, "")
  return { ...(group !== "" && { group }), version }
}

/** What `/version` says: the release whose kinds are served. */
export function versionInfo(): MapValue {
  const [, major = "", minor = ""] = /^v(\d+)\.(\d+)/.exec(recordedVersion) ?? []
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
    gitVersion: recordedVersion,
    gitCommit: "",
    gitTreeState: "clean",
    buildDate: "1970-01-01T00:00:00Z",
    goVersion: "",
    compiler: "",
    platform: "javascript",
  }
}
