// Mutating and validating webhooks: calls those that are for a request, in the order of their configurations.

import { formatGoJson } from "../../json/json.js"
import { compileConditions, conditionsHold, Expressions } from "../../kinds/policy/expressions.js"
import { forbidden, RequestFailure } from "../../kinds/refusal/failure.js"
import { type Resource, subjectOf } from "../../kinds/resource/resource.js"
import { celLibrary } from "../../kinds/rules/library.js"
import { metaText } from "../../schema/metadata.js"
import { equalValues } from "../../value/equal.js"
import { mapAt, mapsAt, textAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { oncePer } from "../../value/once-per.js"
import { quoteGo } from "../../value/quote.js"
import { isMap, type ListValue, type MapValue } from "../../value/value.js"
import type { Attributes, Cluster, Notes } from "../attributes.js"
import { Calls } from "../calls.js"
import { jsonPatch } from "../patches/json-patch.js"
import { PatchError } from "../patches/patch-error.js"
import { atResource, byName, matchedResource } from "./match.js"
import { scopeOf } from "./policies.js"
import type { Reinvocation } from "./reinvocation.js"
import { admissionReview, readResponse } from "./review.js"
import { CallFailed, callWebhook, type WebhookClient } from "./webhook-client.js"

/** A webhook of a configuration. */
interface Hook {
  readonly configuration: string
  readonly name: string
  /** The webhook in its configuration. */
  readonly given: MapValue
  /** Tells the webhook apart from all others. */
  readonly id: string
}

/** The parts of a server that calls of webhooks need. */
export interface WebhookTools {
  readonly client: WebhookClient
  readonly cluster: Cluster
  readonly notes: Notes
}

function hooksOf({ list }: Cluster, plural: string): Hook[] {
  return [...list(`admissionregistration.k8s.io/${plural}`)].sort(byName).flatMap(configuration => {
    const names = new Map<string, number>()
    return mapsAt(configuration, "webhooks").map(given => {
      const name = textAt(given, "name")
      const count = names.get(name) ?? 0
      names.set(name, count + 1)
      const inside = metaText(configuration, "name")
      return { configuration: inside, name, given, id: `${plural}/${inside}/${name}/${count}` }
    })
  })
}

/** Returns the object after the mutating webhooks of one round. */
export function mutateByWebhooks(tools: WebhookTools, given: Attributes, round: 0 | 1, state: Reinvocation): MapValue {
  let request = given
  for (const [index, hook] of hooksOf(tools.cluster, "mutatingwebhookconfigurations").entries()) {
    const resource = resourceFor(hook, request, tools.cluster)
    if (resource === undefined || (round === 1 && !state.again.has(hook.id)) || !isCalled(hook, tools)) continue
    const at = `round_${round}_index_${index}`
    const object = request.object ?? {}
    const changed = opening(tools, hook, `mutation.webhook.admission.k8s.io/${at}`, () =>
      changedBy(tools, hook, request, resource, at),
    )
    if (changed !== undefined && !equalValues(changed, object)) {
      state.changed()
      request = { ...request, object: changed }
    }
    if (textAt(hook.given, "reinvocationPolicy") === "IfNeeded") state.called.add(hook.id)
  }
  state.output = request.object
  return request.object ?? {}
}

/** Calls the validating webhooks. Throws the first refusal; all of them are called. */
export function validateByWebhooks(tools: WebhookTools, request: Attributes): void {
  const refusals: unknown[] = []
  const hooks = hooksOf(tools.cluster, "validatingwebhookconfigurations").flatMap(hook => {
    const resource = resourceFor(hook, request, tools.cluster)
    return resource === undefined || !isCalled(hook, tools) ? [] : [{ hook, resource }]
  })
  for (const [index, { hook, resource }] of hooks.entries()) {
    try {
      const at = `round_0_index_${index}`
      opening(tools, hook, `validating.webhook.admission.k8s.io/${at}`, () =>
        ask(tools, hook, request, resource, at, false),
      )
    } catch (error) {
      if (!(error instanceof RequestFailure)) throw error
      refusals.push(error)
    }
  }
  if (refusals.length > 0) throw refusals[0]
}

/** Whether a webhook for a request can be called. Warns if not. */
function isCalled({ name }: Hook, { client: { functions, onlyFunctions }, notes }: WebhookTools): boolean {
  if (onlyFunctions !== true || Object.hasOwn(functions, name)) return true
  notes.warn(
    `the webhook ${quoteGo(name)} may change or refuse the object and is not called: no function was given for it`,
  )
  return false
}

/** Returns the resource at the version at which a webhook sees a request; undefined if the webhook is not for the request. */
function resourceFor({ given }: Hook, request: Attributes, cluster: Cluster): Resource | undefined {
  const rules = mapsAt(given, "rules")
  const { group, kind } = request.resource
  const configuresAdmission = group === "admissionregistration.k8s.io" && /(Webhook|AdmissionPolicy)/.test(kind)
  if (configuresAdmission || rules.length === 0) return undefined
  const resource = matchedResource({ ...given, resourceRules: rules }, request, cluster)
  if (resource === undefined || mapsAt(given, "matchConditions").length === 0) return resource
  const library = celLibrary()
  if (library === undefined) return resource
  const { conditions, expressions } = (cluster.authorize === undefined ? conditionsOf : conditionsWithAuthorizer)(given)
  const holds = conditionsHold(conditions, expressions.values(scopeOf(request, resource, null, cluster)))
  if (typeof holds === "boolean") return holds ? resource : undefined
  if (textAt(given, "failurePolicy") === "Ignore") return undefined
  throw forbidden(subjectOf(request.resource), request.name, holds.error)
}

const conditionsOf = oncePer((given: MapValue) => compiledConditions(given, false))
const conditionsWithAuthorizer = oncePer((given: MapValue) => compiledConditions(given, true))

function compiledConditions(given: MapValue, hasAuthorizer: boolean) {
  const library = celLibrary()
  if (library === undefined) throw new TypeError("the library for expressions is not loaded")
  const expressions = new Expressions(library, false, hasAuthorizer)
  return { expressions, conditions: compileConditions(expressions, given) }
}

/** Returns the result of a call. If the webhook can't be called, its policy says whether that refuses the request. */
function opening<T>({ notes }: WebhookTools, { name, given }: Hook, annotation: string, call: () => T): T | undefined {
  try {
    return call()
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error
    const why = `failed calling webhook ${quoteGo(name)}: ${error.message}`
    if (textAt(given, "failurePolicy") !== "Ignore") throw internalError(why)
    notes.audit?.(`failed-open.${annotation}`, name)
    notes.warn(`${why}; its failurePolicy is Ignore`)
    return undefined
  }
}

/** Returns the refusal of a request because the server failed. */
function internalError(message: string): RequestFailure {
  const text = `Internal error occurred: ${message}`
  return new RequestFailure(500, text, "InternalError", { causes: [{ message }] })
}

/** Returns the object after the patch of a webhook. */
function changedBy(
  tools: WebhookTools,
  hook: Hook,
  request: Attributes,
  resource: Resource,
  at: string,
): MapValue | undefined {
  const { configuration, name: webhook } = hook
  const annotate = (prefix: string, value: MapValue) =>
    tools.notes.audit?.(`${prefix}.webhook.admission.k8s.io/${at}`, formatGoJson(value, { sorted: false }))
  const patch = ask(tools, hook, request, resource, at, true)
  const { object } = request
  if (patch.length > 0 && object === undefined) {
    const why = "attempted to modify the object, which is not supported for this operation"
    throw internalError(`admission webhook ${quoteGo(webhook)} ${why}`)
  }
  const changed =
    object && patch.length > 0 ? patched(object, patch, request.resource, resource, tools.cluster) : object
  const mutated = changed !== undefined && object !== undefined && !equalValues(changed, object)
  annotate("mutation", { configuration, webhook, mutated })
  if (patch.length > 0) annotate("patch", { configuration, webhook, patch, patchType: "JSONPatch" })
  return changed
}

/** Applies a patch at the version of `resource`, and reads the result as a server does. */
function patched(object: MapValue, patch: ListValue, from: Resource, resource: Resource, cluster: Cluster): MapValue {
  const before = atResource(object, from, resource, cluster)
  let after: MapValue
  try {
    after = jsonPatch(before, patch) as MapValue
  } catch (error) {
    throw error instanceof PatchError ? internalError(error.message) : error
  }
  if (!isMap(after)) throw internalError("the patch of a webhook does not leave an object")
  const read = cluster.endpointOf(resource).read(after, before).object
  return atResource(read, resource, from, cluster)
}

/** Asks a webhook about a request. Returns the operations of its patch. */
function ask(
  { client, cluster, notes }: WebhookTools,
  { given, name, id }: Hook,
  request: Attributes,
  resource: Resource,
  at: string,
  isMutating: boolean,
): ListValue {
  const { oldObject, namespace, name: object } = request
  const key = [id, at, namespace, object, oldObject ? metaText(oldObject, "resourceVersion") : ""].join(" ")
  const calls = notes.calls ?? new Calls()
  const { sent, answered } = calls.ask(key, () => {
    const review = admissionReview(given, request, resource, cluster, client.newUid?.() ?? crypto.randomUUID())
    const seconds = own(given, "timeoutSeconds")
    const timeout = typeof seconds === "number" ? seconds : 10
    const response = callWebhook(client, cluster, name, mapAt(given, "clientConfig"), timeout, review)
    const received = (answer: MapValue) => ({ sent: review, answered: answer })
    return response instanceof Promise ? response.then(received) : received(response)
  })
  return readResponse(name, isMutating, sent, answered, ({ warnings, annotations }) => {
    for (const [annotation, value] of Object.entries(annotations)) notes.audit?.(`${name}/${annotation}`, String(value))
    warnings.forEach(notes.warn)
  })
}
