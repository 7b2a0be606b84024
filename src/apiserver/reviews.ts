// Reviews: kinds that are only asked for and never stored, such as SelfSubjectAccessReview.

import { badRequest, notImplemented } from "../kinds/refusal/failure.js"
import type { Resource } from "../kinds/resource/resource.js"
import { isMap, type MapValue, type Value } from "../value/value.js"

/** Whether objects of the resource are only asked for, never stored. */
export function isReview({ verbs }: Resource): boolean {
  return verbs.length === 1 && verbs[0] === "create"
}

/** The review with its answer. Throws a RequestFailure for kinds that have none here. */
export function review({ kind, builtIn }: Resource, body: Value): MapValue {
  if (!isMap(body)) throw badRequest("the body of the request must be an object")
  if (builtIn?.review === undefined) throw notImplemented(`the kind ${kind}`, "use a real cluster")
  return builtIn.review(body)
}
