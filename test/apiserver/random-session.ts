/** Random sessions with a server: requests of several managers and users, watches, webhooks, definitions, and a clock that advances. */
import fc from "fast-check"
import type { ApiAnswer, ApiServer, ApiServerOptions } from "../../src/apiserver/index.js"
import { definitionOf } from "../support/definition.js"

/** A request, or a time to wait for. */
export type Step =
  | { readonly method: string; readonly path: string; readonly headers: Record<string, string>; readonly body: string }
  | { readonly wait: number }

const namespaces = ["default", "shop"]
const names = ["a", "b", "c"]
const labels = { app: "shop" }
const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "shop:1.0" }] } }
const applyType = "application/apply-patch+yaml"
const mergeType = "application/merge-patch+json"

interface Kind {
  readonly base: string
  readonly plural: string
  readonly apiVersion: string
  readonly kind: string
  readonly fields: object
}

const kinds: readonly Kind[] = [
  { base: "/api/v1", plural: "configmaps", apiVersion: "v1", kind: "ConfigMap", fields: { data: { a: "1" } } },
  { base: "/api/v1", plural: "configmaps", apiVersion: "v1", kind: "ConfigMap", fields: { data: { a: "2", b: "1" } } },
  {
    ...{ base: "/api/v1", plural: "services", apiVersion: "v1", kind: "Service" },
    fields: { spec: { type: "NodePort", selector: labels, ports: [{ port: 80 }] } },
  },
  {
    ...{ base: "/apis/apps/v1", plural: "deployments", apiVersion: "apps/v1", kind: "Deployment" },
    fields: { spec: { replicas: 2, selector: { matchLabels: labels }, template } },
  },
  {
    ...{ base: "/apis/example.com/v1", plural: "widgets", apiVersion: "example.com/v1", kind: "Widget" },
    fields: { spec: { size: 1 } },
  },
  {
    ...{ base: "/apis/coordination.k8s.io/v1", plural: "leases", apiVersion: "coordination.k8s.io/v1", kind: "Lease" },
    fields: { spec: { holderIdentity: "me", leaseDurationSeconds: 15 } },
  },
  {
    ...{ base: "/api/v1", plural: "events", apiVersion: "v1", kind: "Event" },
    fields: { involvedObject: { kind: "ConfigMap", name: "a", namespace: "default" } },
  },
]

const once = { ...template, spec: { ...template.spec, restartPolicy: "Never" } }
const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } }
const metric = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } }
const deployment = (image: string): Kind => ({
  ...{ base: "/apis/apps/v1", plural: "deployments", apiVersion: "apps/v1", kind: "Deployment" },
  fields: {
    spec: {
      ...{ replicas: 2, selector: { matchLabels: labels }, progressDeadlineSeconds: 60, minReadySeconds: 2 },
      template: { ...template, spec: { containers: [{ name: "web", image }] } },
    },
  },
})

const workloads: readonly Kind[] = [
  ...kinds.filter(({ kind }) => ["ConfigMap", "Service", "Widget"].includes(kind)),
  ...[deployment("shop:1.0"), deployment("shop:2.0")],
  {
    ...{ base: "/apis/apps/v1", plural: "statefulsets", apiVersion: "apps/v1", kind: "StatefulSet" },
    fields: {
      spec: {
        ...{ replicas: 2, selector: { matchLabels: labels }, serviceName: "db", template },
        volumeClaimTemplates: [{ metadata: { name: "data" }, spec: claim }],
      },
    },
  },
  {
    ...{ base: "/apis/apps/v1", plural: "daemonsets", apiVersion: "apps/v1", kind: "DaemonSet" },
    fields: { spec: { selector: { matchLabels: labels }, template } },
  },
  {
    ...{ base: "/apis/batch/v1", plural: "jobs", apiVersion: "batch/v1", kind: "Job" },
    fields: { spec: { completions: 2, ttlSecondsAfterFinished: 30, template: once } },
  },
  {
    ...{ base: "/apis/batch/v1", plural: "cronjobs", apiVersion: "batch/v1", kind: "CronJob" },
    fields: { spec: { schedule: "*/10 * * * *", jobTemplate: { spec: { template: once } } } },
  },
  {
    ...{ base: "/apis/autoscaling/v2", plural: "horizontalpodautoscalers", apiVersion: "autoscaling/v2" },
    ...{ kind: "HorizontalPodAutoscaler" },
    fields: {
      metadata: { name: "a", annotations: { "structured-merge-diff/metrics": "cpu=70" } },
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "a" },
        ...{ maxReplicas: 5, metrics: [metric] },
      },
    },
  },
  {
    ...{ base: "/api/v1", plural: "persistentvolumeclaims", apiVersion: "v1", kind: "PersistentVolumeClaim" },
    fields: { spec: claim },
  },
  { base: "/api/v1", plural: "pods", apiVersion: "v1", kind: "Pod", fields: { spec: template.spec } },
]

const definition = definitionOf("Widget", { schema: { properties: { spec: { type: "object" } } } })
const headers = (type: string, user: string) => ({ "content-type": type, "impersonate-user": user })

const user = fc.constantFrom("admin", "system:serviceaccount:shop:operator")
const targetOf = (of: readonly Kind[]) =>
  fc.record({
    of: fc.constantFrom(...of),
    namespace: fc.constantFrom(...namespaces),
    name: fc.constantFrom(...names),
    user,
    manager: fc.constantFrom("gitops", "operator"),
  })

const objectStep = (of: readonly Kind[]) =>
  fc
    .tuple(
      targetOf(of),
      fc.constantFrom("apply", "force", "create", "generate", "merge", "scale", "delete", "hold", "own"),
    )
    .map(([{ of, namespace, name, user, manager }, what]): Step => {
      const collection = `${of.base}/namespaces/${namespace}/${of.plural}`
      const object = { apiVersion: of.apiVersion, kind: of.kind, metadata: { name }, ...of.fields }
      const send = (method: string, path: string, type: string, body: object) => {
        return { method, path, headers: headers(type, user), body: JSON.stringify(body) }
      }
      const query = `fieldManager=${manager}`
      const json = "application/json"
      switch (what) {
        case "apply":
          return send("PATCH", `${collection}/${name}?${query}`, applyType, object)
        case "force":
          return send("PATCH", `${collection}/${name}?${query}&force=true`, applyType, object)
        case "create":
          return send("POST", `${collection}?${query}`, json, object)
        case "generate":
          return send("POST", collection, json, { ...object, metadata: { generateName: `${name}-` } })
        case "merge":
          return send("PATCH", `${collection}/${name}?${query}`, mergeType, { metadata: { labels: { by: manager } } })
        case "scale":
          return send("PATCH", `${collection}/${name}/scale?${query}`, mergeType, { spec: { replicas: 3 } })
        case "hold":
          return send("PATCH", `${collection}/${name}`, mergeType, { metadata: { finalizers: ["example.com/held"] } })
        case "own": {
          const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "a", uid: "1" }]
          return send("POST", collection, json, { ...object, metadata: { generateName: "owned-", ownerReferences } })
        }
        default:
          return send("DELETE", `${collection}/${name}`, json, {})
      }
    })

const readStep = (of: readonly Kind[]) =>
  fc
    .tuple(
      targetOf(of),
      fc.constantFrom("", "?watch=true&timeoutSeconds=20", "?limit=1", "?watch=true&allowWatchBookmarks=true"),
    )
    .map(([{ of, user }, query]): Step => {
      const accept = query === "?limit=1" ? "application/json;as=Table;v=v1;g=meta.k8s.io" : "application/json"
      return {
        method: "GET",
        path: `${of.base}/${of.plural}${query}`,
        headers: { accept, "impersonate-user": user },
        body: "",
      }
    })

const clusterStep = fc.constantFrom<Step>(
  { method: "DELETE", path: "/api/v1/namespaces/shop", headers: {}, body: "" },
  {
    ...{ method: "POST", path: "/api/v1/namespaces", headers: headers("application/json", "admin") },
    body: JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } }),
  },
  {
    ...{ method: "DELETE", headers: {}, body: "" },
    path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com",
  },
  {
    ...{ method: "POST", path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions" },
    ...{ headers: headers("application/json", "admin"), body: JSON.stringify(definition) },
  },
)

// Some waits outlast watches, and others outlast Events.
const waitStep = fc
  .oneof(fc.integer({ min: 1, max: 40_000 }), fc.integer({ min: 1, max: 3_000_000 }))
  .map((wait): Step => ({ wait }))

const sessionOf = (of: readonly Kind[]) =>
  fc.array(
    fc.oneof(
      { weight: 12, arbitrary: objectStep(of) },
      { weight: 3, arbitrary: readStep(of) },
      { weight: 1, arbitrary: clusterStep },
      { weight: 2, arbitrary: waitStep },
    ),
    { minLength: 1, maxLength: 40 },
  )

/** A session of up to 40 steps. */
export const session = sessionOf(kinds)

/** A session with the kinds that controllers work on. */
export const workloadSession = sessionOf(workloads)

const hook = {
  name: "label.example.com",
  clientConfig: { url: "https://hooks.example.com" },
  rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
}

/** The options of a server for sessions. A webhook writes the uid of its review into the object, and so makes it visible. */
export function sessionOptions(seed: number): ApiServerOptions {
  return {
    seed,
    crds: [definition],
    objects: [
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } },
      {
        apiVersion: "admissionregistration.k8s.io/v1",
        kind: "MutatingWebhookConfiguration",
        metadata: { name: "labels" },
        webhooks: [hook],
      },
    ],
    webhooks: {
      "label.example.com": async review => {
        const { uid } = review.request as { readonly uid: string }
        return { allowed: true, patchType: "JSONPatch", patch: [{ op: "add", path: "/data/review", value: uid }] }
      },
    },
  }
}

/** Plays steps, and returns the texts of all answers, the chunks of the watches, and the objects at the end. */
export async function play(server: ApiServer, steps: readonly Step[]): Promise<string[]> {
  const heard: string[] = []
  const watches: Promise<void>[] = []
  const follow = async (number: number, lines: AsyncIterable<Uint8Array>) => {
    for await (const chunk of lines) heard.push(`watch ${number}: ${new TextDecoder().decode(chunk)}`)
    heard.push(`watch ${number} ends`)
  }
  for (const [i, step] of steps.entries()) {
    if ("wait" in step) server.clock.advance(step.wait)
    else {
      const { status, headers, body }: ApiAnswer = await server.answer(step)
      heard.push(`${i} ${status} ${JSON.stringify(headers)}`)
      if (typeof body === "string") heard.push(body)
      else if (!(body instanceof Uint8Array)) watches.push(follow(i, body))
    }
    await settled()
  }
  server.close()
  await Promise.all(watches)
  return [...heard, JSON.stringify(server.snapshot())]
}

/** Resolves once the watches have read what they can. */
async function settled(): Promise<void> {
  for (let i = 0; i < 5; i++) await Promise.resolve()
}
