// Discovery: the served groups, versions and resources, in the aggregated and in the older form, and the release at /version.

import { noSuchResource } from "../../kinds/refusal/failure.js"
import { recordedVersion } from "../../kinds/resource/built-in-data.js"
import type { Resource } from "../../kinds/resource/resource.js"
import { parseKind } from "../../schema/group-version-kind.js"
import { base64 } from "../../value/bytes.js"
import { compareStrings } from "../../value/compare.js"
import { groupBy } from "../../value/groups.js"
import { sha256 } from "../../value/sha256.js"
import type { MapValue, Value } from "../../value/value.js"

/** A group with its versions, the preferred version first. */
interface Group {
  readonly name: string
  readonly versions: readonly { readonly version: string; readonly resources: readonly Resource[] }[]
}

function groupResources(resources: readonly Resource[]): Group[] {
  return [...groupBy(resources, ({ group }) => group)].map(([name, inGroup]) => ({
    name,
    versions: [...groupBy(inGroup, ({ version }) => version)]
      .map(([version, inVersion]) => ({ version, resources: inVersion }))
      // The versions of a built-in group stay in the order of the table; those of custom resources are sorted by maturity.
      .sort((a, b) => (a.resources[0]?.custom === undefined ? 0 : comparePriority(a.version, b.version))),
  }))
}

/** Orders stable versions before beta before alpha, higher numbers first, and other names after them by name. */
function comparePriority(a: string, b: string): number {
  const [x, y] = [versionRank(a), versionRank(b)]
  for (let i = 0; i < x.length; i++) {
    const difference = (y[i] as number) - (x[i] as number)
    if (difference !== 0) return difference
  }
  return compareStrings(a, b)
}

function versionRank(version: string): [stage: number, major: number, minor: number] {
  const [, major, stage, minor] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? []
  if (major === undefined) return [0, 0, 0]
  return [stage === undefined ? 3 : stage === "beta" ? 2 : 1, Number(major), Number(minor ?? 0)]
}

/** Returns the aggregated discovery for `/api` (the core group) or `/apis` (all other groups). */
export function aggregatedDiscovery(resources: readonly Resource[], core: boolean, version: string): MapValue {
  const groups = groupResources(resources).filter(({ name }) => (name === "") === core)
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
    responseKind: groupVersionKind(apiVersion, kind),
    scope: namespaced ? "Namespaced" : "Cluster",
    singularResource: singular,
    verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(subresources.length > 0 && {
      subresources: subresources.map(sub => ({
        subresource: sub.name,
        responseKind: groupVersionKind(sub.apiVersion, sub.kind),
        verbs: sub.verbs,
      })),
    }),
  }
}

function groupVersionKind(apiVersion: string, name: string): MapValue {
  const { group, version, kind } = parseKind(apiVersion, name)
  return { group, version, kind }
}

/** Returns the older discovery at a path below `/api` or `/apis`. Throws a RequestFailure for an unknown path. */
export function discovery(resources: readonly Resource[], parts: readonly string[], host: string): MapValue {
  const [root, first, second] = parts
  if (root === "api") {
    if (first !== undefined) return resourceList(resources, "", first)
    const addresses = [{ clientCIDR: "0.0.0.0/0", serverAddress: host }]
    return { kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs: addresses }
  }
  const groups = groupResources(resources).filter(({ name }) => name !== "")
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
  const served = resources.filter(resource => resource.group === group && resource.version === version)
  if (served.length === 0) throw noSuchResource()
  return {
    kind: "APIResourceList",
    ...(group !== "" && { apiVersion: "v1" }),
    groupVersion: group === "" ? version : `${group}/${version}`,
    resources: served.flatMap(resourceEntries),
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
    ...storageHash(resource),
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

/** Returns a hash of the stored kind; nothing for a resource that is not stored, which no client can watch either. */
function storageHash({ verbs, versions, storageVersion, kind }: Resource): { readonly storageVersionHash?: string } {
  if (!verbs.includes("watch") || !versions.includes(storageVersion)) return {}
  const { group, version } = parseKind(storageVersion, kind)
  const digest = sha256(new TextEncoder().encode(`${group}/${version}/${kind}`))
  return { storageVersionHash: base64(digest.subarray(0, 8)) }
}

function groupAndVersion(apiVersion: string): MapValue {
  const { group, version } = parseKind(apiVersion, "")
  return { ...(group !== "" && { group }), version }
}

/** Returns the content of `/version`: the release whose kinds the server has. */
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
