// What new objects get from the server itself: a generated name, and what some built-in kinds begin with.
import { isEmptyMap, own, put } from "../value/object.js"
import type { MapValue, Value } from "../value/value.js"
import { listAt, mapAt, metadataOf, metaText, withKeys, withMetadata } from "./metadata.js"

/** The object with what its kind gets when it is created. */
export function newObject(object: MapValue): MapValue {
  switch (`${object.apiVersion} ${object.kind}`) {
    case "v1 Namespace":
      return newNamespace(object)
    case "v1 PersistentVolume":
    case "v1 PersistentVolumeClaim":
    case "v1 Pod":
      return withPhase(object, "Pending")
    default:
      return object
  }
}

/** A namespace has a label with its name, and a finalizer of its own. */
function newNamespace(object: MapValue): MapValue {
  const labels = withKeys(mapAt(metadataOf(object), "labels"), {
    "kubernetes.io/metadata.name": metaText(object, "name"),
  })
  const spec = mapAt(object, "spec")
  const finalizers = listAt(spec, "finalizers")
  const held = finalizers.includes("kubernetes") ? finalizers : [...finalizers, "kubernetes"]
  return withPhase(withKeys(withMetadata(object, { labels }), { spec: withKeys(spec, { finalizers: held }) }), "Active")
}

function withPhase(object: MapValue, phase: string): MapValue {
  return withKeys(object, { status: withKeys(mapAt(object, "status"), { phase }) })
}

/** `stringData` is for writing only: it becomes `data`. */
export function withStringData(object: MapValue): MapValue {
  const given = own(object, "stringData")
  if (given === undefined || object.kind !== "Secret" || object.apiVersion !== "v1") return object
  const data: Record<string, Value> = { ...mapAt(object, "data") }
  const texts = mapAt(object, "stringData")
  for (const key in texts) put(data, key, base64(String(own(texts, key))))
  return withKeys(object, { data: isEmptyMap(data) ? undefined : data, stringData: undefined })
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)))
}

/** The letters of generated names: without vowels, and without what looks like one. */
const letters = "bcdfghjklmnpqrstvwxz2456789"

/** The object with a name, if it has none and says what its name is to begin with. */
export function withGeneratedName(object: MapValue): MapValue {
  const prefix = metaText(object, "generateName")
  if (prefix === "" || metaText(object, "name") !== "") return object
  const random = crypto.getRandomValues(new Uint32Array(5))
  const suffix = Array.from(random, number => letters[number % letters.length]).join("")
  // A name has 63 characters at most.
  return withMetadata(object, { name: prefix.slice(0, 58) + suffix })
}
