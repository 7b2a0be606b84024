// Facts about a field that only a server's code knows: each is the server's reading or validation of an object that was changed for the question.
import type { MapValue, Value } from "structured-merge-diff"
import { excludeFilter } from "../../src/fieldpath/matcher.js"
import { parsePath } from "../../src/fieldpath/parse-path.js"
import { equalPaths, type Path, pathOf } from "../../src/fieldpath/path.js"
import { FieldSet } from "../../src/fieldpath/set.js"
import { formatJson } from "../../src/json/json.js"
import { type Problem, RequestFailure } from "../../src/kinds/refusal/failure.js"
import { resetFieldsOf } from "../../src/kinds/resource/reset-fields.js"
import type { Resource } from "../../src/kinds/resource/resource.js"
import { metadataProblems } from "../../src/kinds/validation/metadata.js"
import type { Type } from "../../src/typed/type.js"
import { type Steps, valueAtSteps } from "../../src/value/change.js"
import { mapAt, textAt } from "../../src/value/fields.js"
import { own, put } from "../../src/value/object.js"
import { isList, isMap } from "../../src/value/value.js"
import { decodeObject } from "../../src/write/decode.js"
import { Endpoint, endpointOptions } from "../../src/write/endpoint.js"
import { strictWithoutText } from "../../src/write/strict.js"

/** A field that a server is asked about. */
export interface AskedField {
  readonly resource: Resource
  readonly type: Type
  /** The object around the field. It may lack the field, and need not be valid. */
  readonly object: MapValue
  readonly steps: Steps
  /** The stored object, and the steps to the field in it; `object` itself if nothing is stored. */
  readonly stored: { readonly object: MapValue; readonly steps: Steps }
}

/** The rules of a field, as text. */
export interface FieldRules {
  /** The value that the field gets if the object leaves it out and may do so. */
  readonly absent: string | undefined
  /** The rule that refuses an object without the field. */
  readonly required: string | undefined
  /** The values that the field may have. */
  readonly values: string | undefined
  /** The rule that refuses every other value in an update. */
  readonly fixed: string | undefined
}

/** Asks a server about a field. */
export function askServer({ resource, type, object, steps, stored }: AskedField): FieldRules {
  const server = new Server(resource)
  const without = server.read(withValue(object, steps, undefined))
  const absent = valueAtSteps(without, steps) ?? ""
  const required = without && requirement(server.problems(without), steps)
  const values = type.scalar === null || type.map !== null ? undefined : supportedValues(server, type, object, steps)
  return {
    absent: required !== undefined || absent === "" ? undefined : formatJson(absent),
    required,
    values,
    fixed: refusedChange(server, stored.object, stored.steps, values),
  }
}

/** Returns the subresources ("" for the object itself) whose requests write the field; undefined if the kind has no others. */
export function writingSubresources(resource: Resource, steps: Steps): readonly string[] | undefined {
  const resetBy = resetFieldsOf(resource, resource.custom?.definition)
  const toList = steps.findIndex(step => typeof step === "number")
  const path = pathOf(...(toList < 0 ? steps : steps.slice(0, toList)))
  const isReset = (subresource: string) => {
    const reset = resetBy?.(subresource)?.get(resource.apiVersion)
    const filter = reset instanceof FieldSet ? excludeFilter(reset) : reset
    return filter?.filter(FieldSet.of([path])).isEmpty() === true
  }
  const names = resource.subresources.map(({ name }) => name)
  const whole = ["", ...(names.includes("status") ? ["status"] : [])].filter(name => !isReset(name))
  const scales = names.includes("scale") && equalPaths(path, replicasPath(resource)) && steps.length === path.length
  return names.includes("status") || scales ? [...whole, ...(scales ? ["scale"] : [])] : undefined
}

function replicasPath({ custom }: Resource): Path {
  if (custom === undefined) return pathOf("spec", "replicas")
  return parsePath(textAt(mapAt(mapAt(custom.version, "subresources"), "scale"), "specReplicasPath"))
}

/** Reads and validates objects of a kind. */
class Server {
  private readonly endpoint: Endpoint

  constructor(private readonly resource: Resource) {
    this.endpoint = new Endpoint(resource, "", endpointOptions({ types: resource.types }, undefined))
  }

  /** Returns the object with its defaults; undefined if a value in it can't be read. */
  read(object: MapValue): MapValue | undefined {
    const body = { value: object, strictly: strictWithoutText }
    try {
      return decodeObject({ warn() {}, noteRead() {} }, this.endpoint, body, { fieldValidation: "Ignore" })
    } catch (error) {
      if (error instanceof RequestFailure) return undefined
      throw error
    }
  }

  problems(object: MapValue, before?: MapValue): readonly Problem[] {
    const ofMetadata = metadataProblems(object, before, this.resource)
    return [...ofMetadata, ...this.endpoint.problems(object, before, ofMetadata, () => {})]
  }
}

/** Returns the refusal of an object that lacks the field, or something that has to be in it. */
function requirement(problems: readonly Problem[], steps: Steps): string | undefined {
  const text = fieldText(steps)
  const missing = problems.filter(({ reason }) => reason === "FieldValueRequired")
  const here = missing.find(({ field }) => field === text)
  if (here !== undefined) return detailOf(here.message) || "yes"
  const inside = missing.find(({ field }) => field.startsWith(`${text}.`) || field.startsWith(`${text}[`))
  return inside && `yes, with ${inside.field}`
}

/** Returns the supported values that the refusal of an impossible value lists. */
function supportedValues(server: Server, type: Type, object: MapValue, steps: Steps): string | undefined {
  const impossible = type.scalar?.scalar === "numeric" ? -987_654_321 : "?"
  const read = server.read(withValue(object, steps, impossible))
  const text = fieldText(steps)
  const isRefusal = ({ field, reason }: Problem) => field === text && reason === "FieldValueNotSupported"
  const refusal = read && server.problems(read).find(isRefusal)
  return refusal && /supported values: (.*)/s.exec(refusal.message)?.[1]
}

/**
 * Changes each value in the field alone, and returns the refusal if a server refuses all these changes. A problem that a new object with the
 * same value has too does not count.
 */
function refusedChange(server: Server, object: MapValue, steps: Steps, values = ""): string | undefined {
  const before = server.read(object)
  const places = before && leavesAt(valueAtSteps(object, steps), steps)
  if (before === undefined || places === undefined || places.length === 0 || places.length > mostTried) return undefined
  const others = Array.from(values.matchAll(/"((?:[^"\\]|\\.)*)"/g), ([, value = ""]) => value)
  let refusal: string | undefined
  for (const { at, value } of places) {
    for (const other of others.length > 0 ? others : otherValues(value)) {
      if (other === value) continue
      const changed = server.read(withValue(object, at, other))
      if (changed === undefined) continue
      const asNew = new Set(server.problems(changed).map(problemText))
      const found = server
        .problems(changed, before)
        .find(problem => !asNew.has(problemText(problem)) && isAround(problem, at))
      if (found === undefined) return undefined
      refusal ??= detailOf(found.message)
    }
  }
  return refusal
}

/** The greatest number of values that are changed for one question. */
const mostTried = 50

/** Returns the scalars in the value with their steps. */
function leavesAt(value: Value | undefined, at: Steps): { readonly at: Steps; readonly value: Value }[] {
  if (value === undefined || value === null) return []
  if (isList(value)) return value.flatMap((item, i) => leavesAt(item, [...at, i]))
  if (isMap(value)) return Object.keys(value).flatMap(key => leavesAt(own(value, key), [...at, key]))
  return [{ at, value }]
}

/** Returns values of the same form: a greater and a lesser one if they have an order, and one that is base64 if the value is. */
function otherValues(value: Value): readonly Value[] {
  if (typeof value === "boolean") return [!value]
  if (typeof value === "number") return [value + 1, value - 1]
  if (typeof value === "bigint") return [value + 1n, value - 1n]
  const [, digits, unit] = /^(\d{1,9})([a-zA-Z%]{0,2})$/.exec(String(value)) ?? []
  if (digits !== undefined) return [`${Number(digits) + 1}${unit}`, `${Math.max(0, Number(digits) - 1)}${unit}`]
  return [`${value}x`, `AAAA${value}`]
}

/** Returns the object with another value at these steps, and with the maps and lists that lead there. Without a value, removes the field. */
function withValue(object: MapValue, steps: Steps, value: Value | undefined): MapValue {
  const change = (at: Value | undefined, depth: number): Value | undefined => {
    const step = steps[depth]
    if (step === undefined) return value
    if (typeof step === "number") {
      const items = at !== undefined && isList(at) ? [...at] : []
      const next = change(items[step], depth + 1)
      if (next === undefined) items.splice(step, 1)
      else items[step] = next
      return items
    }
    const out: Record<string, Value> = {}
    if (at !== undefined && isMap(at)) for (const key in at) put(out, key, own(at, key) as Value)
    const next = change(own(out, step), depth + 1)
    if (next === undefined) delete out[step]
    else put(out, step, next)
    return out
  }
  return change(object, 0) as MapValue
}

/** Returns the path of a field as servers write it in refusals: `spec.ports[0].name`. */
function fieldText(steps: Steps): string {
  return steps
    .map(step => (typeof step === "number" ? `[${step}]` : `.${step}`))
    .join("")
    .slice(1)
}

function problemText({ field, message }: Problem): string {
  return `${field}: ${message}`
}

/** Whether the problem is at the steps or above them. */
function isAround({ field }: Problem, steps: Steps): boolean {
  return steps.some((_, i) => fieldText(steps.slice(0, i + 1)) === field)
}

/** Returns the reason in a refusal, without the value that was refused. */
function detailOf(message: string): string {
  const [line = ""] = message.split("\n")
  return line.replace(/^[A-Z][a-z ]+(?:: (?:"(?:[^"\\]|\\.)*"|\{.*\}|\[.*\]|[-\w.]+)(?=: ))?:? ?/, "")
}
