// The object that the URL of a request names, and whether the object in the body is the same.

import { badRequest, conflict } from "../kinds/refusal/failure.js"
import { subjectOf } from "../kinds/resource/resource.js"
import { metaText, withMetadata } from "../schema/metadata.js"
import type { MapValue } from "../value/value.js"
import type { Endpoint } from "./endpoint.js"

/** The object that a request writes. */
export interface Target {
  readonly endpoint: Endpoint
  /** "" if the object has no namespace. */
  readonly namespace: string
  /** "" if the request creates an object whose name it does not give. */
  readonly name: string
  /** The stored object at the version of the endpoint; undefined if the object does not exist. */
  readonly live: MapValue | undefined
}

/** Returns the object with the namespace of the request. Throws a RequestFailure if the URL names another object, or a new object has a uid. */
export function placedAt(target: Target, merged: MapValue): MapValue {
  const { endpoint, live, name } = target
  const uid = metaText(merged, "uid")
  if (live === undefined && uid !== "") {
    const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`
    throw conflict(subjectOf(endpoint.resource), name, why)
  }
  return matchedWith(target, merged)
}

/** Returns the object with the namespace of the request. Throws a RequestFailure if the object has another name or namespace. */
export function matchedWith(target: Target, given: MapValue): MapValue {
  const { name } = target
  const object = inNamespaceOf(target, given)
  const givenName = metaText(object, "name")
  if (givenName === "") {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`)
  }
  if (givenName !== name) {
    throw badRequest(`the name of the object (${givenName}) does not match the name on the URL (${name})`)
  }
  return object
}

/** Returns the object with the namespace of the request. Throws a RequestFailure if the object has another namespace. */
export function inNamespaceOf(target: Target, object: MapValue): MapValue {
  const { namespaced } = target.endpoint.resource
  const given = metaText(object, "namespace")
  const expected = namespaced ? target.namespace : ""
  if (given !== "" && given !== expected && namespaced) {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request")
  }
  return given === expected ? object : withMetadata(object, { namespace: expected === "" ? undefined : expected })
}
