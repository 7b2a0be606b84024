// Gives ClusterRoles with an aggregationRule the rules of the roles that it selects, as a controller of a cluster does.

import { metaText } from "../../schema/metadata.js"
import { equalValues } from "../../value/equal.js"
import { mapAt, mapsAt } from "../../value/fields.js"
import { isMap, type MapValue } from "../../value/value.js"
import { byName, selectsObject } from "../../write/admission/match.js"

/** Returns the names and rules of the roles whose rules have to change. `roles` are all ClusterRoles. */
export function outdatedAggregates(
  roles: readonly MapValue[],
): { readonly name: string; readonly rules: MapValue[] }[] {
  const sorted = [...roles].sort(byName)
  return sorted.flatMap(role => {
    if (!isMap(role.aggregationRule)) return []
    const rules: MapValue[] = []
    for (const selector of mapsAt(mapAt(role, "aggregationRule"), "clusterRoleSelectors")) {
      const chosen = sorted.filter(other => other !== role && selectsObject(selector, other))
      for (const rule of chosen.flatMap(other => mapsAt(other, "rules"))) {
        if (!rules.some(known => equalValues(known, rule))) rules.push(rule)
      }
    }
    return equalValues(rules, mapsAt(role, "rules")) ? [] : [{ name: metaText(role, "name"), rules }]
  })
}
