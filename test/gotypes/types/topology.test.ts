/** Reads the markers that define the merging of lists, maps and structs: the OpenAPI extensions, errors and warnings. */
import { describe, expect, it } from "vitest"
import { own } from "../../../src/value/object.js"
import type { MapValue } from "../../../src/value/value.js"
import { definitionOf, problemsOf, readTypes } from "../support.js"

const others = [
  'type U struct {\nInner\nK string `json:"k"`\nL *int `json:"l"`\nM []string `json:"m"`\nN metav1.Time `json:"n"`\nS Inner `json:"s"`\n}',
  "type Inner struct { I bool }",
  "// +listType=map\n// +listMapKey=k\ntype Keyed []U",
  "// +listType=set\ntype Set []string",
  "// +mapType=atomic\ntype Atomic map[string]string",
  "// +structType=atomic\ntype Whole struct {\nA int\n}",
  "// +mapType=atomic\ntype WholeToo struct {\nA int\n}",
  "type Same Keyed",
].join("\n")

function source(markers: string, type: string): string {
  const lines = markers.split("\n").map(marker => `// ${marker}\n`)
  return `type T struct {\n${markers === "" ? "" : lines.join("")}F ${type} \`json:"f,omitempty"\`\n}\n${others}`
}

async function extensionsOf(markers: string, type: string, name = "v1.T") {
  const read = await readTypes(source(markers, type))
  const definition = definitionOf(read, name)
  const place = name === "v1.T" ? (own(definition.properties as MapValue, "f") as MapValue) : definition
  const found = Object.entries(place).filter(([key]) => key.startsWith("x-"))
  return [
    Object.fromEntries(found.map(([key, value]) => [key.replace("x-kubernetes-", ""), value])),
    read.warnings.map(({ message }) => message),
  ]
}

describe("extensions", () => {
  it.each<[string, string, MapValue]>([
    ["", "[]string", {}],
    ["+listType=atomic", "[]string", { "list-type": "atomic" }],
    ["+listType=set", "*[]string", { "list-type": "set" }],
    ["+k8s:listType=set", "[]string", { "list-type": "set" }],
    ['+k8s:listType="set"', "[]string", { "list-type": "set" }],
    ["+listType=set\n+k8s:listType=set", "[]string", { "list-type": "set" }],
    ["+listType=map\n+listMapKey=k", "[]U", { "list-type": "map", "list-map-keys": ["k"] }],
    ["+listType=map\n+listMapKey=l\n+listMapKey=k", "[]*U", { "list-type": "map", "list-map-keys": ["l", "k"] }],
    ["+listType=map\n+listMapKey=k\n+k8s:listMapKey=k", "[]U", { "list-type": "map", "list-map-keys": ["k"] }],
    ["+k8s:listType=map\n+k8s:listMapKey=n", "[]U", { "list-type": "map", "list-map-keys": ["n"] }],
    ["+listType=map\n+listMapKey=I", "[]U", { "list-type": "map", "list-map-keys": ["I"] }],
    ["+k8s:alpha=+k8s:listType=set", "[]string", { "list-type": "set" }],
    ["", "Keyed", { "list-type": "map", "list-map-keys": ["k"] }],
    ["", "Same", { "list-type": "map", "list-map-keys": ["k"] }],
    ["", "Set", { "list-type": "set" }],
    ["+listType=atomic", "Set", { "list-type": "atomic" }],
    ["+listType=map\n+listMapKey=l", "Keyed", { "list-type": "map", "list-map-keys": ["l"] }],
    ["+listMapKey=l", "Keyed", { "list-type": "map", "list-map-keys": ["l"] }],
    ["+k8s:unique=map\n+k8s:listMapKey=k", "[]U", {}],
    ["+listType=atomic\n+k8s:unique=map\n+k8s:listMapKey=k", "[]U", { "list-type": "atomic" }],
    ["+mapType=atomic", "map[string]string", { "map-type": "atomic" }],
    ["+mapType=granular", "map[string]string", { "map-type": "granular" }],
    ["", "Atomic", { "map-type": "atomic" }],
    ["+mapType=granular", "Atomic", { "map-type": "granular" }],
    ["+mapType=atomic", "U", { "map-type": "atomic" }],
    ["+structType=atomic", "U", { "map-type": "atomic" }],
    ["+structType=granular", "*Whole", { "map-type": "granular" }],
    ["+structType=atomic", "metav1.Time", { "map-type": "atomic" }],
    ["+mapType=atomic", "metav1.Time", { "map-type": "atomic" }],
    ["+mapType=granular\n+structType=atomic", "U", { "map-type": "atomic" }],
    ["+patchStrategy=merge", "[]string", { "patch-strategy": "merge" }],
    ["+patchStrategy=merge\n+patchMergeKey=k", "[]U", { "patch-strategy": "merge", "patch-merge-key": "k" }],
    ["+patchMergeKey=k", "[]U", { "patch-merge-key": "k" }],
    ["+patchStrategy=replace", "U", { "patch-strategy": "replace" }],
  ])("%j at %s", async (markers, type, expected) => {
    expect(await extensionsOf(markers, type)).toEqual([expected, []])
  })

  it.each([
    ["v1.Whole", { "map-type": "atomic" }],
    ["v1.WholeToo", { "map-type": "atomic" }],
    ["v1.U", {}],
  ])("of the type %s", async (name, expected) => {
    expect(await extensionsOf("", "string", name)).toEqual([expected, []])
  })
})

describe("markers without an effect", () => {
  it.each([
    ["+listType=set", "string", "+listType is for a list"],
    ["+listType=set", "U", "+listType is for a list"],
    ["+listType=set", "map[string]string", "+listType is for a list"],
    ["+listType=set", "metav1.Time", "+listType is for a list"],
    ["+mapType=atomic", "string", "+mapType is for a map"],
    ["+mapType=atomic", "[]string", "+mapType is for a map"],
    ["+structType=atomic", "map[string]string", "+structType is for a struct"],
    ["+structType=atomic", "int", "+structType is for a struct"],
  ])("%s at %s", async (markers, type, message) => {
    expect(await extensionsOf(markers, type)).toEqual([{}, [`${message}; it has no effect here`]])
  })
})

describe("errors", () => {
  it.each([
    ["+listType=Set", "[]string", '+listType is one of atomic, set, map, not "Set"'],
    ["+listType", "[]string", '+listType is one of atomic, set, map, not ""'],
    ["+mapType=separable", "map[string]string", '+mapType is one of atomic, granular, not "separable"'],
    ["+structType=whole", "U", '+structType is one of atomic, granular, not "whole"'],
    ["+listType=set\n+k8s:listType=map", "[]string", "+listType says set and map"],
    ["+listType=map", "[]U", "+listType=map needs a +listMapKey"],
    ["+listType=map\n+listMapKey=", "[]U", "+listMapKey  is not a field of the items"],
    ["+listType=map\n+listMapKey=K", "[]U", "+listMapKey K is not a field of the items"],
    ["+listType=map\n+listMapKey=m", "[]U", "+listMapKey m is not a scalar"],
    ["+listType=map\n+listMapKey=s", "[]U", "+listMapKey s is not a scalar"],
    ["+listType=map\n+listMapKey=k\n+listMapKey=m", "[]U", "+listMapKey m is not a scalar"],
    ["+listType=map\n+listMapKey=k", "[]map[string]string", "the items of a +listType=map have to be structs"],
    ["+listType=map\n+listMapKey=k", "[]string", "the items of a +listType=map have to be structs"],
    ["+listMapKey=k", "[]U", "+listMapKey means nothing without +listType=map"],
    ["+listType=set\n+listMapKey=k", "[]U", "+listMapKey means nothing without +listType=map"],
    ["+listType=atomic\n+k8s:unique=set\n+k8s:listMapKey=k", "[]U", "+listMapKey means nothing without +listType=map"],
  ])("%j at %s", async (markers, type, message) => {
    const line = 2 + markers.split("\n").length
    expect(await problemsOf(source(markers, type))).toContain(`${line} T.F: ${message}`)
  })

  it("of a type are at the type", async () => {
    expect(await problemsOf("type T struct { A int }\n// +structType=big\ntype U struct {\nA int\n}")).toEqual([
      '3 U.: +structType is one of atomic, granular, not "big"',
    ])
  })

  it("are not those of items of which nothing is known", async () => {
    const text =
      'type T struct {\n// +listType=map\n// +listMapKey=k\n// +k8s:eachVal=+k8s:opaqueType\nF []metav1.Unknown `json:"f"`\n}'
    expect(await problemsOf(text)).toEqual([])
    expect(await problemsOf("type T struct {\n// +listType=map\n// +listMapKey=k\nF []Missing\n}")).toEqual([
      "4 T.F: there is no type Missing",
    ])
  })
})
