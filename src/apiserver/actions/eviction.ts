// Evicts a Pod, as `kubectl drain` asks for it: deletes the Pod unless its PodDisruptionBudget says no.

import { forbidden, RequestFailure } from "../../kinds/refusal/failure.js"
import { storeKey } from "../../kinds/resource/resource.js"
import { formatTime } from "../../managedfields/entries/time.js"
import { metadataOf, metaText } from "../../schema/metadata.js"
import { mapAt, mapsAt, textAt, withKeys } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { isMap, type MapValue } from "../../value/value.js"
import { selectsObject } from "../../write/admission/match.js"
import { checkPreconditions, type DeleteOptions, deleteObject, readDeleteOptions } from "../storage/delete.js"
import { writeObject } from "../storage/store-write.js"
import { type Action, type ActionContext, type ActionTarget, requireName, success } from "./action.js"
import { existing, resourceNamed, withTrueCondition } from "./objects.js"

export const eviction: Action = {
  check(body, target) {
    requireName(body, target)
    return body
  },
  act(body, { namespace, name, dryRun }, context) {
    const given = own(body, "deleteOptions")
    const { sent: _, ...read } = readDeleteOptions(given, new URLSearchParams())
    const options = { ...read, dryRun: dryRun || read.dryRun }
    const target = { namespace, name, dryRun: options.dryRun }
    const pod = existing(context, "pods", namespace, name)
    if (!isOver(pod)) {
      const refusal = takeFromBudget(pod, target, context)
      if (refusal !== undefined) return refusal
    }
    deletePod(pod, target, options, context)
    return success
  },
}

/** Whether no budget protects the Pod, since it does no work yet or any longer. */
function isOver(pod: MapValue): boolean {
  const phase = textAt(mapAt(pod, "status"), "phase")
  return ["Succeeded", "Failed", "Pending"].includes(phase) || metaText(pod, "deletionTimestamp") !== ""
}

/** Deletes the Pod, which says why in a condition while it terminates. */
function deletePod(pod: MapValue, { namespace, name }: ActionTarget, options: DeleteOptions, context: ActionContext) {
  const pods = resourceNamed(context, "", "pods")
  checkPreconditions(pods, name, pod, options)
  if (!options.dryRun) {
    const why = { reason: "EvictionByEvictionAPI", message: "Eviction API: evicting" }
    context.store.put(storeKey(pods), withTrueCondition(pod, "DisruptionTarget", context.clock(), why))
  }
  const endpoint = context.endpointOf(pods)
  deleteObject(context, { endpoint, namespace, name }, { ...options, resourceVersion: "" })
}

/**
 * Counts the eviction in the PodDisruptionBudget of the Pod. Returns a Status if several budgets select the Pod. Throws a RequestFailure if the
 * budget does not allow the eviction.
 */
function takeFromBudget(pod: MapValue, target: ActionTarget, context: ActionContext): MapValue | undefined {
  const budgets = context.store
    .list("policy/poddisruptionbudgets", target.namespace)
    .filter(budget => isMap(own(mapAt(budget, "spec"), "selector") ?? null) && selectsObject(selectorOf(budget), pod))
  const [budget, other] = budgets
  if (budget === undefined) return undefined
  if (other !== undefined) {
    const message = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
    return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, code: 500 }
  }
  if (isUnguarded(pod, budget)) return undefined
  requireDisruption(budget)
  if (!target.dryRun) storeDisruption(budget, target, context)
  return undefined
}

const selectorOf = (budget: MapValue) => mapAt(mapAt(budget, "spec"), "selector")

/** Whether the Pod is unhealthy, and the budget lets unhealthy Pods go. */
function isUnguarded(pod: MapValue, budget: MapValue): boolean {
  const conditions = mapsAt(mapAt(pod, "status"), "conditions")
  if (conditions.some(({ type, status }) => type === "Ready" && status === "True")) return false
  if (textAt(mapAt(budget, "spec"), "unhealthyPodEvictionPolicy") === "AlwaysAllow") return true
  const { currentHealthy, desiredHealthy } = countsOf(budget)
  return currentHealthy >= desiredHealthy && desiredHealthy > 0
}

/** Returns the counts in the status of a budget. */
function countsOf(budget: MapValue) {
  const status = mapAt(budget, "status")
  const count = (key: string) => Number(own(status, key) ?? 0)
  return {
    disruptionsAllowed: count("disruptionsAllowed"),
    currentHealthy: count("currentHealthy"),
    desiredHealthy: count("desiredHealthy"),
    observedGeneration: count("observedGeneration"),
  }
}

/** How many evictions a budget may have that no controller has counted. */
const mostPending = 2000

/** Throws a RequestFailure if the budget does not allow another disruption. */
function requireDisruption(budget: MapValue): void {
  const name = metaText(budget, "name")
  const { disruptionsAllowed, currentHealthy, desiredHealthy, observedGeneration } = countsOf(budget)
  const status = mapAt(budget, "status")
  if (observedGeneration < Number(own(metadataOf(budget), "generation") ?? 0)) {
    throw tooManyRequests(`The disruption budget ${name} is still being processed by the server.`, 10)
  }
  const denial = `The disruption budget ${name} does not allow evicting pods currently`
  const forbid = (why: string, detail: string) =>
    forbidden({ group: "policy", name: "poddisruptionbudget" }, name, why, [causeOf(`${denial}: ${detail}`)])
  if (disruptionsAllowed < 0) {
    throw forbid("pdb disruptions allowed is negative", "pdb disruptions allowed is negative")
  }
  if (Object.keys(mapAt(status, "disruptedPods")).length > mostPending) {
    const why = "DisruptedPods map too big - too many evictions not confirmed by PDB controller"
    throw forbid(why, "too many pending evictions not confirmed by PDB controller")
  }
  if (disruptionsAllowed > 0) return
  const condition = mapsAt(status, "conditions").find(({ type }) => type === "DisruptionAllowed") ?? {}
  const reason = textAt(condition, "reason")
  const said = textAt(condition, "status") === "False" ? textAt(condition, "message") : ""
  if (said !== "" && reason === "SyncFailed") throw tooManyRequests(`${denial} because it failed sync: ${said}`)
  if (currentHealthy <= desiredHealthy) {
    const counts = `needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`
    throw tooManyRequests(`The disruption budget ${name} ${counts}`)
  }
  throw tooManyRequests(said === "" ? denial : `${denial} (${reason}): ${said}`)
}

const causeOf = (message: string): MapValue => ({ reason: "DisruptionBudget", message })

function tooManyRequests(cause: string, seconds?: number): RequestFailure {
  const message = "Cannot evict pod as it would violate the pod's disruption budget."
  const details = { causes: [causeOf(cause)], ...(seconds !== undefined && { retryAfterSeconds: seconds }) }
  return new RequestFailure(429, message, "TooManyRequests", details)
}

/** Takes one disruption from the budget, as kube-apiserver does with a request of its own. */
function storeDisruption(budget: MapValue, { namespace, name }: ActionTarget, context: ActionContext): void {
  const budgets = resourceNamed(context, "policy", "poddisruptionbudgets")
  const now = formatTime(context.clock())
  const disruptionsAllowed = countsOf(budget).disruptionsAllowed - 1
  const before = mapAt(budget, "status")
  const counted = withKeys(before, {
    disruptionsAllowed,
    disruptedPods: withKeys(mapAt(before, "disruptedPods"), { [name]: now }),
  })
  const status = disruptionsAllowed > 0 ? counted : exhausted(counted, now)
  const budgetName = metaText(budget, "name")
  const endpoint = context.endpoint(budgets, "status")
  const target = { endpoint, namespace, name: budgetName }
  const options = { manager: "kube-apiserver", dryRun: false, applies: false, force: false } as const
  writeObject({ ...context, plugins: undefined }, target, { ...options, fieldValidation: "Ignore" }, steps =>
    steps.update(endpoint.view(withKeys(budget, { status }))),
  )
}

/** Returns the status of a budget that allows no more disruptions. */
function exhausted(status: MapValue, now: string): MapValue {
  const type = "DisruptionAllowed"
  const conditions = mapsAt(status, "conditions")
  const old = conditions.find(each => each.type === type)
  const lastTransitionTime = old?.status === "False" ? (old.lastTransitionTime ?? now) : now
  const observedGeneration = own(status, "observedGeneration")
  const condition = withKeys(
    { type, status: "False", lastTransitionTime, reason: "InsufficientPods", message: "" },
    { observedGeneration },
  )
  const others = conditions.filter(each => each !== old)
  return withKeys(status, { conditions: [...others, condition] })
}
