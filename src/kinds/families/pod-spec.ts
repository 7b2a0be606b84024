// The specs of Pods, in Pods and in all kinds with a Pod template: defaults of containers, probes and volumes.
import { metaText } from "../../schema/metadata.js"
import { mapAt } from "../../value/fields.js"
import { own, put } from "../../value/object.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import { change, type DefaultRule, type DefaultRules, type Fields, isAbsent, isEmpty } from "../kind/default-rule.js"
import type { BuiltInKind } from "../kind/kind.js"
import { dnsLabel } from "../validation/names.js"

const core = "io.k8s.api.core.v1."
const container: readonly DefaultRule[] = [
  { fill: { terminationMessagePath: "/dev/termination-log", terminationMessagePolicy: "File" } },
  setPullPolicy,
]
const files: readonly DefaultRule[] = [{ set: { defaultMode: 420 } }]

export const podSpecDefaults: DefaultRules = {
  [`${core}PodSpec`]: [
    {
      fill: { dnsPolicy: "ClusterFirst", restartPolicy: "Always", schedulerName: "default-scheduler" },
      set: { securityContext: {}, terminationGracePeriodSeconds: 30 },
    },
    copyServiceAccount,
  ],
  [`${core}Container`]: container,
  [`${core}EphemeralContainer`]: container,
  [`${core}Probe`]: [{ fill: { failureThreshold: 3, periodSeconds: 10, successThreshold: 1, timeoutSeconds: 1 } }],
  [`${core}HTTPGetAction`]: [{ fill: { path: "/", scheme: "HTTP" } }],
  [`${core}ObjectFieldSelector`]: [{ fill: { apiVersion: "v1" } }],
  [`${core}Volume`]: [setVolumeSource],
  [`${core}SecretVolumeSource`]: files,
  [`${core}ConfigMapVolumeSource`]: files,
  [`${core}DownwardAPIVolumeSource`]: files,
  [`${core}ProjectedVolumeSource`]: files,
  [`${core}ServiceAccountTokenProjection`]: [{ set: { expirationSeconds: 3600 } }],
  [`${core}HostPathVolumeSource`]: [{ set: { type: "" } }],
}

function setPullPolicy(out: Fields): void {
  if (!isEmpty(own(out, "imagePullPolicy"))) return
  const image = own(out, "image")
  put(out, "imagePullPolicy", isLatest(image) ? "Always" : "IfNotPresent")
}

/** Whether an image has the tag latest, or neither a tag nor a digest. */
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

function setVolumeSource(out: Fields): void {
  if (Object.keys(out).every(key => key === "name" || isAbsent(own(out, key)))) put(out, "emptyDir", {})
  const image = own(out, "image")
  if (!isMap(image) || !isEmpty(own(image, "pullPolicy"))) return
  put(out, "image", {
    ...image,
    pullPolicy: isLatest(own(image, "reference")) ? "Always" : "IfNotPresent",
  })
}

/** Returns the labels of the Pod template. */
export function templateLabels(object: MapValue): Value | undefined {
  return own(mapAt(mapAt(mapAt(object, "spec"), "template"), "metadata"), "labels")
}

/** Copies the labels of the Pod template to an object without labels. */
export function copyTemplateLabels(out: Fields): void {
  const labels = templateLabels(out)
  if (!isMap(labels)) return
  change(out, "metadata", metadata => {
    if (Object.keys(mapAt(metadata, "labels")).length === 0) put(metadata, "labels", labels)
  })
}

/** Warns of the name of a new object whose Pods can't have it in their host names. */
export const warnOfPodNames: NonNullable<BuiltInKind["warnings"]> = (object, live) => {
  const problems = live === undefined ? dnsLabel(metaText(object, "name")) : []
  const used = "this is used in Pod names and hostnames, which can result in surprising behavior"
  return problems.length === 0 ? [] : [`metadata.name: ${used}; a DNS label is recommended: [${problems.join(" ")}]`]
}
