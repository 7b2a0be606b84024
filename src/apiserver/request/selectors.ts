// Matches label and field selectors.

import { badRequest } from "../../kinds/refusal/failure.js"
import type { Resource } from "../../kinds/resource/resource.js"
import { metadataOf } from "../../schema/metadata.js"
import { valueAtSteps } from "../../value/change.js"
import { mapAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { quoteGo } from "../../value/quote.js"
import type { MapValue, Value } from "../../value/value.js"
import { type LabelRequirement, parseLabelSelector } from "./label-selector.js"
import { integerParameter } from "./options.js"

/** Returns whether a request asks for the object. */
export type Selector = (object: MapValue) => boolean

/** Selects every object. */
export const selectAll: Selector = () => true

/**
 * Reads the selectors of a request; `name` is "" for any. Throws a RequestFailure for a malformed selector or an unknown field. `checkOptions`
 * checks the other options. A server reads all parameters before it checks any of them, and checks the names of fields last.
 */
export function readSelector(
  query: URLSearchParams,
  resource: Resource,
  name: string,
  checkOptions: (query: URLSearchParams) => void = () => {},
): Selector {
  const labelText = query.get("labelSelector") ?? ""
  const fieldText = query.get("fieldSelector") ?? ""
  const labels = labelText === "" ? selectAll : readLabelSelector(labelText)
  const terms = readFieldTerms(fieldText)
  integerParameter(query, "timeoutSeconds")
  integerParameter(query, "limit")
  checkOptions(query)
  if (name === "" && labelText === "" && fieldText === "") return selectAll
  const fields = selectFields(terms, resource)
  return object => (name === "" || metadataOf(object).name === name) && labels(object) && fields(object)
}

function readLabelSelector(text: string): Selector {
  const requirements = new Map<string, Requirements>()
  for (const requirement of parseLabelSelector(text)) addLabelRequirement(requirement, requirements)
  const required = [...requirements].filter(([, { mustExist }]) => mustExist)
  return object => {
    const labels = mapAt(metadataOf(object), "labels")
    // The loop is over the labels, since a client may send a selector with very many requirements.
    if (!required.every(([key]) => own(labels, key) !== undefined)) return false
    for (const key in labels) if (requirements.get(key)?.allow(labels[key]) === false) return false
    return true
  }
}

/** All requirements of a selector on one label or field. */
class Requirements {
  mustExist = false
  mustBeAbsent = false
  private allowed: ReadonlySet<string> | undefined
  private readonly forbidden = new Set<string>()
  private above = Number.NEGATIVE_INFINITY
  private below = Number.POSITIVE_INFINITY

  requireOneOf(values: readonly string[]): void {
    this.mustExist = true
    this.allowed = new Set(values.filter(value => this.allowed?.has(value) !== false))
  }

  requireNoneOf(values: readonly string[]): void {
    for (const value of values) this.forbidden.add(value)
  }

  /** Requires a number above (`>`) or below (`<`) the limit. Nothing matches a limit that is NaN. */
  requireNumber(operator: string, limit: number): void {
    this.mustExist = true
    if (operator === ">") this.above = Math.max(this.above, Number.isNaN(limit) ? Number.POSITIVE_INFINITY : limit)
    else this.below = Math.min(this.below, Number.isNaN(limit) ? Number.NEGATIVE_INFINITY : limit)
  }

  /** Returns whether an existing label or field may have the value. */
  allow(value: Value | undefined): boolean {
    if (this.mustBeAbsent) return false
    if (typeof value !== "string") return this.allowed === undefined && !this.requiresNumber
    if (this.allowed?.has(value) === false || this.forbidden.has(value)) return false
    return !this.requiresNumber || (Number(value) > this.above && Number(value) < this.below)
  }

  private get requiresNumber(): boolean {
    return this.above !== Number.NEGATIVE_INFINITY || this.below !== Number.POSITIVE_INFINITY
  }
}

function requirementsFor(label: string, byLabel: Map<string, Requirements>): Requirements {
  let requirements = byLabel.get(label)
  if (requirements === undefined) byLabel.set(label, (requirements = new Requirements()))
  return requirements
}

function addLabelRequirement({ key, operator, values }: LabelRequirement, byLabel: Map<string, Requirements>): void {
  const requirements = requirementsFor(key, byLabel)
  const [value = ""] = values
  if (operator === "exists") requirements.mustExist = true
  else if (operator === "!") requirements.mustBeAbsent = true
  else if (operator === "!=" || operator === "notin") requirements.requireNoneOf(values)
  else if (operator === ">" || operator === "<") requirements.requireNumber(operator, Number(value))
  else requirements.requireOneOf(values)
}

function selectFields(terms: readonly FieldTerm[], resource: Resource): Selector {
  const fields = new Map<string, SelectedField>()
  for (const term of terms) addFieldRequirement(term, resource, fields)
  return object => {
    for (const { steps, valueIfAbsent, requirements } of fields.values()) {
      if (!requirements.allow(String(valueAtSteps(object, steps) ?? valueIfAbsent))) return false
    }
    return true
  }
}

/** A field of a selector and the requirements on it. */
interface SelectedField {
  readonly steps: readonly string[]
  readonly valueIfAbsent: string
  readonly requirements: Requirements
}

/** A part of a field selector. */
interface FieldTerm {
  readonly path: string
  readonly operator: string
  readonly value: string
}

/** Returns the parts of a field selector. Throws a RequestFailure for a malformed one. */
export function readFieldTerms(text: string): FieldTerm[] {
  return text.split(",").flatMap(readFieldTerm)
}

function readFieldTerm(text: string): FieldTerm[] {
  if (text === "") return []
  const [, path, operator = "", value] = /^([^=!]+)(==|=|!=)(.*)$/.exec(text) ?? []
  if (path === undefined || value === undefined)
    throw badRequest(`invalid selector: '${text}'; can't understand '${text}'`)
  return [{ path, operator, value }]
}

function addFieldRequirement(
  { path, operator, value }: FieldTerm,
  resource: Resource,
  fields: Map<string, SelectedField>,
): void {
  const { builtIn, custom } = resource
  let field = fields.get(path)
  if (field === undefined) {
    const known = builtIn?.selectableFields
    const isMeta = path === "metadata.name" || path === "metadata.namespace"
    if (!isMeta && (known === undefined || !Object.hasOwn(known, path)) && !declaresSelectable(custom?.version, path)) {
      throw badRequest(unknownField(resource, path))
    }
    field = { steps: path.split("."), valueIfAbsent: known?.[path] ?? "", requirements: new Requirements() }
    fields.set(path, field)
  }
  if (operator === "!=") field.requirements.requireNoneOf([value])
  else field.requirements.requireOneOf([value])
}

/** A server refuses unknown fields in the words of the kind, if it has further fields. */
function unknownField({ kind, builtIn, custom }: Resource, path: string): string {
  if (kind === "Job") return `field label ${quoteGo(path)} not supported for Job`
  const known = builtIn?.selectableFields !== undefined && kind !== "ReplicaSet"
  if (custom !== undefined || known) return `field label not supported: ${path}`
  return `${quoteGo(path)} is not a known field selector: only "metadata.name", "metadata.namespace"`
}

/** Whether the definition of a custom resource makes the field selectable. */
function declaresSelectable(version: MapValue | undefined, path: string): boolean {
  const fields = version === undefined ? undefined : own(version, "selectableFields")
  return Array.isArray(fields) && fields.some(each => each.jsonPath === `.${path}`)
}
