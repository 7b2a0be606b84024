import { describe, expect, test } from "vitest"
import { expandSchema } from "../../src/kubernetes/expand.js"
import {
  kubernetesKinds,
  kubernetesRelease,
  kubernetesSchema,
  kubernetesTypeName,
  kubernetesTypes,
} from "../../src/kubernetes/index.js"
import type { Atom, TypeDef, TypeRef } from "../../src/schema/schema.js"
import { compileSchema } from "../../src/typed/type.js"
import { TypedValue } from "../../src/typed/typed-value.js"

const types = new Map(kubernetesSchema().types.map(type => [type.name, type]))

function fieldOf(type: string, name: string) {
  return types.get(type)?.map?.fields?.find(field => field.name === name)
}

/** Returns every reference in an atom, including those in types written in place. */
function references(atom: Atom): TypeRef[] {
  const direct = [atom.list?.elementType, atom.map?.elementType, ...(atom.map?.fields ?? []).map(field => field.type)]
  return direct.filter(ref => ref !== undefined).flatMap(ref => [ref, ...references(ref)])
}

describe("bundled types", () => {
  test("are parsed once", () => expect(kubernetesSchema()).toBe(kubernetesSchema()))

  test("have unique names", () => expect(types.size).toBe(kubernetesSchema().types.length))

  test("refer only to types that are there", () => {
    const missing = [...types.values()]
      .flatMap(references)
      .filter(ref => ref.namedType !== undefined && !types.has(ref.namedType))
    expect(missing).toEqual([])
  })

  test("end every reference in a name or an alternative", () => {
    const empty = [...types.values()]
      .flatMap(references)
      .filter(ref => ref.namedType === undefined && !ref.scalar && !ref.list && !ref.map)
    expect(empty).toEqual([])
  })

  test("hold the two types for fields without one", () => {
    expect(types.get("__untyped_atomic_")?.map?.elementRelationship).toBe("atomic")
    expect(types.get("__untyped_deduced_")?.map?.elementRelationship).toBe("separable")
  })
})

describe("facts of the release", () => {
  test("ports of a container are found by port and protocol, and the protocol has a default", () => {
    expect(fieldOf("io.k8s.api.core.v1.Container", "ports")?.type).toEqual({
      list: {
        elementType: { namedType: "io.k8s.api.core.v1.ContainerPort" },
        elementRelationship: "associative",
        keys: ["containerPort", "protocol"],
      },
    })
    expect(fieldOf("io.k8s.api.core.v1.ContainerPort", "protocol")?.default).toBe("TCP")
  })

  test("a selector is one leaf", () => {
    expect(types.get("io.k8s.api.core.v1.NodeSelector")?.map?.elementRelationship).toBe("atomic")
  })

  test("the scale subresource has its type, which no apply configuration of upstream has", () => {
    expect(kubernetesTypeName("autoscaling/v1", "Scale")).toBe("io.k8s.api.autoscaling.v1.Scale")
    expect(fieldOf("io.k8s.api.autoscaling.v1.Scale", "spec")).toEqual({
      name: "spec",
      type: { namedType: "io.k8s.api.autoscaling.v1.ScaleSpec" },
      default: {},
    })
    expect(fieldOf("io.k8s.api.autoscaling.v1.ScaleSpec", "replicas")?.default).toBe(0)
    expect(fieldOf("io.k8s.api.autoscaling.v1.ScaleStatus", "selector")?.type).toEqual({ scalar: "string" })
  })

  test("no type has a union, as to an API server", () => {
    expect([...types.values()].filter(({ map }) => map?.unions !== undefined)).toEqual([])
  })
})

describe("kinds", () => {
  test.each([
    ["apps/v1", "Deployment", "io.k8s.api.apps.v1.Deployment"],
    ["v1", "Pod", "io.k8s.api.core.v1.Pod"],
    [
      "apiextensions.k8s.io/v1",
      "CustomResourceDefinition",
      "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition",
    ],
    ["apiregistration.k8s.io/v1", "APIService", "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService"],
  ])("%s %s is %s", (apiVersion, kind, type) => expect(kubernetesTypeName(apiVersion, kind)).toBe(type))

  test.each([
    ["apps/v1", "Pod"],
    ["example.com/v1", "Deployment"],
    ["__proto__", "constructor"],
    ["v1", "toString"],
  ])("%s %s is not built in", (apiVersion, kind) => expect(kubernetesTypeName(apiVersion, kind)).toBeUndefined())

  test("all have a type with metadata", () => {
    const bad = kubernetesKinds().filter(({ type }) => fieldOf(type, "metadata")?.type.namedType === undefined)
    expect(bad).toEqual([])
    expect(kubernetesKinds().length).toBeGreaterThan(100)
  })

  test("are of one release", () => expect(kubernetesRelease).toMatch(/^1\.\d+\.\d+$/))
})

describe("empty objects", () => {
  test.each([
    ["v1", "ConfigMap", { metadata: {} }],
    ["v1", "Pod", { metadata: {}, spec: { containers: null }, status: {} }],
    ["rbac.authorization.k8s.io/v1", "Role", { metadata: {}, rules: null }],
    [
      "apps/v1",
      "ReplicaSet",
      {
        metadata: {},
        spec: { selector: null, template: { metadata: {}, spec: { containers: null } } },
        status: { replicas: 0 },
      },
    ],
  ])("%s %s", (apiVersion, kind, rest) => {
    const found = kubernetesTypes.find(apiVersion, kind)
    expect(found?.emptyObject).toEqual({ apiVersion, kind, ...rest })
    expect(found?.typeName).toBe(kubernetesTypeName(apiVersion, kind))
    expect(found?.schema).toBe(kubernetesSchema())
  })

  test("all fit their types", () => {
    const schema = compileSchema(kubernetesSchema())
    for (const { apiVersion, kind, type } of kubernetesKinds()) {
      const emptyObject = kubernetesTypes.find(apiVersion, kind)?.emptyObject
      expect(emptyObject).toMatchObject({ apiVersion, kind, metadata: {} })
      expect(TypedValue.of(emptyObject ?? null, schema.type(type)).value).toBe(emptyObject)
    }
  })

  test("there are none of kinds that are not built in", () => {
    expect(kubernetesTypes.find("example.com/v1", "Deployment")).toBeUndefined()
    expect(kubernetesTypes.find("__proto__", "constructor")).toBeUndefined()
  })
})

describe("the short spelling", () => {
  const expand = (atom: unknown): TypeDef | undefined => expandSchema(JSON.stringify({ "g.": { T: atom } })).types[0]

  test.each<[what: string, short: unknown, long: Atom]>([
    ["a scalar", "n", { scalar: "numeric" }],
    ["a set", ["k", "s"], { list: { elementType: { scalar: "string" }, elementRelationship: "associative" } }],
    [
      "a list with keys",
      ["k", "Item", "a", "b"],
      { list: { elementType: { namedType: "g.Item" }, elementRelationship: "associative", keys: ["a", "b"] } },
    ],
    [
      "names with and without their group",
      { f: { x: "Near", y: "h.Far", z: "_z" } },
      {
        map: {
          fields: [
            { name: "x", type: { namedType: "g.Near" } },
            { name: "y", type: { namedType: "h.Far" } },
            { name: "z", type: { namedType: "_z" } },
          ],
        },
      },
    ],
    [
      "an override and null",
      { e: { t: "Item", r: "a", n: true } },
      { map: { elementType: { namedType: "g.Item", elementRelationship: "atomic", nullable: true } } },
    ],
    [
      "defaults",
      { f: { a: "s", b: "n" }, d: { b: 0 } },
      {
        map: {
          fields: [
            { name: "a", type: { scalar: "string" } },
            { name: "b", type: { scalar: "numeric" }, default: 0 },
          ],
        },
      },
    ],
    [
      "several alternatives",
      { s: "u", l: ["a", "Item"], e: "b", r: "s" },
      {
        scalar: "untyped",
        list: { elementType: { namedType: "g.Item" }, elementRelationship: "atomic" },
        map: { elementType: { scalar: "boolean" }, elementRelationship: "separable" },
      },
    ],
  ])("reads %s", (_what, short, long) => expect(expand(short)).toEqual({ name: "g.T", ...long }))

  test("refuses an abbreviation it does not know", () => expect(() => expand("x")).toThrow(RangeError))
})
