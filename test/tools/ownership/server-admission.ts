/** Policies and webhooks of a cluster that change and refuse some of the objects that the laws of plans make. */
import type { MapValue } from "../../../src/value/value.js"
import type { WebhookFunction } from "../../../src/write/admission/webhook-client.js"

const apiVersion = "admissionregistration.k8s.io/v1"
const everything = { apiGroups: ["*"], apiVersions: ["*"], operations: ["CREATE", "UPDATE"], resources: ["*"] }
const matchConstraints = { resourceRules: [everything] }

/** A mutating policy that labels objects whose name has a 3, and a validating one that refuses a label with the value of a marker. */
const policies: readonly MapValue[] = [
  {
    apiVersion,
    kind: "MutatingAdmissionPolicy",
    metadata: { name: "label" },
    spec: {
      matchConstraints,
      matchConditions: [{ name: "three", expression: "object.metadata.name.contains('3')" }],
      failurePolicy: "Fail",
      reinvocationPolicy: "Never",
      mutations: [
        {
          patchType: "ApplyConfiguration",
          applyConfiguration: { expression: 'Object{metadata: Object.metadata{labels: {"checked": "yes"}}}' },
        },
      ],
    },
  },
  {
    apiVersion,
    kind: "MutatingAdmissionPolicyBinding",
    metadata: { name: "label" },
    spec: { policyName: "label" },
  },
  {
    apiVersion,
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: "names" },
    spec: {
      matchConstraints,
      validations: [{ expression: "!object.metadata.name.endsWith('7')", message: "no name may end with a 7" }],
    },
  },
  {
    apiVersion,
    kind: "ValidatingAdmissionPolicyBinding",
    metadata: { name: "names" },
    spec: { policyName: "names", validationActions: ["Deny"] },
  },
]

const webhook = {
  name: "owners.example.com",
  clientConfig: { url: "https://owners.example.com" },
  rules: [everything],
  admissionReviewVersions: ["v1"],
  sideEffects: "None",
}

/** The policies, and the configuration of a webhook. */
export const configuredAdmission: readonly MapValue[] = [
  ...policies,
  { apiVersion, kind: "MutatingWebhookConfiguration", metadata: { name: "owners" }, webhooks: [webhook] },
]

/** The webhook annotates objects whose name has a 5. */
export const admissionWebhooks: Readonly<Record<string, WebhookFunction>> = {
  "owners.example.com": review => {
    const { object, name } = (review.request ?? {}) as MapValue
    const metadata = ((object ?? {}) as MapValue).metadata as MapValue | undefined
    if (metadata === undefined || !String(name ?? "").includes("5")) return { allowed: true }
    const annotations = { ...(metadata.annotations as MapValue | undefined), team: "web" }
    return { allowed: true, patch: [{ op: "add", path: "/metadata/annotations", value: annotations }] }
  },
}
