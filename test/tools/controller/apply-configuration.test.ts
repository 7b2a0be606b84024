/** The types of configurations. Each `@ts-expect-error` is a mistake that the compiler finds; `npm run types` reads this. */
import type { V1ConfigMap, V1Deployment, V1EndpointSlice, V1NetworkPolicy, V1Service } from "@kubernetes/client-node"
import { expectTypeOf, it } from "vitest"
import type { ApplyConfiguration, KeyedList, UnkeyedList } from "../../../src/tools/controller/index.js"

const web = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" } }

it("is any part of an object, with its name", () => {
  const whole: ApplyConfiguration<V1Deployment> = { ...web, spec: { replicas: 3, template: { spec: {} } } }
  const frozen: ApplyConfiguration<V1ConfigMap> = { ...web, data: { a: "b" } } as const
  const replicas = undefined as number | undefined
  const open: ApplyConfiguration<V1Deployment> = { ...web, spec: { replicas } }
  // @ts-expect-error: without a name
  const unnamed: ApplyConfiguration<V1Deployment> = { ...web, metadata: { labels: { a: "b" } } }
  // @ts-expect-error: without a kind
  const kindless: ApplyConfiguration<V1Deployment> = { apiVersion: "apps/v1", metadata: { name: "web" } }
  // @ts-expect-error: a field that does not exist
  const misspelt: ApplyConfiguration<V1Deployment> = { ...web, spec: { replica: 3 } }
  // @ts-expect-error: a value of another type
  const mistyped: ApplyConfiguration<V1Deployment> = { ...web, spec: { replicas: "3" } }
  expectTypeOf([whole, frozen, open, unnamed, kindless, misspelt, mistyped]).toBeArray()
})

it("has the keys of items of keyed lists, without those that have a default", () => {
  type Pod = NonNullable<NonNullable<NonNullable<ApplyConfiguration<V1Deployment>["spec"]>["template"]>["spec"]>
  const pod: Pod = {
    containers: [
      { name: "web", ports: [{ containerPort: 80 }], env: [{ name: "A" }], volumeMounts: [{ mountPath: "/" }] },
    ],
    imagePullSecrets: [{ name: "registry" }],
    tolerations: [{ operator: "Exists" }],
    topologySpreadConstraints: [{ topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule" }],
  }
  // @ts-expect-error: without the name
  const unnamed: Pod = { containers: [{ image: "web:1" }] }
  // @ts-expect-error: without containerPort
  const portless: Pod = { containers: [{ name: "web", ports: [{ name: "http" }] }] }
  // @ts-expect-error: without the name, which the class does not require
  const secretless: Pod = { imagePullSecrets: [{}] }
  // @ts-expect-error: with one key of two
  const half: Pod = { topologySpreadConstraints: [{ topologyKey: "zone" }] }
  expectTypeOf([pod, unnamed, portless, secretless, half]).toBeArray()
})

it("distinguishes lists of the same name", () => {
  const service = { apiVersion: "v1", kind: "Service", metadata: { name: "web" } }
  const good: ApplyConfiguration<V1Service> = { ...service, spec: { ports: [{ port: 80 }] } }
  // @ts-expect-error: without the port
  const bad: ApplyConfiguration<V1Service> = { ...service, spec: { ports: [{ targetPort: 80 }] } }
  const slice: ApplyConfiguration<V1EndpointSlice> = { ...service, ports: [{ name: "http" }] }
  expectTypeOf([good, bad, slice]).toBeArray()
})

it("has names as in JSON, and times as text", () => {
  const policy = { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata: { name: "web" } }
  const good: ApplyConfiguration<V1NetworkPolicy> = { ...policy, spec: { ingress: [{ from: [{ podSelector: {} }] }] } }
  // @ts-expect-error: the name that the class has
  const bad: ApplyConfiguration<V1NetworkPolicy> = { ...policy, spec: { ingress: [{ _from: [] }] } }
  const time = "2026-01-01T00:00:00Z"
  const status: ApplyConfiguration<V1Deployment> = {
    ...web,
    status: { conditions: [{ type: "Available", status: "True", lastTransitionTime: time }] },
  }
  expectTypeOf([good, bad, status]).toBeArray()
})

it("takes the keys of types of a definition from the types", () => {
  interface Shop {
    apiVersion: "example.com/v1"
    kind: "Shop"
    metadata: { name?: string; labels?: { [key: string]: string } }
    spec: {
      rooms?: KeyedList<{ id: string; floor?: number }, "id">
      ports?: UnkeyedList<{ port?: number; nodePort?: number }>
    }
  }
  const shop = { apiVersion: "example.com/v1", kind: "Shop", metadata: { name: "a", labels: { a: "b" } } } as const
  const good: ApplyConfiguration<Shop> = { ...shop, spec: { rooms: [{ id: "a" }], ports: [{}] } }
  // @ts-expect-error: without the key
  const bad: ApplyConfiguration<Shop> = { ...shop, spec: { rooms: [{ floor: 1 }] } }
  // @ts-expect-error: of another kind
  const other: ApplyConfiguration<Shop> = { ...shop, kind: "Room" }
  const object: Shop = { ...shop, spec: { rooms: [{ id: "a" }] } }
  expectTypeOf([good, bad, other, object]).toBeArray()
})
