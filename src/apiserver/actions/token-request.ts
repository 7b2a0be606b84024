// Issues a token of a ServiceAccount, as `kubectl create token` asks for it.

import { badRequest, conflict, invalid, type Problem } from "../../kinds/refusal/failure.js"
import type { Field } from "../../kinds/validation/field.js"
import { problemsBy } from "../../kinds/validation/validate.js"
import { formatTime } from "../../managedfields/entries/time.js"
import { parseKind } from "../../schema/group-version-kind.js"
import { metaText, withMetadata } from "../../schema/metadata.js"
import { mapAt, textAt, textsAt, withKeys } from "../../value/fields.js"
import { formatValue } from "../../value/format.js"
import { own } from "../../value/object.js"
import { isMap, type MapValue } from "../../value/value.js"
import { tokenIssuer, writeToken } from "../authorization/account-tokens.js"
import type { Action, ActionContext, ActionTarget } from "./action.js"
import { existing } from "./objects.js"

const subject = { group: "authentication.k8s.io", name: "TokenRequest" }

export const tokenRequest: Action = {
  defaults: body => withSpec(body, { expirationSeconds: own(specOf(body), "expirationSeconds") ?? 3600 }),
  check(body, target, context) {
    requireSame(body, target, "name", target.name)
    requireSame(body, target, "namespace", target.namespace)
    const account = existing(context, "serviceaccounts", target.namespace, target.name)
    const [uid, wanted] = [metaText(account, "uid"), metaText(body, "uid")]
    if (wanted !== "" && wanted !== uid) {
      const why = `the UID in the token request (${wanted}) does not match the UID of the service account (${uid})`
      throw conflict(subject, target.name, why)
    }
    const audiences = textsAt(specOf(body), "audiences")
    const complete = withMetadata(withSpec(body, { audiences: audiences.length > 0 ? audiences : [tokenIssuer] }), {
      name: target.name,
      namespace: target.namespace,
      uid,
      creationTimestamp: formatTime(context.clock()),
    })
    const problems = problemsBy({ "": checkRequest }, "", complete, undefined)
    if (problems.length > 0) throw invalid(subject, "", problems)
    return withKeys(complete, { status: { token: "", expirationTimestamp: null } })
  },
  act(body, target, context) {
    const seconds = Number(own(specOf(body), "expirationSeconds"))
    const expirationTimestamp = formatTime(new Date(context.clock().getTime() + seconds * 1000))
    const bound = boundObjects(body, target, context)
    return withKeys(body, { status: { token: tokenOf(body, seconds, bound, context), expirationTimestamp } })
  },
}

const specOf = (body: MapValue) => mapAt(body, "spec")
const withSpec = (body: MapValue, changes: MapValue) => withKeys(body, { spec: withKeys(specOf(body), changes) })

/** Throws a RequestFailure if the request names another account than the URL. */
function requireSame(body: MapValue, { name }: ActionTarget, key: "name" | "namespace", expected: string): void {
  const given = metaText(body, key)
  if (given === "" || given === expected) return
  const message = `Invalid value: ${formatValue(given)}: must match the service account ${key} if specified`
  const problem: Problem = { reason: "FieldValueInvalid", field: `metadata.${key}`, message }
  throw invalid(subject, name, [problem])
}

function checkRequest(body: Field): void {
  const spec = body.at("spec")
  const seconds = spec.at("expirationSeconds")
  const attestations = spec.at("attestations")
  if (attestations.size > 0) {
    attestations.invalid("attestations may only be specified with a webhook bound object reference")
    return
  }
  if (seconds.number < 600) seconds.invalid("may not specify a duration less than 10 minutes")
  if (seconds.number > 2 ** 32) seconds.invalid("may not specify a duration larger than 2^32 seconds")
}

/** Returns the objects that the token is bound to, by their names in its claims. Throws a RequestFailure if the token can't be bound to them. */
function boundObjects(body: MapValue, target: ActionTarget, context: ActionContext): Record<string, MapValue> {
  const ref = own(specOf(body), "boundObjectRef") ?? null
  if (!isMap(ref)) return {}
  const name = textAt(ref, "name")
  const { group, version, kind } = parseKind(textAt(ref, "apiVersion"), textAt(ref, "kind"))
  const type = `${group}/${version}, Kind=${kind}`
  const plural = group === "" && Object.hasOwn(pluralOf, kind) ? pluralOf[kind] : undefined
  if (plural === undefined) {
    const isWebhook = ["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"].includes(kind)
    const gate = isWebhook ? " (feature gate APIServerWebhookAuthenticationToken is disabled)" : ""
    throw badRequest(`cannot bind token to object of type ${type}${gate}`)
  }
  const object = existing(context, plural, kind === "Node" ? "" : target.namespace, name)
  const bound: Record<string, MapValue> = { [kind.toLowerCase()]: referenceTo(object) }
  if (kind === "Pod") {
    const { serviceAccountName, nodeName } = mapAt(object, "spec")
    if (serviceAccountName !== target.name) {
      const account = formatValue(target.name)
      const why = "to pod running with different serviceaccount name."
      throw badRequest(`cannot bind token for serviceaccount ${account} ${why}`)
    }
    if (typeof nodeName === "string" && nodeName !== "") {
      const node = context.store.get("/nodes", "", nodeName)
      bound.node = node === undefined ? { name: nodeName } : referenceTo(node)
    }
  }
  const [wanted, uid] = [textAt(ref, "uid"), metaText(object, "uid")]
  if (wanted !== "" && wanted !== uid) {
    const start = `the UID in the bound object reference (${wanted}) does not match the UID in record`
    const why = `${start}. The object might have been deleted and then recreated`
    throw conflict({ group, name: kind }, name, why)
  }
  return bound
}

const pluralOf: Readonly<Record<string, string>> = { Pod: "pods", Node: "nodes", Secret: "secrets" }
const referenceTo = (object: MapValue) => ({ name: metaText(object, "name"), uid: metaText(object, "uid") })

/** The lifetime that a kubelet asks for. Such a token is valid for a year, so that clients which read it only once go on working. */
const kubeletSeconds = 3607
const yearSeconds = 365 * 24 * 60 * 60

function tokenOf(
  body: MapValue,
  seconds: number,
  bound: Readonly<Record<string, MapValue>>,
  { clock, identity }: ActionContext,
): string {
  const [namespace, name] = [metaText(body, "namespace"), metaText(body, "name")]
  const audiences = textsAt(specOf(body), "audiences")
  const now = Math.floor(clock().getTime() / 1000)
  const isExtended =
    bound.pod !== undefined && seconds === kubeletSeconds && audiences.every(each => each === tokenIssuer)
  return writeToken({
    aud: audiences,
    exp: now + (isExtended ? yearSeconds : seconds),
    iat: now,
    jti: identity?.().uid ?? "",
    "kubernetes.io": {
      namespace,
      serviceaccount: referenceTo(body),
      ...bound,
      ...(isExtended && { warnafter: now + seconds }),
    },
    nbf: now,
    sub: `system:serviceaccount:${namespace}:${name}`,
  })
}
