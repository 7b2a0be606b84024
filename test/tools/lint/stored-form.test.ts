// Findings about values that a server stores in another form. The test API server agrees: a second applier of the configuration is
// in conflict about these fields, and after the patches it is not.
import { describe, expect, it } from "vitest"
import { kubernetes } from "../../../src/kinds/kubernetes.js"
import { type LintFinding, lintStoredForm } from "../../../src/tools/lint/index.js"
import type { MapValue, Value } from "../../../src/value/value.js"
import { jsonPatch } from "../../../src/write/patches/json-patch.js"
import { deepFreeze } from "../../support/deep-freeze.js"
import { definitionOf } from "../../support/definition.js"
import { wholeDeployment } from "../../support/deployment.js"
import { deploymentPath, inAnotherForm, serverOf } from "../../support/reported.js"
import { configMap, service } from "./history.js"

const gadgets = definitionOf("Gadget", {
  schema: {
    properties: {
      spec: {
        type: "object",
        properties: {
          note: { type: "string", nullable: true },
          parts: {
            type: "array",
            items: { type: "object", properties: { name: { type: "string" }, size: { type: "integer", default: 1 } } },
          },
        },
      },
    },
  },
})
const kinds = kubernetes.with([gadgets])
const root = "/api/v1/namespaces/default"

/** Returns the stored object and the fields that are in conflict if a second manager applies the same. */
async function appliedTwice(
  path: string,
  config: MapValue,
): Promise<{ stored: MapValue; conflicts: readonly string[] }> {
  const server = serverOf(path, [gadgets])
  const { metadata: _, ...stored } = await server.apply("first", config)
  expect(stored.code).toBeUndefined()
  const { details } = (await server.apply("second", config)) as { details?: { causes: { field: string }[] } }
  return { stored, conflicts: (details?.causes ?? []).map(({ field }) => field) }
}

/** The fields in conflict, according to a finding. */
const conflictOf = ({ path, message }: LintFinding) => / about (\S+)$/.exec(message)?.[1]?.replace(/^it$/, path) ?? ""

function patched(config: MapValue, found: readonly LintFinding[]): MapValue {
  return jsonPatch(config, found.flatMap(({ patch = [] }) => patch) as unknown as Value) as MapValue
}

const pod = (spec: MapValue): MapValue => wholeDeployment({ template: { metadata: { labels: { app: "web" } }, spec } })
const withContainer = (container: MapValue): MapValue => wholeDeployment({}, container)
const container = '.spec.template.spec.containers[name="web"]'

describe("values that a server stores in another form", () => {
  it.each<[string, string, MapValue, string[]]>([
    ["none in the usual form", deploymentPath, wholeDeployment({ replicas: 1, paused: true }), []],
    ["none for a zero that is kept", deploymentPath, wholeDeployment({ replicas: 0 }), []],
    ["none for defaults that are omitted", `${root}/services/web`, service({ port: 80 }), []],
    [
      "quantities and zeros",
      deploymentPath,
      inAnotherForm(),
      [
        ".spec.template.spec.hostNetwork: does not store false; omit it",
        `${container}.resources.limits.memory: stores "1Gi" instead of "1024Mi"; write "1Gi"`,
      ],
    ],
    [
      "numbers that are quantities",
      deploymentPath,
      withContainer({ resources: { requests: { cpu: 0.5, memory: 1e9 } } }),
      [
        `${container}.resources.requests.cpu: stores "500m" instead of 0.5; write "500m"`,
        `${container}.resources.requests.memory: stores "1G" instead of 1000000000; write "1G"`,
      ],
    ],
    [
      "empty lists, maps and texts, and null",
      deploymentPath,
      wholeDeployment({ minReadySeconds: 0 }, { args: [], tty: false, env: [{ name: "A", value: "" }] }),
      [
        ".spec.minReadySeconds: does not store 0; omit it",
        `${container}.args: does not store []; omit it`,
        `${container}.tty: does not store false; omit it`,
        `${container}.env[name="A"].value: does not store ""; omit it`,
      ],
    ],
    [
      "a null in a map of texts",
      `${root}/configmaps/web`,
      configMap({ a: null }),
      ['.data.a: stores "" instead of null; write ""'],
    ],
    [
      "zeros that get defaults",
      `${root}/services/web`,
      service({ port: 80, nodePort: 0, targetPort: 0 }),
      [
        '.spec.ports[port=80,protocol="TCP"].nodePort: does not store 0; omit it',
        '.spec.ports[port=80,protocol="TCP"].targetPort: stores 80 instead of 0; write 80',
      ],
    ],
    [
      "an atomic map that gets a default",
      deploymentPath,
      withContainer({ env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }] }),
      [`${container}.env[name="A"].valueFrom.fieldRef: adds apiVersion; configure what is stored`],
    ],
    [
      "zeros in an atomic list",
      deploymentPath,
      pod({
        containers: [{ name: "web", image: "web:1" }],
        tolerations: [{ key: "a", operator: "Exists", value: "" }],
      }),
      [`.spec.template.spec.tolerations[0].value: does not store ""; omit it`],
    ],
    [
      "defaults of a custom resource in an atomic list",
      "/apis/example.com/v1/namespaces/default/gadgets/g",
      { apiVersion: "example.com/v1", kind: "Gadget", metadata: { name: "g" }, spec: { parts: [{ name: "a" }] } },
      [".spec.parts[0]: adds size; configure what is stored"],
    ],
  ])("are %s", async (_, path, config, expected) => {
    const found = lintStoredForm(deepFreeze(config), { types: kinds })
    const words = found.map(
      ({ path, message, remedy }) => `${path}: ${/^a server (.*), so /.exec(message)?.[1]}; ${remedy}`,
    )
    expect(words.toSorted()).toEqual(expected.toSorted())
    expect(new Set(found.map(({ code, severity }) => `${code} ${severity}`)).size).toBe(found.length === 0 ? 0 : 1)
    const before = await appliedTwice(path, config)
    expect(new Set(found.map(conflictOf))).toEqual(new Set(before.conflicts))
    const after = await appliedTwice(path, patched(config, found))
    expect(after).toEqual({ ...before, conflicts: [] })
  })

  it("have no patch if the object would differ", async () => {
    const config = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "web" },
      stringData: { password: "swordfish" },
    }
    const [found, ...others] = lintStoredForm(config, { types: kinds })
    expect([found, others]).toEqual([
      {
        code: "config-not-canonical",
        severity: "info",
        path: ".stringData.password",
        message: "a server does not store this, so a second manager that applies the same is in conflict about it",
        remedy: "let a single manager apply it",
      },
      [],
    ])
    expect((await appliedTwice(`${root}/secrets/web`, config)).conflicts).toEqual([".stringData.password"])
  })

  it.each<[string, MapValue]>([
    ["an unknown kind", { apiVersion: "example.com/v1", kind: "Other", metadata: { name: "a" }, spec: { a: null } }],
    ["a kind without apiVersion", { kind: "Pod", spec: { hostNetwork: false } }],
    ["a malformed quantity", withContainer({ tty: false, resources: { limits: { cpu: "much" } } })],
    ["an unknown field", wholeDeployment({ paused: false, pause: true })],
    ["a value of another type", wholeDeployment({ paused: false, replicas: "three" })],
    ["two items with one key", wholeDeployment({ paused: false }, { env: [{ name: "A" }, { name: "A" }] })],
  ])("are not looked for in %s", (_, config) => {
    expect(lintStoredForm(config, { types: kinds })).toEqual([])
  })

  it("need an object and types", () => {
    expect(() => lintStoredForm([], { types: kinds })).toThrow("config: expected an object, got a list")
    expect(() => lintStoredForm({}, {} as { types: typeof kinds })).toThrow("options.types: expected types")
  })
})
