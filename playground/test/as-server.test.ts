/** The page, `smd simulate` and the test API server give the same answers. */
import { readdirSync, readFileSync } from "node:fs"
import type { MapValue } from "structured-merge-diff"
import { createApiServer, RefusedError, TestClock } from "structured-merge-diff/apiserver"
import { formatYaml } from "structured-merge-diff/io"
import { kubernetesSchemaWithUnions, kubernetesTypes } from "structured-merge-diff/kubernetes"
import { readStory, runStory, type Step, type Story } from "structured-merge-diff/simulator"
import { describe, expect, it } from "vitest"
import { storyOptions } from "../../src/cli/simulate/stories.js"
import { withDefaults } from "../../src/tools/simulator/story/defaults.js"
import { gauge, gauges } from "../../test/support/reported.js"
import { loadServer, Player, serverParts } from "../src/play.js"
import { sceneOf } from "../src/scene.js"
import { stateOfStory } from "../src/stories.js"
import { loadTypes } from "../src/types.js"

const folder = new URL("../../examples/stories/", import.meta.url)
const names = readdirSync(folder, { withFileTypes: true }).flatMap(entry => (entry.isDirectory() ? [entry.name] : []))
const examples = names.map(name => [name, readFileSync(new URL(`${name}/story.yaml`, folder), "utf8")] as const)

const labels = { app: "web" }
const web = (spec: object, image = "web:1") => {
  const template = { metadata: { labels }, spec: { containers: [{ name: "web", image }] } }
  const deployment = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" } }
  return { ...deployment, spec: { selector: { matchLabels: labels }, template, ...spec } }
}
const v1 = (kind: string, name: string, more: object) => ({ apiVersion: "v1", kind, metadata: { name }, ...more })
const pod = (name: string, resources: object = {}) =>
  v1("Pod", name, { spec: { containers: [{ name: "a", image: "a", resources }] } })
const admission = (kind: string, spec: object) => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind,
  metadata: { name: "few" },
  spec,
})
const deployments = { apiGroups: ["apps"], apiVersions: ["v1"], operations: ["*"], resources: ["deployments"] }
const matchConstraints = { resourceRules: [{ ...deployments, operations: ["CREATE", "UPDATE"] }] }
const few = (expression: string) =>
  admission("ValidatingAdmissionPolicy", { matchConstraints, validations: [{ expression, message: "too many" }] })
const withRule = (rule: string) => {
  const copy = structuredClone(gauges) as unknown as { spec: { versions: { schema: { openAPIV3Schema: MapValue } }[] } }
  for (const { schema } of copy.spec.versions)
    schema.openAPIV3Schema = { type: "object", "x-kubernetes-validations": [{ rule }] }
  return copy
}

const manager = "me"
/** Requests about which a server has an opinion of its own. */
const stories: Record<string, Omit<Story, "title">> = {
  "incomplete objects": {
    steps: [
      { manager, apply: { ...web({}), spec: { replicas: 3 } } },
      { manager, create: { ...web({}), spec: {} } },
      { manager, update: web({}) },
    ],
  },
  "defaults, scale, status and conflicts": {
    steps: [
      { manager, apply: web({}) },
      { manager: "you", patch: { spec: { replicas: 4 } } },
      { manager: "hpa", subresource: "scale", patch: { spec: { replicas: 7 } } },
      { manager, apply: web({ replicas: 3 }) },
      { manager: "controller", subresource: "status", patch: { status: { replicas: 3 } } },
      { manager, apply: web({ replicas: 3 }), force: true },
      { delete: "Deployment/web" },
    ],
  },
  "immutable fields": {
    steps: [
      { manager, apply: web({}) },
      { manager, apply: web({ selector: { matchLabels: { ...labels, tier: "a" } } }) },
      { manager, create: v1("Secret", "s", { immutable: true, stringData: { a: "b" } }) },
      { manager, object: "Secret/s", patch: { stringData: { a: "c" } } },
    ],
  },
  "unknown fields and wrong types": {
    steps: [
      { manager, apply: web({ replica: 3 }) },
      { manager, create: web({ replica: 3 }) },
      { manager, apply: web({ replicas: "3" }) },
      { manager, create: web({ replicas: "3" }) },
    ],
  },
  "values that a server allocates": {
    steps: [
      { manager, apply: v1("Service", "web", { spec: { ports: [{ port: 80 }], selector: labels } }) },
      { manager, patch: { spec: { type: "NodePort" } } },
      { manager, patch: { spec: { clusterIP: "10.96.0.9" } } },
    ],
  },
  "custom resources": {
    definitions: [gauges as MapValue],
    steps: [
      { manager, apply: gauge({ low: 1 }) },
      { manager, apply: gauge({ low: 20 }) },
      { manager, patch: { spec: { low: 20 } } },
      { manager, apply: gauge({ nope: 1 }) },
      { manager, update: gauge({ low: 2 }) },
    ],
  },
  "expressions that do not compile": {
    steps: [
      { manager, create: withRule("self.size > 1 &&") },
      { manager, apply: few("object.spec.replicas <") },
    ],
  },
  "policies and limits": {
    steps: [
      { manager, apply: few("object.spec.replicas < 5") },
      {
        manager,
        apply: admission("ValidatingAdmissionPolicyBinding", { policyName: "few", validationActions: ["Deny"] }),
      },
      { manager, apply: web({ replicas: 3 }) },
      { manager, apply: web({ replicas: 7 }) },
      { manager, apply: v1("LimitRange", "l", { spec: { limits: [{ type: "Container", max: { cpu: "1" } }] } }) },
      { manager, apply: pod("small") },
      { manager, apply: pod("large", { limits: { cpu: "2" } }) },
    ],
  },
  "the default namespace": {
    steps: [
      { manager, apply: few("object.metadata.namespace != 'default' || has(object.spec.paused)") },
      {
        manager,
        apply: admission("ValidatingAdmissionPolicyBinding", { policyName: "few", validationActions: ["Deny"] }),
      },
      { manager, apply: web({}) },
      { manager, apply: web({ paused: true }) },
    ],
  },
  scales: {
    steps: [
      { manager, apply: web({ replicas: 2 }) },
      { manager: "hpa", subresource: "scale", update: web({ replicas: 3 }) },
      { manager: "hpa", subresource: "scale", patch: { spec: { replicas: -1 } } },
      { manager: "hpa", subresource: "scale", apply: web({ replicas: 3 }) },
    ],
  },
  "kinds that are not stored": {
    steps: [
      { manager, create: v1("ComponentStatus", "a", {}) },
      { manager, apply: { ...v1("TokenReview", "a", {}), apiVersion: "authentication.k8s.io/v1" } },
      { manager, create: { ...v1("SelfSubjectAccessReview", "a", {}), apiVersion: "authorization.k8s.io/v1" } },
    ],
  },
  finalizers: {
    steps: [
      { manager, apply: v1("ConfigMap", "a", { metadata: { name: "a", finalizers: ["example.com/wait"] } }) },
      { delete: "ConfigMap/a" },
      { manager, apply: v1("ConfigMap", "a", {}) },
    ],
  },
}
const texts = [
  ...examples,
  ...Object.entries(stories).map(
    ([title, parts]) => [title, formatYaml({ title, ...parts } as unknown as MapValue)] as const,
  ),
]

describe.each(texts)("%s", (_, text) => {
  it("has the answers of smd simulate", async () => {
    const { story } = readStory(text)
    const { steps } = runStory(story, await storyOptions([story]))
    const played = await playPage(text)
    expect(played.map(answerOf)).toEqual(steps.map(({ step }) => answerOf(step)))
  })
})

/** Only the real tools send the requests of their steps. */
const withoutTools = texts.filter(([, text]) => !/\bas: /.test(text))
describe.each(withoutTools)("%s", (_, text) => {
  it("has the answers and the objects of the test API server", async () => {
    const { story } = readStory(text)
    const { clock, server } = await serverFor(story)
    const played = await playPage(text)
    for (const step of played) {
      clock.advance(60_000)
      const error = await send(server, step, story)
      expect([step.index, error?.status]).toEqual([step.index, step.error])
      if (step.target === undefined) continue
      const { apiVersion, kind, ...metadata } = step.target
      const live = await server
        .get({ apiVersion: String(step.after?.apiVersion ?? apiVersion), kind, metadata })
        .catch(() => undefined)
      expect([step.index, live && comparable(live as unknown as MapValue)]).toEqual([
        step.index,
        step.after && comparable(step.after),
      ])
    }
  })
})

/** Plays a story on the page. */
async function playPage(text: string): Promise<readonly Step[]> {
  const scene = sceneOf(stateOfStory(text))
  const { types } = await loadTypes(scene.types, scene.unions !== "")
  const admission = await loadServer(serverParts(scene))
  const course = await new Player().play(scene, types, admission)
  expect(course?.problem).toBeUndefined()
  return course?.results.map(({ step }) => step) ?? []
}

function answerOf(step: Step): unknown {
  return JSON.parse(JSON.stringify({ ...step.toJSON(), after: step.after }))
}

/** Returns a server with the kinds and objects of the story. */
async function serverFor({ objects = [], definitions = [], defaults = [], unions = "extended" }: Story) {
  const clock = new TestClock("2026-01-01T00:00:00Z")
  const schema = kubernetesSchemaWithUnions()
  const withUnions = {
    find(apiVersion: string, kind: string) {
      const found = kubernetesTypes.find(apiVersion, kind)
      return found && { ...found, schema }
    },
  }
  const types = unions === undefined ? kubernetesTypes : withUnions
  const server = createApiServer({ clock, objects, unions, types, defaults: object => withDefaults(object, defaults) })
  for (const definition of definitions) await server.apply(definition, { manager: "definitions" })
  return { clock, server }
}

/** Sends the request of a step. Returns the refusal; undefined if there is none. */
async function send(server: ReturnType<typeof createApiServer>, step: Step, { schemas = {} }: Story) {
  const { request, resolution } = step
  const { namespace = "default", ...target } = step.target ?? { name: "" }
  const named = { ...target, metadata: { name: target.name, namespace } }
  try {
    if ("changeSchema" in request) {
      for (const definition of schemas[request.changeSchema]?.definitions ?? [])
        await server.apply(definition, { manager: "definitions", force: true })
      return undefined
    }
    if ("delete" in request) return void (await server.delete(named))
    const { manager, subresource } = request
    const options = { manager, fieldValidation: "Strict", ...(subresource !== undefined && { subresource }) } as const
    if ("apply" in request) {
      const force = request.force === true || resolution?.force === true
      await server.apply(resolution?.config ?? request.apply, { ...options, force })
    } else if ("create" in request) await server.create(request.create, options)
    else if ("patch" in request) {
      await server.patch(named, request.patch, { ...options, type: Array.isArray(request.patch) ? "json" : "merge" })
    } else {
      const update = request.update as MapValue
      const { metadata } = (await server.get(update)) as MapValue
      const { resourceVersion } = metadata as MapValue
      await server.update({ ...update, metadata: { resourceVersion, ...(update.metadata as MapValue) } }, options)
    }
    return undefined
  } catch (error) {
    if (error instanceof RefusedError) return error
    throw error
  }
}

/** Returns the object without what differs between servers: uids, times and versions. */
function comparable(object: MapValue): unknown {
  const { uid, creationTimestamp, resourceVersion, managedFields, ...metadata } = object.metadata as MapValue
  const owners = (managedFields as readonly MapValue[] | undefined)?.map(({ time, ...owner }) => owner)
  return { ...object, metadata: { ...metadata, managedFields: owners } }
}
