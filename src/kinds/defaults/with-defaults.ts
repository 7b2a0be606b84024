// Fills the defaults of built-in kinds in, and writes their quantities as Kubernetes does.
import { kubernetesSchema } from "../../kubernetes/types.js"
import type { Atom, StructField, TypeDef, TypeRef } from "../../schema/schema.js"
import { copyMap, own, put } from "../../value/object.js"
import { formatQuantity } from "../../value/quantity.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import { builtInDefaults, type DefaultRule } from "./built-in-defaults.js"

type Fields = Record<string, Value>

const core = "io.k8s.api.core.v1."

let definitions: ReadonlyMap<string, TypeDef> | undefined

/**
 * The object with the defaults that an API server fills into objects of this type of `kubernetesSchema()`, and with its quantities
 * in their usual form. Complete for Deployment, StatefulSet, DaemonSet, ReplicaSet, Pod, Job, CronJob, Service, ConfigMap, Secret,
 * HorizontalPodAutoscaler and Ingress, but for what admission and allocation add; other kinds get the defaults of the types that
 * they share with these. Shares what does not change with the input.
 */
export function withBuiltInDefaults(object: MapValue, typeName: string): MapValue {
  return walk(object, { namedType: typeName }) as MapValue
}

function walk(value: Value, reference: TypeRef): Value {
  const name = reference.namedType
  if (name === "io.k8s.apimachinery.pkg.api.resource.Quantity") return quantity(value)
  definitions ??= new Map(kubernetesSchema().types.map(type => [type.name, type]))
  const atom: Atom | undefined = name === undefined ? reference : definitions.get(name)
  if (isList(value)) {
    const items = atom?.list?.elementType
    if (items === undefined) return value
    const next = value.map(item => walk(item, items))
    return next.every((item, i) => item === value[i]) ? value : next
  }
  return isMap(value) && atom?.map !== undefined ? walkMap(value, atom.map, name ?? "") : value
}

function quantity(value: Value): Value {
  try {
    return value === null ? value : formatQuantity(value)
  } catch {
    return value // what is no quantity is for validation to refuse
  }
}

function walkMap(map: MapValue, { fields = [], elementType }: NonNullable<Atom["map"]>, name: string): MapValue {
  const out = copyMap(map)
  const rules = Object.hasOwn(builtInDefaults, name) ? builtInDefaults[name] : undefined
  for (const rule of rules ?? []) applyRule(out, rule)
  computed.get(name)?.(out)
  for (const field of fields) walkField(out, field)
  if (elementType !== undefined && fields.length === 0) {
    for (const key of Object.keys(out)) put(out, key, walk(own(out, key) as Value, elementType))
  }
  return isSame(out, map) ? map : out
}

/** Descends into a field, after giving it the default that the schema says. */
function walkField(out: Fields, { name, type, default: value }: StructField): void {
  if (typeof value === "string" || typeof value === "number") {
    if (value !== "" && value !== 0 && isEmpty(own(out, name))) put(out, name, value)
  }
  const found = own(out, name)
  if (found !== undefined) put(out, name, walk(found, type))
}

function isAbsent(value: Value | undefined): boolean {
  return value === undefined || value === null
}

function isEmpty(value: Value | undefined): boolean {
  return isAbsent(value) || value === "" || value === 0 || (isList(value) && value.length === 0)
}

function applyRule(out: Fields, rule: DefaultRule): void {
  if (rule.in === undefined) fillIn(out, rule)
  else change(out, rule.in, map => fillIn(map, rule))
}

function fillIn(out: Fields, { when = {}, set = {}, fill = {} }: DefaultRule): void {
  for (const [name, wanted] of Object.entries(when)) {
    const found = own(out, name)
    if (wanted === undefined ? !isAbsent(found) && found !== "" : ![wanted].flat().includes(found as string)) return
  }
  for (const [name, value] of Object.entries(set)) if (isAbsent(own(out, name))) put(out, name, value)
  for (const [name, value] of Object.entries(fill)) if (isEmpty(own(out, name))) put(out, name, value)
}

/** Changes a copy of the map at `name`, empty if there is none, and puts it in place if it differs. */
function change(out: Fields, name: string, edit: (map: Fields) => void): void {
  const before = mapIn(out, name)
  const map = copyMap(before)
  edit(map)
  if (!isSame(map, before)) put(out, name, map)
}

/** Whether both maps have the same fields, with the same objects in them. */
function isSame(a: MapValue, b: MapValue): boolean {
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every(key => own(a, key) === own(b, key))
}

/** What is computed from other fields, by type. */
const computed: ReadonlyMap<string, (out: Fields) => void> = new Map([
  [`${core}Container`, setPullPolicy],
  [`${core}EphemeralContainer`, setPullPolicy],
  [`${core}PodSpec`, copyServiceAccount],
  [`${core}Namespace`, labelNamespace],
  [`${core}Pod`, setPodDefaults],
  [`${core}Volume`, setVolumeSource],
  [`${core}Service`, setAddressMode],
  [`${core}ServiceSpec`, setTrafficPolicy],
  [`${core}ServicePort`, copyPort],
  ["io.k8s.api.batch.v1.Job", copyTemplateLabels],
  [`${core}ReplicationController`, selectTemplate],
  [`${core}PodStatus`, copyAddresses],
  [`${core}NodeStatus`, copyCapacity],
  [`${core}LimitRangeItem`, setLimits],
  ["io.k8s.api.networking.v1.NetworkPolicySpec", setPolicyTypes],
  ["io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerBehavior", setScaleUp],
])

/** A namespace has a label with its name. One whose name is to be generated gets it later. */
function labelNamespace(out: Fields): void {
  const metadata = own(out, "metadata")
  const name = isMap(metadata) ? own(metadata, "name") : undefined
  if (!isMap(metadata) || isEmpty(name)) return
  const given = own(metadata, "labels")
  const labels = { ...(isMap(given) ? given : {}), "kubernetes.io/metadata.name": name as Value }
  put(out, "metadata", { ...metadata, labels })
}

function setPullPolicy(out: Fields): void {
  if (!isEmpty(own(out, "imagePullPolicy"))) return
  const image = own(out, "image")
  put(out, "imagePullPolicy", isLatest(image) ? "Always" : "IfNotPresent")
}

/** Whether an image is taken at the tag latest: named, or neither a tag nor a digest. */
function isLatest(image: Value | undefined): boolean {
  if (typeof image !== "string" || image === "") return false
  const [name = "", digest] = image.split("@")
  const tag = /:([^:/]*)$/.exec(name)?.[1]
  return tag === undefined ? digest === undefined : tag === "latest"
}

function copyServiceAccount(out: Fields): void {
  const name = [own(out, "serviceAccountName"), own(out, "serviceAccount")].find(found => !isEmpty(found))
  if (name === undefined) return
  put(out, "serviceAccountName", name)
  put(out, "serviceAccount", name)
}

/** What a Pod gets, and the template of one does not. */
function setPodDefaults(out: Fields): void {
  change(out, "spec", spec => {
    changeItems(spec, "containers", container => setContainerDefaults(container, own(spec, "hostNetwork") === true))
    changeItems(spec, "initContainers", container => setContainerDefaults(container, own(spec, "hostNetwork") === true))
  })
}

function mapIn(map: MapValue, name: string): MapValue {
  const found = own(map, name)
  return isMap(found) ? found : {}
}

/** Changes copies of the items that are maps, and puts the list in place if one of them differs. */
function changeItems(out: Fields, name: string, edit: (item: Fields) => void): void {
  const before = own(out, name)
  if (!isList(before)) return
  const items = before.map(item => {
    if (!isMap(item)) return item
    const changed = copyMap(item)
    edit(changed)
    return isSame(changed, item) ? item : changed
  })
  if (items.some((item, i) => item !== before[i])) put(out, name, items)
}

/** A container of a Pod requests what it is limited to, and in the host's network has the host's ports. */
function setContainerDefaults(out: Fields, hostNetwork: boolean): void {
  const limits = own(mapIn(out, "resources"), "limits")
  if (isMap(limits)) {
    change(out, "resources", resources => {
      change(resources, "requests", requests => {
        for (const key in limits) if (own(requests, key) === undefined) put(requests, key, limits[key] as Value)
      })
    })
  }
  if (!hostNetwork) return
  changeItems(out, "ports", port => {
    const number = own(port, "containerPort")
    if (number !== undefined && isEmpty(own(port, "hostPort"))) put(port, "hostPort", number)
  })
}

/** The addresses of a load balancer are its own. */
function setAddressMode(out: Fields): void {
  if (own(mapIn(out, "spec"), "type") !== "LoadBalancer") return
  change(out, "status", status => {
    change(status, "loadBalancer", balancer => {
      changeItems(balancer, "ingress", point => {
        if (!isEmpty(own(point, "ip")) && isAbsent(own(point, "ipMode"))) put(point, "ipMode", "VIP")
      })
    })
  })
}

/** A Service that outer addresses lead to. Those of other types than ClusterIP are in the table. */
function setTrafficPolicy(out: Fields): void {
  if (own(out, "sessionAffinity") === "None") delete out.sessionAffinityConfig
  if (own(out, "type") !== "ClusterIP" || isEmpty(own(out, "externalIPs"))) return
  if (isEmpty(own(out, "externalTrafficPolicy"))) put(out, "externalTrafficPolicy", "Cluster")
}

function setVolumeSource(out: Fields): void {
  if (Object.keys(out).every(key => key === "name" || isAbsent(own(out, key)))) put(out, "emptyDir", {})
  const image = own(out, "image")
  if (!isMap(image) || !isEmpty(own(image, "pullPolicy"))) return
  put(out, "image", {
    ...image,
    pullPolicy: isLatest(own(image, "reference")) ? "Always" : "IfNotPresent",
  })
}

function copyPort(out: Fields): void {
  const port = own(out, "port")
  if (port !== undefined && isEmpty(own(out, "targetPort"))) put(out, "targetPort", port)
}

function templateLabels(out: Fields): Value | undefined {
  return own(mapIn(mapIn(mapIn(out, "spec"), "template"), "metadata"), "labels")
}

/** A ReplicationController without a selector selects the labels of its Pods. */
function selectTemplate(out: Fields): void {
  const labels = templateLabels(out)
  if (!isMap(labels)) return
  change(out, "spec", spec => {
    if (Object.keys(mapIn(spec, "selector")).length === 0) put(spec, "selector", labels)
  })
  copyTemplateLabels(out)
}

/** The one address of a Pod and the list of its addresses say the same; the one decides. */
function copyAddresses(out: Fields): void {
  const ip = own(out, "podIP")
  const ips = own(out, "podIPs")
  const first = isList(ips) && isMap(ips[0]) ? own(ips[0], "ip") : undefined
  if (!isEmpty(ip) && first !== ip) put(out, "podIPs", [{ ip: ip as Value }])
  else if (isEmpty(ip) && first !== undefined) put(out, "podIP", first)
}

function copyCapacity(out: Fields): void {
  const capacity = own(out, "capacity")
  if (capacity !== undefined && isAbsent(own(out, "allocatable"))) put(out, "allocatable", capacity)
}

/** The limit of a container is its maximum, and what it requests its limit or its minimum, unless something else is said. */
function setLimits(out: Fields): void {
  if (own(out, "type") !== "Container") return
  const limits = { ...mapIn(out, "max"), ...mapIn(out, "default") }
  const requests = { ...mapIn(out, "min"), ...limits, ...mapIn(out, "defaultRequest") }
  if (Object.keys(limits).length > 0) put(out, "default", limits)
  if (Object.keys(requests).length > 0) put(out, "defaultRequest", requests)
}

function setPolicyTypes(out: Fields): void {
  if (!isEmpty(own(out, "policyTypes"))) return
  put(out, "policyTypes", isEmpty(own(out, "egress")) ? ["Ingress"] : ["Ingress", "Egress"])
}

/** A Job without labels gets those of its Pods. */
function copyTemplateLabels(out: Fields): void {
  const labels = templateLabels(out)
  if (!isMap(labels)) return
  change(out, "metadata", metadata => {
    if (Object.keys(mapIn(metadata, "labels")).length === 0) put(metadata, "labels", labels)
  })
}

/** The rules of an autoscaler's way up have other defaults than those of the way down. */
function setScaleUp(out: Fields): void {
  change(out, "scaleUp", rules => {
    if (isAbsent(own(rules, "stabilizationWindowSeconds"))) put(rules, "stabilizationWindowSeconds", 0)
    if (isAbsent(own(rules, "policies"))) put(rules, "policies", upPolicies)
  })
}

const upPolicies: Value = [
  { type: "Pods", value: 4, periodSeconds: 15 },
  { type: "Percent", value: 100, periodSeconds: 15 },
]
