/** Documents that would steer the terminal they are shown on, or pass for what `smd` says itself, in every command. */
import { describe, expect, it } from "vitest"
import type { Value } from "../../src/value/value.js"
import { definitionOf } from "../support/definition.js"
import { deployment, type Outcome, smd } from "./cli.js"

/** Escape sequences of seven and eight bits, a bell, marks that turn the direction of writing, and a line of its own. */
const evil = "x\x1b[2J\x1b[31m\x07\x9b31m\u202e\u2066\u200f\u2028\r\nEVIL: line"

const json = (value: unknown): string => JSON.stringify(value)
const configMap = (data: Value, metadata: Value = { name: "c" }): string =>
  json({ apiVersion: "v1", kind: "ConfigMap", metadata, data })
const owned = (manager: string, key: string): Value => [
  {
    manager,
    operation: "Apply",
    apiVersion: "v1",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:data": { [`f:${key}`]: {} } },
  },
]
const schema = json({
  types: [
    { name: `t${evil}`, map: { fields: [{ name: "a", type: { scalar: "numeric" } }] } },
    { name: "other", map: { elementType: { scalar: "string" } } },
  ],
})
const crd = (kind: string, properties: Value): string =>
  json(
    definitionOf("Widget", {
      schema: { properties },
      spec: { names: { plural: "widgets", singular: "widget", kind } },
    }),
  )

const goTypes = `package v1
type T struct {
	// +k8s:enum
	A Mode \`json:"a"\`
	// +k8s:alpha=+k8s:maxLength=1
	B string \`json:"b"\`
	// +k8s:eachVal=+k8s:maxLength=1
	M map[string]string \`json:"m"\`
}
// +enum
type Mode string
const Fast Mode = "a"
`

const cases: readonly (readonly [what: string, args: readonly string[], files: Readonly<Record<string, string>>])[] = [
  ["a kind", ["validate", "a"], { a: json({ apiVersion: "v1", kind: evil }) }],
  ["an apiVersion", ["validate", "a"], { a: json({ apiVersion: evil, kind: "Pod" }) }],
  ["an unknown field", ["validate", "a"], { a: json({ apiVersion: "v1", kind: "Pod", [evil]: 1 }) }],
  ["a wrong value", ["validate", "a"], { a: json({ apiVersion: "v1", kind: "Pod", spec: evil }) }],
  ["invalid YAML", ["validate", "a"], { a: `a: &${evil} *${evil}` }],
  ["a duplicate key", ["validate", "a"], { a: `{${json(evil)}: 1, ${json(evil)}: 2}` }],
  ["the name of a type", ["list-types", "--schema", "s"], { s: schema }],
  ["the name of a type, as a list", ["list-types", "--schema", "s", "--output", "json"], { s: schema }],
  ["a type like the one asked for", ["validate", "--schema", "s", "--type", `t${evil}y`, "a"], { s: schema, a: "{}" }],
  ["the type that lacks a field", ["validate", "--schema", "s", "a"], { s: schema, a: "{b: 1}" }],
  ["an invalid schema", ["validate", "--schema", "s", "a"], { s: json({ types: [{ [evil]: evil }] }), a: "{}" }],
  ["a field set", ["fieldset", "a"], { a: configMap({ [evil]: evil }) }],
  ["a field set as YAML", ["fieldset", "a", "--output", "yaml"], { a: configMap({ [evil]: evil }) }],
  ["a merge", ["merge", "a", "a"], { a: configMap({ [evil]: evil }) }],
  ["a merge as JSON", ["merge", "a", "a", "--output", "json"], { a: configMap({ [evil]: evil }) }],
  ["a comparison", ["compare", "a", "b"], { a: configMap({ [evil]: "1" }), b: configMap({ [evil]: "2" }) }],
  [
    "a comparison as YAML",
    ["compare", "a", "b", "--output", "yaml"],
    { a: configMap({ [evil]: "1" }), b: configMap({}) },
  ],
  [
    "a conflict",
    ["apply", "--manager", "m", "--live", "l", "a"],
    { a: configMap({ [evil]: evil }), l: configMap({ [evil]: "" }, { name: "c", managedFields: owned(evil, evil) }) },
  ],
  [
    "a conflict as JSON",
    ["apply", "--manager", "m", "--live", "l", "a", "--output", "json"],
    { a: configMap({ [evil]: evil }), l: configMap({ [evil]: "" }, { name: "c", managedFields: owned(evil, evil) }) },
  ],
  ...["explain", "plan"]
    .flatMap(command => ["text", "json", "yaml", "github", "markdown"].map(form => [command, form] as const))
    .map(
      ([command, form]) =>
        [
          `${command} as ${form}`,
          [command, "--manager", "m", "--live", "l", "a", "--output", form],
          {
            a: configMap({ [evil]: evil }),
            l: configMap({ [evil]: "" }, { name: "c", managedFields: owned(evil, evil) }),
          },
        ] as const,
    ),
  ...["relinquish", "share", "overwrite"].map(
    choice =>
      [
        `a conflict that is decided: ${choice}`,
        ["apply", "--manager", "m", "--live", "l", "a", "--on-conflict", choice],
        {
          a: configMap({ [evil]: evil }),
          l: configMap({ [evil]: "" }, { name: "c", managedFields: owned(evil, evil) }),
        },
      ] as const,
  ),
  ...["argocd", "flux", "ocm", "pulumi"].map(
    format =>
      [
        `rules for ${format}`,
        ["ignore", "--manager", "m", "--live", "l", "a", "--format", format],
        {
          a: configMap({ [evil]: evil }),
          l: configMap({ [evil]: "" }, { name: "c", managedFields: owned(evil, evil) }),
        },
      ] as const,
  ),
  [
    "an object applied",
    ["apply", "--manager", "m", "a"],
    { a: configMap({ [evil]: evil }, { name: evil, labels: { [evil]: evil } }) },
  ],
  [
    "metadata",
    ["apply", "--manager", "m", "--live", "l", "a"],
    { a: configMap({}, { name: evil }), l: configMap({}, { name: `${evil}2` }) },
  ],
  [
    "an entry of managedFields",
    ["apply", "--manager", "m", "--live", "l", "a"],
    {
      a: configMap({}),
      l: configMap({}, { name: "c", managedFields: [{ manager: evil, operation: evil, fieldsType: evil }] }),
    },
  ],
  [
    "the fields of an entry",
    ["apply", "--manager", "m", "--live", "l", "a"],
    {
      a: configMap({}),
      l: configMap(
        {},
        { name: "c", managedFields: [{ ...((owned("m", "x") as Value[])[0] as object), fieldsV1: { [evil]: {} } }] },
      ),
    },
  ],
  ["names of objects", ["apply", "--manager", "m", "-o", "name", "a"], { a: configMap({}, { name: evil }) }],
  [
    "an object that is there twice",
    ["apply", "--manager", "m", "a", "b"],
    { a: configMap({}, { name: evil, namespace: evil }), b: configMap({}, { name: evil, namespace: evil }) },
  ],
  [
    "owners",
    ["blame", "l"],
    {
      l: configMap(
        { [evil]: evil },
        {
          name: evil,
          namespace: evil,
          managedFields: [{ ...((owned(evil, evil) as Value[])[0] as object), time: evil, subresource: evil }],
        },
      ),
    },
  ],
  ["who applied", ["extract", "--manager", "m", "l"], { l: configMap({}, { managedFields: owned(evil, "a") }) }],
  [
    "what was applied",
    ["extract", "--manager", "m", "l"],
    { l: configMap({ [evil]: evil }, { name: evil, managedFields: owned("m", evil) }) },
  ],
  [
    "an upgrade",
    ["upgrade", "--manager", "m", "l"],
    { l: configMap({}, { name: evil, managedFields: owned(evil, evil) }) },
  ],
  [
    "an upgrade as a patch",
    ["upgrade", "--manager", "m", "--json-patch", "--csa-manager", "k", "l"],
    { l: configMap({}, { resourceVersion: evil, managedFields: owned("k", evil) }) },
  ],
  ...["text", "json", "yaml", "object", "patch", "kubectl"].flatMap(form => [
    [
      `a transfer as ${form}`,
      ["managers", "transfer", "--from", "m", "--to", "k", "--output", form, "l"],
      { l: configMap({ [evil]: evil }, { name: form === "kubectl" ? "c" : evil, managedFields: owned("m", evil) }) },
    ] as const,
  ]),
  [
    "owners that nobody has named",
    ["managers", "drop-version", "v1", "l"],
    { l: configMap({}, { managedFields: owned(evil, evil) }) },
  ],
  [
    "a name for kubectl",
    ["managers", "transfer", "--from", "m", "--to", "k", "--output", "kubectl", "l"],
    { l: configMap({}, { name: evil, managedFields: owned("m", "a") }) },
  ],
  ["an operation", ["managers", evil, "l"], { l: configMap({}) }],
  ["a definition", ["schema", "convert", "c"], { c: crd(evil, { [evil]: { type: "object" } }) }],
  ["an invalid definition", ["schema", "convert", "c"], { c: crd("K", { [evil]: { type: evil } }) }],
  [
    "a reference",
    ["schema", "convert", "c"],
    { c: json({ openapi: "3.0.0", components: { schemas: { [evil]: { $ref: `#/components/schemas/${evil}2` } } } }) },
  ],
  ["a document of another kind", ["schema", "convert", "c"], { c: json({ kind: evil }) }],
  [
    "kinds there are instead",
    ["validate", "--crd", "c", "a"],
    { c: crd(evil, {}), a: json({ apiVersion: "example.com/v1", kind: `Other${evil}` }) },
  ],
  ...["text", "json", "github", "gitlab", "junit", "markdown", "sarif"].flatMap(form => [
    [
      `an error of a rule as ${form}`,
      ["validate", "--go", "t.go", "--type", "T", "--output", form, `f${evil}`],
      { "t.go": goTypes, [`f${evil}`]: json({ a: evil, m: { [evil]: evil } }) },
    ] as const,
    [
      `an error of a rule of level alpha as ${form}`,
      ["validate", "--go", "t.go", "--type", "T", "--output", form, "a"],
      { "t.go": goTypes, a: json({ a: "a", b: evil }) },
    ] as const,
    [
      `a wrong type of Go as ${form}`,
      ["validate", "--go", "t.go", "--type", "T", "--output", form, "a"],
      { "t.go": goTypes, a: json({ [evil]: evil }) },
    ] as const,
  ]),
  ["a kind that Go lacks", ["validate", "--go", "t.go", "a"], { "t.go": goTypes, a: json({ kind: evil }) }],
  ["a marker", ["validate", "--go", "t.go", "a"], { "t.go": goTypes.replace("Fast", evil), a: json({ kind: "T" }) }],
  ["a key of a rule file", ["validate", "--rules", "r", "a"], { r: json({ types: { T: { [evil]: 1 } } }), a: "{}" }],
  [
    "a type of a rule file",
    ["validate", "--rules", "r", "a"],
    { r: json({ types: { [evil]: {} } }), a: json({ apiVersion: "v1", kind: "Pod" }) },
  ],
  [
    "a rule",
    ["validate", "--rules", "r", "--type", "T", "a"],
    { r: json({ types: { T: { rules: [{ tag: evil }] } } }), a: "{}" },
  ],
  ["an option of rules", ["validate", "--option", `${evil}=${evil}`, "a"], { a: "{}" }],
  ["the name of a file", ["validate", evil], {}],
  ["a command", [evil], {}],
  ["an option", ["validate", `--${evil}`], {}],
  ["the name of a manager", ["apply", "--manager", evil, "a"], { a: deployment(1) }],
]

// Our own colours are ignored, because they are not from a document.
function expectHarmless({ out, err, status }: Outcome): void {
  const shown = (out + err).replace(/\p{Cc}\[(?:1|22|2|31|32|39)m/gu, "")
  expect(shown).not.toBe("")
  expect(shown).not.toMatch(/[^\P{Cc}\n]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u)
  expect(shown).not.toMatch(/^\s*EVIL/m)
  expect(status).not.toBe(3)
}

describe("no text of a document reaches the terminal unescaped:", () => {
  it.each(cases)("%s", async (_, args, files) => {
    expectHarmless(await smd(args, { files }))
    const coloured = await smd(args, { files, isTTY: true })
    expectHarmless(coloured)
    expect(coloured.out + coloured.err).not.toContain("\x1b[31m\\x07")
  })
})
