// Roles and their bindings, accounts, certificates, and reviews of access.
import { compareStrings } from "../../value/compare.js"
import { mapAt, mapsAt, textAt, withKeys } from "../../value/fields.js"
import { quoteGo } from "../../value/quote.js"
import type { MapValue } from "../../value/value.js"
import {
  ageColumn,
  countAt,
  durationText,
  field,
  joined,
  type KindColumns,
  nameColumn,
  plainColumns,
  text,
  wide,
} from "../kind/column.js"
import type { DefaultRule } from "../kind/default-rule.js"
import type { BuiltInKind, Family } from "../kind/kind.js"
import { specOf, statusOf } from "../kind/spec-and-status.js"
import type { Field, TextCheck } from "../validation/field.js"
import { checkSelector } from "../validation/labels.js"
import { dnsLabel, dnsSubdomain, pathSegment } from "../validation/names.js"

const group = "rbac.authorization.k8s.io"
const rbac = "io.k8s.api.rbac.v1."
const role: BuiltInKind = { createdByPut: true, checkName: pathSegment, validate: { "": checkRole } }
const binding: BuiltInKind = { createdByPut: true, checkName: pathSegment, validate: { "": checkBinding } }
const roleRef: readonly DefaultRule[] = [{ in: "roleRef", fill: { apiGroup: group } }]

/** The test API server allows everything to everybody. */
const accessReview: BuiltInKind = {
  review: object => ({ ...object, status: { allowed: true, reason: "this test API server allows everything" } }),
}
const userInfo = { username: "admin", uid: "admin", groups: ["system:masters", "system:authenticated"] }

export const access: Family = {
  "authorization.k8s.io/SubjectAccessReview": accessReview,
  "authorization.k8s.io/SelfSubjectAccessReview": accessReview,
  "authorization.k8s.io/LocalSubjectAccessReview": accessReview,
  "authorization.k8s.io/SelfSubjectRulesReview": {
    review: object => ({
      ...object,
      status: {
        resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
        nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
        incomplete: false,
      },
    }),
  },
  "authentication.k8s.io/SelfSubjectReview": { review: object => ({ ...object, status: { userInfo } }) },
  "rbac.authorization.k8s.io/Role": role,
  "rbac.authorization.k8s.io/ClusterRole": role,
  "rbac.authorization.k8s.io/RoleBinding": {
    ...binding,
    defaults: {
      [`${rbac}RoleBinding`]: roleRef,
      [`${rbac}Subject`]: [{ when: { kind: ["User", "Group"] }, fill: { apiGroup: group } }],
    },
  },
  "rbac.authorization.k8s.io/ClusterRoleBinding": { ...binding, defaults: { [`${rbac}ClusterRoleBinding`]: roleRef } },
  "/ServiceAccount": { created: withSecretNames, updated: withSecretNames, returnedWhenDeleted: true },
  "certificates.k8s.io/CertificateSigningRequest": {
    checkName: () => [],
    validate: { "": checkSigningRequest },
    selectableFields: { "spec.signerName": "" },
  },
  "certificates.k8s.io/ClusterTrustBundle": { needsResourceVersion: true, checkName: pathSegment },
}

export function accessColumns(): KindColumns {
  const bound = [
    nameColumn,
    text("Role", ({ roleRef }) => `${textAt(roleRef as MapValue, "kind")}/${textAt(roleRef as MapValue, "name")}`),
    ageColumn,
    wide(text("Users", subjects("User"))),
    wide(text("Groups", subjects("Group"))),
    wide(text("ServiceAccounts", subjects("ServiceAccount"))),
  ]
  return {
    "rbac.authorization.k8s.io/Role": plainColumns,
    "rbac.authorization.k8s.io/ClusterRole": plainColumns,
    "rbac.authorization.k8s.io/RoleBinding": bound,
    "rbac.authorization.k8s.io/ClusterRoleBinding": bound,
    "/ServiceAccount": [nameColumn, ageColumn],
    "certificates.k8s.io/CertificateSigningRequest": [
      nameColumn,
      ageColumn,
      field("SignerName", "spec.signerName", "<none>"),
      field("Requestor", "spec.username"),
      text("RequestedDuration", object => {
        const seconds = countAt(specOf(object), "expirationSeconds")
        return seconds === 0 ? "<none>" : durationText(seconds)
      }),
      text("Condition", signingState),
    ],
    "certificates.k8s.io/ClusterTrustBundle": [nameColumn, field("SignerName", "spec.signerName", "<none>")],
    "certificates.k8s.io/PodCertificateRequest": [
      nameColumn,
      field("PodName", "spec.podName"),
      field("ServiceAccountName", "spec.serviceAccountName"),
      field("NodeName", "spec.nodeName"),
      field("SignerName", "spec.signerName"),
      text("State", object => conditionsOf(object).findLast(type => podCertificateStates.includes(type)) ?? "Pending"),
      text("UnverifiedUserAnnotations", object =>
        joined(
          Object.entries(mapAt(specOf(object), "unverifiedUserAnnotations"))
            .map(([key, value]) => `${key}=${value}`)
            .sort(compareStrings),
        ),
      ),
    ],
  }
}

const podCertificateStates = ["Issued", "Denied", "Failed"]

const conditionsOf = (object: MapValue): string[] =>
  mapsAt(statusOf(object), "conditions").map(condition => textAt(condition, "type"))

/** Says what became of a request for a certificate. */
function signingState(request: MapValue): string {
  const types = conditionsOf(request)
  const decision = types.includes("Denied") ? "Denied" : types.includes("Approved") ? "Approved" : "Pending"
  const isIssued = textAt(statusOf(request), "certificate") !== ""
  return decision + (types.includes("Failed") ? ",Failed" : "") + (isIssued ? ",Issued" : "")
}

/** Returns a cell with the names of the subjects of this kind. */
const subjects = (kind: string) => (binding: MapValue) =>
  mapsAt(binding, "subjects")
    .filter(subject => subject.kind === kind)
    .map(subject => {
      const name = textAt(subject, "name")
      return kind === "ServiceAccount" ? `${textAt(subject, "namespace")}/${name}` : name
    })
    .join(", ")

/** Removes everything from the references to secrets except their names. */
function withSecretNames(account: MapValue): MapValue {
  const secrets = mapsAt(account, "secrets").map(({ name }) => (name === undefined ? {} : { name }))
  return secrets.length === 0 ? account : withKeys(account, { secrets })
}

function checkRole(role: Field): void {
  const isNamespaced = role.at("kind").text === "Role"
  const rules = role.at("rules").items()
  for (const rule of rules) checkRule(rule, isNamespaced)
  const aggregation = role.at("aggregationRule")
  const selectors = aggregation.at("clusterRoleSelectors")
  if (aggregation.isSet && selectors.size === 0) {
    selectors.required("at least one clusterRoleSelector required if aggregationRule is non-nil")
  }
  for (const selector of selectors.items()) {
    const before = selector.problems
    checkSelector(selector)
    if (selector.problems > before) selector.holding(null).invalid("invalid label selector.")
  }
}

function checkRule(rule: Field, isNamespaced: boolean): void {
  const urls = rule.at("nonResourceURLs")
  const groups = rule.at("apiGroups")
  const resources = rule.at("resources")
  if (urls.size > 0) {
    if (isNamespaced) urls.invalid("namespaced rules cannot apply to non-resource URLs")
    if (groups.size + resources.size + rule.at("resourceNames").size > 0) {
      urls.invalid("rules cannot apply to both regular resources and non-resource URLs")
    }
    return
  }
  if (groups.size === 0) groups.required("resource rules must supply at least one api group")
  if (resources.size === 0) resources.required("resource rules must supply at least one resource")
}

function checkBinding(binding: Field, before: Field | undefined): void {
  const isNamespaced = binding.at("kind").text === "RoleBinding"
  const role = binding.at("roleRef")
  role.at("apiGroup").oneOf([group])
  role.at("kind").oneOf(isNamespaced ? ["Role", "ClusterRole"] : ["ClusterRole"])
  const name = role.at("name")
  name.checkIfGiven(pathSegment)
  const subjects = binding.at("subjects").items()
  for (const subject of subjects) checkSubject(subject, isNamespaced)
  if (before !== undefined) role.immutable(before.at("roleRef"), goRole(role))
}

/** Returns the role as messages show it: as a Go struct. */
function goRole(role: Field) {
  return { APIGroup: role.at("apiGroup").text, Kind: role.at("kind").text, Name: role.at("name").text }
}

function checkSubject(subject: Field, isNamespaced: boolean): void {
  const kind = subject.at("kind")
  const name = subject.at("name")
  const apiGroup = subject.at("apiGroup")
  switch (kind.text) {
    case "ServiceAccount": {
      name.checkIfGiven(dnsSubdomain)
      if (apiGroup.text !== "") apiGroup.oneOf([""])
      const namespace = subject.at("namespace")
      if (!isNamespaced && namespace.text === "") namespace.required()
      break
    }
    case "User":
    case "Group":
      apiGroup.oneOf([group])
      break
    default:
      kind.oneOf(["ServiceAccount", "User", "Group"])
  }
}

/** Reports the first part between dots that is wrong. */
function checkSignerParts(field: Field, check: TextCheck): void {
  const wrong = field.text.split(".").find(part => check(part).length > 0)
  if (wrong === undefined) return
  for (const message of check(wrong)) field.invalid(`validating label ${quoteGo(wrong)}: ${message}`)
}

const usages = [
  ...["any", "cert sign", "client auth", "code signing", "content commitment", "crl sign", "data encipherment"],
  ...["decipher only", "digital signature", "email protection", "encipher only", "ipsec end system", "ipsec tunnel"],
  ...["ipsec user", "key agreement", "key encipherment", "microsoft sgc", "netscape sgc", "ocsp signing"],
  ...["s/mime", "server auth", "signing", "timestamping"],
]

function checkSigningRequest(object: Field): void {
  const spec = object.at("spec")
  const [request, used, seconds] = [spec.at("request"), spec.at("usages"), spec.at("expirationSeconds")]
  if (!isPem(request.text, "CERTIFICATE REQUEST")) request.invalid("PEM block type must be CERTIFICATE REQUEST")
  if (used.size === 0) used.required()
  for (const usage of used.items()) usage.oneOf(usages)
  const seen = new Set<string>()
  for (const usage of used.items()) usage.unique(seen)
  checkSigner(spec.at("signerName"))
  if (seconds.isSet && seconds.number < 600) {
    seconds.invalid("may not specify a duration less than 600 seconds (10 minutes)")
  }
}

/** Whether the bytes, in base64, begin with a block of this type in PEM. The content of the block is not read. */
function isPem(base64: string, type: string): boolean {
  const [, found, body = ""] = /-----BEGIN ([^-]+)-----\n([A-Za-z0-9+/=\s]*)-----END \1-----/.exec(atob(base64)) ?? []
  const digits = body.replace(/\s/g, "")
  return found === type && digits.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(digits)
}

function checkSigner(signer: Field): void {
  const { text } = signer
  const [, domain = "", path = ""] = /^([^/]+)\/([^/]+)$/.exec(text) ?? []
  const form = "must be a fully qualified domain and path of the form 'example.com/signer-name'"
  if (text === "") signer.required()
  else if (text === "kubernetes.io/legacy-unknown") {
    signer.invalid("the legacy signerName is not allowed via this API version")
  } else if (path === "") signer.invalid(form)
  else {
    checkSignerParts(signer.holding(domain), dnsLabel)
    if (!domain.includes(".")) {
      signer.invalid("should be a domain with at least two segments separated by dots", domain)
    }
    checkSignerParts(signer.holding(path), dnsSubdomain)
  }
}
