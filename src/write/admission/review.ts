// AdmissionReviews: what a webhook is sent about a request, and what its response says.

import { parseJson } from "../../json/json.js"
import { RequestFailure } from "../../kinds/refusal/failure.js"
import type { Resource } from "../../kinds/resource/resource.js"
import { mapAt, textAt, textsAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { quoteGo } from "../../value/quote.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../../value/value.js"
import type { Attributes, Cluster } from "../attributes.js"
import { atResource } from "./match.js"
import { reviewOf } from "./policies.js"
import { CallFailed } from "./webhook-client.js"

/** Returns the review of a request at the version of `resource`. Throws a CallFailed if the webhook reads no known version of reviews. */
export function admissionReview(
  hook: MapValue,
  request: Attributes,
  resource: Resource,
  cluster: Cluster,
  uid: string,
): MapValue {
  const version = textsAt(hook, "admissionReviewVersions").find(each => each === "v1" || each === "v1beta1")
  if (version === undefined) {
    const why = "webhook does not accept known AdmissionReview versions (v1, v1beta1)"
    throw new CallFailed(`could not create admission objects: ${why}`)
  }
  const converted = (object: MapValue | undefined) =>
    object === undefined ? null : atResource(object, request.resource, resource, cluster)
  const { object, oldObject } = request
  return {
    kind: "AdmissionReview",
    apiVersion: `admission.k8s.io/${version}`,
    request: {
      uid,
      ...reviewOf(request, resource),
      object: converted(object),
      oldObject: converted(oldObject),
    },
  }
}

/** The response of a webhook that allows a request. */
export interface AllowedResponse {
  /** The operations of a JSON patch; empty if the webhook changes nothing. */
  readonly patch: ListValue
  readonly warnings: readonly string[]
  readonly annotations: MapValue
}

/** Reads the response to a review. Throws a RequestFailure if the webhook refuses the request, and a CallFailed for a malformed response. */
export function readResponse(
  name: string,
  isMutating: boolean,
  sent: MapValue,
  answered: MapValue,
  heard: (response: Omit<AllowedResponse, "patch">) => void,
): ListValue {
  const response = own(answered, "response")
  const invalid = (why: string) => new CallFailed(`received invalid webhook response: ${why}`)
  if (!isMap(response)) throw invalid("webhook response was absent")
  const patch = own(response, "patch") ?? ""
  const hasPatch = isList(patch) || patch !== ""
  const type = own(response, "patchType") ?? null
  if (textAt(sent, "apiVersion").endsWith("/v1")) {
    const [uid, wanted] = [textAt(response, "uid"), textAt(mapAt(sent, "request"), "uid")]
    if (uid !== wanted) throw invalid(`expected response.uid=${quoteGo(wanted)}, got ${quoteGo(uid)}`)
    const [group = "", version = ""] = textAt(answered, "apiVersion").split("/")
    const kind = `${group}/${version}, Kind=${textAt(answered, "kind")}`
    const expected = "admission.k8s.io/v1, Kind=AdmissionReview"
    if (kind !== expected) throw invalid(`expected webhook response of ${expected}, got ${kind}`)
    if (!isMutating && hasPatch) throw invalid("validating webhook may not return response.patch")
    if (!isMutating && type !== null) throw invalid("validating webhook may not return response.patchType")
    if (hasPatch && type === null && !isList(patch)) {
      throw invalid("webhook returned response.patch but not response.patchType")
    }
    if (!hasPatch && type !== null) throw invalid("webhook returned response.patchType but not response.patch")
  }
  heard({ warnings: textsAt(response, "warnings"), annotations: mapAt(response, "auditAnnotations") })
  if (own(response, "allowed") !== true) throw rejection(name, mapAt(response, "status"))
  if (type !== null && type !== "JSONPatch" && hasPatch)
    throw new CallFailed(`unsupported patch type ${quoteGo(String(type))}`)
  return hasPatch && isMutating ? decodePatch(patch) : []
}

function decodePatch(patch: Value): ListValue {
  if (isList(patch)) return patch
  try {
    const bytes = Uint8Array.from(atob(String(patch)), character => character.charCodeAt(0))
    const operations = parseJson(new TextDecoder().decode(bytes))
    if (isList(operations)) return operations
  } catch {
    // The text is not a patch.
  }
  throw new CallFailed("received undecodable patch in webhook response: it is not a list of operations in base64")
}

/** Returns the refusal of a request by a webhook. The webhook chooses its code, reason and details. */
function rejection(name: string, status: MapValue): RequestFailure {
  const code = own(status, "code")
  const [reason, message] = [textAt(status, "reason"), textAt(status, "message")]
  const why = message || reason
  const text = `admission webhook ${quoteGo(name)} denied the request${why === "" ? " without explanation" : `: ${why}`}`
  const details = own(status, "details")
  const shown = isMap(details) ? details : undefined
  return new RequestFailure(typeof code === "number" && code >= 400 ? code : 400, text, reason || undefined, shown)
}
