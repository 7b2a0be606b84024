// MutatingAdmissionPolicies: changes the object of a request by apply configurations and JSON patches that expressions return.

import { ValidationError } from "../../errors.js"
import { fieldElement, indexElement } from "../../fieldpath/create-element.js"
import { formatPath, type Path } from "../../fieldpath/path.js"
import { specOf } from "../../kinds/kind/spec-and-status.js"
import type { CompiledMutatingPolicy } from "../../kinds/policy/compile-policy.js"
import { type Compiled, conditionsHold, Evaluation, mostOfPolicy, OutOfBudget } from "../../kinds/policy/expressions.js"
import { jsonValue, rootTypeOf, typeMismatch } from "../../kinds/policy/struct-literals.js"
import { RequestFailure } from "../../kinds/refusal/failure.js"
import type { Resource } from "../../kinds/resource/resource.js"
import { metaText } from "../../schema/metadata.js"
import type { Type } from "../../typed/type.js"
import { TypedValue } from "../../typed/typed-value.js"
import { equalValues } from "../../value/equal.js"
import { mapAt, textAt } from "../../value/fields.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import { type Attributes, type Cluster, refused } from "../attributes.js"
import { jsonPatch } from "../patches/json-patch.js"
import { PatchError } from "../patches/patch-error.js"
import { atResource } from "./match.js"
import { invocationsOf, scopeOf } from "./policies.js"
import type { Reinvocation } from "./reinvocation.js"

/** Why a mutation could not be made. */
class MutationFailed extends Error {}

/** A reason to refuse a request. */
interface Refusal {
  readonly policy: MapValue
  readonly binding?: MapValue | undefined
  readonly message: string
  readonly reason?: string
}

/** Returns the object after the mutating policies of one round. Throws a RequestFailure if a policy can't be asked. */
export function mutateByPolicies(
  compile: (policy: MapValue) => CompiledMutatingPolicy,
  given: Attributes,
  round: 0 | 1,
  state: Reinvocation,
  cluster: Cluster,
): MapValue {
  let request = given
  const refusals: Refusal[] = []
  const kind = { policies: "mutatingadmissionpolicies", bindings: "mutatingadmissionpolicybindings" }
  for (const invocation of invocationsOf(kind, request, cluster)) {
    const { policy, binding } = invocation
    const refuse = (message: string, reason?: string) =>
      refusals.push({ policy, binding, message, ...(reason && { reason }) })
    if ("error" in invocation) {
      refuse(invocation.error)
      continue
    }
    const { scope, resource } = invocation
    const id = [policy, binding, scope.params]
      .map(each => (isMap(each) ? metaText(each as MapValue, "name") : ""))
      .join("/")
    const { expressions, conditions, mutations } = compile(policy)
    const valuesNow = () => expressions.values(scopeOf(request, resource, scope.params, cluster))
    const holds = conditionsHold(conditions, valuesNow())
    if (typeof holds !== "boolean") refuse(holds.error, "Invalid")
    if (holds !== true || (round === 1 && !state.again.has(id))) continue
    const before = request.object
    for (const { isPatch, expression } of mutations) {
      if (request.object === undefined) continue
      try {
        const value = evaluated(expression, valuesNow())
        const object = changed(request, request.object, resource, value, isPatch, cluster)
        request = { ...request, object }
      } catch (error) {
        if (!(error instanceof MutationFailed)) throw error
        refuse(error.message, "Invalid")
      }
    }
    if (before !== undefined && !equalValues(before, request.object as MapValue)) state.changed()
    if (textAt(specOf(policy), "reinvocationPolicy") === "IfNeeded") state.called.add(id)
  }
  const strict = refusals.filter(({ policy }) => textAt(specOf(policy), "failurePolicy") !== "Ignore")
  if (strict.length > 0) throw denied(request, strict)
  state.output = request.object
  return request.object ?? {}
}

/** Returns the value of an expression. Throws a MutationFailed if it has none. */
function evaluated(expression: Compiled, values: object): unknown {
  try {
    const outcome = new Evaluation(values, mostOfPolicy).run(expression)
    if ("error" in outcome) throw new MutationFailed(outcome.error)
    return outcome.value
  } catch (error) {
    throw error instanceof OutOfBudget ? new MutationFailed(error.message) : error
  }
}

/** Returns the object with the change that an expression asks for, at the version of the request. */
function changed(
  { resource: from }: Attributes,
  object: MapValue,
  resource: Resource,
  value: unknown,
  isPatch: boolean,
  cluster: Cluster,
): MapValue {
  const before = atResource(object, from, resource, cluster)
  const endpoint = cluster.endpointOf(resource)
  const after = isPatch ? patched(before, value) : merged(before, value, endpoint.type)
  return after === before ? object : atResource(endpoint.read(after, before).object, resource, from, cluster)
}

function patched(before: MapValue, value: unknown): MapValue {
  const operations = (value as readonly unknown[]).map((operation): MapValue => {
    const fields = (operation as { readonly fields: Readonly<Record<string, unknown>> }).fields
    const inner = fields instanceof Map ? fields.get("value") : fields.value
    const why = typeMismatch(inner, rootTypeOf(inner))
    if (why !== undefined) throw new MutationFailed(`type mismatch: ${why}`)
    return jsonValue(operation) as MapValue
  })
  try {
    const after = jsonPatch(before, operations)
    if (isMap(after)) return after
    throw new MutationFailed("JSON Patch: the patch does not leave an object")
  } catch (error) {
    if (!(error instanceof PatchError)) throw error
    // The patch asks for a value that the object does not have.
    if (/\btest failed\b/.test(error.message)) return before
    throw new MutationFailed(`JSON Patch: ${error.message}`)
  }
}

function merged(before: MapValue, value: unknown, type: Type | undefined): MapValue {
  const why = typeMismatch(value)
  if (why !== undefined) throw new MutationFailed(`type mismatch: ${why}`)
  const { apiVersion, kind } = before
  const config = { ...(jsonValue(value) as MapValue), ...(apiVersion && { apiVersion }), ...(kind && { kind }) }
  if (type === undefined) throw new MutationFailed(`Resource kind ${String(kind)} not found`)
  const failing = (what: string, perform: () => TypedValue) => {
    try {
      return perform()
    } catch (error) {
      throw error instanceof ValidationError
        ? new MutationFailed(`error applying patch: ${what}: ${error.message}`)
        : error
    }
  }
  const typed = failing("failed to convert patch object to typed object", () => TypedValue.of(config, type))
  const atomics = atomicsIn(type, config)
  if (atomics.length > 0) {
    const places = `may not mutate atomic arrays, maps or structs: ${atomics.join(", ")}`
    throw new MutationFailed(`error applying patch: invalid ApplyConfiguration: ${places}`)
  }
  const live = failing("failed to convert original object to typed object", () =>
    TypedValue.of(before, type, { allowDuplicates: true }),
  )
  return failing("failed to merge patch", () => live.merge(typed)).value as MapValue
}

/** Returns the paths of the atomic lists and maps in a value. */
function atomicsIn(type: Type, value: Value, path: Path = []): string[] {
  const shape = type.shapeOf(value)
  if (shape === null || shape.kind === "scalar" || value === null) return []
  const own = shape.atomic ? [formatPath(path)] : []
  if (shape.kind === "list") {
    if (!isList(value)) return []
    return [...own, ...value.flatMap((item, i) => atomicsIn(shape.item, item, [...path, indexElement(i)]))]
  }
  const fields = Object.entries(value as MapValue).flatMap(([name, inner]) => {
    const field = shape.fields.get(name)
    return field === undefined ? [] : atomicsIn(field.type, inner, [...path, fieldElement(name)])
  })
  return [...own, ...fields]
}

function denied(request: Attributes, refusals: readonly Refusal[]): RequestFailure {
  const messages = refusals.map(({ policy, binding, message }) => {
    const name = metaText(policy, "name")
    const who =
      binding === undefined
        ? `policy ${JSON.stringify(name)}`
        : `policy '${name}' with binding '${metaText(binding, "name")}'`
    return `${who} denied request: ${message}`
  })
  const { status } = refused(
    request,
    "",
    messages.map(message => ({ message })),
  )
  const [first] = refusals
  return new RequestFailure(403, messages[0] ?? "", first?.reason ?? "Forbidden", mapAt(status, "details"))
}
