// Services: one EndpointSlice with the addresses of the selected Pods.

import { formatTime } from "../../../managedfields/entries/time.js"
import { metadataOf, metaText, withMetadata } from "../../../schema/metadata.js"
import { equalValues } from "../../../value/equal.js"
import { mapsAt, textAt, withKeys } from "../../../value/fields.js"
import { isIPv6 } from "../../../value/ip.js"
import { own } from "../../../value/object.js"
import { isMap, type MapValue } from "../../../value/value.js"
import {
  annotationsOf,
  controllerReference,
  hasEnded,
  isDeleted,
  isReady,
  labelsOf,
  specOf,
  statusOf,
} from "./common.js"
import type { ClusterView, Step } from "./request.js"

const group = "discovery.k8s.io"
const timeKey = "endpoints.kubernetes.io/last-change-trigger-time"
/** The most endpoints that a slice may have. */
const mostEndpoints = 1000

/** Decides on the next step of a Service. */
export function endpointSlices(service: MapValue, cluster: ClusterView): readonly Step[] {
  const spec = specOf(service)
  const selector = own(spec, "selector")
  if (!isMap(selector) || textAt(spec, "type") === "ExternalName" || isDeleted(service)) return []
  const namespace = metaText(service, "namespace")
  const isSelected = (pod: MapValue) =>
    Object.entries(selector).every(([key, value]) => own(labelsOf(pod), key) === value)
  const addressed = cluster
    .list("/pods", namespace)
    .filter(pod => isSelected(pod) && !hasEnded(pod) && textAt(statusOf(pod), "podIP") !== "")
  const addressTypes = Array.isArray(spec.ipFamilies) ? spec.ipFamilies : ["IPv4"]
  return addressTypes.flatMap(type => sliceOf(String(type)))

  function sliceOf(addressType: string): readonly Step[] {
    const pods = addressed.filter(pod => addressesOf(pod, addressType).length > 0).slice(0, mostEndpoints)
    const endpoints = pods.map(pod => endpointOf(pod, service, addressType))
    const ports = portsOf(service, pods[0])
    const content: MapValue = { addressType, endpoints, ports }
    const labels = {
      ...labelsOf(service),
      ...(own(spec, "clusterIP") === "None" && { "service.kubernetes.io/headless": "" }),
      "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
      "kubernetes.io/service-name": metaText(service, "name"),
    }
    const slices = cluster.ownedBy(service, `${group}/endpointslices`)
    const old = slices.find(each => own(each, "addressType") === addressType && !isDeleted(each))
    // Only a change of Pods has a time; the first slice of a Service without Pods has none.
    const annotations = pods.length === 0 && old === undefined ? {} : { [timeKey]: formatTime(cluster.now) }
    if (old === undefined) {
      const metadata = {
        ...{ generateName: `${metaText(service, "name")}-`, namespace, labels },
        ...(pods.length > 0 && { annotations }),
        ownerReferences: [controllerReference(service)],
      }
      return [{ verb: "create", object: { apiVersion: `${group}/v1`, kind: "EndpointSlice", metadata, ...content } }]
    }
    const isSame = (["endpoints", "ports"] as const).every(key => equalValues(mapsAt(old, key), content[key] as never))
    if (isSame && equalValues(labelsOf(old), labels)) return []
    const marked = withMetadata(old, { labels, annotations: { ...annotationsOf(old), ...annotations } })
    return [{ verb: "update", object: withKeys(marked, content) }]
  }
}

const addressesOf = (pod: MapValue, addressType: string): readonly string[] =>
  mapsAt(statusOf(pod), "podIPs")
    .map(each => textAt(each, "ip"))
    .filter(ip => isIPv6(ip) === (addressType === "IPv6"))

function endpointOf(pod: MapValue, service: MapValue, addressType: string): MapValue {
  const serving = isReady(pod)
  const terminating = isDeleted(pod)
  const ready = own(specOf(service), "publishNotReadyAddresses") === true || (serving && !terminating)
  const { namespace, name, uid } = metadataOf(pod)
  const [hostname, subdomain] = [textAt(specOf(pod), "hostname"), textAt(specOf(pod), "subdomain")]
  const hasName = hostname !== "" && subdomain === metaText(service, "name")
  return {
    addresses: addressesOf(pod, addressType),
    conditions: { ready, serving, terminating },
    ...(hasName && { hostname }),
    nodeName: textAt(specOf(pod), "nodeName"),
    targetRef: { kind: "Pod", namespace: namespace ?? null, name: name ?? null, uid: uid ?? null },
  }
}

/** Returns the ports of a slice. A named port is that of the Pods. */
function portsOf(service: MapValue, pod: MapValue | undefined): readonly MapValue[] {
  if (pod === undefined) return []
  const named = mapsAt(specOf(pod), "containers").flatMap(container => mapsAt(container, "ports"))
  return mapsAt(specOf(service), "ports").flatMap(port => {
    const target = own(port, "targetPort") ?? own(port, "port")
    const protocol = textAt(port, "protocol") || "TCP"
    const found = named.find(each => each.name === target && (textAt(each, "protocol") || "TCP") === protocol)
    const number = typeof target === "string" ? own(found ?? {}, "containerPort") : target
    if (number === undefined) return []
    const appProtocol = textAt(port, "appProtocol")
    return [{ name: textAt(port, "name"), port: number, protocol, ...(appProtocol !== "" && { appProtocol }) }]
  })
}
