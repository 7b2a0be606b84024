// Extensions of an API server: CustomResourceDefinitions, APIServices, and the webhooks and policies of admission.
import { nameInGroup } from "../../schema/group-version-kind.js"
import { bytesOfBase64 } from "../../validation/rules/formats.js"
import { listAt, mapAt, mapsAt, textAt, withKeys } from "../../value/fields.js"
import { own, put } from "../../value/object.js"
import { quoteGo } from "../../value/quote.js"
import { isMap, type MapValue } from "../../value/value.js"
import { newStatus, withDefaultNames } from "../custom/definitions.js"
import { ageColumn, field, integer, type KindColumns, nameColumn, plainColumns, text } from "../kind/column.js"
import type { DefaultRule, Fields } from "../kind/default-rule.js"
import type { BuiltInKind, Family } from "../kind/kind.js"
import { specOf, statusOf } from "../kind/spec-and-status.js"
import type { Field } from "../validation/field.js"
import { dnsLabel1035, dnsSubdomain, pathSegment } from "../validation/names.js"
import { checkServicePort } from "../validation/webhook-client.js"
import {
  checkMutatingBinding,
  checkMutatingPolicy,
  checkValidatingBinding,
  checkValidatingPolicy,
} from "./extensions/policies.js"
import { checkWebhooks } from "./extensions/webhooks.js"

const definitions = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1."
const registration = "io.k8s.api.admissionregistration.v1."
const matching = { matchPolicy: "Equivalent", namespaceSelector: {}, objectSelector: {} }
const webhook = { failurePolicy: "Fail", timeoutSeconds: 10, ...matching }
const failing: readonly DefaultRule[] = [{ set: { failurePolicy: "Fail" } }]
const anyScope: readonly DefaultRule[] = [{ set: { scope: "*" } }]
const servicePort: readonly DefaultRule[] = [{ set: { port: 443 } }]
const hook: BuiltInKind = { needsResourceVersion: true, countsGeneration: true, anyFinalizer: true }
const withExpressions: BuiltInKind = { ...hook, compilesExpressions: true }

export const extensions: Family = {
  "apiextensions.k8s.io/CustomResourceDefinition": {
    defaults: {
      [`${definitions}ServiceReference`]: servicePort,
      [`${definitions}CustomResourceDefinitionSpec`]: [{ set: { conversion: { strategy: "None" } } }, setNames],
    },
    definesKinds: true,
    compilesExpressions: true,
    created: definition => withKeys(definition, { status: newStatus(definition) }),
    countsGeneration: true,
    anyFinalizer: true,
  },
  "apiregistration.k8s.io/APIService": {
    defaults: { "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.ServiceReference": servicePort },
    keepsCreatedStatus: true,
    checkName: pathSegment,
    anyFinalizer: true,
    validate: { "": checkApiService },
  },
  "admissionregistration.k8s.io/ValidatingWebhookConfiguration": {
    ...withExpressions,
    validate: { "": checkWebhooks },
    defaults: {
      [`${registration}ValidatingWebhook`]: [{ set: webhook }],
      [`${registration}RuleWithOperations`]: anyScope,
      [`${registration}ServiceReference`]: servicePort,
    },
  },
  "admissionregistration.k8s.io/MutatingWebhookConfiguration": {
    ...withExpressions,
    validate: { "": checkWebhooks },
    defaults: { [`${registration}MutatingWebhook`]: [{ set: { ...webhook, reinvocationPolicy: "Never" } }] },
  },
  "admissionregistration.k8s.io/ValidatingAdmissionPolicy": {
    ...withExpressions,
    validate: { "": checkValidatingPolicy },
    defaults: {
      [`${registration}ValidatingAdmissionPolicySpec`]: failing,
      [`${registration}MatchResources`]: [{ set: matching }],
      [`${registration}NamedRuleWithOperations`]: anyScope,
    },
  },
  "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding": {
    ...hook,
    validate: { "": checkValidatingBinding },
  },
  "admissionregistration.k8s.io/MutatingAdmissionPolicy": {
    ...withExpressions,
    validate: { "": checkMutatingPolicy },
    defaults: { [`${registration}MutatingAdmissionPolicySpec`]: failing },
  },
  "admissionregistration.k8s.io/MutatingAdmissionPolicyBinding": { ...hook, validate: { "": checkMutatingBinding } },
}

function setNames(out: Fields): void {
  const names = own(out, "names")
  if (isMap(names)) put(out, "names", withDefaultNames(names as MapValue))
}

export function extensionColumns(): KindColumns {
  const webhooks = [nameColumn, integer("Webhooks", object => listAt(object, "webhooks").length), ageColumn]
  const policy = (name: string, key: string) => [
    nameColumn,
    integer(name, object => listAt(specOf(object), key).length),
    text("ParamKind", object => {
      const { apiVersion, kind } = mapAt(specOf(object), "paramKind")
      return kind === undefined ? "<unset>" : `${apiVersion}/${kind}`
    }),
    ageColumn,
  ]
  const binding = [nameColumn, field("PolicyName", "spec.policyName"), text("ParamRef", parameter), ageColumn]
  return {
    "apiextensions.k8s.io/CustomResourceDefinition": plainColumns,
    "admissionregistration.k8s.io/MutatingWebhookConfiguration": webhooks,
    "admissionregistration.k8s.io/ValidatingWebhookConfiguration": webhooks,
    "admissionregistration.k8s.io/ValidatingAdmissionPolicy": policy("Validations", "validations"),
    "admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding": binding,
    "admissionregistration.k8s.io/MutatingAdmissionPolicy": policy("Mutations", "mutations"),
    "admissionregistration.k8s.io/MutatingAdmissionPolicyBinding": binding,
    "apiregistration.k8s.io/APIService": [
      nameColumn,
      text("Service", object => {
        const service = mapAt(specOf(object), "service")
        return service.name === undefined ? "Local" : `${textAt(service, "namespace")}/${textAt(service, "name")}`
      }),
      text("Available", availability),
      ageColumn,
    ],
    "storagemigration.k8s.io/StorageVersionMigration": [
      { ...nameColumn, format: "" },
      text("Resource", object => {
        const target = mapAt(specOf(object), "resource")
        return nameInGroup(textAt(target, "resource"), textAt(target, "group"))
      }),
      text("Status", object => {
        const conditions = mapsAt(statusOf(object), "conditions").filter(({ status }) => status === "True")
        const types = conditions.map(condition => textAt(condition, "type"))
        return types.findLast(type => ["Running", "Failed", "Succeeded"].includes(type)) ?? "Unknown"
      }),
    ],
  }
}

/** Says whether the server of an APIService is available, and why not. */
function availability(object: MapValue): string {
  const condition = mapsAt(statusOf(object), "conditions").find(({ type }) => type === "Available")
  if (condition === undefined) return "Unknown"
  const [status, reason] = [textAt(condition, "status"), textAt(condition, "reason")]
  return status === "True" || reason === "" ? status : `${status} (${reason})`
}

/** Names the parameter of a binding, or the labels that select parameters. */
function parameter(object: MapValue): string {
  const { paramRef } = specOf(object)
  if (!isMap(paramRef)) return "<unset>"
  const reference = paramRef as MapValue
  const name = textAt(reference, "name")
  if (name === "") return "<unset>"
  return `${textAt(reference, "namespace") || "*"}/${name}`
}

function checkApiService(object: Field): void {
  const spec = object.at("spec")
  const [group, version, service] = [spec.at("group"), spec.at("version"), spec.at("service")]
  const name = `${version.text}.${group.text}`
  if (object.at("metadata", "name").text !== name) {
    object.at("metadata", "name").invalid(`must be \`spec.version+"."+spec.group\`: ${quoteGo(name)}`)
  }
  if (group.text === "" && version.text !== "v1") {
    group.required("only v1 may have an empty group and it better be legacy kube")
  }
  group.checkIfGiven(dnsSubdomain)
  version.check(dnsLabel1035)
  checkPriority(spec.at("groupPriorityMinimum"), 20000)
  checkPriority(spec.at("versionPriority"), 1000)
  const [bundle, insecure] = [spec.at("caBundle"), spec.at("insecureSkipTLSVerify")]
  const isInsecure = insecure.value === true
  if (!service.isSet) {
    const bytes = `${bytesOfBase64(bundle.text)} bytes`
    if (bundle.text !== "") bundle.invalid("local APIServices may not have a caBundle", bytes)
    if (isInsecure) insecure.invalid("local APIServices may not have insecureSkipTLSVerify")
    return
  }
  for (const key of ["namespace", "name"]) service.at(key).requireText()
  checkServicePort(service.at("port"))
  if (isInsecure && bundle.text !== "") insecure.invalid("may not be true if caBundle is present")
}

function checkPriority(priority: Field, most: number): void {
  if (priority.number > 0 && priority.number <= most) return
  priority.invalid(`must be positive and less than ${most}`, priority.number)
}
