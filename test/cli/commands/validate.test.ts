/** `smd validate` as an API server validates objects. */
import { afterEach, describe, expect, it, vi } from "vitest"
import * as library from "../../../src/kinds/rules/library.js"
import { deployment, smdUncounted as smd, text } from "../cli.js"

const crd = text`
  apiVersion: apiextensions.k8s.io/v1
  kind: CustomResourceDefinition
  metadata: {name: widgets.example.com}
  spec:
    group: example.com
    scope: Namespaced
    names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList}
    versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              not: {required: [never]}
              oneOf: [{required: [size]}, {required: [text]}]
              x-kubernetes-validations:
              - {rule: "!has(self.least) || self.least <= 5", message: least must be at most 5}
              - {rule: self.mode == oldSelf.mode, message: mode is immutable}
              properties:
                size: {type: integer, minimum: 1}
                text: {type: string, maxLength: 3}
                mode: {type: string, enum: [Fast, Safe], default: Fast}
                least: {type: integer}
                never: {type: string}
                parts:
                  type: array
                  x-kubernetes-list-type: map
                  x-kubernetes-list-map-keys: [name]
                  items:
                    type: object
                    required: [name]
                    properties: {name: {type: string}, port: {type: integer, maximum: 9}}
    - {name: v2, served: false, storage: false, schema: {openAPIV3Schema: {type: object}}}
`
const widget = (spec: string, metadata = "{name: w}", version = "v1"): string =>
  `apiVersion: example.com/${version}\nkind: Widget\nmetadata: ${metadata}\nspec:\n  ${spec.replaceAll("\n", "\n  ")}\n`

async function problems(objects: string, options: readonly string[] = [], more = {}): Promise<string[]> {
  const files = { "crd.yaml": crd, "-": objects, ...more }
  const { status, out, err } = await smd(["validate", "--crd", "crd.yaml", ...options, "-"], { files })
  expect([status, out]).toEqual([err === "" ? 0 : 2, ""])
  return err.split("\n").slice(0, -1)
}

const unchecked =
  "standard input:1:1: Invalid value: null: some validation rules were not checked because the object was invalid; " +
  "correct the existing errors to complete validation"

describe("smd validate of custom resources", () => {
  it.each([
    [
      "oneOf",
      'size: 1\ntext: "a"',
      'standard input:4:1: .spec: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ],
    [
      "not",
      "size: 1\nnever: x",
      'standard input:4:1: .spec: Invalid value: "": "spec" must not validate the schema (not)',
    ],
    [
      "minimum",
      "size: 0",
      "standard input:5:3: .spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1",
    ],
    ["a rule in CEL", "size: 1\nleast: 6", "standard input:4:1: .spec: Invalid value: least must be at most 5"],
    [
      "a maximum in an item",
      "size: 1\nparts:\n- name: a\n- name: b\n  port: 10",
      "standard input:9:5: .spec.parts[1].port: Invalid value: 10: spec.parts[1].port in body should be less than or equal to 9",
    ],
  ])("reports %s at its line", async (_, spec, problem) => {
    expect(await problems(widget(spec))).toEqual([problem])
  })

  it.each([
    ["enum", "size: 1\nmode: Slow", '6:3: .spec.mode: Unsupported value: "Slow": supported values: "Fast", "Safe"'],
    ["maxLength", "text: long", "5:3: .spec.text: Too long: may not be more than 3 bytes"],
  ])("reports %s, and that rules were not run because of it", async (_, spec, problem) => {
    expect(await problems(widget(spec))).toEqual([`standard input:${problem}`, unchecked])
  })

  it("accepts whatever a server accepts, also in Lists and with generated names", async () => {
    expect(await problems(widget("size: 1", "{generateName: w-}"))).toEqual([])
    const item = "{apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, spec: {size: 1}}"
    expect(await problems(`{apiVersion: v1, kind: List, items: [${item}]}`)).toEqual([])
    expect(await problems(`{apiVersion: v1, kind: List, items: [${item.replace("size: 1", "size: 0")}]}`)).toEqual([
      "standard input:1:109: .spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1",
    ])
  })

  it("requires a name, as a server does", async () => {
    expect((await problems(widget("size: 1", "{}")))[0]).toBe(
      "standard input:3:1: .metadata.name: Required value: name or generateName is required",
    )
  })

  it("reports only the types if an object does not fit them", async () => {
    expect(await problems(widget("size: many"))).toEqual([
      'standard input:5:3: .spec.size: must be a number, not the text "many"',
    ])
  })

  it("reports a version that is not served", async () => {
    expect(await problems(widget("size: 1", "{name: w}", "v2").replace(/spec:\n.*\n/, ""))).toEqual([
      "standard input:1:1: .apiVersion: example.com/v2 Widget is not served. Widget is served at example.com/v1.",
    ])
  })

  it("knows definitions among the objects, and validates them too", async () => {
    const files = { "app.yaml": `${crd}---\n${widget("size: 0")}` }
    const { err } = await smd(["validate", "app.yaml"], { files })
    expect(err).toMatch(/^app\.yaml:\d+:3: \.spec\.size: Invalid value: 0: .*\n$/)
    const wrong = { "crd.yaml": crd.replace("name: widgets.example.com", "name: gadgets.example.com") }
    expect((await smd(["validate", "crd.yaml"], { files: wrong })).err).toContain(
      'crd.yaml:3:12: .metadata.name: Invalid value: "gadgets.example.com": must be spec.names.plural+"."+spec.group',
    )
  })

  it("validates an update with --old", async () => {
    const stored = widget("size: 1\nmode: Safe", "{name: w, uid: u1, resourceVersion: '5'}")
    const old = { "old.yaml": stored }
    expect(await problems(widget("size: 1"), ["--old", "old.yaml"], old)).toEqual([
      "standard input:4:1: .spec: Invalid value: mode is immutable",
    ])
    expect(await problems(widget("size: 2\nmode: Safe"), ["--old", "old.yaml"], old)).toEqual([])
  })

  it("checks a stored object unchanged", async () => {
    const metadata = "{name: w, uid: u1, resourceVersion: '5'}"
    expect(await problems(widget("size: 1", metadata))).toEqual([])
    expect(await problems(widget("size: 0", metadata))).toEqual([
      "standard input:5:3: .spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1",
    ])
  })

  it("says what to install if the rules can't be run", async () => {
    vi.spyOn(library, "celLibrary").mockReturnValue(undefined)
    const { status, err } = await smd(["validate", "--crd", "crd.yaml", "-"], {
      files: { "crd.yaml": crd, "-": `${widget("size: 1\nleast: 6")}---\n${widget("size: 1\nleast: 7", "{name: v}")}` },
    })
    expect([status, err]).toEqual([
      0,
      "warning: the CEL rules of Widget are not checked: install @marcbachmann/cel-js to check them\n",
    ])
  })
  afterEach(() => vi.restoreAllMocks())

  it("has problems with their reasons as JSON, and as annotations", async () => {
    const files = { "crd.yaml": crd, "-": widget("size: 0") }
    const json = await smd(["validate", "--crd", "crd.yaml", "-o", "json", "-"], { files })
    const message = "Invalid value: 0: spec.size in body should be greater than or equal to 1"
    const place = { file: "standard input", line: 5, column: 3 }
    expect(JSON.parse(json.out)).toEqual([{ ...place, path: ".spec.size", message, reason: "FieldValueInvalid" }])
    const github = await smd(["validate", "--crd", "crd.yaml", "-o", "github", "-"], { files })
    expect(github.out).toBe(`::error file=standard input,line=5,col=3,title=Refused::.spec.size: ${message}\n`)
  })

  it("ignores conversion by a webhook", async () => {
    const webhook = crd
      .replace("served: false", "served: true")
      .replace("  scope:", "  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1]}}\n  scope:")
    const { err } = await smd(["validate", "--crd", "crd.yaml", "-"], {
      files: {
        "crd.yaml": webhook,
        "-": `${widget("size: 0")}---\napiVersion: example.com/v2\nkind: Widget\nmetadata: {name: V}\n`,
      },
    })
    expect(err.split("\n").map(line => line.slice(0, 44))).toEqual([
      "standard input:5:3: .spec.size: Invalid valu",
      "standard input:9:12: .metadata.name: Invalid",
      "",
    ])
  })
})

describe("smd validate of built-in kinds", () => {
  const validate = async (object: string, ...options: string[]) =>
    (await smd(["validate", ...options, "-"], { files: { "-": object, "old.yaml": deployment(1) } })).err

  it("reports a bad port at its line", async () => {
    expect(await validate(deployment(1).replace("8080", "80800"))).toBe(
      "standard input:18:11: .spec.template.spec.containers[0].ports[0].containerPort: Invalid value: 80800: " +
        "must be between 1 and 65535, inclusive\n",
    )
    expect(await validate(deployment(1))).toBe("")
  })

  it("reports a missing field at the closest existing field", async () => {
    expect(await validate("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {replicas: 1}\n")).toMatch(
      /^standard input:4:1: \.spec\.selector: Required value\n/,
    )
  })

  it("reports an invalid quantity", async () => {
    const wrong = deployment(1).replace("image: web:1.0", "image: web, resources: {limits: {cpu: many}}")
    const inFlow = wrong.replace(/- name: web\n\s+(.*)\n\s+ports:\n.*\n/, "- {name: web, $1}\n")
    expect(await validate(inFlow)).toMatch(/^standard input:1:1: Deployment in version "v1" cannot be handled as a /)
  })

  it("reports immutable fields", async () => {
    const other = deployment(2).replace("matchLabels: {app: shop}", "matchLabels: {app: other}")
    expect(await validate(other, "--old", "old.yaml")).toContain(".spec.selector: Invalid value: ")
    expect(await validate(deployment(2), "--old", "old.yaml")).toBe("")
  })

  it("names the served version in place of a removed one", async () => {
    expect(await validate("apiVersion: extensions/v1beta1\nkind: Ingress\nmetadata: {name: a}\n")).toBe(
      "standard input:1:1: .apiVersion: extensions/v1beta1 Ingress is not served since Kubernetes 1.22. " +
        "Ingress is served at networking.k8s.io/v1.\n",
    )
  })

  it("checks only types of objects that are not stored", async () => {
    expect(await validate("{apiVersion: autoscaling/v1, kind: Scale, spec: {replicas: -1}}")).toBe("")
  })

  it("ignores fields that a server wrote into a stored object", async () => {
    const stored = "{name: a, uid: u1, resourceVersion: '5', generation: 3, creationTimestamp: '2026-01-01T00:00:00Z'}"
    const job = (port: number) => `{apiVersion: batch/v1, kind: Job, metadata: ${stored}, spec: {
      selector: {matchLabels: {batch.kubernetes.io/controller-uid: u1}}, template: {
        metadata: {labels: {batch.kubernetes.io/controller-uid: u1, controller-uid: u1, job-name: a, batch.kubernetes.io/job-name: a}},
        spec: {restartPolicy: Never, containers: [{name: a, image: a, ports: [{containerPort: ${port}}]}]}}}}`
    expect(await validate(job(80))).toBe("")
    expect(await validate(job(0))).toMatch(/containerPort: /)
  })
})
