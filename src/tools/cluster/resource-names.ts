// Finds the resources that a word names, as kubectl does: plural, singular, kind or short name, with or without version and group, or a
// category.
import { didYouMean } from "../../value/nearest.js"
import type { ClusterResource } from "./discovery.js"
import { ClusterError } from "./requests.js"

/** Returns the resource that the word names, or several for a category. Throws a ClusterError for any other word. */
export function namedResources(resources: readonly ClusterResource[], word: string): readonly ClusterResource[] {
  const found = namedResource(resources, word)
  if (found !== undefined) return [found]
  const inCategory = preferredVersions(resources.filter(({ categories }) => categories.includes(word)))
  if (inCategory.length > 0) return inCategory
  const names = resources.flatMap(({ plural, singular, shortNames }) => [plural, singular, ...shortNames])
  const close = didYouMean(
    word,
    names.filter(name => name !== ""),
  )
  throw new ClusterError(`the server doesn't have a resource type "${word}"${close}`, {
    status: 404,
    reason: "NotFound",
  })
}

/** The words before and after the dots: `deployments.v1.apps` may name a version and a group, or the group `v1.apps`. */
function namedResource(resources: readonly ClusterResource[], word: string): ClusterResource | undefined {
  const [name = "", second, ...rest] = word.split(".")
  const lowerCase = name.toLowerCase()
  if (second === undefined) return find(resources, lowerCase)
  const group = rest.join(".")
  const versioned = resources.filter(resource => resource.version === second && resource.group === group)
  const grouped = resources.filter(resource => resource.group === [second, ...rest].join("."))
  return (rest.length > 0 ? find(versioned, lowerCase) : undefined) ?? find(grouped, lowerCase)
}

function find(resources: readonly ClusterResource[], name: string): ClusterResource | undefined {
  return (
    resources.find(({ plural, singular, kind }) => [plural, singular, kind.toLowerCase()].includes(name)) ??
    resources.find(({ shortNames }) => shortNames.includes(name))
  )
}

/** Returns the first version of each resource. */
export function preferredVersions(resources: readonly ClusterResource[]): readonly ClusterResource[] {
  const found = new Map<string, ClusterResource>()
  for (const resource of resources) {
    const key = `${resource.group}/${resource.plural}`
    if (!found.has(key)) found.set(key, resource)
  }
  return [...found.values()]
}
