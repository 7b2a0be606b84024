// Reviews: kinds that are only asked for and never stored, such as SelfSubjectAccessReview.

import type { Resource } from "../kinds/resource/resource.js"
import { badRequest, notImplemented } from "../requests/failure.js"
import { isMap, type MapValue, type Value } from "../value/value.js"

/** Whether objects of the resource are only asked for, never stored. */
export function isReview({ verbs }: Resource): boolean {
  return verbs.length === 1 && verbs[0] === "create"
}

/** The review with its answer: everybody may do everything here. Throws a RequestFailure for reviews other than of access. */
export function review(body: Value): MapValue {
  if (!isMap(body)) throw badRequest("the body of the request must be an object")
  const kind = String(body.kind)
  if (/^(Self|Local)?SubjectAccessReview$/.test(kind)) {
    return { ...body, status: { allowed: true, reason: "this test API server allows everything" } }
  }
  if (kind === "SelfSubjectReview") {
    return {
      ...body,
      status: { userInfo: { username: "admin", uid: "admin", groups: ["system:masters", "system:authenticated"] } },
    }
  }
  throw notImplemented(`the kind ${kind}`, "use a real cluster")
}
