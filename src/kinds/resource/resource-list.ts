// Reads the resources that a server lists for a group and version, a document of kind APIResourceList.
import { mapsAt, textAt, textsAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import type { MapValue } from "../../value/value.js"

/** Returns the resources of the list, without subresources. */
export function listedResources(list: MapValue) {
  return mapsAt(list, "resources")
    .filter(resource => !textAt(resource, "name").includes("/"))
    .map(resource => ({
      kind: textAt(resource, "kind"),
      plural: textAt(resource, "name"),
      singular: textAt(resource, "singularName"),
      shortNames: textsAt(resource, "shortNames"),
      categories: textsAt(resource, "categories"),
      namespaced: own(resource, "namespaced") === true,
      verbs: textsAt(resource, "verbs"),
    }))
}
