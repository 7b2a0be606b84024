/** Rules of level `alpha` run in the shadow of the server's handwritten checks, as feature gates say. */
import { describe, expect, it } from "vitest"
import type { ApiServerOptions } from "../../src/apiserver/options.js"
import { type ApiServer, createApiServer } from "../../src/apiserver/server.js"
import type { ValidationGates } from "../../src/validation/shadow/shadowed.js"
import type { MapValue } from "../../src/value/value.js"
import { samplesOf } from "../validation/shadow/samples.js"
import { send } from "./requests.js"

const prefix = "apiserver_validation_declarative_validation"

/** Returns the counters of validation without their common prefix. */
async function counters(server: ApiServer): Promise<Record<string, number>> {
  const { body } = await server.answer({ method: "GET", path: "/metrics" })
  const samples = Object.entries(samplesOf(body as string)).filter(([name]) => name.startsWith(prefix))
  return Object.fromEntries(samples.map(([name, count]) => [name.slice(prefix.length + 1), count]))
}

const none = { mismatch_total: 0, panic_total: 0 }

const labels = { app: "a" }
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } }
const statefulSet = (spec: object) => ({
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { name: "s" },
  spec: { selector: { matchLabels: labels }, serviceName: "a", template, ...spec },
})
const binding = (role: string) => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "RoleBinding",
  metadata: { name: "b" },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: role },
})
const secret = (type: string) => ({ apiVersion: "v1", kind: "Secret", metadata: { name: "x" }, type })
const node = (providerID: string) => ({ apiVersion: "v1", kind: "Node", metadata: { name: "n" }, spec: { providerID } })
const driver = (mode: string) => ({
  apiVersion: "storage.k8s.io/v1",
  kind: "CSIDriver",
  metadata: { name: "d" },
  spec: { volumeLifecycleModes: [mode] },
})
const pod = (key: string) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p" },
  spec: { ...template.spec, tolerations: [{ key, operator: "Exists" }] },
})
const job = (spec: object) => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "j" },
  spec: {
    completionMode: "Indexed",
    completions: 2,
    template: { spec: { ...template.spec, restartPolicy: "Never" } },
    ...spec,
  },
})
const scaler = (target: object) => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "h" },
  spec: { maxReplicas: 2, scaleTargetRef: { apiVersion: "apps/v1", ...target } },
})

const core = "/api/v1"
const inDefault = "/namespaces/default"
const updates: readonly (readonly [path: string, before: object, after: object, fields: readonly string[]])[] = [
  [
    `/apis/apps/v1${inDefault}/statefulsets`,
    statefulSet({}),
    statefulSet({ serviceName: "b", podManagementPolicy: "Parallel" }),
    ["spec.serviceName", "spec.podManagementPolicy"],
  ],
  [`/apis/rbac.authorization.k8s.io/v1${inDefault}/rolebindings`, binding("r"), binding("q"), ["roleRef"]],
  [`${core}${inDefault}/secrets`, secret("a/b"), secret("a/c"), ["type"]],
  [`${core}/nodes`, node("a"), node("b"), ["spec.providerID"]],
  [`/apis/storage.k8s.io/v1/csidrivers`, driver("Persistent"), driver("Ephemeral"), ["spec.volumeLifecycleModes"]],
]
const creations: readonly (readonly [path: string, object: object, fields: readonly string[]])[] = [
  [`/apis/apps/v1${inDefault}/statefulsets`, statefulSet({ selector: null }), ["spec.selector"]],
  [`${core}${inDefault}/pods`, pod("a b"), ["spec.tolerations[0].key"]],
  [`/apis/batch/v1${inDefault}/jobs`, job({ maxFailedIndexes: 1 }), ["spec.backoffLimitPerIndex"]],
  [
    `/apis/autoscaling/v2${inDefault}/horizontalpodautoscalers`,
    scaler({}),
    ["spec.scaleTargetRef.kind", "spec.scaleTargetRef.name"],
  ],
]

interface Refused {
  readonly status: number
  readonly fields: readonly string[]
  readonly messages: readonly string[]
}

function refusal({ status, body }: { readonly status: number; readonly body: MapValue }): Refused {
  const { causes = [] } = (body.details ?? {}) as { causes?: readonly { field: string; message: string }[] }
  return { status, fields: causes.map(({ field }) => field), messages: causes.map(({ message }) => message) }
}

/** Returns the refusals of all objects above, and the server. */
async function refusals(options: ApiServerOptions): Promise<{ readonly all: Refused[]; readonly server: ApiServer }> {
  const server = createApiServer(options)
  const all: Refused[] = []
  for (const [path, before, after] of updates) {
    expect((await send(server, "POST", path, before)).status).toBe(201)
    const { metadata } = before as { metadata: { name: string } }
    all.push(refusal(await send(server, "PATCH", `${path}/${metadata.name}`, after, "merge")))
  }
  for (const [path, object] of creations) all.push(refusal(await send(server, "POST", path, object)))
  return { all, server }
}

const expected = [...updates.map(([, , , fields]) => fields), ...creations.map(([, , fields]) => fields)]

describe("a rule of level alpha", () => {
  it("finds the same errors as the handwritten checks, so nothing is counted", async () => {
    const { all, server } = await refusals({})
    expect(all.map(({ status }) => status)).toEqual(expected.map(() => 422))
    for (const [index, { fields }] of all.entries())
      expect(fields).toEqual(expect.arrayContaining([...(expected[index] ?? [])]))
    expect(await counters(server)).toEqual(none)
  })

  it.each<ValidationGates>([
    { DeclarativeValidation: false },
    { DeclarativeValidationBeta: false },
    { DeclarativeValidationTakeover: false },
    { DeclarativeValidation: false, DeclarativeValidationTakeover: true },
  ])("does not decide with the gates %j", async featureGates => {
    const { all, server } = await refusals({ featureGates })
    expect(all).toEqual((await refusals({})).all)
    expect(await counters(server)).toEqual(none)
  })

  it("replaces the covered handwritten errors with DeclarativeValidationTakeover", async () => {
    const { all, server } = await refusals({ featureGates: { DeclarativeValidationTakeover: true } })
    for (const [index, { fields }] of all.entries())
      expect(fields).toEqual(expect.arrayContaining([...(expected[index] ?? [])]))
    expect(await counters(server)).toEqual(none)
    const words = all.flatMap(({ messages }) => messages)
    // The handwritten check: "Required value: when maxFailedIndexes is specified".
    expect(words).toContain("Required value: must be set when maxFailedIndexes is set")
  })
})
