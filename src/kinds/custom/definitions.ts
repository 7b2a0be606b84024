// The changes that the server makes to a CustomResourceDefinition when it stores it. A definition is established right after it is created.
import { formatTime } from "../../managedfields/entries/time.js"
import { listAt, mapAt, textAt, withKeys } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { isMap, type MapValue } from "../../value/value.js"

/** Returns the definition with the status of a definition that is served. */
export function established(definition: MapValue, now: Date): MapValue {
  const spec = mapAt(definition, "spec")
  const status = mapAt(definition, "status")
  const before = listAt(status, "storedVersions")
  const stored = listAt(newStatus(definition), "storedVersions")
  return withKeys(definition, {
    status: {
      conditions: own(status, "conditions") ?? conditionsAt(formatTime(now)),
      acceptedNames: mapAt(spec, "names"),
      storedVersions: [...before, ...stored.filter(name => !before.includes(name))],
    },
  })
}

/** Returns the status of a new definition, before its names are accepted. */
export function newStatus(definition: MapValue): MapValue {
  const versions = listAt(mapAt(definition, "spec"), "versions").filter(isMap)
  const stored = versions.filter(version => version.storage === true).map(version => textAt(version, "name"))
  return { conditions: null, acceptedNames: { plural: "", kind: "" }, storedVersions: stored }
}

/** Fills in the names that follow from the kind, as the server does. */
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

/** Returns the name that a definition must have, which is the name of its resource. */
export function expectedName(definition: MapValue): string {
  const spec = mapAt(definition, "spec")
  return `${textAt(mapAt(spec, "names"), "plural")}.${textAt(spec, "group")}`
}

export function isDefinition(object: MapValue): boolean {
  return object.kind === "CustomResourceDefinition"
}
