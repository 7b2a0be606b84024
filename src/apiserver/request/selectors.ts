// Label and field selectors.

import { badRequest } from "../../kinds/refusal/failure.js"
import type { Resource } from "../../kinds/resource/resource.js"
import { metadataOf } from "../../schema/metadata.js"
import { valueAtSteps } from "../../value/change.js"
import { mapAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import type { MapValue, Value } from "../../value/value.js"

export type Selector = (object: MapValue) => boolean

/** The selector of a request that asks for all objects. */
export const selectAll: Selector = () => true

/** The objects that a request asks for. Throws a RequestFailure for a selector that can't be read, or asks for an unknown field. */
export function selectorOf(query: URLSearchParams, resource: Resource, name: string): Selector {
  const labelText = query.get("labelSelector") ?? ""
  const fieldText = query.get("fieldSelector") ?? ""
  if (name === "" && labelText === "" && fieldText === "") return selectAll
  const labels = labelSelector(labelText)
  const fields = fieldSelector(fieldText, resource)
  return object => (name === "" || metadataOf(object).name === name) && labels(object) && fields(object)
}

function labelSelector(text: string): Selector {
  const wanted = new Map<string, Wanted>()
  for (const part of splitTop(text)) require(part, wanted)
  const present = [...wanted].filter(([, { isThere }]) => isThere)
  return object => {
    const labels = mapAt(metadataOf(object), "labels")
    // An object has few labels, and a selector may have very many requirements.
    if (!present.every(([key]) => own(labels, key) !== undefined)) return false
    for (const key in labels) if (wanted.get(key)?.allows(labels[key]) === false) return false
    return true
  }
}

/** All requirements of a selector for one key, or for one field. */
class Wanted {
  /** Whether the key has to be there, and whether it must not. */
  isThere = false
  isAbsent = false
  private among: ReadonlySet<string> | undefined
  private readonly not = new Set<string>()
  private above = Number.NEGATIVE_INFINITY
  private below = Number.POSITIVE_INFINITY

  isOneOf(values: readonly string[]): void {
    this.isThere = true
    this.among = new Set(values.filter(value => this.among?.has(value) !== false))
  }

  isNoneOf(values: readonly string[]): void {
    for (const value of values) this.not.add(value)
  }

  /** Whether a number has to be above the limit, or below it. No number is beyond a limit that is not a number. */
  compares(operator: string, limit: number): void {
    this.isThere = true
    if (operator === ">") this.above = Math.max(this.above, Number.isNaN(limit) ? Number.POSITIVE_INFINITY : limit)
    else this.below = Math.min(this.below, Number.isNaN(limit) ? Number.NEGATIVE_INFINITY : limit)
  }

  /** Whether a key that is there may have the value. */
  allows(value: Value | undefined): boolean {
    if (this.isAbsent) return false
    if (typeof value !== "string") return this.among === undefined && !this.isCompared
    if (this.among?.has(value) === false || this.not.has(value)) return false
    return !this.isCompared || (Number(value) > this.above && Number(value) < this.below)
  }

  private get isCompared(): boolean {
    return this.above !== Number.NEGATIVE_INFINITY || this.below !== Number.POSITIVE_INFINITY
  }
}

function wantedAt(wanted: Map<string, Wanted>, key: string): Wanted {
  let found = wanted.get(key)
  if (found === undefined) wanted.set(key, (found = new Wanted()))
  return found
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

/** Adds a requirement. Throws a RequestFailure for a text that can't be read. */
function require(text: string, wanted: Map<string, Wanted>): void {
  const [, not, present] = exists.exec(text) ?? []
  if (present !== undefined) {
    const found = wantedAt(wanted, present)
    if (not === "") found.isThere = true
    else found.isAbsent = true
    return
  }
  const [, name, operator, value = ""] = equality.exec(text) ?? []
  if (name !== undefined) {
    const found = wantedAt(wanted, name)
    if (operator === "!=") found.isNoneOf([value])
    else if (operator === ">" || operator === "<") found.compares(operator, Number(value))
    else found.isOneOf([value])
    return
  }
  const [, among, kind, list = ""] = membership.exec(text) ?? []
  if (among === undefined) throw badRequest(`unable to parse requirement: ${text}`)
  const values = list.split(",").map(each => each.trim())
  if (kind === "in") wantedAt(wanted, among).isOneOf(values)
  else wantedAt(wanted, among).isNoneOf(values)
}

function fieldSelector(text: string, resource: Resource): Selector {
  const fields = new Map<string, Field>()
  for (const part of text.split(",")) if (part !== "") requireField(part, resource, fields)
  return object => {
    for (const { steps, absent, wanted } of fields.values()) {
      if (!wanted.allows(String(valueAtSteps(object, steps) ?? absent))) return false
    }
    return true
  }
}

/** A field that a selector names, and what it wants of it. */
interface Field {
  readonly steps: readonly string[]
  /** The value of an absent field. */
  readonly absent: string
  readonly wanted: Wanted
}

function requireField(text: string, { builtIn, custom }: Resource, fields: Map<string, Field>): void {
  const [, field, operator, value] = /^([^=!]+)(==|=|!=)(.*)$/.exec(text) ?? []
  if (field === undefined || value === undefined)
    throw badRequest(`invalid selector: '${text}'; can't understand '${text}'`)
  let found = fields.get(field)
  if (found === undefined) {
    const known = builtIn?.selectableFields
    const isMeta = field === "metadata.name" || field === "metadata.namespace"
    if (!isMeta && (known === undefined || !Object.hasOwn(known, field)) && !declared(custom?.version, field)) {
      throw badRequest(`field label not supported: ${field}`)
    }
    found = { steps: field.split("."), absent: known?.[field] ?? "", wanted: new Wanted() }
    fields.set(field, found)
  }
  if (operator === "!=") found.wanted.isNoneOf([value])
  else found.wanted.isOneOf([value])
}

/** Whether the definition of a custom resource makes the field selectable. */
function declared(version: MapValue | undefined, field: string): boolean {
  const fields = version === undefined ? undefined : own(version, "selectableFields")
  return Array.isArray(fields) && fields.some(each => each.jsonPath === `.${field}`)
}
