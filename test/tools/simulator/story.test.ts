/** Story files: the format, its problems, and the results. This file plays the stories of examples/stories. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Ajv2020 } from "ajv/dist/2020.js"
import { describe, expect, it, vi } from "vitest"
import { parseYaml } from "../../../src/io/yaml.js"
import * as library from "../../../src/kinds/rules/library.js"
import { kubernetesTypes } from "../../../src/kubernetes/types.js"
import { contend } from "../../../src/tools/simulator/search/contend.js"
import { requestsOf, runStory } from "../../../src/tools/simulator/story/run-story.js"
import { readStory, StoryError } from "../../../src/tools/simulator/story/story.js"
import type { MapValue } from "../../../src/value/value.js"
import { deepFreeze } from "../../support/deep-freeze.js"
import { read } from "../../support/documents.js"
import { projectRoot } from "../../support/entries.js"
import { gauge, gauges } from "../../support/reported.js"
import { allStories, storiesFolder, storyFile } from "../../support/stories.js"

const schema: object = JSON.parse(readFileSync(join(projectRoot, "story.schema.json"), "utf8"))
const fits = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false, allErrors: true }).compile(schema)

function problemsOf(text: string): string[] {
  try {
    readStory(text)
    return []
  } catch (error) {
    if (!(error instanceof StoryError)) throw error
    return error.message.split("\n")
  }
}

function failuresOf(text: string): string[] {
  const { steps } = runStory(deepFreeze(readStory(text)), { types: kubernetesTypes })
  return steps.flatMap(({ failures }) => failures.map(({ line, column, message }) => `${line}:${column} ${message}`))
}

const start = "title: x\nsteps:\n- manager: a\n"
const map = "{apiVersion: v1, kind: ConfigMap, metadata: {name: m}, data: {k: v}}"

describe.each(allStories)("the story %s", name => {
  it("has the results that it expects", () => {
    const { steps, passed } = runStory(storyFile(name), { types: kubernetesTypes })
    expect(steps.flatMap(({ failures }) => failures)).toEqual([])
    expect(passed).toBe(true)
    expect(steps.some(({ storyStep }) => storyStep.expect !== undefined)).toBe(true)
  })

  it("fits the JSON Schema", () => {
    const valid = fits(parseYaml(read(`${storiesFolder}/${name}/story.yaml`)))
    expect([valid, fits.errors]).toEqual([true, null])
  })
})

describe("a text that is not a story", () => {
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ["", ["1:1: there is no story"]],
    ["- a", ["1:1: the document must be a map"]],
    ["title: x\n---\ntitle: y", ["3:1: expected one story, found another document"]],
    ["titlee: x\nsteps: []", ["1:1: .titlee: unknown key; did you mean title?", "1:1: .title is missing"]],
    ["title: x\nsteps: {}", ["2:1: .steps must be a list"]],
    [
      "title: [x]\nsteps: []\nunions: extendet",
      [
        "1:1: .title must be text",
        "3:1: .unions must be off, v4, kep-2019, kep-2022-draft, kep-2022 or extended; did you mean extended?",
      ],
    ],
    [
      `${start}  aply: {}`,
      [
        "3:3: .steps[0] must have exactly one of apply, update, patch, create, delete, changeSchema",
        "4:3: .steps[0].aply: unknown key; did you mean apply?",
      ],
    ],
    [
      `${start}  apply: ${map}\n  create: ${map}`,
      [
        "3:3: .steps[0] must have exactly one of apply, update, patch, create, delete, changeSchema; it has apply and create",
      ],
    ],
    [`${start}  apply: text`, ["4:3: .steps[0].apply must be a map"]],
    [`${start}  patch: text`, ["4:3: .steps[0].patch must be a map or a list"]],
    [`${start}  apply: ${map}\n  force: "yes"`, ["5:3: .steps[0].force must be true or false"]],
    [
      `${start}  apply: ${map}\n  expect: {conflicts: [{field: .a}], values: [], error: true}`,
      [
        "5:24: .steps[0].expect.conflicts[0].with is missing",
        "5:38: .steps[0].expect.values must be a map",
        "5:50: .steps[0].expect.error must be text or a number",
      ],
    ],
    [`title: x\nsteps:\n- apply: ${map}`, ["3:3: manager is missing"]],
    [`${start}  create: ${map}\n  force: true`, ["5:3: force is for an apply"]],
    [`${start}  create: ${map}\n  object: a/b`, ["5:3: object is for a patch"]],
    [
      `title: x\nsteps:\n- {manager: a, object: a/b, force: true, create: ${map}}`,
      ["3:16: object is for a patch", "3:29: force is for an apply"],
    ],
    [`managers: {ab: {}}\n${start}  create: ${map}`, ["4:3: a is not among the managers; did you mean ab?"]],
    [
      "title: x\nschemas: {later: {}}\nsteps:\n- changeSchema: latter",
      ["4:3: there is no schema latter; did you mean later?"],
    ],
  ]
  it.each(rows)("%j", (text, problems) => {
    expect(problemsOf(text)).toEqual(problems)
  })

  it("is refused by the JSON Schema too, if it is a document", () => {
    const formal = rows.slice(3, 12).map(([text]) => parseYaml(text))
    expect(formal.filter(document => fits(document))).toEqual([])
  })

  it("is named by its file in the message", () => {
    expect(() => readStory("title: x", { file: "a.yaml" })).toThrow("a.yaml:1:1: .steps is missing")
  })
})

describe("an expectation that is not met", () => {
  const rows: readonly (readonly [string, string, readonly string[]])[] = [
    ["an outcome", "outcome: changed", ['outcome: expected "changed", found "created"']],
    ["an error", "error: full", ['error: expected "full", found nothing']],
    ["conflicts", "conflicts: [{field: .data.k, with: b}]", ['conflicts: expected [".data.k with b"], found []']],
    ["changes", "changes: [.data.x]", ['changes: expected [".data.x"], found [".data"]']],
    [
      "a value",
      "values: {.data.k: w, .data.x: null}",
      ['.data.k: expected "w", found "v"', ".data.x: expected null, found nothing"],
    ],
    ["an absent value", "absent: [.data.x, .data.k]", ['.data.k: expected nothing, found "v"']],
    [
      "owners",
      "owners: {.data.k: [b, c], .data.x: a}",
      ['owners of .data.k: expected ["b","c"], found ["a"]', 'owners of .data.x: expected ["a"], found []'],
    ],
    [
      "what is gained and lost",
      "gained: {a: []}, lost: {b: [.data.k]}",
      ['gained of a: expected [], found [".data.k"]', 'lost of b: expected [".data.k"], found []'],
    ],
    ["unions", "unions: [a]", ['unions: expected ["a"], found []']],
    ["an object", "object: Secret/m, values: {.data: {}}", ["expected an object, found none"]],
    ["a path", "absent: ['data']", ["data is not a path: "]],
  ]
  it.each(rows)("%s", (_, expectation, expected) => {
    const found = failuresOf(`${start}  apply: ${map}\n  # what is expected\n  expect: {${expectation}}`)
    expect(found).toHaveLength(expected.length)
    for (const [i, text] of expected.entries()) expect(found[i]).toContain(text)
    expect(found.every(text => text.startsWith("6:"))).toBe(true)
  })

  it("is reported with its position", () => {
    const text = `${start}  apply: ${map}\n  expect:\n    owners:\n      .data.k: b\n    values:\n      .data.k: w`
    expect(failuresOf(text)).toEqual([
      '9:7 .data.k: expected "w", found "v"',
      '7:7 owners of .data.k: expected ["b"], found ["a"]',
    ])
  })

  it("is an unexpected refusal", () => {
    const text = `${start}  apply: ${map}\n- manager: b\n  apply: {apiVersion: v1, kind: ConfigMap, metadata: {name: m}, data: {k: w}}`
    expect(failuresOf(text)).toEqual([
      '5:3 expected no refusal, got Apply failed with 1 conflict: conflict with "a": .data.k',
    ])
    expect(failuresOf(`${text}\n  expect: {error: 409}`)).toEqual([])
    expect(failuresOf(`${text}\n  expect: {outcome: conflict}`)).toEqual([])
  })
})

describe("a story", () => {
  it("shares the options of a manager among its requests", () => {
    const text = `managers: {a: {about: me, force: true, subresource: status}}\n${start}  apply: ${map}\n- manager: a\n  patch: {data: {k: w}}\n- delete: ConfigMap/m`
    expect(requestsOf(readStory(text).story)).toEqual([
      { manager: "a", force: true, subresource: "status", apply: parseYaml(map) },
      { manager: "a", subresource: "status", patch: { data: { k: "w" } } },
      { delete: "ConfigMap/m" },
    ])
  })

  it("has the version, the reset fields and the defaults of its kinds", () => {
    const version = (name: string, storage: boolean) =>
      `    - {name: ${name}, served: true, storage: ${storage}, subresources: {status: {}}, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}\n`
    const crd = `definitions:\n- apiVersion: apiextensions.k8s.io/v1\n  kind: CustomResourceDefinition\n  metadata: {name: ts.example.org}\n  spec:\n    group: example.org\n    names: {kind: T, plural: ts}\n    scope: Namespaced\n    versions:\n${version("v1", true)}${version("v2", false)}`
    const thing = (v: string, rest: string) => `{apiVersion: example.org/${v}, kind: T, metadata: {name: t}, ${rest}}`
    const text = `${crd}defaults:\n- {apiVersion: example.org/v1, kind: T, spec: {size: 1, items: [{kind: a}]}}\n${start}  apply: ${thing("v1", "spec: {items: [{n: 1}]}, status: {ready: true}")}
  expect:
    owners: {.status: [], .spec.size: []}
    values: {.spec: {items: [{n: 1, kind: a}], size: 1}}
- manager: b
  subresource: status
  patch: {status: {ready: true}, spec: {size: 3}}
  expect: {values: {.spec.size: 1, .status.ready: true}}
- manager: c
  apply: ${thing("v2", "spec: {color: red}")}
  expect: {values: {.apiVersion: example.org/v1, .spec.color: red}}`
    expect(failuresOf(text)).toEqual([])
  })

  it("converts between the versions of an OpenAPI document", () => {
    const text = { type: "string" }
    const untyped = { type: "object", "x-kubernetes-preserve-unknown-fields": true }
    const mapOf = (additionalProperties: MapValue) => ({ type: "object", additionalProperties })
    const type = (version: string) => ({
      "x-kubernetes-group-version-kind": [{ group: "example.org", version, kind: "T" }],
      properties: { apiVersion: text, kind: text, metadata: untyped, spec: mapOf({ type: "integer" }) },
    })
    const definitions = [
      { openapi: "3.0.0", components: { schemas: { "org.v1.T": type("v1"), "org.v2.T": type("v2") } } },
    ]
    const thing = (version: string) => ({ apiVersion: `example.org/${version}`, kind: "T", metadata: { name: "t" } })
    const apply = (version: string, spec: object) => ({ manager: version, apply: { ...thing(version), spec } })
    const { simulation } = runStory({ title: "x", definitions, steps: [apply("v1", { a: 1 }), apply("v2", { b: 2 })] })
    expect(simulation.objects).toMatchObject([{ apiVersion: "example.org/v1", spec: { a: 1, b: 2 } }])
  })

  it("reports at each step if CEL rules are not run", () => {
    const steps = [{ manager: "me", apply: gauge({ low: 11 }) }]
    const missing = vi.spyOn(library, "celLibrary").mockReturnValue(undefined)
    const { steps: played } = runStory({ title: "x", definitions: [gauges], steps })
    missing.mockRestore()
    expect(played[0]?.step).toMatchObject({ outcome: "created", findings: [{ code: "rules-not-run" }] })
    expect(played[0]?.step.toJSON()).toMatchObject({ findings: [{ code: "rules-not-run" }] })
  })

  it("continues after a refused first step, and reports the reason", () => {
    const text = `${start}  apply: {apiVersion: v1, kind: ConfigMap, metadata: {name: m}, dat: {k: v}}
- manager: b
  patch: {data: {k: w}}
- delete: {kind: ConfigMap}
- manager: a
  apply: ${map}
- manager: b
  patch: {data: {k: w}}
  expect: {values: {.data.k: w}}`
    expect(failuresOf(text)).toEqual([
      "3:3 expected no refusal, got failed to create typed patch object (/m; /v1, Kind=ConfigMap): .dat: field not declared in schema",
      '5:3 expected no refusal, got configmaps "m" not found',
      '7:3 expected no refusal, got configmaps "m" not found',
    ])
  })

  it("turns its managers into controllers, which repeat their last requests", () => {
    const template = "{metadata: {labels: {a: b}}, spec: {containers: [{name: web, image: web}]}}"
    const web = (spec: string) =>
      `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {selector: {matchLabels: {a: b}}, template: ${template}, ${spec}}}`
    const text = `title: x
managers: {gitops: {force: true}, hpa: {subresource: scale}, ann: {}, bob: {}, cleo: {}}
steps:
- {manager: gitops, apply: ${web("replicas: 2, paused: true")}}
- {manager: gitops, time: "2020-01-01T00:00:00Z", apply: ${web("replicas: 3, paused: true, minReadySeconds: 1")}}
- {manager: hpa, patch: {spec: {replicas: 7}}}
- {manager: ann, patch: {spec: {paused: false}}}
- {manager: ann, subresource: status, patch: {status: {replicas: 7}}}
- {manager: bob, update: ${web("replicas: 7, paused: false, minReadySeconds: 5}, status: {replicas: 7")}}
- {manager: cleo, create: ${map}}
- {delete: ConfigMap/m}
- {manager: cleo, delete: ConfigMap/m}`
    const { simulation } = runStory(readStory(text), { types: kubernetesTypes })
    expect(contend(simulation).fights.map(({ path, managers, endedBy }) => [path, managers, endedBy])).toEqual([
      [".spec.minReadySeconds", ["bob", "gitops"], ["bob", "gitops"]],
      [".spec.paused", ["ann", "gitops"], ["ann", "gitops"]],
      [".spec.replicas", ["gitops", "hpa"], ["gitops", "hpa"]],
    ])
    const { steps } = simulation.settle({ rounds: 1 })
    expect(steps.map(({ manager, time, outcome }) => `${manager} ${time.slice(0, 16)} ${outcome}`)).toEqual([
      "gitops 2026-01-01T00:10 changed",
      "hpa 2026-01-01T00:11 changed",
      "ann 2026-01-01T00:12 changed",
      "ann 2026-01-01T00:13 unchanged",
      "bob 2026-01-01T00:14 changed",
      "cleo 2026-01-01T00:15 created",
    ])
    expect(steps.at(-2)?.request).toMatchObject({ patch: { spec: { minReadySeconds: 5 } } })
  })

  it("reports its progress", () => {
    const seen: string[] = []
    runStory(readStory(`${start}  apply: ${map}\n- delete: ConfigMap/m`), {
      types: kubernetesTypes,
      onStep: ({ step, failures }, steps) =>
        seen.push(`${step.index} of ${steps}: ${step.outcome}, ${failures.length}`),
    })
    expect(seen).toEqual(["1 of 2: created, 0", "2 of 2: deleted, 0"])
  })

  it("has built-in kinds only on request", () => {
    const { steps } = runStory(readStory(`${start}  apply: ${map}`).story)
    expect(steps[0]?.failures[0]).toMatchObject({ steps: ["steps", 0, "expect"], found: "error" })
    expect(steps[0]?.failures[0]?.line).toBeUndefined()
  })
})
