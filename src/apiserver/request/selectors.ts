// Label and field selectors.

import { badRequest } from "../../requests/failure.js"
import { listAt, mapAt, metadataOf } from "../../requests/metadata.js"
import { textAt } from "../../schema/group-version-kind.js"
import { valueAtSteps } from "../../value/change.js"
import { compareStrings } from "../../value/compare.js"
import { own } from "../../value/object.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import type { Resource } from "../resources/resource.js"

export type Selector = (object: MapValue) => boolean

/** The objects that a request asks for. Throws a RequestFailure for a selector that can't be read, or asks for an unknown field. */
export function selectorOf(query: URLSearchParams, resource: Resource, name: string): Selector {
  const labels = labelSelector(query.get("labelSelector") ?? "")
  const fields = fieldSelector(query.get("fieldSelector") ?? "", resource)
  return object => (name === "" || metadataOf(object).name === name) && labels(object) && fields(object)
}

type Requirement = (labels: MapValue) => boolean

function labelSelector(text: string): Selector {
  const requirements = splitTop(text).map(requirement)
  return object => {
    const labels = mapAt(metadataOf(object), "labels")
    return requirements.every(holds => holds(labels))
  }
}

/** The parts between commas that are not in brackets. */
function splitTop(text: string): string[] {
  const parts: string[] = []
  let part = ""
  let depth = 0
  for (const character of text) {
    if (character === "(") depth++
    if (character === ")") depth--
    if (character === "," && depth === 0) {
      parts.push(part)
      part = ""
    } else part += character
  }
  return [...parts, part].map(each => each.trim()).filter(each => each !== "")
}

const key = "[A-Za-z0-9](?:[-A-Za-z0-9_./]*[A-Za-z0-9])?"
const exists = new RegExp(`^(!?)\\s*(${key})$`)
const equality = new RegExp(`^(${key})\\s*(==|=|!=|>|<)\\s*([-A-Za-z0-9_.]*)$`)
const membership = new RegExp(`^(${key})\\s+(in|notin)\\s+\\(([^()]*)\\)$`)

function requirement(text: string): Requirement {
  const [, not, present] = exists.exec(text) ?? []
  if (present !== undefined) return labels => (own(labels, present) !== undefined) === (not === "")
  const [, name, operator, value = ""] = equality.exec(text) ?? []
  if (name !== undefined) return compare(name, operator as string, value)
  const [, among, kind, list = ""] = membership.exec(text) ?? []
  if (among === undefined) throw badRequest(`unable to parse requirement: ${text}`)
  const values = list.split(",").map(each => each.trim())
  return labels => {
    const found = own(labels, among)
    const isIn = typeof found === "string" && values.includes(found)
    return isIn === (kind === "in")
  }
}

function compare(name: string, operator: string, value: string): Requirement {
  return labels => {
    const found = own(labels, name)
    switch (operator) {
      case "!=":
        return found !== value
      case ">":
        return typeof found === "string" && Number(found) > Number(value)
      case "<":
        return typeof found === "string" && Number(found) < Number(value)
      default:
        return found === value
    }
  }
}

/** Fields by which objects of a kind can be selected, besides their name and namespace. An absent field counts as the text given. */
const selectable: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Event: {
    "involvedObject.kind": "",
    "involvedObject.namespace": "",
    "involvedObject.name": "",
    "involvedObject.uid": "",
    "involvedObject.apiVersion": "",
    "involvedObject.resourceVersion": "",
    "involvedObject.fieldPath": "",
    reason: "",
    reportingComponent: "",
    source: "",
    type: "",
  },
  "events.k8s.io/Event": {
    "regarding.kind": "",
    "regarding.namespace": "",
    "regarding.name": "",
    "regarding.uid": "",
    "regarding.apiVersion": "",
    "regarding.resourceVersion": "",
    "regarding.fieldPath": "",
    reason: "",
    reportingController: "",
    type: "",
  },
  Job: { "status.successful": "0" },
  Namespace: { "status.phase": "" },
  Node: { "spec.unschedulable": "false" },
  Pod: {
    "spec.nodeName": "",
    "spec.restartPolicy": "",
    "spec.schedulerName": "",
    "spec.serviceAccountName": "",
    "spec.hostNetwork": "false",
    "status.phase": "",
    "status.podIP": "",
    "status.nominatedNodeName": "",
  },
  ReplicaSet: { "status.replicas": "0" },
  ReplicationController: { "status.replicas": "0" },
  Secret: { type: "" },
  Service: { "spec.clusterIP": "", "spec.type": "" },
  CertificateSigningRequest: { "spec.signerName": "" },
}

function fieldSelector(text: string, resource: Resource): Selector {
  const requirements = text
    .split(",")
    .filter(part => part !== "")
    .map(part => fieldRequirement(part, resource))
  return object => requirements.every(holds => holds(object))
}

function fieldRequirement(text: string, { group, kind, custom }: Resource): Selector {
  const [, field, operator, value] = /^([^=!]+)(==|=|!=)(.*)$/.exec(text) ?? []
  if (field === undefined || value === undefined)
    throw badRequest(`invalid selector: '${text}'; can't understand '${text}'`)
  const name = group === "events.k8s.io" ? `${group}/${kind}` : kind
  const known = custom === undefined && Object.hasOwn(selectable, name) ? selectable[name] : undefined
  const isMeta = field === "metadata.name" || field === "metadata.namespace"
  if (!isMeta && (known === undefined || !Object.hasOwn(known, field)) && !declared(custom?.version, field)) {
    throw badRequest(`field label not supported: ${field}`)
  }
  const absent = known?.[field] ?? ""
  return object => {
    const found = valueAtSteps(object, field.split("."))
    return (String(found ?? absent) === value) === (operator !== "!=")
  }
}

/** Whether the definition of a custom resource makes the field selectable. */
function declared(version: MapValue | undefined, field: string): boolean {
  const fields = version === undefined ? undefined : own(version, "selectableFields")
  return Array.isArray(fields) && fields.some(each => each.jsonPath === `.${field}`)
}

/** A selector as text: that of a custom resource is text, that of a ReplicationController a map of labels. */
export function labelSelectorText(selector: Value): string {
  if (typeof selector === "string") return selector
  if (!isMap(selector)) return ""
  const given = selector
  const isLabelSelector = own(given, "matchLabels") !== undefined || own(given, "matchExpressions") !== undefined
  const labels = isLabelSelector ? mapAt(given, "matchLabels") : given
  const parts = Object.keys(labels).map(key => ({ key, text: `${key}=${own(labels, key)}` }))
  for (const expression of listAt(given, "matchExpressions")) {
    if (!isMap(expression)) continue
    const [key, operator] = [textAt(expression, "key"), textAt(expression, "operator")]
    const values = listAt(expression, "values").map(String).sort(compareStrings).join(",")
    if (operator === "In") parts.push({ key, text: `${key} in (${values})` })
    else if (operator === "NotIn") parts.push({ key, text: `${key} notin (${values})` })
    else parts.push({ key, text: operator === "DoesNotExist" ? `!${key}` : key })
  }
  parts.sort((a, b) => compareStrings(a.key, b.key))
  return parts.map(({ text }) => text).join(",")
}
