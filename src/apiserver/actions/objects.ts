// The stored objects that actions read and change.

import { notFound } from "../../kinds/refusal/failure.js"
import type { Resource } from "../../kinds/resource/resource.js"
import { storeKey, subjectOf } from "../../kinds/resource/resource.js"
import { formatTime } from "../../managedfields/entries/time.js"
import { mapAt, mapsAt, withKeys } from "../../value/fields.js"
import type { MapValue } from "../../value/value.js"
import type { ActionContext } from "./action.js"

/** Returns the built-in resource with this plural name, at the version at which it is stored. */
export function resourceNamed({ resources }: ActionContext, group: string, plural: string): Resource {
  const found = resources().find(each => each.group === group && each.plural === plural)
  if (found === undefined) throw new TypeError(`there is no resource ${plural}`)
  return found
}

/** Returns an object of the core group. Throws a RequestFailure if it does not exist. */
export function existing(context: ActionContext, plural: string, namespace: string, name: string): MapValue {
  const resource = resourceNamed(context, "", plural)
  const found = context.store.get(storeKey(resource), namespace, name)
  if (found === undefined) throw notFound(subjectOf(resource), name)
  return found
}

/** Returns the Pod with a condition that is true. It keeps the time of its transition if it was true before. */
export function withTrueCondition(pod: MapValue, type: string, now: Date, more: MapValue = {}): MapValue {
  const status = mapAt(pod, "status")
  const before = mapsAt(status, "conditions")
  const old = before.find(each => each.type === type)
  const lastTransitionTime = (old?.status === "True" && old.lastTransitionTime) || formatTime(now)
  const condition = { type, status: "True", lastProbeTime: null, lastTransitionTime, ...more }
  const conditions = old === undefined ? [...before, condition] : before.map(each => (each === old ? condition : each))
  return withKeys(pod, { status: withKeys(status, { conditions }) })
}
