/** Validation of built-in kinds, with an API server's messages. test/apiserver/replay.test.ts compares with recorded messages. */
import { describe, expect, it } from "vitest"
import { createApiServer } from "../../src/apiserver/server.js"
import { unifiedDiff } from "../../src/kinds/validation/unified-diff.js"
import type { MapValue } from "../../src/value/value.js"
import { deepFreeze } from "../support/deep-freeze.js"

const kinds = {
  Autoscaler: ["/apis/autoscaling/v2", "horizontalpodautoscalers", "autoscaling/v2", "HorizontalPodAutoscaler"],
  ConfigMap: ["/api/v1", "configmaps", "v1", "ConfigMap"],
  CronJob: ["/apis/batch/v1", "cronjobs", "batch/v1", "CronJob"],
  DaemonSet: ["/apis/apps/v1", "daemonsets", "apps/v1", "DaemonSet"],
  Deployment: ["/apis/apps/v1", "deployments", "apps/v1", "Deployment"],
  Ingress: ["/apis/networking.k8s.io/v1", "ingresses", "networking.k8s.io/v1", "Ingress"],
  Job: ["/apis/batch/v1", "jobs", "batch/v1", "Job"],
  Pod: ["/api/v1", "pods", "v1", "Pod"],
  Role: ["/apis/rbac.authorization.k8s.io/v1", "roles", "rbac.authorization.k8s.io/v1", "Role"],
  RoleBinding: ["/apis/rbac.authorization.k8s.io/v1", "rolebindings", "rbac.authorization.k8s.io/v1", "RoleBinding"],
  Secret: ["/api/v1", "secrets", "v1", "Secret"],
  Service: ["/api/v1", "services", "v1", "Service"],
  StatefulSet: ["/apis/apps/v1", "statefulsets", "apps/v1", "StatefulSet"],
} as const

type Kind = keyof typeof kinds
type Answer = readonly [status: number, causes: readonly string[]]

/** Sends objects of a kind to a new server: creates the first, and replaces it by each of the others. Returns the last response. */
async function answer(kind: Kind, ...objects: readonly MapValue[]): Promise<Answer> {
  const server = createApiServer()
  const [root, plural, apiVersion, name] = kinds[kind]
  const path = `${root}/namespaces/default/${plural}`
  let last: Answer = [0, []]
  for (const [index, object] of objects.entries()) {
    const [method, url] = index === 0 ? ["POST", path] : ["PUT", `${path}/a`]
    const body = JSON.stringify({ apiVersion, kind: name, metadata: { name: "a" }, ...object })
    const headers = { "content-type": "application/json" }
    const response = await server.fetch(new Request(`http://test${url}`, { method, headers, body }))
    const { details } = (await response.json()) as { details?: { causes?: { field: string; message: string }[] } }
    last = [response.status, (details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`)]
  }
  return last
}

const app = { name: "app", image: "nginx:1" }
const pod = (spec: MapValue): MapValue => ({ spec: { containers: [app], ...spec } })
const container = (fields: MapValue): MapValue => pod({ containers: [{ ...app, ...fields }] })
const labels = { app: "x" }
const template = { metadata: { labels }, spec: { containers: [app] } }
const lasting = (fields: MapValue): MapValue => ({ spec: { selector: { matchLabels: labels }, template, ...fields } })
const service = (fields: MapValue): MapValue => ({ spec: { ports: [{ port: 80 }], ...fields } })
const job = { template: { spec: { containers: [app], restartPolicy: "Never" } } }
const target = { apiVersion: "apps/v1", kind: "Deployment", name: "web" }
const backend = { service: { name: "web", port: { number: 80 } } }
const ingress = (path: MapValue): MapValue => ({ spec: { rules: [{ http: { paths: [path] } }] } })
const role = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "r" }

const isDnsLabel =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const portRange = "must be between 1 and 65535, inclusive"

const refused: readonly (readonly [Kind, string, MapValue, readonly string[]])[] = [
  ["Pod", "no containers", pod({ containers: [] }), ["spec.containers: Required value"]],
  ["Pod", "a name", container({ name: "A" }), [`spec.containers[0].name: Invalid value: "A": ${isDnsLabel}`]],
  ["Pod", "no image", container({ image: "" }), ["spec.containers[0].image: Required value"]],
  ["Pod", "two of a name", pod({ containers: [app, app] }), ['spec.containers[1].name: Duplicate value: "app"']],
  [
    "Pod",
    "ports",
    container({ ports: [{ containerPort: 70_000, protocol: "X" }, { containerPort: 0 }] }),
    [
      `spec.containers[0].ports[0].containerPort: Invalid value: 70000: ${portRange}`,
      'spec.containers[0].ports[0].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"',
      "spec.containers[0].ports[1].containerPort: Required value",
    ],
  ],
  [
    "Pod",
    "a mount without a volume",
    container({ volumeMounts: [{ name: "v", mountPath: "/v" }] }),
    ['spec.containers[0].volumeMounts[0].name: Not found: "v"'],
  ],
  [
    "Pod",
    "a volume of two kinds",
    pod({ volumes: [{ name: "v", emptyDir: {}, hostPath: { path: "/" } }] }),
    ["spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type"],
  ],
  [
    "Pod",
    "requests above the limit",
    container({ resources: { requests: { cpu: "2" }, limits: { cpu: "500m" } } }),
    ['spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 500m'],
  ],
  [
    "Pod",
    "a probe without a handler",
    container({ livenessProbe: { successThreshold: 2 } }),
    [
      "spec.containers[0].livenessProbe: Required value: must specify a handler type",
      "spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1",
    ],
  ],
  [
    "Pod",
    "policies",
    pod({ restartPolicy: "Maybe", tolerations: [{ operator: "Equal" }] }),
    [
      'spec.restartPolicy: Unsupported value: "Maybe": supported values: "Always", "OnFailure", "Never"',
      'spec.tolerations[0].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
    ],
  ],
  [
    "Deployment",
    "replicas",
    lasting({ replicas: -1 }),
    ["spec.replicas: Invalid value: -1: must be greater than or equal to 0"],
  ],
  [
    "Deployment",
    "labels",
    lasting({ selector: { matchLabels: { app: "y" } } }),
    ['spec.template.metadata.labels: Invalid value: {"app":"x"}: `selector` does not match template `labels`'],
  ],
  [
    "Deployment",
    "a strategy",
    lasting({ strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: "0%" } } }),
    ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "0%": may not be 0 when `maxSurge` is 0'],
  ],
  [
    "StatefulSet",
    "a restart policy",
    lasting({ template: { ...template, spec: { containers: [app], restartPolicy: "Never" } } }),
    ['spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'],
  ],
  [
    "DaemonSet",
    "a strategy",
    lasting({ updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } }),
    ["spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero"],
  ],
  [
    "Job",
    "a restart policy",
    { spec: { template: { spec: { containers: [app] } } } },
    ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
  ],
  [
    "Pod",
    "rules for restarts without a policy",
    pod({ containers: [{ ...app, restartPolicyRules: [{ action: "x" }, { action: "Restart", exitCodes: {} }] }] }),
    [
      "spec.containers[0].restartPolicy: Required value: must specify restartPolicy when restart rules are used",
      'spec.containers[0].restartPolicyRules[0].action: Unsupported value: "x": supported values: "Restart", "RestartAllContainers"',
      "spec.containers[0].restartPolicyRules[0].exitCodes: Required value: must be specified",
      'spec.containers[0].restartPolicyRules[1].exitCodes.operator: Unsupported value: "": supported values: "In", "NotIn"',
    ],
  ],
  [
    "Secret",
    "a negative generation",
    { metadata: { name: "a", generation: -1 } },
    ["metadata.generation: Invalid value: -1: must be greater than or equal to 0"],
  ],
  [
    "CronJob",
    "a manager without a domain",
    { spec: { schedule: "*/5 * * * *", jobTemplate: { spec: { ...job, managedBy: "me" } } } },
    ['spec.jobTemplate.spec.managedBy: Invalid value: "me": must be a domain-prefixed path (such as "acme.io/foo")'],
  ],
  [
    "CronJob",
    "no schedule",
    { spec: { jobTemplate: { spec: job }, concurrencyPolicy: "No" } },
    [
      'spec.concurrencyPolicy: Unsupported value: "No": supported values: "Allow", "Forbid", "Replace"',
      "spec.schedule: Required value",
    ],
  ],
  ["Service", "no ports", service({ ports: [] }), ["spec.ports: Required value"]],
  [
    "Service",
    "ports",
    service({ ports: [{ port: 80 }, { port: 80, name: "b" }] }),
    [
      "spec.ports[0].name: Required value",
      'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}',
    ],
  ],
  ["Service", "no name outside", { spec: { type: "ExternalName" } }, ["spec.externalName: Required value"]],
  [
    "ConfigMap",
    "keys",
    { data: { "..": "x" }, binaryData: { "..": "eA==" } },
    [
      `data[..]: Invalid value: "..": must not be '..'`,
      'data[..]: Invalid value: "..": duplicate of key present in binaryData',
      `binaryData[..]: Invalid value: "..": must not be '..'`,
    ],
  ],
  [
    "Secret",
    "keys of a type",
    { type: "kubernetes.io/tls" },
    ["data[tls.crt]: Required value", "data[tls.key]: Required value"],
  ],
  [
    "Autoscaler",
    "bounds",
    { spec: { scaleTargetRef: target, minReplicas: 3, maxReplicas: 2 } },
    ["spec.maxReplicas: Invalid value: 2: must be greater than or equal to `minReplicas`"],
  ],
  [
    "Ingress",
    "a path",
    ingress({ path: "x", pathType: "Prefix", backend: {} }),
    [
      'spec.rules[0].http.paths[0].path: Invalid value: "x": must be an absolute path',
      'spec.rules[0].http.paths[0].backend: Invalid value: "": resource or service backend is required',
    ],
  ],
  [
    "Role",
    "a rule",
    { rules: [{ resources: ["pods"] }] },
    [
      "rules[0].apiGroups: Required value: resource rules must supply at least one api group",
      "rules[0].verbs: Required value",
    ],
  ],
  [
    "RoleBinding",
    "a subject",
    { roleRef: role, subjects: [{ kind: "Robot", name: "x" }] },
    ['subjects[0].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"'],
  ],
]

const changed: readonly (readonly [Kind, string, MapValue, MapValue, readonly string[]])[] = [
  [
    "Deployment",
    "its selector",
    lasting({}),
    lasting({ selector: { matchLabels: labels, matchExpressions: [{ key: "app", operator: "Exists" }] } }),
    [
      'spec.selector: Invalid value: {"matchLabels":{"app":"x"},"matchExpressions":[{"key":"app","operator":"Exists"}]}: field is immutable',
    ],
  ],
  [
    "Pod",
    "its containers",
    pod({}),
    pod({ containers: [app, { ...app, name: "b" }] }),
    ["spec.containers: Forbidden: pod updates may not add or remove containers"],
  ],
  [
    "ConfigMap",
    "what is immutable",
    { immutable: true, data: { a: "1" } },
    { data: { a: "2" } },
    [
      "immutable: Forbidden: field is immutable when `immutable` is set",
      "data: Forbidden: field is immutable when `immutable` is set",
    ],
  ],
  ["Secret", "its type", { type: "a/b" }, { type: "a/c" }, ['type: Invalid value: "a/c": field is immutable']],
  [
    "Service",
    "its address",
    service({ clusterIP: "10.96.0.9" }),
    service({ clusterIP: "10.96.0.8" }),
    ['spec.clusterIPs[0]: Invalid value: ["10.96.0.8"]: may not change once set'],
  ],
  [
    "RoleBinding",
    "its role",
    { roleRef: role },
    { roleRef: { ...role, name: "q" } },
    ['roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"q"}: field is immutable'],
  ],
]

describe("a new object", () => {
  it.each(refused)("%s: %s", async (kind, _, object, causes) => {
    expect(await answer(kind, deepFreeze(object))).toEqual([422, causes])
  })

  const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } }
  it.each<readonly [Kind, MapValue]>([
    ["Pod", pod({ volumes: [{ name: "v", emptyDir: {} }], initContainers: [{ ...app, name: "first" }] })],
    ["Deployment", lasting({})],
    ["StatefulSet", lasting({ volumeClaimTemplates: [{ metadata: { name: "data" }, spec: claim }] })],
    ["DaemonSet", lasting({})],
    ["Job", { spec: job }],
    ["CronJob", { spec: { schedule: "*/5 * * * *", jobTemplate: { spec: job } } }],
    ["Service", service({ type: "NodePort" })],
    ["Service", service({ clusterIP: "None", ports: [] })],
    ["Service", { spec: { type: "ExternalName", externalName: "example.com." } }],
    ["Autoscaler", { spec: { scaleTargetRef: target, maxReplicas: 2 } }],
    ["Ingress", ingress({ path: "/", pathType: "Prefix", backend })],
    ["Role", { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] }],
    ["RoleBinding", { roleRef: role, subjects: [{ kind: "User", name: "x" }] }],
  ])("%s with nothing wrong", async (kind, object) => {
    expect(await answer(kind, deepFreeze(object))).toEqual([201, []])
    // The selector of a Job is immutable, so an update must not leave it out.
    if (kind !== "Job") expect(await answer(kind, object, object)).toEqual([200, []])
  })
})

describe("an object that changes", () => {
  it.each(changed)("%s: %s", async (kind, _, before, after, causes) => {
    expect(await answer(kind, before, after)).toEqual([422, causes])
  })

  it("shows what of a Pod may not change", async () => {
    const [status, [cause = ""]] = await answer("Pod", pod({}), pod({ hostname: "b" }))
    expect(status).toBe(422)
    const [first, ...diff] = cause.split("\n")
    expect(first).toMatch(
      /^spec: Forbidden: pod updates may not change fields other than `spec.containers\[\*\].image`,/,
    )
    expect(diff.filter(line => /^[-+]/.test(line))).toEqual(['- "Hostname": "",', '+ "Hostname": "b",'])
  })

  it("can have another image, and more tolerations", async () => {
    const after = pod({ containers: [{ ...app, image: "nginx:2" }], tolerations: [{ operator: "Exists", key: "a" }] })
    expect(await answer("Pod", pod({}), after)).toEqual([200, []])
  })
})

describe("an update keeps", () => {
  const namespace = "/api/v1/namespaces/default"
  const send = async (
    path: string,
    ...requests: readonly (readonly [method: string, path: string, body: object])[]
  ) => {
    const server = createApiServer()
    let last: unknown
    for (const [method, suffix, object] of requests) {
      const headers = { "content-type": "application/json" }
      const body = JSON.stringify({ metadata: { name: "a" }, ...object })
      last = await (await server.fetch(new Request(`http://test${path}${suffix}`, { method, headers, body }))).json()
    }
    return last
  }

  it("the generation that a Secret was created with", async () => {
    const created = { metadata: { name: "a", generation: 7 } }
    const updated = await send(`${namespace}/secrets`, ["POST", "", created], ["PUT", "/a", { data: { k: "" } }])
    expect(updated).toMatchObject({ metadata: { generation: 7 } })
  })

  it("the QoS class of a Pod, even in a status without it", async () => {
    const body = { apiVersion: "v1", kind: "Pod", ...pod({}) }
    const updated = await send(`${namespace}/pods`, ["POST", "", body], ["PUT", "/a/status", { ...body, status: {} }])
    expect(updated).toMatchObject({ status: { qosClass: "BestEffort" } })
  })

  it("the finalizers of a Namespace, except where they are finalized", async () => {
    const body = { apiVersion: "v1", kind: "Namespace", spec: { finalizers: ["example.com/x"] } }
    const path = "/api/v1/namespaces"
    const updated = await send(path, ["POST", "", {}], ["PUT", "/a", body])
    expect(updated).toMatchObject({ spec: { finalizers: ["kubernetes"] } })
    const finalized = await send(path, ["POST", "", {}], ["PUT", "/a/finalize", body])
    expect(finalized).toMatchObject({ spec: { finalizers: ["example.com/x"] } })
  })

  it("only the names of a ServiceAccount's secrets", async () => {
    const body = { secrets: [{ name: "s", kind: "Secret" }, { kind: "x" }] }
    const path = `${namespace}/serviceaccounts`
    for (const requests of [
      [["POST", "", body]],
      [
        ["POST", "", {}],
        ["PUT", "/a", body],
      ],
    ] as const) {
      expect(await send(path, ...requests)).toMatchObject({ secrets: [{ name: "s" }, {}] })
    }
  })
})

describe("unifiedDiff", () => {
  const lines = (text: string) => [...text].map(letter => `${letter}\n`)

  it.each([
    ["abc", "abc", ""],
    ["a", "b", "@@ -1 +1 @@\n-a\n+b\n"],
    ["abcdefgh", "abcdxefgh", "@@ -2,6 +2,7 @@\n b\n c\n d\n+x\n e\n f\n g\n"],
    ["abcdefghijk", "xbcdefghijy", "@@ -1,4 +1,4 @@\n-a\n+x\n b\n c\n d\n@@ -8,4 +8,4 @@\n h\n i\n j\n-k\n+y\n"],
  ])("%s and %s", (before, after, diff) => {
    expect(unifiedDiff(lines(before), lines(after))).toBe(diff)
  })
})
