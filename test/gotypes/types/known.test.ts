/** Uses types that are known without their sources. */
import { describe, expect, it } from "vitest"
import { readGoTypes } from "../../../src/gotypes/index.js"
import { friendly, knownPackages, knownType } from "../../../src/gotypes/types/known.js"
import { kubernetesSchema } from "../../../src/kubernetes/index.js"
import type { Atom } from "../../../src/schema/schema.js"
import { untypedAtom } from "../../../src/schema/untyped.js"
import { compileRules } from "../../../src/validation/index.js"
import type { MapValue, Value } from "../../../src/value/value.js"
import { differences } from "../differences.js"
import { definitionOf, fieldOf, typeNamed } from "../support.js"

const meta = "k8s.io/apimachinery/pkg/apis/meta/v1"
const apiextensions = "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"

const anything = { "x-kubernetes-preserve-unknown-fields": true }

/** `T` with a field of a type of this package. */
const withField = (path: string, type: string) =>
  readGoTypes({
    "t.go": `package v1\nimport x "${path}"\ntype T struct {\nF ${type.replace("$", "x.")} \`json:"f"\`\n}`,
  })

describe("a name in OpenAPI", () => {
  it.each([
    ["k8s.io/api/core/v1", "Pod", "io.k8s.api.core.v1.Pod"],
    ["sub.example.com/a-b/v1", "X", "com.example.sub.a-b.v1.X"],
    ["time", "Time", "time.Time"],
    ["encoding/json", "RawMessage", "encoding.json.RawMessage"],
  ])("%s.%s", (path, name, expected) => {
    expect(friendly(path, name)).toBe(expected)
  })
})

describe("a type with a JSON form of its own", () => {
  const dateTime = { type: "string", format: "date-time" }
  it.each<[string, string, MapValue, Atom, Value]>([
    [meta, "Time", dateTime, { scalar: "untyped" }, null],
    [meta, "MicroTime", dateTime, { scalar: "untyped" }, null],
    [meta, "Duration", { type: "string" }, { scalar: "string" }, "0s"],
    [meta, "FieldsV1", { type: "object" }, { map: { elementType: { namedType: "__untyped_deduced_" } } }, null],
    [
      "k8s.io/apimachinery/pkg/api/resource",
      "Quantity",
      { oneOf: [{ type: "string" }, { type: "number" }] },
      { scalar: "untyped" },
      "0",
    ],
    [
      "k8s.io/apimachinery/pkg/util/intstr",
      "IntOrString",
      { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] },
      { scalar: "untyped" },
      0,
    ],
    ["k8s.io/apimachinery/pkg/runtime", "RawExtension", { type: "object" }, { ...untypedAtom }, null],
    [`${apiextensions}/v1`, "JSON", anything, { scalar: "untyped" }, null],
    [`${apiextensions}/v1beta1`, "JSON", anything, { scalar: "untyped" }, null],
  ])("%s.%s", async (path, name, definition, type, zero) => {
    const read = await withField(path, `$${name}`)
    const model = friendly(path, name)
    expect(definitionOf(read, model)).toEqual(definition)
    expect(fieldOf(read, "f")).toEqual({ namedType: model })
    expect(typeNamed(read, model)).toMatchObject({ ...type, name: model })
    expect(definitionOf(read).properties).toEqual({ f: { $ref: `#/components/schemas/${model}` } })
    const rules = { types: { ...read.rules.types, T: { ...read.rules.types.T, rules: [{ tag: "validateFalse" }] } } }
    const [error] = compileRules(rules, "T").validate({})
    expect(error?.badValue).toEqual({ f: zero })
  })

  it.each([
    ["time", "Time", { type: "string", format: "date-time" }, { scalar: "untyped" }, "0001-01-01T00:00:00Z"],
    ["time", "Duration", { type: "integer", format: "int64" }, { scalar: "numeric" }, 0],
    ["encoding/json", "RawMessage", anything, { scalar: "untyped" }, null],
  ])("%s.%s, written in place", async (path, name, definition, type, zero) => {
    const read = await withField(path, `$${name}`)
    expect(definitionOf(read).properties).toEqual({ f: definition })
    expect(fieldOf(read, "f")).toMatchObject(type)
    const rules = { types: { ...read.rules.types, T: { ...read.rules.types.T, rules: [{ tag: "validateFalse" }] } } }
    expect(compileRules(rules, "T").validate({})[0]?.badValue).toEqual({ f: zero })
  })

  it.each([
    ["duration", "Duration", { type: "string" }],
    ["timestamp", "Timestamp", dateTime],
    ["struct", "Struct", { type: "object", ...anything }],
    ["struct", "Value", anything],
    ["struct", "ListValue", { type: "array", items: anything }],
    ["any", "Any", { type: "object", ...anything }],
    ["empty", "Empty", { type: "object" }],
    ["fieldmask", "FieldMask", { type: "string" }],
    ["wrappers", "BoolValue", { type: "boolean" }],
    ["wrappers", "DoubleValue", { type: "number" }],
    ["wrappers", "FloatValue", { type: "number" }],
    ["wrappers", "Int64Value", { type: "integer" }],
    ["wrappers", "UInt32Value", { type: "integer" }],
    ["wrappers", "StringValue", { type: "string" }],
    ["wrappers", "BytesValue", { type: "string", format: "byte" }],
  ])("of protobuf is written in place: %s.%s", async (name, type, definition) => {
    for (const path of [
      `google.golang.org/protobuf/types/known/${name}pb`,
      `github.com/golang/protobuf/ptypes/${name}`,
    ]) {
      expect(definitionOf(await withField(path, `*$${type}`)).properties).toEqual({ f: definition })
    }
  })

  it("is known by its package and name alone", () => {
    expect(knownType("time", "Month")).toBeUndefined()
    expect(knownType("example.com/time", "Time")).toBeUndefined()
    expect(knownType(`${apiextensions}/v2`, "JSON")).toBeUndefined()
  })
})

describe("the types of packages that are bundled", () => {
  const bundled = new Map(kubernetesSchema().types.map(type => [type.name, type]))
  const names = [...knownPackages].flatMap(([path, source]) =>
    Array.from(source.matchAll(/^type (\w+) (\w+)/gm), ([, name = "", kind = ""]): [string, string, string] => [
      path,
      name,
      kind,
    ]),
  )
  const structs = names.filter(([, , kind]) => kind === "struct")

  it.each(structs)("%s.%s is what Kubernetes has", async (path, name) => {
    const read = await withField(path, `$${name}`)
    const model = path === meta ? `io.k8s.apimachinery.pkg.apis.meta.v1.${name}` : friendly(path, name)
    expect(fieldOf(read, "f")).toEqual({ namedType: model })
    const known = bundled.get(model)
    if (known !== undefined) expect(differences(known, typeNamed(read, model))).toEqual([])
    expect(typeNamed(read, model).map?.fields?.length).toBeGreaterThan(0)
  })

  it("has those that API types use most in the bundled schema, too", () => {
    const compared = structs.filter(([, name]) => bundled.has(`io.k8s.apimachinery.pkg.apis.meta.v1.${name}`))
    expect(compared.map(([, name]) => name)).toEqual([
      "ObjectMeta",
      "OwnerReference",
      "ManagedFieldsEntry",
      "LabelSelector",
      "LabelSelectorRequirement",
      "Condition",
      "GroupResource",
    ])
  })

  it.each(names.filter(([, , kind]) => kind === "string"))("%s.%s is a string", async (path, name) => {
    expect(fieldOf(await withField(path, `$${name}`), "f")).toEqual({ scalar: "string" })
  })

  it("are the ones below", () => {
    expect(names.map(([path, name]) => `${path.split("/").at(-1)}.${name}`)).toEqual([
      ..."TypeMeta ListMeta ObjectMeta OwnerReference ManagedFieldsEntry LabelSelector LabelSelectorRequirement Condition GroupKind"
        .split(" ")
        .map(name => `v1.${name}`),
      ..."GroupResource GroupVersionKind GroupVersionResource ConditionStatus FieldsType LabelSelectorOperator ManagedFieldsOperationType"
        .split(" ")
        .map(name => `v1.${name}`),
      ...["UID", "NodeName", "NamespacedName"].map(name => `types.${name}`),
    ])
  })

  it("give way to sources", async () => {
    const source =
      'package v1\nimport metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"\ntype T struct { F metav1.Condition; G metav1.Time }'
    const own = 'package v1\ntype Condition struct {\nMine string `json:"mine"`\n}\ntype Time struct { Mine string }'
    const read = await readGoTypes({ "t.go": source }, { resolve: () => ({ "c.go": own }) })
    const name = friendly(meta, "Condition")
    expect(typeNamed(read, name).map?.fields?.map(field => field.name)).toEqual(["mine"])
    expect(typeNamed(read, friendly(meta, "Time"))).toMatchObject({ scalar: "untyped" })
  })
})
