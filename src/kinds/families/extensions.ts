// Extensions of an API server: CustomResourceDefinitions, APIServices, and the webhooks and policies of admission.
import { listAt } from "../../value/fields.js"
import { ageColumn, integer, type KindColumns, nameColumn, plainColumns } from "../kind/column.js"
import type { DefaultRule } from "../kind/default-rule.js"
import type { BuiltInKind, Family } from "../kind/kind.js"
import { pathSegment } from "../validation/names.js"

const registration = "io.k8s.api.admissionregistration.v1."
const matching = { matchPolicy: "Equivalent", namespaceSelector: {}, objectSelector: {} }
const webhook = { failurePolicy: "Fail", timeoutSeconds: 10, ...matching }
const failing: readonly DefaultRule[] = [{ set: { failurePolicy: "Fail" } }]
const anyScope: readonly DefaultRule[] = [{ set: { scope: "*" } }]
const servicePort: readonly DefaultRule[] = [{ set: { port: 443 } }]
const hook: BuiltInKind = { needsResourceVersion: true, countsGeneration: true, anyFinalizer: true }

export const extensions: Family = {
  "apiextensions.k8s.io/CustomResourceDefinition": {
    defaults: { "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ServiceReference": servicePort },
    // definition/problems.ts validates definitions. It needs the compiler of CEL, which the registry leaves out.
    definesKinds: true,
    countsGeneration: true,
    anyFinalizer: true,
  },
  "apiregistration.k8s.io/APIService": {
    defaults: { "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.ServiceReference": servicePort },
    keepsCreatedStatus: true,
    checkName: pathSegment,
    anyFinalizer: true,
  },
  "admissionregistration.k8s.io/ValidatingWebhookConfiguration": {
    ...hook,
    defaults: {
      [`${registration}ValidatingWebhook`]: [{ set: webhook }],
      [`${registration}RuleWithOperations`]: anyScope,
      [`${registration}ServiceReference`]: servicePort,
    },
  },
  "admissionregistration.k8s.io/MutatingWebhookConfiguration": {
    ...hook,
    defaults: { [`${registration}MutatingWebhook`]: [{ set: { ...webhook, reinvocationPolicy: "Never" } }] },
  },
  "admissionregistration.k8s.io/ValidatingAdmissionPolicy": {
    ...hook,
    defaults: {
      [`${registration}ValidatingAdmissionPolicySpec`]: failing,
      [`${registration}MatchResources`]: [{ set: matching }],
      [`${registration}NamedRuleWithOperations`]: anyScope,
    },
  },
  "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding": hook,
  "admissionregistration.k8s.io/MutatingAdmissionPolicy": {
    ...hook,
    defaults: { [`${registration}MutatingAdmissionPolicySpec`]: failing },
  },
  "admissionregistration.k8s.io/MutatingAdmissionPolicyBinding": hook,
}

export function extensionColumns(): KindColumns {
  const webhooks = [nameColumn, integer("Webhooks", object => listAt(object, "webhooks").length), ageColumn]
  return {
    "apiextensions.k8s.io/CustomResourceDefinition": plainColumns,
    "admissionregistration.k8s.io/MutatingWebhookConfiguration": webhooks,
    "admissionregistration.k8s.io/ValidatingWebhookConfiguration": webhooks,
  }
}
