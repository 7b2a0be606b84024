// Policies and a webhook that look at each write of a load test and refuse none.

const rules = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE", "UPDATE"], resources: ["configmaps"] }]
const apiVersion = "admissionregistration.k8s.io/v1"

/** Returns the options of a server with this many policies, each with a binding, and with a webhook that answers later. */
export function admission(policies: number) {
  const numbers = Array.from({ length: policies }, (_, i) => i)
  const spec = {
    failurePolicy: "Fail",
    matchConstraints: { resourceRules: rules },
    matchConditions: [
      { name: "labeled", expression: "has(object.metadata.labels) && 'group' in object.metadata.labels" },
    ],
    variables: [{ name: "text", expression: "has(object.data) && 'text' in object.data ? object.data.text : ''" }],
    validations: [{ expression: "size(variables.text) < 1000", messageExpression: "'too long: ' + variables.text" }],
  }
  const hook = {
    name: "load.example.com",
    clientConfig: { url: "https://load.test" },
    rules,
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
  }
  const objects = [
    ...numbers.map(i => ({ apiVersion, kind: "ValidatingAdmissionPolicy", metadata: { name: `p${i}` }, spec })),
    ...numbers.map(i => ({
      apiVersion,
      kind: "ValidatingAdmissionPolicyBinding",
      metadata: { name: `p${i}` },
      spec: { policyName: `p${i}`, validationActions: ["Deny"] },
    })),
    { apiVersion, kind: "ValidatingWebhookConfiguration", metadata: { name: "load" }, webhooks: [hook] },
  ]
  return { objects, webhooks: { "load.example.com": () => Promise.resolve({ allowed: true }) } }
}
