/** Creates policies, bindings and a server for tests of admission. */
import { createApiServer } from "../../../src/apiserver/server.js"
import type { MapValue } from "../../../src/value/value.js"
import { clientOf } from "../../apiserver/requests.js"

export const registration = "/apis/admissionregistration.k8s.io/v1"
export const configMaps = "/api/v1/namespaces/default/configmaps"

const apiVersion = "admissionregistration.k8s.io/v1"
export const forConfigMaps = {
  resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["configmaps"] }],
}

/** Returns a policy with these fields of its spec. */
export function policy(spec: object, name = "p", kind = "ValidatingAdmissionPolicy"): MapValue {
  return { apiVersion, kind, metadata: { name }, spec: { matchConstraints: forConfigMaps, ...spec } } as MapValue
}

/** Returns a binding of the policy `p`. */
export function binding(spec: object = {}, name = "b", kind = "ValidatingAdmissionPolicyBinding"): MapValue {
  const actions = kind.startsWith("Validating") && { validationActions: ["Deny"] }
  return { apiVersion, kind, metadata: { name }, spec: { policyName: "p", ...actions, ...spec } } as MapValue
}

export function configMap(data: object = {}, metadata: object = {}): MapValue {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c", ...metadata }, data } as MapValue
}

/** Returns a server into which these objects were loaded, and a function that sends requests to it. */
export function serverWith(objects: readonly object[], options: Parameters<typeof createApiServer>[0] = {}) {
  const server = createApiServer({ objects, ...options })
  return { server, call: clientOf(server) }
}
