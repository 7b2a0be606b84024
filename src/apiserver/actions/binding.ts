// Binds a Pod to a node, as a scheduler asks for it: `pods/NAME/binding`, or `bindings`.

import { conflict, joinFieldErrors, RequestFailure } from "../../kinds/refusal/failure.js"
import { storeKey } from "../../kinds/resource/resource.js"
import type { Field } from "../../kinds/validation/field.js"
import { dnsSubdomain } from "../../kinds/validation/names.js"
import { problemsBy } from "../../kinds/validation/validate.js"
import { metadataOf, metaText, withMetadata } from "../../schema/metadata.js"
import { listAt, mapAt, textAt, withKeys } from "../../value/fields.js"
import { own } from "../../value/object.js"
import type { MapValue } from "../../value/value.js"
import { type Action, type ActionContext, type ActionTarget, requireName, success } from "./action.js"
import { existing, resourceNamed, withTrueCondition } from "./objects.js"

export const binding: Action = {
  admit: withTopology,
  check(body, target) {
    requireName(body, target)
    const problems = problemsBy({ "": checkTarget }, "", body, undefined)
    if (problems.length > 0) throw new RequestFailure(500, joinFieldErrors(problems))
    return body
  },
  act(body, target, context) {
    const pods = resourceNamed(context, "", "pods")
    const pod = existing(context, "pods", target.namespace, target.name)
    requireVersion(body, pod, target)
    const refusal = unbindable(pod)
    if (refusal !== undefined) throw conflict({ group: "", name: "pods/binding" }, target.name, refusal)
    if (!target.dryRun) context.store.put(storeKey(pods), bound(pod, body, context.clock()))
    return success
  },
}

function checkTarget(body: Field): void {
  const kind = body.at("target", "kind")
  const name = body.at("target", "name")
  const isNode = kind.text === "" || kind.text === "Node"
  if (!isNode) kind.notSupported(["Node", "<empty>"])
  if (name.text === "") name.required()
  else if (isNode) name.check(dnsSubdomain)
}

/** The labels of a node that its Pods get. */
const topologyLabels = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"]

/** Adds the labels of the node, as the plugin PodTopologyLabels does. */
function withTopology(body: MapValue, { store }: ActionContext): MapValue {
  const target = mapAt(body, "target")
  const node = textAt(target, "kind") === "Node" ? store.get("/nodes", "", textAt(target, "name")) : undefined
  if (node === undefined) return body
  const labels = mapAt(metadataOf(node), "labels")
  const given = topologyLabels.filter(key => own(labels, key) !== undefined)
  if (given.length === 0) return body
  const copied = Object.fromEntries(given.map(key => [key, own(labels, key)]))
  return withMetadata(body, { labels: withKeys(mapAt(metadataOf(body), "labels"), copied) })
}

/** Throws a RequestFailure if the binding is for another Pod of this name, or for another version of the Pod. */
function requireVersion(body: MapValue, pod: MapValue, { namespace, name }: ActionTarget): void {
  const preconditions = [
    ["UID", "uid"],
    ["ResourceVersion", "resourceVersion"],
  ] as const
  for (const [what, key] of preconditions) {
    const [wanted, actual] = [metaText(body, key), metaText(pod, key)]
    if (wanted === "" || wanted === actual) continue
    const why = `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${actual}`
    const error = `StorageError: invalid object, Code: 4, Key: /registry/pods/${namespace}/${name}, ResourceVersion: 0`
    throw conflict({ group: "", name: "pods" }, name, `${error}, AdditionalErrorMsg: ${why}`)
  }
}

/** Returns the reason why the Pod can't be bound; undefined if it can. */
function unbindable(pod: MapValue): string | undefined {
  const name = metaText(pod, "name")
  const spec = mapAt(pod, "spec")
  const node = textAt(spec, "nodeName")
  if (metaText(pod, "deletionTimestamp") !== "") return `pod ${name} is being deleted, cannot be assigned to a host`
  if (node !== "") return `pod ${name} is already assigned to node ${JSON.stringify(node)}`
  if (listAt(spec, "schedulingGates").length > 0) return `pod ${name} has non-empty .spec.schedulingGates`
  return undefined
}

/** Returns the Pod on its node, with the annotations and labels of the binding. Nobody owns these fields. */
function bound(pod: MapValue, body: MapValue, now: Date): MapValue {
  const labels = merged(pod, body, "labels")
  const annotations = merged(pod, body, "annotations")
  const spec = withKeys(mapAt(pod, "spec"), { nodeName: textAt(mapAt(body, "target"), "name") })
  const status = withKeys(mapAt(pod, "status"), { nominatedNodeName: undefined })
  return withTrueCondition(withMetadata(withKeys(pod, { spec, status }), { labels, annotations }), "PodScheduled", now)
}

function merged(pod: MapValue, body: MapValue, key: "labels" | "annotations"): MapValue | undefined {
  const all = withKeys(mapAt(metadataOf(pod), key), mapAt(metadataOf(body), key))
  return Object.keys(all).length > 0 ? all : undefined
}
