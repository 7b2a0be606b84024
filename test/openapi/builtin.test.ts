/**
 * Compares the built-in types of src/kubernetes, which client-go publishes as a schema, with those that our converters make from the OpenAPI
 * documents of the same release. The documents are recorded without their descriptions (test/vectors/kubernetes-documents.ts).
 */
import { readFileSync } from "node:fs"
import { isDeepStrictEqual } from "node:util"
import { gunzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { kubernetesKinds, kubernetesRelease, kubernetesSchema, kubernetesUnions } from "../../src/kubernetes/index.js"
import type { ConvertedSchema, KindEntry } from "../../src/openapi/conversion/options.js"
import { schemaFromOpenAPIv2 } from "../../src/openapi/v2.js"
import { schemaFromOpenAPIv3 } from "../../src/openapi/v3.js"
import type { Atom, MapAtom, Schema, TypeRef } from "../../src/schema/schema.js"
import { deepFreeze } from "../support/deep-freeze.js"
import type { KubernetesDocuments } from "../vectors/kubernetes-documents.js"
import { v2, v3 } from "./support.js"

const recorded = deepFreeze(
  JSON.parse(
    gunzipSync(readFileSync(new URL("../vectors/kubernetes-documents.json.gz", import.meta.url))).toString("utf8"),
  ) as KubernetesDocuments,
)
const names = Object.keys(recorded.documents)
const documents = names.map(name => {
  const numbers = Object.entries(recorded.documents[name] ?? {})
  return v3(Object.fromEntries(numbers.map(([type, number]) => [type, recorded.definitions[number]])))
})
const converted = schemaFromOpenAPIv3(documents, { names })
const swagger = v2(recorded.swagger)
const fromSwagger = schemaFromOpenAPIv2(swagger)

const bundled = atomsOf(kubernetesSchema())
const rawExtension = "io.k8s.apimachinery.pkg.runtime.RawExtension"
const intOrString = "io.k8s.apimachinery.pkg.util.intstr.IntOrString"

function atomsOf({ types }: Schema): Map<string, Atom> {
  return new Map(types.map(({ name, ...atom }) => [name, atom]))
}

/** Returns `apps/v1 Deployment io.k8s.api.apps.v1.Deployment` for every kind. */
function kindsOf({ kinds }: ConvertedSchema): string[] {
  return kinds.map(entry => `${apiVersionOf(entry)} ${entry.kind} ${entry.typeName}`)
}

function apiVersionOf({ group, version }: KindEntry): string {
  return group === "" ? version : `${group}/${version}`
}

/** Returns the kinds that are in the bundle and in the documents, by the names of their types. */
function sharedKinds(source: ConvertedSchema): string[] {
  const there = new Set(kindsOf(source))
  return kubernetesKinds()
    .filter(({ apiVersion, kind, type }) => there.has(`${apiVersion} ${kind} ${type}`))
    .map(({ type }) => type)
}

/** Returns the names of these types and of all types that they refer to. */
function closure(types: ReadonlyMap<string, Atom>, from: readonly string[]): string[] {
  const found = new Set<string>()
  const visitRef = (ref: TypeRef | undefined): void => {
    if (ref?.namedType !== undefined) visitName(ref.namedType)
    else if (ref !== undefined) visit(ref)
  }
  const visit = ({ list, map }: Atom): void => {
    visitRef(list?.elementType)
    visitRef(map?.elementType)
    for (const { type } of map?.fields ?? []) visitRef(type)
  }
  const visitName = (name: string): void => {
    if (found.has(name)) return
    found.add(name)
    visit(types.get(name) ?? {})
  }
  from.forEach(visitName)
  return [...found].sort()
}

/** Returns the atom with every map in it changed. */
function mapMaps(atom: Atom, change: (map: MapAtom) => MapAtom): Atom {
  const ref = (type: TypeRef): TypeRef => mapMaps(type, change)
  const { list, map } = atom
  return {
    ...atom,
    ...(list !== undefined && { list: { ...list, ...(list.elementType && { elementType: ref(list.elementType) }) } }),
    ...(map !== undefined && {
      map: change({
        ...map,
        ...(map.fields && { fields: map.fields.map(field => ({ ...field, type: ref(field.type) })) }),
        ...(map.elementType && { elementType: ref(map.elementType) }),
      }),
    }),
  }
}

/** Returns the types of these names as one object, so that a difference is shown with its place. */
function pick(types: ReadonlyMap<string, Atom>, names: readonly string[], change: (atom: Atom) => Atom): unknown {
  return Object.fromEntries(names.map(name => [name, change(types.get(name) ?? {})]))
}

/** Returns the names of types that both have. */
function inBoth(types: ReadonlyMap<string, Atom>): string[] {
  return [...types.keys()].filter(name => bundled.has(name))
}

/** Returns the kinds of the documents that are not bundled and are not lists. */
function unbundledObjects(source: ConvertedSchema): string[] {
  const types = atomsOf(source.schema)
  const known = new Set(kubernetesKinds().map(({ apiVersion, kind, type }) => `${apiVersion} ${kind} ${type}`))
  const isObject = (type: string) =>
    types.get(type)?.map?.fields?.some(field => field.type.namedType === `${meta}.ObjectMeta`) === true
  return kindsOf(source).filter(kind => !known.has(kind) && isObject(kind.split(" ")[2] ?? ""))
}
const meta = "io.k8s.apimachinery.pkg.apis.meta.v1"

/**
 * OpenAPI v2, which client-go's schema comes from, and v3 differ in three ways:
 * - v2 writes out the type of a free-form object's values, and v3 refers to it by name;
 * - v2 replaces references to RawExtension by references to the untyped type;
 * - v2 writes out the relationship of a map with separable keys, which is the default, if the type has other alternatives.
 */
function likened(atom: Atom): Atom {
  return mapMaps(atom, ({ elementRelationship, ...map }) => ({
    ...map,
    ...(map.fields && { fields: map.fields.map(field => ({ ...field, type: sameName(field.type) })) }),
    ...(map.elementType && { elementType: sameName(map.elementType) }),
    ...(elementRelationship !== undefined && elementRelationship !== "separable" && { elementRelationship }),
  }))
}

const freeForm = likenedOnce(bundled.get("__untyped_deduced_") ?? {})

function sameName(type: TypeRef): TypeRef {
  if (type.namedType === rawExtension) return { ...type, namedType: "__untyped_atomic_" }
  return isDeepStrictEqual(type, freeForm) ? { namedType: "__untyped_deduced_" } : type
}

/** An atom of one map without its relationship, as `likened` sees it inside another atom. */
function likenedOnce(atom: Atom): Atom {
  return mapMaps(atom, ({ elementRelationship: _, ...map }) => map)
}

function withoutDefaults(atom: Atom): Atom {
  return mapMaps(atom, map => ({
    ...map,
    ...(map.fields && { fields: map.fields.map(({ name, type }) => ({ name, type })) }),
  }))
}

describe("the documents of the release", () => {
  it("belong to the bundled release, apart from the patch version", () => {
    expect(recorded.release.split(".").slice(0, 2)).toEqual(kubernetesRelease.split(".").slice(0, 2))
    expect(names).toContain("apis__apps__v1_openapi.json")
  })
})

describe("OpenAPI v3 of the release", () => {
  const types = atomsOf(converted.schema)
  const same = (atom: Atom): Atom => atom

  it("converts without diagnostics", () => expect(converted.diagnostics).toEqual([]))

  it("equals the bundled types, type for type", () => {
    const shared = inBoth(types).filter(name => name !== rawExtension && name !== intOrString)
    expect(shared.length).toBeGreaterThan(700)
    expect(pick(types, shared, likened)).toEqual(pick(bundled, shared, likened))
  })

  it("has IntOrString as an untyped scalar, and RawExtension as one leaf", () => {
    const untyped = "__untyped_atomic_"
    const atomicList = { elementType: { namedType: untyped }, elementRelationship: "atomic" }
    expect(pick(types, [intOrString, rawExtension], same)).toEqual({
      [intOrString]: { scalar: "untyped", list: atomicList, map: { elementType: { namedType: "__untyped_deduced_" } } },
      [rawExtension]: {
        scalar: "untyped",
        list: atomicList,
        map: { elementType: { namedType: untyped }, elementRelationship: "atomic" },
      },
    })
    expect(bundled.get(intOrString)).toEqual({ scalar: "untyped" })
  })

  it("has exactly the types of the bundle below each bundled kind", () => {
    const kinds = sharedKinds(converted)
    expect(kinds.length).toBeGreaterThan(80)
    const reached = closure(types, kinds).filter(name => name !== rawExtension)
    expect(reached).toEqual(closure(bundled, kinds))
    expect(reached.filter(name => !types.has(name))).toEqual([])
  })

  it("has no kind that is bundled under another type", () => {
    const there = new Map(converted.kinds.map(entry => [`${apiVersionOf(entry)} ${entry.kind}`, entry.typeName]))
    const moved = kubernetesKinds().filter(({ apiVersion, kind, type }) => {
      return (there.get(`${apiVersion} ${kind}`) ?? type) !== type
    })
    expect(moved).toEqual([])
  })

  it("has only the bundled kinds of objects, apart from requests that are never stored", () => {
    expect(
      unbundledObjects(converted)
        .map(kind => kind.split(" ")[1])
        .sort(),
    ).toEqual([
      "Binding",
      "LocalSubjectAccessReview",
      "SelfSubjectAccessReview",
      "SelfSubjectReview",
      "SelfSubjectRulesReview",
      "SubjectAccessReview",
      "TokenRequest",
      "TokenReview",
    ])
  })
})

describe("OpenAPI v2 of the release", () => {
  const types = atomsOf(fromSwagger.schema)

  it("equals the bundled types without defaults", () => {
    const shared = inBoth(types)
    expect(shared.length).toBeGreaterThan(700)
    expect(pick(types, shared, atom => atom)).toEqual(pick(bundled, shared, withoutDefaults))
  })

  it("has diagnostics for bundled defaults of list keys that it lacks", () => {
    const missing = fromSwagger.diagnostics.filter(({ code }) => code === "missing-default").map(({ path }) => path)
    for (const type of ["ContainerPort", "ServicePort"]) {
      expect(missing).toContain(`/definitions/io.k8s.api.core.v1.${type}/properties/protocol`)
      const fields = bundled.get(`io.k8s.api.core.v1.${type}`)?.map?.fields
      expect(fields?.find(({ name }) => name === "protocol")?.default).toBe("TCP")
    }
  })

  it("has no union that the overlay lacks", () => {
    const published = schemaFromOpenAPIv2(swagger, { unionMode: "upstream" })
      .schema.types.filter(({ map }) => map?.unions !== undefined)
      .map(({ name }) => name)
    const covered = new Set(kubernetesUnions().types.map(({ name }) => name))
    expect(published.length).toBeGreaterThan(15)
    expect(published.filter(name => !covered.has(name))).toEqual([])
  })

  it("has diagnostics for unions that are published with wrong values, on request", () => {
    const { diagnostics } = schemaFromOpenAPIv2(swagger, { unionMode: "upstream" })
    const wrong = diagnostics.filter(({ code }) => code === "wrong-union").map(({ path }) => path)
    expect(wrong).toEqual([
      "/definitions/io.k8s.api.core.v1.AppArmorProfile",
      "/definitions/io.k8s.api.core.v1.SeccompProfile",
      "/definitions/io.k8s.api.flowcontrol.v1.LimitResponse",
    ])
  })
})
