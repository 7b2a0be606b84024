// CustomResourceDefinitions: what the server does when one is stored or goes. A definition is established at once.
import { formatTime } from "../../managedfields/entries/time.js"
import { listAt, mapAt, textAt, withKeys } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { isMap, type MapValue } from "../../value/value.js"

/** The definition with names filled in, and with the status of one that is served. */
export function established(definition: MapValue, now: Date): MapValue {
  const spec = mapAt(definition, "spec")
  const names = withDefaultNames(mapAt(spec, "names"))
  const versions = listAt(spec, "versions").filter(isMap)
  const status = mapAt(definition, "status")
  const stored = versions.filter(version => version.storage === true).map(version => textAt(version, "name"))
  const before = listAt(status, "storedVersions")
  const conditions = own(status, "conditions")
  return withKeys(definition, {
    spec: withKeys(spec, { names, conversion: own(spec, "conversion") ?? { strategy: "None" } }),
    status: {
      conditions: conditions ?? conditionsAt(formatTime(now)),
      acceptedNames: names,
      storedVersions: [...before, ...stored.filter(name => !before.includes(name))],
    },
  })
}

/** What the server itself fills in of the names: those that follow from the kind, if there is one. */
export function withDefaultNames(names: MapValue): MapValue {
  const kind = textAt(names, "kind")
  const singular = textAt(names, "singular") || kind.toLowerCase()
  return withKeys(names, { singular, listKind: textAt(names, "listKind") || (kind && `${kind}List`) })
}

function conditionsAt(lastTransitionTime: string): MapValue[] {
  const condition = (type: string, reason: string, message: string): MapValue => {
    return { type, status: "True", lastTransitionTime, reason, message }
  }
  return [
    condition("NamesAccepted", "NoConflicts", "no conflicts found"),
    condition("Established", "InitialNamesAccepted", "the initial names have been accepted"),
  ]
}

/** The name that a definition has to have: that of its resource. */
export function expectedName(definition: MapValue): string {
  const spec = mapAt(definition, "spec")
  return `${textAt(mapAt(spec, "names"), "plural")}.${textAt(spec, "group")}`
}

export function isDefinition(object: MapValue): boolean {
  return object.kind === "CustomResourceDefinition"
}
