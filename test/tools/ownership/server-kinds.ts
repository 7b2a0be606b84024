// The kinds of the stories in server-laws.ts, with random objects: kinds from the Applier's stories, kinds from recorded stories of a
// kube-apiserver, and a custom resource with every sort of rule.
import { metadataOf, metaText } from "../../../src/schema/metadata.js"
import type { MapValue, Value } from "../../../src/value/value.js"
import type { Random } from "../../fuzz/random.js"
import { readStories, type Step } from "../../support/api-server-stories.js"
import { definitionOf } from "../../support/definition.js"
import { kinds as applierKinds, definition as shops } from "../controller/kinds.js"

/** A kind of objects in stories. */
export interface ServedKind {
  readonly apiVersion: string
  readonly kind: string
  /** Other versions, including some that are not served. */
  readonly otherVersions: readonly string[]
  /** Random content: everything but apiVersion, kind and name. */
  readonly content: (random: Random) => MapValue
  /** Random status; absent if the kind has no such subresource. */
  readonly status?: (random: Random) => Value
}

const text = { type: "string" }
const number = { type: "integer" }
const item = { type: "object", required: ["name"], properties: { name: text, port: { ...number, default: 80 } } }
const ruled = {
  type: "object",
  required: ["size"],
  properties: {
    size: { ...number, minimum: 1, maximum: 5 },
    mode: { ...text, enum: ["fast", "safe"], default: "safe" },
    code: { ...text, pattern: "^[a-z]+$", maxLength: 5 },
    place: { ...text, "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "place is immutable" }] },
    low: number,
    high: number,
    at: { ...text, format: "date-time" },
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    maybe: { ...text, nullable: true },
    tags: { type: "array", maxItems: 3, items: { ...text, maxLength: 10 }, "x-kubernetes-list-type": "set" },
    items: {
      type: "array",
      maxItems: 5,
      items: item,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name", "port"],
    },
    either: {
      type: "object",
      properties: { a: text, b: text },
      oneOf: [{ required: ["a"] }, { required: ["b"] }],
    },
  },
  "x-kubernetes-validations": [
    { rule: "!has(self.low) || !has(self.high) || self.low <= self.high", message: "low must not be above high" },
    { rule: "!has(self.tags) || self.tags.all(tag, tag != 'no')", fieldPath: ".tags", reason: "FieldValueForbidden" },
  ],
}
const status = { type: "object", properties: { ready: { ...number, minimum: 0 }, note: text } }
const version = (name: string, storage: boolean, more: MapValue): MapValue => ({
  ...{ name, storage, served: name !== "v1alpha1", subresources: { status: {} } },
  schema: {
    openAPIV3Schema: {
      type: "object",
      properties: { spec: { ...ruled, properties: { ...ruled.properties, ...more } }, status },
    },
  },
})
const versions = [
  version("v1", true, {}),
  version("v1beta1", false, { access: { ...text, default: "open" } }),
  version("v1alpha1", false, {}),
]
const rules = definitionOf("Rule", { spec: { versions } })

/** The map with some of its keys. */
function some(random: Random, share: number, map: Readonly<Record<string, () => Value>>): MapValue {
  return Object.fromEntries(Object.entries(map).flatMap(([key, make]) => (random.chance(share) ? [[key, make()]] : [])))
}

function ruledContent(random: Random): MapValue {
  const named = (): MapValue => ({
    name: random.pick(["x", "y"]),
    ...some(random, 0.4, { port: () => random.pick([80, 81]) }),
  })
  const spec = some(random, 0.35, {
    mode: () => random.pick(["fast", "safe", "odd"]),
    code: () => random.pick(["abc", "x", "toolong", "A1"]),
    place: () => random.pick(["here", "here", "there"]),
    low: () => random.between(0, 3),
    high: () => random.between(2, 6),
    at: () => random.pick(["2026-01-01T00:00:00Z", "yesterday"]),
    free: () => random.pick<Value>([{ a: 1 }, { b: [null] }, {}]),
    maybe: () => random.pick<Value>([null, "m"]),
    tags: () => random.sample(["a", "b", "c", "no"], random.between(0, 3)),
    items: () => [named(), named()].slice(random.between(0, 1)),
    either: () => random.pick<Value>([{ a: "1" }, { b: "1" }, { a: "1", b: "1" }, {}]),
  })
  return { spec: random.chance(0.92) ? { size: random.between(1, 6), ...spec } : spec }
}

/** Accepted requests for one kind. */
interface Recorded {
  readonly apiVersion: string
  readonly kind: string
  readonly contents: MapValue[]
  readonly statuses: Value[]
}

/** The recorded stories whose kind has the same definition throughout. */
const stories = readStories().filter(({ crds, object }) => crds.length <= 1 && !/Shift|Fade/.test(object.kind))

function recordedKinds(): readonly ServedKind[] {
  const found = new Map<string, Recorded>()
  for (const { object, steps } of stories) {
    const { apiVersion, kind } = object
    const id = `${apiVersion} ${kind}`
    const recorded = found.get(id) ?? { apiVersion, kind, contents: [], statuses: [] }
    found.set(id, recorded)
    for (const step of steps) note(recorded, step)
  }
  return [...found.values()]
    .filter(({ contents }) => contents.length > 0)
    .map(({ apiVersion, kind, contents, statuses }) => ({
      ...{ apiVersion, kind, otherVersions: removed[kind] ?? [] },
      content: random => random.pick(contents),
      ...(statuses.length > 0 && { status: (random: Random) => random.pick(statuses) }),
    }))
}

function note(
  { apiVersion, kind, contents, statuses }: Recorded,
  { verb, body, status, subresource = "" }: Step,
): void {
  if (!["create", "update", "apply"].includes(verb) || status >= 300 || typeof body === "string") return
  if (body.kind !== kind || body.apiVersion !== apiVersion) return
  if (subresource === "status" && body.status !== undefined) statuses.push(body.status)
  if (subresource !== "" || metaText(body, "name") === "") return
  const {
    name: _,
    namespace: __,
    uid: ___,
    resourceVersion: ____,
    managedFields: _____,
    ...metadata
  } = metadataOf(body)
  contents.push({ ...body, metadata })
}

/** Versions that are no longer served, and another version that a definition has. */
const removed: Readonly<Record<string, readonly string[]>> = {
  Deployment: ["apps/v1beta1", "extensions/v1beta1"],
  DaemonSet: ["extensions/v1beta1"],
  Ingress: ["networking.k8s.io/v1beta1"],
  CronJob: ["batch/v1beta1"],
  Gadget: ["example.org/v1", "example.org/v3"],
}

/** The definitions of the custom resources. */
export const definitions: readonly MapValue[] = [
  shops,
  rules,
  ...new Map(stories.flatMap(({ crds }) => crds).map(crd => [metaText(crd, "name"), crd])).values(),
]

export const servedKinds: readonly ServedKind[] = [
  ...applierKinds,
  {
    ...{ apiVersion: "example.com/v1", kind: "Rule", otherVersions: ["example.com/v1beta1", "example.com/v1alpha1"] },
    content: ruledContent,
    status: random => some(random, 0.6, { ready: () => random.between(-1, 3), note: () => "n" }),
  },
  ...recordedKinds(),
]
