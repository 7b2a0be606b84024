// The roles and bindings that an API server creates when it starts.

import type { MapValue } from "../../value/value.js"
import { bootstrapData } from "./bootstrap-data.js"

interface Entry {
  readonly name: string
  readonly namespace?: string
  readonly labels?: Readonly<Record<string, string>>
  /** For each rule its verbs, groups, resources, names of objects and URLs, each joined by blanks. `core` is the group without a name. */
  readonly rules?: readonly (readonly string[])[]
  /** The labels of the roles whose rules this one has. */
  readonly aggregate?: Readonly<Record<string, string>>
  /** The kind and name of the role of a binding. */
  readonly role?: string
  /** `User/NAME`, `Group/NAME` or `ServiceAccount/NAMESPACE/NAME`. */
  readonly subjects?: readonly string[]
}

const group = "rbac.authorization.k8s.io"

/** Returns the objects, roles before bindings. */
export function bootstrapObjects(): MapValue[] {
  const tables = JSON.parse(bootstrapData) as Readonly<Record<string, readonly Entry[]>>
  const kinds = {
    clusterRoles: "ClusterRole",
    roles: "Role",
    clusterRoleBindings: "ClusterRoleBinding",
    roleBindings: "RoleBinding",
  }
  return Object.entries(kinds).flatMap(([table, kind]) => (tables[table] ?? []).map(entry => objectOf(kind, entry)))
}

function objectOf(kind: string, { name, namespace, labels, rules, aggregate, role, subjects }: Entry): MapValue {
  return {
    apiVersion: `${group}/v1`,
    kind,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
      labels: { "kubernetes.io/bootstrapping": "rbac-defaults", ...labels },
    },
    ...(aggregate !== undefined && { aggregationRule: { clusterRoleSelectors: [{ matchLabels: aggregate }] } }),
    ...(role === undefined ? { rules: (rules ?? []).map(ruleOf) } : { roleRef: roleRefOf(role) }),
    ...(subjects !== undefined && { subjects: subjects.map(subjectOf) }),
  }
}

function ruleOf(row: readonly string[]): MapValue {
  const [verbs, apiGroups, resources, resourceNames, nonResourceURLs] = row.map(cell => cell.split(" ").filter(Boolean))
  const lists = {
    verbs,
    apiGroups: apiGroups?.map(each => (each === "core" ? "" : each)),
    resources,
    resourceNames,
    nonResourceURLs,
  }
  return Object.fromEntries(
    Object.entries(lists).filter(([, list]) => list !== undefined && list.length > 0),
  ) as MapValue
}

function roleRefOf(role: string): MapValue {
  const [kind = "", name = ""] = role.split("/")
  return { apiGroup: group, kind, name }
}

function subjectOf(subject: string): MapValue {
  const [kind = "", ...rest] = subject.split("/")
  const [namespace, name] = kind === "ServiceAccount" ? rest : [undefined, rest.join("/")]
  if (namespace === undefined) return { apiGroup: group, kind, name: name ?? "" }
  return { kind, name: name ?? "", namespace }
}
