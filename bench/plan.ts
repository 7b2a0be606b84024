// The plan of the benchmarks as data: objects, schemas and cases. The Go peer (oracle/cmd/bench) reads the same plan from a file, so
// both programs run the same operations on the same objects.

import type { Value } from "../src/index.js"
import { kubernetesSchema } from "../src/kubernetes/index.js"
import { deducedSchema } from "../src/typed/deduced.js"
import { makeCrd } from "./fixtures/crd.js"
import { makeDocuments } from "./fixtures/documents.js"
import { makeEndpoints } from "./fixtures/endpoints.js"
import { largeResourceSchema, makeLargeResource } from "./fixtures/large-resource.js"
import { makeManaged } from "./fixtures/managed.js"
import { makeNode } from "./fixtures/node.js"
import {
  type FieldManagerCase,
  type FromValueCase,
  fieldManagerOperations,
  type ObjectFixture,
  type OpenAPICase,
  type Plan,
  type SetCase,
  type SingleCase,
  type StoryCase,
  type StoryStep,
  setOperations,
  singleOperations,
} from "./fixtures/plan-types.js"
import { makePod } from "./fixtures/pod.js"
import { reachableTypes, withOverrides } from "./fixtures/schemas.js"
import { deducedStories, smallValues } from "./fixtures/small.js"
import { makeWorkload, workloadSchema } from "./fixtures/unions.js"

const crdType = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceDefinition"
const podType = "io.k8s.api.core.v1.Pod"
const nodeType = "io.k8s.api.core.v1.Node"
const endpointsType = "io.k8s.api.core.v1.Endpoints"

/** The objects of operations and single operations. The names of the cases contain their names. */
const mainObjects = ["Pod", "Node", "Endpoints", "PrometheusCRD", "LargeCR"]
const overrideObjects = ["Node100%override", "Node10%override", "Endpoints100%override", "Endpoints10%override"]

export function makePlan(): Plan {
  const kubernetes = reachableTypes(kubernetesSchema(), [podType, nodeType, endpointsType, crdType])
  const node = makeNode()
  const endpoints = makeEndpoints()
  return {
    schemas: {
      kubernetes,
      override100: withOverrides(kubernetes, 1),
      override10: withOverrides(kubernetes, 10),
      catalog: largeResourceSchema(),
      workload: workloadSchema(),
      deduced: deducedSchema,
    },
    objects: {
      Pod: fixture("kubernetes", podType, makePod()),
      Node: fixture("kubernetes", nodeType, node),
      Endpoints: fixture("kubernetes", endpointsType, endpoints),
      PrometheusCRD: fixture("kubernetes", crdType, makeCrd()),
      LargeCR: fixture("catalog", "catalog", makeLargeResource()),
      Workload: fixture("workload", "workload", makeWorkload()),
      "Node100%override": fixture("override100", nodeType, node),
      "Node10%override": fixture("override10", nodeType, node),
      "Endpoints100%override": fixture("override100", endpointsType, endpoints),
      "Endpoints10%override": fixture("override10", endpointsType, endpoints),
      ...Object.fromEntries(
        deducedStories.flatMap(story =>
          story.steps.map((step, i) => [
            smallObject(story.name, i),
            fixture("deduced", "__untyped_deduced_", step.object),
          ]),
        ),
      ),
    },
    sets: { seed: 97, operands: 500, alphabet },
    managed: makeManaged(),
    documents: makeDocuments(),
    cases: [
      ...operationCases(),
      ...deducedCases(),
      ...unionCases(),
      ...singleCases(),
      ...setCases(),
      ...fromValueCases(),
      ...fieldManagerCases(),
      ...(["v3", "v2"] as const).map(
        (version): OpenAPICase => ({ kind: "openapi", name: `OpenAPI/${version}`, version }),
      ),
    ],
  }
}

/** Returns the group of a case: the first part of its name. */
export function groupOf(name: string): string {
  return name.slice(0, name.indexOf("/"))
}

function fixture(schema: string, type: string, value: Value): ObjectFixture {
  return { schema, type, json: JSON.stringify(value) }
}

function operationCases(): StoryCase[] {
  return [...mainObjects, ...overrideObjects].flatMap(object => storiesOf(`Operations/${object}`, object, "off"))
}

/** Stories on a type with unions and on one without. */
function unionCases(): StoryCase[] {
  return ["Workload", "Node"].flatMap(object =>
    (["off", "v4"] as const).flatMap(unions => storiesOf(`Unions/${object}/${unions}`, object, unions)),
  )
}

/** The stories that the reference measures. */
function storiesOf(prefix: string, object: string, unions: "off" | "v4"): StoryCase[] {
  const first = { object, manager: "controller", apiVersion: "v1", force: false, conflict: false }
  const second = { ...first, manager: "other-controller" }
  const story = (name: string, steps: readonly StoryStep[], returnInputOnNoop = false): StoryCase => {
    return { kind: "story", name: `${prefix}/${name}`, returnInputOnNoop, unions, steps }
  }
  const create: StoryStep = { ...first, verb: "update" }
  const apply: StoryStep = { ...first, verb: "apply" }
  const applyTwice: StoryStep[] = [apply, { ...second, verb: "apply" }]
  return [
    story("Create", [create]),
    story("Apply", [apply]),
    story("ApplyTwice", applyTwice),
    story("ApplyTwiceNoCompare", applyTwice, true),
    story("Update", [create, { ...second, verb: "update" }]),
    story("UpdateVersion", [create, { ...second, verb: "update", apiVersion: "v2" }]),
  ]
}

function deducedCases(): StoryCase[] {
  return deducedStories.map(({ name, steps }) => {
    const named = steps.map((step, i): StoryStep => ({ ...step, object: smallObject(name, i) }))
    return { kind: "story", name: `Deduced/${name}`, returnInputOnNoop: false, unions: "off", steps: named }
  })
}

function smallObject(story: string, step: number): string {
  return `${story} ${step}`
}

function singleCases(): SingleCase[] {
  return mainObjects.flatMap(object =>
    singleOperations.map(operation => ({
      kind: "single" as const,
      name: `Single/${object}/${operation}`,
      operation,
      object,
    })),
  )
}

function setCases(): SetCase[] {
  const sizes = [
    { size: 20, shortest: 2, longest: 3 },
    { size: 50, shortest: 2, longest: 4 },
    { size: 100, shortest: 3, longest: 6 },
    { size: 500, shortest: 3, longest: 7 },
    { size: 1000, shortest: 3, longest: 8 },
  ]
  return sizes.flatMap(size =>
    setOperations.map(operation => ({
      kind: "set" as const,
      name: `FieldSet/${operation}-${size.size}`,
      operation,
      ...size,
    })),
  )
}

function fromValueCases(): FromValueCase[] {
  return smallValues.map(value => {
    const json = JSON.stringify(value)
    return { kind: "fromValue", name: `FromValue/${json}`, json }
  })
}

function fieldManagerCases(): FieldManagerCase[] {
  return ["Deployment", "Pod", "CRD"].flatMap(object =>
    fieldManagerOperations.map(operation => ({
      kind: "fieldManager" as const,
      name: operation === "JSON" ? `JSON/${object}` : `FieldManager/${object}/${operation}`,
      operation,
      object,
    })),
  )
}

// Fields with similar and different names, keys in several scripts, scalars of every kind, indexes.
const alphabet: readonly string[] = [
  ...["spec", "speca", "specb", "specc", "specd", "spece", "a-rather-long-field-name-2024", "UPPERCASE-FIELD-NAME"].map(
    name => `f:${name}`,
  ),
  ...["grün", "čaj", "日本", "서울", "العربية", "alpha", "beta"].map(name => `k:{"name":"${name}"}`),
  'k:{"port":8080,"protocol":"TCP"}',
  'k:{"port":8080,"protocol":"UDP"}',
  'k:{"key":" with spaces "}',
  'k:{"locale":"de-CH"}',
  'k:{"emoji":"🚀"}',
  ...[
    "10",
    "20",
    "30",
    '"xx"',
    '"xy"',
    "true",
    "0",
    "-7",
    "2.71828",
    '"two words"',
    '"a \\"quoted\\" word"',
    '"žluť"',
    "false",
  ].map(value => `v:${value}`),
  ...["1", "2", "3", "4", "0", "5", "200", "2147483649"].map(index => `i:${index}`),
]
