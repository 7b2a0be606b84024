// Rules of roles: what they allow, and which rights in one list of rules another list lacks.

import type { Access } from "../../kinds/policy/authorizer.js"
import { compareStrings } from "../../value/compare.js"
import { textsAt } from "../../value/fields.js"
import { quoteGo } from "../../value/quote.js"
import type { MapValue } from "../../value/value.js"

/** A rule of a role. */
export interface Rule {
  readonly verbs: readonly string[]
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames: readonly string[]
  readonly nonResourceURLs: readonly string[]
}

/** Reads a rule; the lists that it lacks are empty. */
export function readRule(rule: MapValue): Rule {
  const [verbs, apiGroups, resources] = [textsAt(rule, "verbs"), textsAt(rule, "apiGroups"), textsAt(rule, "resources")]
  return {
    verbs,
    apiGroups,
    resources,
    resourceNames: textsAt(rule, "resourceNames"),
    nonResourceURLs: textsAt(rule, "nonResourceURLs"),
  }
}

const hasOrAll = (list: readonly string[], item: string) => list.includes("*") || list.includes(item)

/** Whether the rule allows an access. */
export function allows(rule: Rule, access: Access): boolean {
  if (!hasOrAll(rule.verbs, access.verb)) return false
  if ("path" in access) return rule.nonResourceURLs.some(url => coversPath(url, access.path))
  const { group, resource, subresource, name } = access
  const whole = subresource === "" ? resource : `${resource}/${subresource}`
  return (
    hasOrAll(rule.apiGroups, group) &&
    (hasOrAll(rule.resources, whole) || (subresource !== "" && rule.resources.includes(`*/${subresource}`))) &&
    (rule.resourceNames.length === 0 || rule.resourceNames.includes(name))
  )
}

/** Whether a URL of a rule, which may end with `*`, covers a path or another such URL. */
function coversPath(url: string, path: string): boolean {
  return url === path || (url.endsWith("*") && path.startsWith(url.replace(/\*+$/, "")))
}

/** One right: no list has more than one item. */
interface Right {
  readonly verb: string
  /** Absent for a right to a URL. */
  readonly resource?: { readonly group: string; readonly resource: string; readonly name: string | undefined }
  readonly url?: string
}

function rightsOf({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: Rule): Right[] {
  const names = resourceNames.length === 0 ? [undefined] : resourceNames
  const forResources = apiGroups.flatMap(group =>
    resources.flatMap(resource =>
      verbs.flatMap(verb => names.map((name): Right => ({ verb, resource: { group, resource, name } }))),
    ),
  )
  return [...forResources, ...nonResourceURLs.flatMap(url => verbs.map(verb => ({ verb, url })))]
}

function covers(rule: Rule, { verb, resource: wanted, url }: Right): boolean {
  if (!hasOrAll(rule.verbs, verb)) return false
  if (url !== undefined)
    return rule.nonResourceURLs.some(each => coversPath(each, url)) && rule.resourceNames.length === 0
  if (wanted === undefined) return false
  const { group, resource, name } = wanted
  const [, subresource] = resource.split(/\/(.*)/s)
  return (
    hasOrAll(rule.apiGroups, group) &&
    (hasOrAll(rule.resources, resource) ||
      (subresource !== undefined && rule.resources.includes(`*/${subresource}`))) &&
    (rule.resourceNames.length === 0 || (name !== undefined && rule.resourceNames.includes(name)))
  )
}

/** Describes the rights in `granted` that `held` lacks, in a server's words: a line for each resource. */
export function missingRights(held: readonly Rule[], granted: readonly Rule[]): string[] {
  const missing = granted.flatMap(rightsOf).filter(right => !held.some(rule => covers(rule, right)))
  const lines = new Map<string, string[]>()
  for (const { verb, resource, url } of missing) {
    const key =
      resource === undefined
        ? `NonResourceURLs:${quoted([url ?? ""])}, Verbs:${quoted([verb])}`
        : [
            `APIGroups:${quoted([resource.group])}`,
            `Resources:${quoted([resource.resource])}`,
            ...(resource.name === undefined ? [] : [`ResourceNames:${quoted([resource.name])}`]),
          ].join(", ")
    const verbs = lines.get(key)
    if (verbs === undefined) lines.set(key, resource === undefined ? [] : [verb])
    else if (resource !== undefined) verbs.push(verb)
  }
  const texts = [...lines].map(([key, verbs]) => `{${verbs.length === 0 ? key : `${key}, Verbs:${quoted(verbs)}`}}`)
  return texts.sort(compareStrings)
}

/** Returns a list of texts as Go prints it. */
export function quoted(texts: readonly string[]): string {
  return `[${texts.map(quoteGo).join(" ")}]`
}
