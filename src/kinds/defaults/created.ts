// What new objects get from the server itself: a generated name, and what some built-in kinds begin with.

import { listAt, mapAt, metadataOf, metaText, withKeys, withMetadata } from "../../requests/metadata.js"
import { base64 } from "../../value/bytes.js"
import { isEmptyMap, own, put } from "../../value/object.js"
import type { MapValue, Value } from "../../value/value.js"
import { qosClassOf } from "./pods.js"
import { withKeptAddresses } from "./service-addresses.js"

/** The object with what its kind gets when it is created. */
export function newObject(object: MapValue): MapValue {
  switch (`${object.apiVersion} ${object.kind}`) {
    case "v1 Namespace":
      return newNamespace(object)
    case "batch/v1 Job":
      return withSelector(object)
    case "v1 PersistentVolume":
      return withPhase(withFinalizer(object, "kubernetes.io/pv-protection"), "Pending")
    case "v1 PersistentVolumeClaim":
      return withPhase(withFinalizer(object, "kubernetes.io/pvc-protection"), "Pending")
    case "v1 Service":
      return withKeptAddresses(object, undefined)
    case "v1 Pod":
      return withKeys(object, { status: { phase: "Pending", qosClass: qosClassOf(mapAt(object, "spec")) } })
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

/** A Job that does not select its Pods by hand does so by its uid. */
function withSelector(job: MapValue): MapValue {
  const spec = mapAt(job, "spec")
  if (spec.manualSelector === true) return job
  const [name, uid] = [metaText(job, "name"), metaText(job, "uid")]
  const generated = {
    "batch.kubernetes.io/controller-uid": uid,
    "batch.kubernetes.io/job-name": name,
    "controller-uid": uid,
    "job-name": name,
  }
  const template = mapAt(spec, "template")
  const labels = { ...generated, ...mapAt(metadataOf(template), "labels") }
  const selector = mapAt(spec, "selector")
  const matchLabels = { "batch.kubernetes.io/controller-uid": uid, ...mapAt(selector, "matchLabels") }
  return withKeys(job, {
    spec: withKeys(spec, {
      selector: withKeys(selector, { matchLabels }),
      template: withMetadata(template, { labels }),
    }),
  })
}

function withFinalizer(object: MapValue, finalizer: string): MapValue {
  const finalizers = listAt(metadataOf(object), "finalizers")
  return finalizers.includes(finalizer) ? object : withMetadata(object, { finalizers: [...finalizers, finalizer] })
}

/** `stringData` is for writing only: it becomes `data`. */
export function withStringData(object: MapValue): MapValue {
  const given = own(object, "stringData")
  if (given === undefined || object.kind !== "Secret" || object.apiVersion !== "v1") return object
  const data: Record<string, Value> = { ...mapAt(object, "data") }
  const texts = mapAt(object, "stringData")
  for (const key in texts) put(data, key, base64(new TextEncoder().encode(String(own(texts, key)))))
  return withKeys(object, { data: isEmptyMap(data) ? undefined : data, stringData: undefined })
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
