import { describe, expect, it } from "vitest"
import { OpenAPIError } from "../../src/openapi/conversion/errors.js"
import { TypeConverter, UnknownKindError } from "../../src/openapi/type-converter.js"
import { thrownBy } from "../support/thrown-by.js"
import { v2, v3 } from "./support.js"

function kind(group: string, version: string, name: string) {
  return { type: "object", properties: {}, "x-kubernetes-group-version-kind": [{ group, version, kind: name }] }
}

const apps = v3({
  "apps.Deployment": kind("apps", "v1", "Deployment"),
  "apps.ReplicaSet": kind("apps", "v1", "ReplicaSet"),
})
const core = v3({ "core.Pod": kind("", "v1", "Pod") })
const old = v2({ "old.Deployment": kind("extensions", "v1beta1", "Deployment") })
const widgets = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  spec: { group: "example.com", names: { kind: "Widget" }, versions: [{ name: "v1" }, { name: "v2" }] },
}

const sources = [
  { name: "apis/apps/v1", document: apps },
  { name: "api/v1", document: core },
  { name: "swagger.json", document: old },
  { name: "crds.yaml", document: { kind: "List", items: [widgets] } },
]

describe("TypeConverter", () => {
  it.each([
    ["apps/v1", "Deployment", "apps.Deployment"],
    ["v1", "Pod", "core.Pod"],
    ["extensions/v1beta1", "Deployment", "old.Deployment"],
    ["example.com/v2", "Widget", "com.example.v2.Widget"],
  ])("finds %s %s over documents of every kind", (apiVersion, name, typeName) => {
    const found = new TypeConverter(sources).typeFor(apiVersion, name)
    expect(found.typeName).toBe(typeName)
    expect(found.schema.types.map(type => type.name)).toContain(typeName)
  })

  it("converts a document once, and only when it is needed", () => {
    const broken = v3({ t: { ...kind("b", "v1", "Broken"), type: "x" } })
    const converter = new TypeConverter([...sources, { name: "broken.json", document: broken }])
    const first = converter.typeFor("apps/v1", "Deployment")
    expect(converter.typeFor("apps/v1", "ReplicaSet").schema).toBe(first.schema)
    expect(converter.kinds()).toHaveLength(7)
    const error = thrownBy(() => converter.find("b/v1", "Broken"))
    expect(error).toBeInstanceOf(OpenAPIError)
    expect((error as OpenAPIError).explain()).toBe("broken.json#/components/schemas/t: t: unrecognized type: 'x'")
  })

  it("reads a document from a function once, and not at all for other apiVersions", () => {
    const reads: string[] = []
    const lazy = (name: string, apiVersion: string, document: unknown) => ({
      name,
      apiVersion,
      document: () => {
        reads.push(name)
        return document
      },
    })
    const converter = new TypeConverter([lazy("core", "v1", core), lazy("apps", "apps/v1", apps)])
    converter.typeFor("v1", "Pod")
    converter.typeFor("v1", "Pod")
    expect(converter.find("batch/v1", "Job")).toBeUndefined()
    expect(reads).toEqual(["core"])
  })

  it("prefers the later document, and asks the fallback last", () => {
    const other = v3({ other: kind("", "v1", "Pod") })
    const bundled = { schema: { types: [] }, typeName: "bundled" }
    const fallback = (_: string, name: string) => (name === "Node" || name === "Pod" ? bundled : undefined)
    const converter = new TypeConverter([{ document: core }, { document: other }], { fallback })
    expect(converter.typeFor("v1", "Pod").typeName).toBe("other")
    expect(converter.typeFor("v1", "Node")).toBe(bundled)
    expect(converter.find("v1", "Secret")).toBeUndefined()
  })

  it("passes options on and keeps the diagnostics of conversions", () => {
    const metadata = [{ name: "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", scalar: "untyped" }] as const
    const versions = [
      { name: "v1", schema: { openAPIV3Schema: {} } },
      { name: "v2", schema: { openAPIV3Schema: { type: "object" } } },
    ]
    const open = { ...widgets, spec: { ...widgets.spec, versions } }
    const converter = new TypeConverter([{ name: "w", document: open }], { metadata })
    expect(converter.diagnostics).toEqual([])
    expect(converter.typeFor("example.com/v1", "Widget").schema.types).toContainEqual(metadata[0])
    expect(converter.diagnostics).toMatchObject([{ code: "not-structural", document: "w" }])
  })
})

describe("TypeConverter: errors", () => {
  it("names the versions of the kind, the searched documents, and how to get the right one", () => {
    const error = thrownBy(() => new TypeConverter(sources).typeFor("apps/v1beta1", "Deployment"))
    expect(error).toBeInstanceOf(UnknownKindError)
    expect(error).toMatchObject({ apiVersion: "apps/v1beta1", kind: "Deployment" })
    expect((error as Error).message.split("\n  ")).toEqual([
      "no corresponding type for apps/v1beta1, Kind=Deployment",
      "searched: apis/apps/v1, api/v1, swagger.json, crds.yaml",
      "versions that have a Deployment: apps/v1 (in apis/apps/v1), extensions/v1beta1 (in swagger.json)",
      "a cluster that serves it has the document: kubectl get --raw /openapi/v3/apis/apps/v1beta1",
    ])
  })

  it("lists the kinds of an existing version", () => {
    const error = thrownBy(() => new TypeConverter(sources).typeFor("apps/v1", "deployment")) as Error
    expect(error.message).toContain("\n  kinds of apps/v1: Deployment, ReplicaSet")
    expect(error.message).not.toContain("kubectl")
  })

  it("knows the path of the core group, and shortens long lists", () => {
    const many = Array.from({ length: 20 }, (_, index) => ({ name: `d${index}`, document: apps }))
    const message = (thrownBy(() => new TypeConverter(many).typeFor("v1", "Pod")) as Error).message
    expect(message).toContain("d11 and 8 more")
    expect(message).toContain("kubectl get --raw /openapi/v3/api/v1")
    expect((thrownBy(() => new TypeConverter([]).typeFor("v1", "Pod")) as Error).message).toContain(
      "there are no documents",
    )
  })

  it("refuses values that are not documents, with their names", () => {
    const converter = (document: unknown) => new TypeConverter([{ name: "file.yaml", document }])
    const expected = "expected an OpenAPI document or a CustomResourceDefinition, found"
    expect(() => converter("text").kinds()).toThrow(`file.yaml: ${expected} a string; parse the text first`)
    expect(() => converter({ kind: "List", items: [{ kind: "Pod" }] }).kinds()).toThrow(
      `file.yaml[0]: ${expected} an object of kind Pod`,
    )
  })
})
