// Finds the requests that a policy, a binding or a webhook applies to: by rules for resources, and by selectors for objects and namespaces.

import { notFound } from "../../kinds/refusal/failure.js"
import { type Resource, storeKey } from "../../kinds/resource/resource.js"
import { Field } from "../../kinds/validation/field.js"
import { selects } from "../../kinds/validation/labels.js"
import { metadataOf, metaText } from "../../schema/metadata.js"
import { mapAt, mapsAt, textAt, textsAt } from "../../value/fields.js"
import { isEmptyMap, own } from "../../value/object.js"
import type { MapValue } from "../../value/value.js"
import type { Attributes, Cluster } from "../attributes.js"

/**
 * Returns the resource at the version that `match` selects: the version of the request, or an equivalent one. Returns undefined if `match` does
 * not select the request. `match` has the fields of MatchResources. Throws a RequestFailure if the namespace does not exist.
 */
export function matchedResource(match: MapValue, request: Attributes, cluster: Cluster): Resource | undefined {
  const namespaces = mapAt(match, "namespaceSelector")
  const isNamespace = request.resource.plural === "namespaces" && request.resource.group === ""
  const isSelected =
    (request.namespace === "" && !isNamespace) ||
    isEmptySelector(namespaces) ||
    selectsLabels(namespaces, () => namespaceLabels(request, cluster))
  if (!isSelected) return undefined
  const objects = mapAt(match, "objectSelector")
  const { object, oldObject } = request
  const candidates = [object, oldObject].filter(each => each !== undefined)
  if (!isEmptySelector(objects) && !candidates.some(each => selectsObject(objects, each))) return undefined
  const policy = textAt(match, "matchPolicy")
  if (resourceByRules(mapsAt(match, "excludeResourceRules"), policy, request, cluster) !== undefined) return undefined
  const rules = mapsAt(match, "resourceRules")
  return rules.length === 0 ? request.resource : resourceByRules(rules, policy, request, cluster)
}

/** Returns the resource that a rule selects: the one of the request, or an equivalent one if the policy allows it. Undefined if no rule does. */
function resourceByRules(
  rules: readonly MapValue[],
  policy: string,
  request: Attributes,
  cluster: Cluster,
): Resource | undefined {
  if (rules.some(rule => matchesRule(rule, request, request.resource))) return request.resource
  if (policy === "Exact" || rules.length === 0) return undefined
  return equivalentsOf(request.resource, cluster).find(other => rules.some(rule => matchesRule(rule, request, other)))
}

/** Returns the resource at its other versions, in all its groups. */
function equivalentsOf(resource: Resource, { findKind }: Cluster): Resource[] {
  return resource.versions
    .filter(version => version !== resource.apiVersion)
    .flatMap(version => findKind(version, resource.kind) ?? [])
    .filter(other => storeKey(other) === storeKey(resource))
}

function matchesRule(rule: MapValue, request: Attributes, { group, version, plural, builtIn }: Resource): boolean {
  const includes = (key: string, value: string) => textsAt(rule, key).some(each => each === "*" || each === value)
  const scope = textAt(rule, "scope")
  const isNamespaced = request.namespace !== "" && builtIn?.emptied === undefined
  const names = textsAt(rule, "resourceNames")
  return (
    (scope === "Namespaced" ? isNamespaced : scope === "Cluster" ? !isNamespaced : true) &&
    includes("operations", request.operation) &&
    includes("apiGroups", group) &&
    includes("apiVersions", version) &&
    textsAt(rule, "resources").some(each => {
      const [name = "", sub = ""] = each.split(/\/(.*)/s)
      return (name === "*" || name === plural) && (sub === "*" || sub === request.subresource)
    }) &&
    (names.length === 0 || names.includes(request.name))
  )
}

function isEmptySelector(selector: MapValue): boolean {
  return isEmptyMap(mapAt(selector, "matchLabels")) && mapsAt(selector, "matchExpressions").length === 0
}

/** Whether a label selector selects an object. */
export function selectsObject(selector: MapValue, object: MapValue): boolean {
  return selectsLabels(selector, () => mapAt(metadataOf(object), "labels"))
}

function selectsLabels(selector: MapValue, labels: () => MapValue): boolean {
  return selects(new Field(selector, "", []), new Field(labels(), "", []))
}

function namespaceLabels({ resource, subresource, operation, namespace, object }: Attributes, cluster: Cluster) {
  const isWritten = resource.plural === "namespaces" && subresource === "" && operation !== "DELETE"
  return mapAt(metadataOf((isWritten && object) || namespaceOf(namespace, cluster)), "labels")
}

/** Returns a stored Namespace. Throws a RequestFailure if it does not exist. */
export function namespaceOf(name: string, { get }: Cluster): MapValue {
  const found = get("/namespaces", "", name)
  if (found === undefined) throw notFound({ group: "", name: "namespaces" }, name)
  return found
}

/** Returns an object of the request at the version of `resource`. */
export function atResource(object: MapValue, from: Resource, resource: Resource, { endpointOf }: Cluster): MapValue {
  if (own(object, "apiVersion") === resource.apiVersion || from === resource) return object
  return endpointOf(resource).view(endpointOf(from).toStorage(object))
}

/** Orders objects by name. A server visits them in no fixed order. */
export const byName = (a: MapValue, b: MapValue) => (metaText(a, "name") < metaText(b, "name") ? -1 : 1)
