// Admission by the Pod Security Standards, as the labels of a namespace ask for: `pod-security.kubernetes.io/enforce` and the like.

import { invalid } from "../../kinds/refusal/failure.js"
import { type FieldError, fieldError } from "../../kinds/refusal/field-error.js"
import { kindSubject } from "../../kinds/resource/resource.js"
import { metadataOf, metaText } from "../../schema/metadata.js"
import { compareStrings } from "../../value/compare.js"
import { equalValues } from "../../value/equal.js"
import { mapAt, mapsAt, textAt } from "../../value/fields.js"
import { addToGroup } from "../../value/groups.js"
import { own } from "../../value/object.js"
import type { MapValue } from "../../value/value.js"
import { type Attributes, type Cluster, type Notes, refused } from "../attributes.js"
import { type Broken, brokenRules, type Level } from "./pod-standards.js"

const prefix = "pod-security.kubernetes.io/"
const levels: readonly Level[] = ["privileged", "baseline", "restricted"]
/** Where each resource whose Pods are only warned about has its template. */
const templates: Readonly<Record<string, readonly string[]>> = {
  "/podtemplates": ["template"],
  "/replicationcontrollers": ["spec", "template"],
  "apps/daemonsets": ["spec", "template"],
  "apps/deployments": ["spec", "template"],
  "apps/replicasets": ["spec", "template"],
  "apps/statefulsets": ["spec", "template"],
  "batch/cronjobs": ["spec", "jobTemplate", "spec", "template"],
  "batch/jobs": ["spec", "template"],
}

interface Standard {
  readonly level: Level
  /** `latest` or `v1.N`. */
  readonly version: string
}

interface Policy {
  readonly enforce: Standard
  readonly audit: Standard
  readonly warn: Standard
  readonly errors: readonly FieldError[]
}

const shown = ({ level, version }: Standard) => `${level}:${version}`

/** Returns the policy of a namespace. Labels that can't be read count as in a server: the strictest standard is enforced, and none is only warned of. */
function policyOf(namespace: MapValue): Policy {
  const labels = mapAt(metadataOf(namespace), "labels")
  const errors: FieldError[] = []
  const read = (mode: string, fallback: Level): Standard => {
    const level = own(labels, `${prefix}${mode}`)
    const version = own(labels, `${prefix}${mode}-version`) ?? "latest"
    const known = levels.find(each => each === level)
    const wrong = (label: string, value: MapValue[string], why: string) =>
      errors.push(fieldError("FieldValueInvalid", `metadata.labels[${prefix}${label}]`, value, why))
    if (level !== undefined && known === undefined) wrong(mode, level, `must be one of ${levels.join(", ")}`)
    const isVersion = /^(latest|v1\.(0|[1-9][0-9]*))$/.test(String(version))
    if (!isVersion) wrong(`${mode}-version`, version, 'must be "latest" or "v1.x"')
    return {
      level: level === undefined ? "privileged" : (known ?? fallback),
      version: isVersion ? String(version) : "latest",
    }
  }
  const [enforce, audit, warn] = [
    read("enforce", "restricted"),
    read("audit", "privileged"),
    read("warn", "privileged"),
  ]
  const hasLevel = (mode: string) => own(labels, `${prefix}${mode}`) !== undefined
  const isKnown = levels.some(level => level === own(labels, `${prefix}enforce`))
  // A stricter standard that is enforced is also warned of, which concerns the templates of Pods.
  const alsoWarn = !hasLevel("warn") && isKnown && enforce.level !== "privileged"
  const version = own(labels, `${prefix}warn-version`) === undefined ? enforce.version : warn.version
  return { enforce, audit, warn: alsoWarn ? { level: enforce.level, version } : warn, errors }
}

function brokenBy(pod: MapValue, { level, version }: Standard): readonly Broken[] {
  const minor = version === "latest" ? Number.POSITIVE_INFINITY : Number(version.slice("v1.".length))
  return brokenRules(level, minor, metadataOf(pod), mapAt(pod, "spec"))
}

/** Says what a standard forbids in a Pod; "" if it allows the Pod. */
function violations(pod: MapValue, standard: Standard): string {
  const broken = brokenBy(pod, standard).map(([rule, detail]) => `${rule} (${detail})`)
  return broken.length === 0 ? "" : `violate PodSecurity "${shown(standard)}": ${broken.join(", ")}`
}

/** Refuses Pods that the standard of their namespace forbids, and warns of others. */
export function checkPodSecurity(request: Attributes, cluster: Cluster, notes: Notes): void {
  const { resource, subresource, object, oldObject, namespace } = request
  if (object === undefined) return
  const key = `${resource.group}/${resource.plural}`
  if (key === "/namespaces") {
    if (subresource === "") checkNamespace(request, object, cluster, notes)
    return
  }
  const template = templates[key]
  const isPod =
    key === "/pods" && (subresource === "" || subresource === "ephemeralcontainers" || subresource === "resize")
  if (!isPod && (template === undefined || subresource !== "")) return
  if (isPod && oldObject !== undefined && equalImages(object, oldObject)) return
  const pod = isPod ? object : (template as readonly string[]).reduce(mapAt, object)
  const { enforce, audit, warn } = policyOf(cluster.get("/namespaces", "", namespace) ?? {})
  if (isPod) notes.audit?.(`${prefix}enforce-policy`, shown(enforce))
  const noted = violations(pod, audit)
  if (noted !== "") notes.audit?.(`${prefix}audit-violations`, `would ${noted}`)
  const why = isPod ? violations(pod, enforce) : ""
  if (why !== "") throw refused(request, why.replace("violate", "violates"))
  const warned = violations(pod, warn)
  if (warned !== "") notes.warn(`would ${warned}`)
}

/** Whether no update of containers matters: only their images can change. */
function equalImages(pod: MapValue, before: MapValue): boolean {
  return ["initContainers", "containers", "ephemeralContainers"].every(key => {
    const images = (each: MapValue) => mapsAt(mapAt(each, "spec"), key).map(container => textAt(container, "image"))
    return equalValues(images(pod), images(before))
  })
}

/** Refuses wrong labels, and warns of the Pods that a stricter standard forbids. */
function checkNamespace(
  { resource, oldObject }: Attributes,
  namespace: MapValue,
  cluster: Cluster,
  notes: Notes,
): void {
  const { enforce, errors } = policyOf(namespace)
  const name = metaText(namespace, "name")
  const before = oldObject && policyOf(oldObject)
  if (errors.length > 0 && !equalErrors(errors, before?.errors)) throw invalid(kindSubject(resource), name, errors)
  if (before === undefined || shown(before.enforce) === shown(enforce)) return
  const isStricter = levels.indexOf(enforce.level) > levels.indexOf(before.enforce.level)
  if (before.enforce.version === enforce.version && !isStricter) return
  const pods = new Map<string, string[]>()
  for (const pod of cluster.list("/pods", name)) {
    const why = brokenBy(pod, enforce)
      .map(([rule]) => rule)
      .join(", ")
    if (why !== "") addToGroup(pods, why, metaText(pod, "name"))
  }
  if (pods.size === 0) return
  notes.warn(`existing pods in namespace "${name}" violate the new PodSecurity enforce level "${shown(enforce)}"`)
  const lines = [...pods].map(([why, names]) => {
    const [first = "", ...others] = names.sort(compareStrings)
    const more = others.length === 0 ? "" : ` (and ${others.length} other ${others.length === 1 ? "pod" : "pods"})`
    return `${first}${more}: ${why}`
  })
  lines.sort(compareStrings).forEach(notes.warn)
}

function equalErrors(errors: readonly FieldError[], before: readonly FieldError[] | undefined): boolean {
  return JSON.stringify(errors) === JSON.stringify(before ?? [])
}
