// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are expressions of Pulumi
/** Pulumi programs in YAML: their Kubernetes objects, and the expressions in them. */
import { describe, expect, it } from "vitest"
import { parseYaml } from "../../../src/io/yaml.js"
import { isPulumiProgram, readPulumiProgram } from "../../../src/tools/appliers/pulumi-program.js"
import { tooLarge } from "../../../src/value/depth.js"
import type { MapValue } from "../../../src/value/value.js"
import { deepFreeze } from "../../support/deep-freeze.js"

const map = (properties: object, type = "kubernetes:core/v1:ConfigMap") => ({ type, properties })
const named = (name: string, more: object = {}) => ({ metadata: { name }, ...more })
const program = (resources: object, more: object = {}) =>
  readPulumiProgram(deepFreeze({ name: "shop", runtime: "yaml", resources, ...more } as MapValue))
/** The value at `.data.x` of an object, with these parts of the program beside it. */
const evaluated = (x: unknown, more: object = {}, resources: object = {}) => {
  const { objects, problems } = program({ a: map(named("a", { data: { x } })), ...resources }, more)
  const [problem] = problems
  return problem === undefined
    ? (objects[0]?.object.data as MapValue | undefined)?.x
    : problem.message.replace(/: write.*/, "")
}

describe("readPulumiProgram", () => {
  it.each([
    ["kubernetes:core/v1:ConfigMap", "v1 ConfigMap"],
    ["kubernetes:apps/v1:Deployment", "apps/v1 Deployment"],
    ["kubernetes:networking.k8s.io/v1:Ingress", "networking.k8s.io/v1 Ingress"],
    ["kubernetes:example.com/v1beta1:Widget", "example.com/v1beta1 Widget"],
    ["kubernetes:apps/v1:DeploymentPatch", "apps/v1 Deployment"],
    ["kubernetes:example.com/v1:Patch", "example.com/v1 Patch"],
  ])("reads an object of %s", (type, expected) => {
    const { objects, problems, notes } = program({ web: map(named("web"), type) })
    expect([problems, notes]).toEqual([[], []])
    expect(objects.map(({ object }) => `${object.apiVersion} ${object.kind}`)).toEqual([expected])
    expect(objects[0]).toMatchObject({ resource: "web", steps: ["resources", "web", "properties"] })
  })

  it("takes the kind of a custom resource from its properties", () => {
    const properties = { apiVersion: "example.com/v1", kind: "Widget", ...named("w") }
    const { objects } = program({ w: map(properties, "kubernetes:apiextensions.k8s.io:CustomResource") })
    expect(objects[0]?.object).toEqual(properties)
  })

  it("leaves out resources that are read, and those of other providers", () => {
    const read = { ...map({}), get: { id: "shop/web" } }
    expect(program({ read, bucket: { type: "aws:s3:Bucket" }, odd: 1, none: null })).toEqual({
      objects: [],
      problems: [],
      notes: [],
    })
  })

  it.each([
    ["kubernetes:helm.sh/v3:Release"],
    ["kubernetes:helm.sh/v4:Chart"],
    ["kubernetes:kustomize:Directory"],
    ["kubernetes:kustomize/v2:Directory"],
    ["kubernetes:yaml/v2:ConfigGroup"],
    ["kubernetes:yaml:ConfigFile"],
  ])("has a note about %s", type => {
    const { objects, notes } = program({ web: map({}, type) })
    expect(objects).toEqual([])
    expect(notes).toEqual([
      { steps: ["resources", "web", "type"], message: expect.stringContaining("is not followed") },
    ])
  })

  it("gives an object without a name that of its resource, and says so", () => {
    const { objects, notes } = program({ web: map({ metadata: { annotations: { a: "1" } } }) })
    expect(objects[0]?.object.metadata).toEqual({
      name: "web",
      annotations: { a: "1", "pulumi.com/autonamed": "true" },
    })
    expect(notes[0]?.message).toContain("Pulumi appends random characters to web")
    const prefixed = program({ web: map({ metadata: { generateName: "web-" } }) })
    expect([prefixed.notes, prefixed.objects[0]?.object.metadata]).toEqual([[], { generateName: "web-" }])
  })

  it.each([
    [{ web: { ...map(named("web")), options: { ignoreChanges: ["data"] } } }, "ignoreChanges is not followed"],
    [{ p: { type: "pulumi:providers:kubernetes", properties: { namespace: "a" } } }, "the namespace of a provider"],
    [{ p: { type: "pulumi:providers:kubernetes", properties: { enableServerSideApply: false } } }, "client-side"],
  ])("has a note about %j", (resources, message) => {
    expect(
      program(resources)
        .notes.map(note => note.message)
        .join(),
    ).toContain(message)
  })

  it("refuses a program in another language", () => {
    for (const runtime of ["nodejs", { name: "python" }]) {
      expect(() => readPulumiProgram({ name: "shop", runtime })).toThrow(/is a Pulumi program in (nodejs|python): give/)
    }
  })
})

describe("an expression", () => {
  const variables = { labels: { app: "web", list: ["a", { b: 2 }] }, size: 3, on: true, copy: "${labels}", none: null }

  it.each<[unknown, unknown]>([
    ["plain", "plain"],
    ["${labels}", variables.labels],
    ["${copy}", variables.labels],
    ["${labels.app}", "web"],
    ["${labels.list[1].b}", 2],
    ['${labels["app"]}', "web"],
    ["${size}", 3],
    ["x-${size}-${on}${none}", "x-3-true"],
    ["${pulumi.project}", "shop"],
    ["$$HOME $${size} $", "$HOME ${size} $"],
    [
      ["${size}", { deep: "${on}" }],
      [3, { deep: true }],
    ],
    [
      { a: 1, "fn::secret": 2 },
      { a: 1, "fn::secret": 2 },
    ],
  ])("%j is %j", (given, expected) => {
    expect(evaluated(given, { variables })).toEqual(expected)
  })

  it.each([
    ["${server.address}", "only Pulumi knows ${server.address}"],
    ["${pulumi.stack}", "only Pulumi knows ${pulumi.stack}"],
    ["a ${labels}", "${labels} is not a text"],
    ["${copy.app}", "only Pulumi knows ${copy.app}"],
    ["${a b}", "only Pulumi knows ${a b}"],
    ["${}", "only Pulumi knows ${}"],
    [{ "fn::readFile": "./a" }, "only Pulumi runs fn::readFile"],
    [{ "fn::secret": "x" }, "only Pulumi runs fn::secret"],
  ])("%j is a problem", (given, message) => {
    expect(evaluated(given, { variables })).toBe(message)
  })

  it("has the values of other resources, as far as the program has them", () => {
    const other = {
      ns: map(named("shop"), "kubernetes:core/v1:Namespace"),
      db: { type: "x:y:Z", properties: { a: 1 } },
    }
    expect(evaluated("${ns.metadata.name}", {}, other)).toBe("shop")
    expect(evaluated("${ns.metadata.uid}", {}, other)).toBe("only Pulumi knows ${ns.metadata.uid}")
    expect(evaluated("${ns}", {}, other)).toBe("only Pulumi knows ${ns}")
    expect(evaluated("${db.a}", {}, other)).toBe("only Pulumi knows ${db.a}")
  })

  it("has the defaults of the configuration, with a note for each", () => {
    const config = { color: { type: "string", default: "red" }, "aws:region": "eu", bare: { type: "string" } }
    const data = { a: "${color}", b: "${color} ${aws:region}" }
    const { objects, notes } = program({ web: map(named("web", { data })) }, { config })
    expect(objects[0]?.object.data).toEqual({ a: "red", b: "red eu" })
    expect(notes.map(({ steps }) => steps.join("/"))).toEqual(["config/color", "config/aws:region"])
    expect(evaluated("${bare}", { config })).toBe("only Pulumi knows ${bare}")
    expect(evaluated("${old}", { configuration: { old: { default: 1 } } })).toBe(1)
  })

  it("reveals a secret only to a Secret", () => {
    const secret = { ...named("s"), stringData: { token: { "fn::secret": "${word}" } } }
    const type = "kubernetes:core/v1:Secret"
    const { objects } = program({ s: map(secret, type) }, { variables: { word: "hush" } })
    expect(objects[0]?.object.stringData).toEqual({ token: "hush" })
    expect(program({ s: map(secret), t: map(secret, type) }).objects).toEqual([])
  })

  it("that refers to itself is a problem", () => {
    const loop = { a: "${b}", b: ["${c}"], c: "${a}" }
    expect(evaluated("${a}", { variables: loop })).toBe("${a} refers to itself")
  })

  it("is refused if it makes a value too large or too deep", () => {
    const doubled = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [`v${i}`, [`\${v${i + 1}}`, `\${v${i + 1}}`]]),
    )
    expect(() => evaluated("${v0}", { variables: { ...doubled, v40: "x" } })).toThrow(tooLarge().message)
    const long = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`v${i}`, `\${v${i + 1}}\${v${i + 1}}`]))
    expect(() => evaluated("${v0}", { variables: { ...long, v40: "x" } })).toThrow(tooLarge().message)
    const chain = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`v${i}`, `\${v${i + 1}}`]))
    expect(() => evaluated("${v0}", { variables: { ...chain, v2000: "x" } })).toThrow("nests deeper")
  })

  it("leaves out only the objects that need unknown values, and names the place of each", () => {
    const { objects, problems } = program({
      a: map(named("a", { data: { x: "${db.url}", y: ["${db.port}"] } })),
      b: map(named("b")),
    })
    expect(objects.map(({ resource }) => resource)).toEqual(["b"])
    expect(problems.map(({ steps }) => steps.join("/"))).toEqual([
      "resources/a/properties/data/x",
      "resources/a/properties/data/y/0",
    ])
  })

  it("keeps parts without expressions as they are", () => {
    const data = { x: "1" }
    const resources = { a: map(named("a", { data, more: "${pulumi.project}" })) }
    expect(program(resources).objects[0]?.object.data).toBe(data)
  })
})

it.each([
  ["name: a\nruntime: yaml", true],
  ["name: a\nruntime: {name: nodejs}", true],
  ["resources: {web: {type: kubernetes:apps/v1:Deployment}}", true],
  ["resources: {web: {type: aws:s3:Bucket}}", false],
  ["resources: [a.yaml]", false],
  ["{apiVersion: v1, kind: ConfigMap, runtime: yaml}", false],
  ["runtime: docker", false],
  ["- runtime: yaml", false],
  ["", false],
])("%j is a Pulumi program: %s", (text, expected) => {
  expect(isPulumiProgram(text === "" ? undefined : parseYaml(text))).toBe(expected)
})
