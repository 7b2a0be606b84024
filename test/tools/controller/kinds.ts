// The kinds in the stories of the Applier: random objects that a server accepts and whose applies are hard to predict. They have
// keyed lists with defaulted keys, sets, atomic lists and maps, quantities, empty and null values, defaults, fields that the server
// copies into others, and several versions.
import { kubernetes } from "../../../src/kinds/index.js"
import { kubernetesTypes } from "../../../src/kubernetes/index.js"
import { customResourceResetFields, type TypeFinder } from "../../../src/managedfields/index.js"
import { TypeConverter } from "../../../src/openapi/index.js"
import type { MapValue, Value } from "../../../src/value/value.js"
import type { Random } from "../../fuzz/random.js"
import { definitionOf } from "../../support/definition.js"

/** A kind of objects in stories. */
export interface Kind {
  readonly apiVersion: string
  readonly kind: string
  readonly plural: string
  /** The other versions that are served. */
  readonly otherVersions: readonly string[]
  /** Random content: everything but apiVersion, kind and metadata. Kinds without a status have no `status` in it. */
  readonly content: (random: Random) => MapValue
  /** Random status; absent if the kind has no such subresource. */
  readonly status?: (random: Random) => MapValue
}

const text = { type: "string" }
const item = {
  type: "object",
  required: ["name"],
  properties: { name: text, port: { type: "integer", default: 80 }, at: text },
}
const map = { type: "object", additionalProperties: text }
const condition = { type: "object", required: ["type"], properties: { type: text, status: text } }
const openAPIV3Schema: MapValue = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        size: { type: "integer", default: 1 },
        items: {
          type: "array",
          items: item,
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name", "port"],
        },
        tags: { type: "array", items: text, "x-kubernetes-list-type": "set" },
        notes: { type: "array", items: { type: "object", properties: { a: text, b: { ...text, default: "b" } } } },
        granular: map,
        atomic: { ...map, "x-kubernetes-map-type": "atomic" },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      },
    },
    status: {
      type: "object",
      properties: {
        conditions: {
          type: "array",
          items: condition,
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["type"],
        },
      },
    },
  },
}
const version = (name: string, storage: boolean): MapValue => ({
  ...{ name, storage, served: true, subresources: { status: {} }, schema: { openAPIV3Schema } },
})

/** The definition of the custom resource. */
export const definition = definitionOf("Shop", { spec: { versions: [version("v1", true), version("v1beta1", false)] } })

const definitions = new TypeConverter([{ document: definition }])
export const types: TypeFinder = {
  find: (apiVersion, kind) => kubernetesTypes.find(apiVersion, kind) ?? definitions.find(apiVersion, kind),
}
/** The same kinds with everything that a server knows about them. */
export const allKinds: TypeFinder = kubernetes.with([definition])
export const resetFields = (subresource: string) => customResourceResetFields(definition, "example.com/v1")(subresource)

/** The map with some of its keys. */
function some(random: Random, share: number, map: Readonly<Record<string, () => Value>>): MapValue {
  const keys = Object.keys(map).filter(() => random.chance(share))
  return Object.fromEntries(keys.map(key => [key, (map[key] as () => Value)()]))
}

/** Some of the items, in a random order. */
function several<T extends Value>(random: Random, items: readonly T[], least = 0): T[] {
  return random.sample([...items], random.between(least, items.length))
}

const texts = (random: Random): MapValue =>
  some(random, 0.4, { a: () => random.pick(["1", "2"]), b: () => "1", c: () => "" })

function container(random: Random, name: string): MapValue {
  const port = (containerPort: number): MapValue => ({
    containerPort,
    ...some(random, 0.5, { protocol: () => random.pick(["TCP", "UDP"]) }),
  })
  const memory = () => random.pick(["1Gi", "1024Mi", "500M"])
  return {
    name,
    image: random.pick(["web:1", "web:2"]),
    ...some(random, 0.3, {
      ports: () => several(random, [80, 443]).map(port),
      env: () => several(random, ["A", "B"]).map(name => ({ name, value: random.pick(["", "x"]) })),
      resources: () => ({ limits: { memory: memory(), cpu: random.pick<Value>(["1", "1000m", 1]) } }),
      args: () => several(random, ["a", "b"]),
      imagePullPolicy: () => random.pick(["Always", "IfNotPresent"]),
    }),
  }
}

function deployment(random: Random): MapValue {
  const labels = { app: "web" }
  const pod = {
    containers: several(random, ["a", "b", "c"], 1).map(name => container(random, name)),
    ...some(random, 0.2, {
      nodeSelector: () => texts(random),
      tolerations: () =>
        several(random, [
          { key: "a", operator: "Exists" },
          { key: "b", value: "x" },
        ]),
      volumes: () => several(random, ["x", "y"]).map(name => ({ name, emptyDir: {} })),
    }),
  }
  return {
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels: { ...labels, ...texts(random) } }, spec: pod },
      ...some(random, 0.4, {
        replicas: () => random.between(0, 3),
        paused: () => random.chance(0.5),
        minReadySeconds: () => random.pick([0, 5]),
        strategy: () =>
          random.pick<Value>([{ type: "Recreate", rollingUpdate: null }, { rollingUpdate: { maxSurge: "25%" } }, {}]),
      }),
    },
  }
}

function service(random: Random): MapValue {
  const port = (number: number): MapValue => ({
    name: `p${number}`,
    port: number,
    ...some(random, 0.5, { protocol: () => "TCP", targetPort: () => random.pick<Value>([number, "http"]) }),
  })
  return {
    spec: {
      ports: several(random, [80, 443, 8080], 1).map(port),
      ...some(random, 0.5, { selector: () => texts(random), type: () => random.pick(["ClusterIP", "NodePort"]) }),
    },
  }
}

function shop(random: Random): MapValue {
  const one = (name: string): MapValue => ({
    name,
    ...some(random, 0.4, { port: () => random.pick([80, 81]), at: () => random.pick(["x", ""]) }),
  })
  return {
    spec: some(random, 0.4, {
      size: () => random.pick<Value>([1, 2, null]),
      items: () => several(random, ["a", "b", "c"]).map(one),
      tags: () => several(random, ["x", "y", "z"]),
      notes: () => several(random, [{ a: "1" }, { a: "2", b: "b" }, { b: "c" }]),
      granular: () => texts(random),
      atomic: () => texts(random),
      free: () => ({ ...texts(random), deep: random.pick<Value>([[1, 2], { x: [] }, null, 1.5]) }),
    }),
  }
}

function scaler(random: Random): MapValue {
  return {
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      maxReplicas: random.between(3, 5),
      ...some(random, 0.4, { minReplicas: () => random.between(1, 2) }),
    },
  }
}

const conditions = (random: Random): MapValue[] =>
  several(random, ["A", "B"]).map(type => ({ type, status: random.pick(["True", "False"]) }))

export const kinds: readonly Kind[] = [
  {
    ...{ apiVersion: "apps/v1", kind: "Deployment", plural: "deployments", otherVersions: [], content: deployment },
    status: random => ({ observedGeneration: random.between(1, 3), conditions: conditions(random) }),
  },
  { apiVersion: "v1", kind: "Service", plural: "services", otherVersions: [], content: service },
  {
    ...{ apiVersion: "v1", kind: "ConfigMap", plural: "configmaps", otherVersions: [] },
    content: random =>
      some(random, 0.8, { data: () => texts(random), binaryData: () => some(random, 0.5, { d: () => "AA==" }) }),
  },
  {
    ...{ apiVersion: "v1", kind: "Secret", plural: "secrets", otherVersions: [] },
    content: random => some(random, 0.5, { stringData: () => texts(random), data: () => ({ e: "AA==" }) }),
  },
  {
    ...{ apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", plural: "horizontalpodautoscalers" },
    ...{ otherVersions: ["autoscaling/v1"], content: scaler },
  },
  {
    ...{ apiVersion: "example.com/v1", kind: "Shop", plural: "shops", otherVersions: ["example.com/v1beta1"] },
    content: shop,
    status: random => ({ conditions: conditions(random) }),
  },
]

/** Random metadata without the name. */
export function metadata(random: Random): MapValue {
  return some(random, 0.25, {
    labels: () => random.pick<Value>([texts(random), {}]),
    annotations: () => random.pick<Value>([texts(random), null]),
    finalizers: () => several(random, ["example.com/a", "example.com/b"]),
  })
}
