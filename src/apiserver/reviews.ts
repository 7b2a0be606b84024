// Reviews: kinds whose objects are answered and never stored, such as SelfSubjectAccessReview.

import { badRequest, notImplemented } from "../kinds/refusal/failure.js"
import type { Resource } from "../kinds/resource/resource.js"
import { isMap, type MapValue, type Value } from "../value/value.js"
import type { AuthorizedRequest } from "./authorization/authorization.js"

/** Whether the server answers objects of the resource and never stores them. */
export function isReview({ kind, verbs }: Resource): boolean {
  return verbs.length === 1 && verbs[0] === "create" && kind.endsWith("Review")
}

/** Returns the review with its status. `authorized` answers reviews about users. Throws a RequestFailure for kinds that this server can't answer. */
export function answerReview(resource: Resource, body: Value, authorized: AuthorizedRequest | undefined): MapValue {
  const { kind, builtIn } = resource
  if (!isMap(body)) throw badRequest("the body of the request must be an object")
  const review = authorized?.review(resource, body)
  if (review !== undefined) return review
  if (builtIn?.review === undefined) throw notImplemented(`the kind ${kind}`, "use a real cluster")
  return builtIn.review(body)
}
