import { compileSchema, type MapValue } from "structured-merge-diff"
import { parseYaml } from "structured-merge-diff/io"
import { loadCel } from "structured-merge-diff/kinds"
import { kubernetesTypes } from "structured-merge-diff/kubernetes"
import { FieldManager } from "structured-merge-diff/managedfields"
import { beforeAll, describe, expect, it } from "vitest"
import { kindsWith } from "../../src/kinds/kubernetes.js"
import { oncePer } from "../../src/value/once-per.js"
import { factsAt } from "../src/field-at.js"
import { type FieldFacts, fieldFacts } from "../src/field-facts.js"
import { builtInTypes, type Types, typesOfText } from "../src/types.js"
import { crdOf, lampInGo } from "./definitions.js"

let builtIn: Types
beforeAll(async () => {
  await loadCel()
  builtIn = builtInTypes(false)
})

/** Returns the facts about the field that begins at `place`, a part of the text that is there once. */
function factsOf(text: string, place: string, types = builtIn, live?: MapValue): FieldFacts | undefined {
  expect(text.split(place)).toHaveLength(2)
  return factsAt(text, text.indexOf(place), types, servedOf(types), live === undefined ? [] : [live])?.facts
}

/** Returns the kinds of a story with these types. */
const servedOf = oncePer((types: Types) => kindsWith(types.builtIn, types.documents as MapValue[]))

/** The same as lines of text, without the path and without the row that most fields have. */
function linesOf(...args: Parameters<typeof factsOf>): string[] {
  const { type, merge, rows } = factsOf(...args) as FieldFacts
  const lines = rows.map(([label, text]) => `${label}: ${text}`)
  return [type, merge, ...lines.filter(line => line !== "Written by: requests to the object")]
}

const value = "Managers that apply the same value share it; a different value is a conflict."
const whole = "It has owners only as a whole: an apply replaces all of it."
const fields = "Each field has its own owners."
const keys = "Each key has its own owners."
const key = "A key of its item: with another value, it is another item."
const items = (names: string) =>
  `Items with the same ${names} are merged: each item, and each field in it, has its own owners.`

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {tier: front}
  finalizers: [example.com/wait]
  ownerReferences: []
spec:
  replicas: 3
  strategy:
    type: RollingUpdate
    rollingUpdate: {maxSurge: 1}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      volumes:
      - name: data
        emptyDir: {}
      containers:
      - name: server
        image: web:1.2
        imagePullPolicy: Always
        command: [serve]
        env: [{name: A, value: b}]
        ports:
        - containerPort: 80
          protocol: TCP
        resources: {limits: {cpu: 1}}
status:
  conditions: []
`

describe("the facts about a field of a built-in kind", () => {
  it.each([
    [
      "name: web",
      "string",
      "Nobody owns it: it identifies the object, or only the server writes it.",
      "Required: name or generateName is required",
    ],
    ["labels: {tier", "granular map of string", keys],
    ["tier:", "string", value],
    [
      "finalizers:",
      "set of string",
      "Each value is an item with its own owners: managers can add different ones.",
      "Written by: requests to the object and its status",
    ],
    [
      "ownerReferences:",
      "list of OwnerReference by uid",
      items("uid"),
      "Written by: requests to the object and its status",
    ],
    ["replicas:", "number", value, "If absent: 1", "Written by: requests to the object and its scale"],
    [
      "strategy:",
      "granular struct DeploymentStrategy",
      fields,
      'If absent: {"rollingUpdate":{"maxSurge":"25%","maxUnavailable":"25%"},"type":"RollingUpdate"}',
    ],
    [
      "type: Roll",
      "string",
      value,
      'If absent: "RollingUpdate"',
      "Union: RollingUpdate selects rollingUpdate, Recreate selects no field",
    ],
    [
      "rollingUpdate:",
      "granular struct RollingUpdateDeployment",
      fields,
      'If absent: {"maxSurge":"25%","maxUnavailable":"25%"}',
      "Union: set only with type: RollingUpdate",
    ],
    ["maxSurge:", "IntOrString", value, 'If absent: "25%"'],
    [
      "selector:",
      "atomic struct LabelSelector",
      whole,
      "Required: yes",
      "Changes: refused after creation: field is immutable",
    ],
    ["template:", "granular struct PodTemplateSpec", fields, "Required: yes, with spec.template.spec.containers"],
    [
      "emptyDir:",
      "granular struct EmptyDirVolumeSource",
      fields,
      "If absent: {}",
      "Union: at most one of hostPath, emptyDir, gcePersistentDisk, awsElasticBlockStore, gitRepo, secret and 24 more can be set",
    ],
    ["containers:", "list of Container by name", items("name"), "Required: yes"],
    ["name: server", "string", key, "Required: yes"],
    ["imagePullPolicy:", "string", value, 'If absent: "IfNotPresent"', 'Values: "Always", "IfNotPresent", "Never"'],
    ["command:", "atomic list of string", whole],
    ["env:", "list of EnvVar by name", items("name")],
    ["value: b", "string", value, "Union: at most one of value and valueFrom can be set"],
    ["ports:", "list of ContainerPort by containerPort, protocol", items("containerPort and protocol")],
    ["protocol:", "string", key, 'If absent: "TCP"', 'Values: "SCTP", "TCP", "UDP"'],
    ["limits:", "granular map of Quantity", keys],
    ["cpu:", "Quantity", value],
    ["conditions:", "list of DeploymentCondition by type", items("type"), "Written by: requests to its status"],
  ])("%s", (place, ...lines) => {
    expect(linesOf(deployment, place)).toEqual(lines)
  })

  it("has the path of owners, and the atomic list around an item", () => {
    expect(factsOf(deployment, "protocol:")?.path).toBe(
      '.spec.template.spec.containers[name="server"].ports[containerPort=80,protocol="TCP"].protocol',
    )
    expect(factsOf(deployment, "serve]")).toMatchObject({
      path: '.spec.template.spec.containers[name="server"].command[0]',
      merge:
        'Part of .spec.template.spec.containers[name="server"].command, an atomic list of string: its owners own it as a whole.',
    })
  })

  it("depends on the object", () => {
    const service = (type: string) =>
      `apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {type: ${type}, ports: [{port: 81, targetPort: 8080}]}\n`
    expect(linesOf(service("ClusterIP"), "targetPort:")).toContain("If absent: 81")
    expect(linesOf(service("ClusterIP"), "ports:")).toContain("Required: yes")
    expect(linesOf(service("ExternalName"), "ports:")).not.toContain("Required: yes")
    const latest = deployment.replace("web:1.2", "web")
    expect(linesOf(latest, "imagePullPolicy:")).toContain('If absent: "Always"')
  })

  it("has no rules of a server for the merge alone", () => {
    const facts = factsAt(deployment, deployment.indexOf("selector:"), builtIn, builtIn.builtIn.typesOnly(), [])
    expect(facts?.facts).toMatchObject({ type: "atomic struct LabelSelector", rows: [] })
  })

  it("says what an update can't change, for kinds whose whole spec or template is fixed too", () => {
    const job =
      "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {backoffLimit: 1, template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}\n"
    const refused = "Changes: refused after creation: field is immutable"
    expect(linesOf(job, "template:")).toContain(refused)
    expect(linesOf(job, "image:")).toContain(refused)
    expect(linesOf(job, "backoffLimit:")).not.toContain(refused)
    const secret = (fixed: boolean) =>
      `{apiVersion: v1, kind: Secret, metadata: {name: a}, immutable: ${fixed}, data: {a: Yg==}}`
    expect(linesOf(secret(true), "data: {a").join()).toContain("refused after creation")
    expect(linesOf(secret(false), "data: {a").join()).not.toContain("refused after creation")
  })

  it("is nothing for unknown fields, unknown kinds, and text that does not parse", () => {
    expect(factsOf(deployment.replace("replicas", "replicsa"), "replicsa:")).toBeUndefined()
    expect(factsOf("apiVersion: example.com/v1\nkind: Lamp\nspec: 1\n", "spec:")).toBeUndefined()
    expect(factsOf(`${deployment}spec: [`, "replicas:")).toBeUndefined()
    expect(factsAt(deployment, 0, builtIn, builtIn.builtIn, [])?.facts.path).toBe(".apiVersion")
  })
})

describe("every field in the spec of a built-in kind", () => {
  it("has facts, whatever its value is", () => {
    const values = [null, "x", 3, true, [], {}, ["y"], { a: "b" }]
    for (const { apiVersion, kind } of builtIn.kinds) {
      const found = builtIn.finder.find(apiVersion, kind)
      const spec = found && compileSchema(found.schema).type(found.typeName).map?.fields.get("spec")
      for (const [index, name] of [...(spec?.type.map?.fields.keys() ?? [])].entries()) {
        const object = { apiVersion, kind, spec: { [name]: values[index % values.length] ?? null } }
        expect(fieldFacts(builtIn, builtIn.builtIn, object, ["spec", name])?.path).toBe(`.spec.${name}`)
      }
    }
  })
})

describe("owners", () => {
  it("are those of the live object", () => {
    const manager = new FieldManager({ types: kubernetesTypes })
    const object = parseYaml(deployment) as MapValue
    const created = manager.apply(undefined, object, { manager: "web-team" }).object as MapValue
    const scaled = parseYaml(deployment.replace("replicas: 3", "replicas: 5")) as MapValue
    const { metadata } = created
    const live = manager.update(created, { ...scaled, metadata: metadata ?? null }, { manager: "autoscaler" })
      .object as MapValue
    const owners = (place: string) =>
      factsOf(deployment, place, builtIn, live)?.rows.find(([label]) => label === "Owners")?.[1]
    expect(owners("replicas:")).toBe("autoscaler (Update)")
    expect(owners("image:")).toBe("web-team (Apply)")
    expect(owners("serve]")).toBe("web-team (Apply)")
    expect(owners("spec:\n  replicas")).toBe("of parts of it: autoscaler (Update) and web-team (Apply)")
    expect(owners("apiVersion:")).toBeUndefined()
    expect(owners("env:")).toBe("of parts of it: web-team (Apply)")
    const unwritten = deployment.replace("replicas: 3", "minReadySeconds: 3")
    expect(linesOf(unwritten, "minReadySeconds:", builtIn, live).join()).not.toContain("Owners")
  })
})

describe("defined kinds", () => {
  const crd = crdOf(
    "Backup",
    `
status: {type: object, properties: {copies: {type: integer}}}
spec:
  type: object
  required: [schedule]
  properties:
    schedule: {type: string, description: When it runs.}
    copies: {type: integer}
    mode: {type: string, enum: [Full, Delta], default: Full}
    bucket: {type: string, x-kubernetes-validations: [{rule: self == oldSelf, message: a bucket stays}]}
    size: {type: integer, x-kubernetes-validations: [{rule: self >= oldSelf, message: it only grows}]}
    window: {type: object, x-kubernetes-map-type: atomic, properties: {from: {type: string}}}
    targets:
      type: array
      x-kubernetes-list-type: map
      x-kubernetes-list-map-keys: [name]
      items: {type: object, required: [name], properties: {name: {type: string}}}
`,
    { status: {}, scale: { specReplicasPath: ".spec.copies", statusReplicasPath: ".status.copies" } },
  )
  const backup = `apiVersion: example.com/v1
kind: Backup
metadata: {name: a}
spec: {schedule: x, copies: 1, mode: Full, bucket: b, size: 3, window: {from: a}, targets: [{name: t}]}
status: {copies: 0}
`
  const withoutName = (text: string) => text.replace(/(struct|list of) \S*Backup\S*/, "$1")

  it.each([
    ["schedule:", "string", value, "Required: yes"],
    ["copies: 1", "number", value, "Written by: requests to the object and its scale"],
    ["copies: 0", "number", value, "Written by: requests to its status"],
    ["mode:", "string", value, 'If absent: "Full"', 'Values: "Full", "Delta"'],
    ["bucket:", "string", value, "Changes: refused after creation: a bucket stays"],
    ["size:", "number", value],
    ["window:", "atomic struct", whole],
    ["from:", "string", "Part of .spec.window, an atomic struct: its owners own it as a whole."],
    ["targets:", "list of map by name", items("name")],
  ])("%s of a CRD", async (place, ...lines) => {
    const types = await typesOfText(crd, false)
    expect(linesOf(backup, place, types).map(withoutName)).toEqual(lines)
  })

  it("have the descriptions of the CRD", async () => {
    expect(factsOf(backup, "schedule:", await typesOfText(crd, false))).toMatchObject({ description: "When it runs." })
    expect(factsOf(deployment, "replicas:")).toMatchObject({
      hint: expect.stringContaining("/openapi/v3/apis/apps/v1 "),
    })
  })

  it("have the defaults, values and comments of Go types", async () => {
    const types = await typesOfText(lampInGo, false)
    const lamp = "{apiVersion: example.com/v1, kind: Lamp, metadata: {name: a}, spec: {color: red}}"
    expect(factsOf(lamp, "color:", types)?.description).toContain("shines")
    expect(linesOf(lamp, "color:", types)).toEqual(["string", value, 'If absent: "red"', "Required: yes"])
  })

  it("do not change the rules of built-in kinds, whose OpenAPI document adds descriptions", async () => {
    const types = await typesOfText(openapi, false)
    expect(factsOf(deployment, "replicas:", types)).toMatchObject({
      type: "number",
      description: "How many.",
      rows: [
        ["If absent", "1"],
        ["Written by", "requests to the object and its scale"],
      ],
    })
    expect(factsOf(deployment, "replicas:", types)?.hint).toBeUndefined()
    expect(factsOf(deployment, "strategy:", types)?.description).toBe("The way to replace Pods.")
    expect(factsOf(deployment, "rollingUpdate:", types)?.rows).toContainEqual([
      "Union",
      "set only with type: RollingUpdate",
    ])
  })
})

/** A small part of the document of a cluster, in its form: references are wrapped in \`allOf\`. */
const prefix = "#/components/schemas/io.k8s.api.apps.v1."
const openapi = JSON.stringify({
  openapi: "3.0.0",
  info: { title: "Kubernetes", version: "v1.37.0" },
  paths: {},
  components: {
    schemas: {
      "io.k8s.api.apps.v1.Deployment": {
        type: "object",
        "x-kubernetes-group-version-kind": [{ group: "apps", kind: "Deployment", version: "v1" }],
        properties: {
          apiVersion: { type: "string" },
          kind: { type: "string" },
          metadata: { type: "object" },
          spec: { allOf: [{ $ref: `${prefix}DeploymentSpec` }], default: {} },
        },
      },
      "io.k8s.api.apps.v1.DeploymentSpec": {
        type: "object",
        properties: {
          replicas: { type: "integer", format: "int32", description: "How many." },
          strategy: { allOf: [{ $ref: `${prefix}DeploymentStrategy` }], default: {} },
        },
      },
      "io.k8s.api.apps.v1.DeploymentStrategy": {
        type: "object",
        description: "The way to replace Pods.",
        properties: { type: { type: "string" }, rollingUpdate: { type: "object" } },
      },
    },
  },
})
