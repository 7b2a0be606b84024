// Checks the constraints on the placement of Pods: affinity to nodes and to other Pods, and spreading over domains.
import type { Field } from "./field.js"
import { checkNodeSelector, checkNodeTerm, checkSelector } from "./labels.js"
import { dnsLabel, labelKey } from "./names.js"

const required = "requiredDuringSchedulingIgnoredDuringExecution"
const preferred = "preferredDuringSchedulingIgnoredDuringExecution"

export function checkAffinity(affinity: Field): void {
  const nodes = affinity.at("nodeAffinity")
  if (nodes.at(required).isSet) checkNodeSelector(nodes.at(required))
  for (const term of nodes.at(preferred).items()) {
    checkWeight(term.at("weight"))
    checkNodeTerm(term.at("preference"), false)
  }
  for (const pods of [affinity.at("podAffinity"), affinity.at("podAntiAffinity")]) {
    for (const term of pods.at(required).items()) checkPodTerm(term)
    for (const term of pods.at(preferred).items()) {
      checkWeight(term.at("weight"))
      checkPodTerm(term.at("podAffinityTerm"))
    }
  }
}

function checkWeight(weight: Field): void {
  if (weight.number <= 0 || weight.number > 100) weight.invalid("must be in the range 1-100", weight.number)
}

function checkPodTerm(term: Field): void {
  for (const key of ["labelSelector", "namespaceSelector"]) checkSelector(term.at(key))
  for (const { text } of term.at("namespaces").items()) term.at("namespace").holding(text).check(dnsLabel)
  checkLabelKeys(term, ["matchLabelKeys", "mismatchLabelKeys"])
  const topology = term.at("topologyKey")
  topology.requireText("can not be empty")
  topology.holding(topology.text).check(labelKey)
}

/** Checks the lists of keys whose labels are those of the Pod itself. */
function checkLabelKeys(term: Field, names: readonly string[]): void {
  const selector = term.at("labelSelector")
  for (const keys of names.map(name => term.at(name))) {
    if (keys.size > 0 && !selector.isSet) keys.forbidden("must not be specified when labelSelector is not set")
    else for (const key of keys.items()) key.check(labelKey)
  }
}

export function checkSpread(constraints: Field): void {
  const all = constraints.items()
  const idOf = (constraint: Field) =>
    `{${constraint.at("topologyKey").text}, ${constraint.at("whenUnsatisfiable").text}}`
  for (const [index, constraint] of all.entries()) {
    const [skew, topology, action] = [
      constraint.at("maxSkew"),
      constraint.at("topologyKey"),
      constraint.at("whenUnsatisfiable"),
    ]
    if (skew.number <= 0) skew.invalid("must be greater than zero", skew.number)
    topology.requireText("can not be empty")
    action.oneOf(["DoNotSchedule", "ScheduleAnyway"])
    const id = idOf(constraint)
    if (all.slice(index + 1).some(other => idOf(other) === id)) {
      constraint.at("{topologyKey, whenUnsatisfiable}").holding(id).duplicate()
    }
    checkDomains(constraint.at("minDomains"), action.text)
    for (const key of ["nodeAffinityPolicy", "nodeTaintsPolicy"]) {
      constraint.at(key).oneOfIfSet(["Honor", "Ignore"])
    }
    checkLabelKeys(constraint, ["matchLabelKeys"])
    checkSelector(constraint.at("labelSelector"))
  }
}

function checkDomains(domains: Field, action: string): void {
  if (!domains.isSet) return
  if (domains.number <= 0) domains.invalid("must be greater than zero")
  if (action === "DoNotSchedule") return
  domains.invalid(`can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`)
}
